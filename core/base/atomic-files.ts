/** How is a file or folder written so that a crash leaves the old one or the new one, never half of it? */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InputError, toIsoglossError } from './errors.ts';

const RENAME_RETRIES = 5;
const RENAME_WAIT_MS = 50;
/** How names of temporary and moved-aside files end: ".<uuid>.tmp" and ".<uuid>.old". */
const LEFTOVER = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(tmp|old)$/;
const BUSY_CODES = new Set(['EPERM', 'EBUSY', 'EACCES']);

/** Writes a file whole: temporary file beside it, fsync, rename, fsync of the folder. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export async function writeFileAtomic(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await writeAndSync(temporary, content);
    await renameWithRetry(temporary, path);
    await syncFolder(dirname(path));
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw toIsoglossError(thrown, path);
  }
}

/**
 * Makes a folder and those above it that are missing. Like mkdir with `recursive`, but a read-only disk is called so (Node says ENOENT).
 * @throws EnvironmentError 'disk.no-permission', 'disk.full'; InputError 'file.not-a-folder' when a file is in the way.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' && dirname(path) !== path) {
      await makeFolder(dirname(path));
      await makeFolder(path);
      return;
    }
    const found = await stat(path).catch(() => null); // the first error says more
    if (found?.isDirectory() === true) return;
    if (code === 'EEXIST') throw new InputError('file.not-a-folder', `${path}: expected a folder, found a file in its place.`, { cause: thrown, data: { path } });
    throw toIsoglossError(thrown);
  }
}

/** Writes JSON with a trailing newline, atomically. */
export async function writeJsonAtomic(path: string, value: unknown): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Reads and parses JSON. @throws InputError 'file.missing', 'file.not-json' with the parser's place. */
export async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    throw toIsoglossError(thrown, path);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new InputError('file.not-json', `${path}: expected JSON, found text that does not parse (${(cause as Error).message}).`, { cause, data: { path } });
  }
}

/**
 * Makes a folder whole: `fill` writes into a temporary folder beside it; then every file is fsynced, an old folder of the
 * name is moved aside, the new one renamed into place, the parent fsynced, and the old one removed. Between the two renames
 * the name is free for a moment: `restoreFolder` puts the old folder back if the machine stopped right there.
 * @throws EnvironmentError 'disk.full', 'disk.no-permission'; what `fill` throws. The old folder is then as it was.
 */
export async function writeFolderAtomic(path: string, fill: (temporaryPath: string) => Promise<void>): Promise<void> {
  const parent = dirname(path);
  const temporary = join(parent, `.${basename(path)}.${randomUUID()}.tmp`);
  const aside = join(parent, `.${basename(path)}.${randomUUID()}.old`);
  try {
    await makeFolder(temporary);
    await fill(temporary);
    await syncTree(temporary);
    let hadOld = true;
    try {
      await renameWithRetry(path, aside);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
      hadOld = false;
    }
    try {
      await renameWithRetry(temporary, path);
    } catch (thrown) {
      if (hadOld) await renameWithRetry(aside, path);
      throw thrown;
    }
    await syncFolder(parent);
    if (hadOld) await rm(aside, { recursive: true, force: true });
  } catch (thrown) {
    await rm(temporary, { recursive: true, force: true });
    throw toIsoglossError(thrown, path);
  }
}

/**
 * Tidies up after a `writeFolderAtomic` (or `writeFileAtomic`) of this path that was stopped by a crash: puts an old folder that was moved
 * aside back when nothing stands in its place, and removes half-made ones. Call it only where no other process writes this path.
 */
export async function restoreFolder(path: string): Promise<void> {
  const parent = dirname(path);
  const isLeftover = (name: string): boolean => name.startsWith(`.${basename(path)}.`) && LEFTOVER.test(name.slice(basename(path).length + 1));
  try {
    const leftovers = (await readdir(parent)).filter(isLeftover).sort();
    const aside = leftovers.find((name) => name.endsWith('.old'));
    if (aside !== undefined && (await isMissing(path))) {
      await renameWithRetry(join(parent, aside), path);
      await syncFolder(parent);
    }
    for (const name of leftovers) await rm(join(parent, name), { recursive: true, force: true });
  } catch (thrown) {
    const error = toIsoglossError(thrown);
    if (error.code !== 'file.missing') throw error; // no parent: nothing was ever written there
  }
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw thrown;
  }
}

/** fsync of every file and folder below (and with) a folder. */
export async function syncTree(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await syncTree(child);
    else if (entry.isFile()) {
      await using file = await open(child, 'r+');
      await file.sync();
    }
  }
  await syncFolder(path);
}

/** fsync of one folder, so that names in it survive a power cut; Windows has no such call. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using folder = await open(path, 'r');
  await folder.sync();
}

async function writeAndSync(path: string, content: string | Uint8Array): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(content);
  await file.sync();
}

async function renameWithRetry(from: string, to: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (thrown) {
      const code = (thrown as NodeJS.ErrnoException).code ?? '';
      if (process.platform !== 'win32' || !BUSY_CODES.has(code) || attempt >= RENAME_RETRIES) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, RENAME_WAIT_MS * 2 ** attempt));
    }
  }
}
