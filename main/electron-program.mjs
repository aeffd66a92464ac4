/** Is there an Electron to open, and can there be one within seconds? Plain JavaScript for Node >= 20. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nodePath, root, say } from './setup.mjs';

/** A download that has not begun to move after so long is given up. */
const PATIENCE_MS = 6_000;
const LOOK_MS = 500;
const SAY_EVERY_MS = 5_000;
const BYTES_PER_MB = 1e6;

/** The path of Electron's program, fetched if need be; null when there is no screen or no way to get it (said in one sentence). */
export async function electronProgram() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
    say('There is no screen for a window here, so Isogloss is served to a browser.');
    return null;
  }
  const program = await fetchedElectron();
  if (program !== null) return program;
  say('Electron could not be fetched, so Isogloss opens in the browser instead; nothing else differs.');
  return null;
}

/** The path of Electron's program, fetched if need be; null when it cannot be had. */
export async function fetchedElectron() {
  return (await installedProgram()) ?? ((await fetchElectron()) ? installedProgram() : null);
}

async function installedProgram() {
  const folder = join(root, 'node_modules', 'electron');
  const name = await readFile(join(folder, 'path.txt'), 'utf8').catch(() => null);
  if (name === null) return null;
  const program = join(folder, 'dist', name);
  return existsSync(program) ? program : null;
}

/** Runs Electron's own installer as long as its download grows; its stack traces are not shown. */
async function fetchElectron() {
  const installer = join(root, 'node_modules', 'electron', 'install.js');
  if (!existsSync(installer)) return false;
  const temporary = join(root, 'build', 'electron-download');
  await mkdir(temporary, { recursive: true });
  const child = spawn(nodePath(), [installer], { stdio: 'ignore', env: { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary } });
  let isOver = false;
  const done = new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  }).finally(() => {
    isOver = true;
  });
  let size = 0;
  let movedAt = Date.now();
  let saidAt = movedAt;
  while (!isOver) {
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
    const sizeNow = (await bytesBelow(temporary)) + (await bytesBelow(join(root, 'node_modules', 'electron', 'dist'))); // fetched, then unpacked
    const time = Date.now();
    if (sizeNow > size) movedAt = time;
    size = sizeNow;
    if (!isOver && time - movedAt > PATIENCE_MS) child.kill('SIGKILL');
    if (!isOver && size > 0 && time - saidAt > SAY_EVERY_MS) {
      saidAt = time;
      say(`Fetching Electron (once): ${Math.round(size / BYTES_PER_MB)} MB ...`);
    }
  }
  await rm(temporary, { recursive: true, force: true });
  return done;
}

async function bytesBelow(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = await Promise.all(entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath ?? entry.path, entry.name)).then((found) => found.size, () => 0)));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
