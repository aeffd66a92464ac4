/** Is everything there that the program needs, and if not, how does it come? Plain JavaScript for Node >= 20, no dependencies. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const REQUIRED_NODE_MAJOR = 24;
const LOCK = join(root, 'package-lock.json');
/** npm's own account of what lies in node_modules. */
const INSTALLED_LOCK = join(root, 'node_modules', '.package-lock.json');

/** Where Node keeps what it has compiled, so that the program and its workers start a fifth faster; it may be deleted at any time. */
export const COMPILE_CACHE = join(root, 'build', 'compile-cache');

/** Says something to the person who waits; stdout belongs to the link and to results. */
export function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}

/** Node 24: this one, or the one that the npm package "node" put into node_modules. */
export function nodePath() {
  if (Number(process.versions.node.split('.')[0]) >= REQUIRED_NODE_MAJOR) return process.execPath;
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  return join(root, 'node_modules', 'node', 'bin', name);
}

/**
 * Runs a program to its end without a shell; what it prints goes to stderr.
 * @returns {Promise<number>} the exit code; 1 when it could not be started or was ended by a signal.
 */
export function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 2, 2], shell: false, ...options });
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** npm as a program and its first arguments: the npm that runs us, or the one on the PATH. */
export function npmCommand() {
  const script = process.env.npm_execpath;
  if (script !== undefined && /npm-cli\.[cm]?js$/.test(script)) return [process.execPath, [script]];
  return process.platform === 'win32' ? [process.env.ComSpec ?? 'cmd.exe', ['/d', '/s', '/c', 'npm']] : ['npm', []];
}

/** Whether node_modules holds exactly the versions of package-lock.json (packages for other platforms may be absent). */
export async function isInstalled() {
  const wanted = await packagesOf(LOCK);
  const present = await packagesOf(INSTALLED_LOCK);
  if (wanted === null) return present !== null;
  if (present === null || !existsSync(nodePath())) return false;
  return Object.entries(wanted).every(([path, entry]) => path === '' || present[path]?.version === entry.version || (present[path] === undefined && entry.optional === true));
}

/** Installs what package-lock.json says when it is not there. @throws Error with one sentence. */
export async function ensureInstalled() {
  if (await isInstalled()) return;
  say('Installing what Isogloss is made of (once; about 400 MB) ...');
  const [program, before] = npmCommand();
  // Not `npm ci`: it refuses a lock that lacks an optional package of another platform, which is how npm writes locks where that
  // platform's package cannot be reached. `install` takes the locked versions and hashes all the same; --no-save leaves the lock as it is.
  const code = await run(program, [...before, 'install', '--no-save', '--loglevel=error', '--no-fund', '--no-audit']);
  if (code !== 0) throw new Error('Installing failed; what npm said stands above. A network connection is needed for this first step; then run the same command again.');
  if (!existsSync(nodePath())) throw new Error(`Isogloss needs Node ${REQUIRED_NODE_MAJOR}, and the npm package "node" did not bring it. Install Node ${REQUIRED_NODE_MAJOR} or newer and run the same command again.`);
}

/**
 * Builds one Vite project when its sources differ from those of the last build; the old build stays until the new one is whole.
 * @param {{name: string, config: string, output: string, sources: readonly string[]}} target paths relative to the repository.
 * @throws Error with one sentence.
 */
export async function ensureBuilt({ name, config, output, sources }) {
  const folder = join(root, output);
  const stamp = `${await hashOfSources([...sources, 'package-lock.json'])}\n`;
  const stampFile = `${folder}.stamp`;
  if (existsSync(folder) && (await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return;
  say(`Building ${name} ...`);
  const fresh = `${folder}.new-${process.pid}`;
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const code = await run(nodePath(), [vite, 'build', '--config', join(root, config), '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn']);
  if (code !== 0) {
    await rm(fresh, { recursive: true, force: true });
    throw new Error(`Building ${name} failed; what the builder said stands above.`);
  }
  await mkdir(dirname(folder), { recursive: true });
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
  await writeFile(stampFile, stamp);
}

/** The window: what served mode and Electron both show. */
export const RENDERER = { name: 'the window', config: 'renderer/vite.config.ts', output: 'build/renderer', sources: ['renderer', 'main/contract'] };

/** Electron's main process, preload and workers, bundled: Electron does not read TypeScript. */
export const ELECTRON_BUILD = { name: 'the Electron program', config: 'main/electron/vite.config.ts', output: 'build/main', sources: ['main', 'core'] };

async function packagesOf(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8')).packages ?? {};
  } catch {
    return null; // absent or half-written: both mean "install again"
  }
}

async function hashOfSources(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of await filesBelow(join(root, path))) {
      if (/\.test\.ts$/.test(file)) continue;
      hash.update(file.slice(root.length)).update('\0').update(await readFile(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

async function filesBelow(path) {
  const found = await stat(path).catch(() => null);
  if (found === null) return [];
  if (found.isFile()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
}
