/** Is another process at work in this place? A lock file names the process; one that a crash left behind is taken over. */
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { dirname } from 'node:path';
import { z } from 'zod';
import { InputError, toIsoglossError } from './errors.ts';

const MS_PER_SECOND = 1000;
/** Clocks and `uptime` agree to within this. */
const CLOCK_TOLERANCE_MS = 60_000;
/** Longer than it takes to write a line. */
const WRITING_MS = 500;
const POLL_MS = 20;

const holderSchema = z.object({ pid: z.int(), host: z.string(), since: z.number() });
type Holder = z.infer<typeof holderSchema>;

/**
 * Makes the lock file `path`; disposing of the lock removes it. A lock of a process of this computer that is gone, or that was made before
 * the computer was last started, is taken over.
 * @throws InputError `busy.code` with `busy.message` when the holder is alive or on another computer; EnvironmentError 'disk.full', 'disk.no-permission'.
 */
export async function takeProcessLock(path: string, busy: { readonly code: string; readonly message: string }): Promise<AsyncDisposable> {
  for (let attempt = 0; ; attempt += 1) {
    if (await writeNew(path)) return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    const holder = await readHolder(path);
    if (attempt > 0 || (holder !== null && isAtWork(holder))) {
      throw new InputError(busy.code, `${busy.message} (${holder === null ? 'unknown process' : `process ${holder.pid} on ${holder.host}`}; if that is not so, delete ${path})`, { data: { path } });
    }
    await removeLock(path, holder);
  }
}

/** Removes the lock of the holder that was seen; when another has replaced it meanwhile, that one is put back. */
async function removeLock(path: string, seen: Holder | null): Promise<void> {
  const aside = `${path}.${String(process.pid)}`;
  try {
    await rename(path, aside);
    const found = parseHolder(await readFile(aside, 'utf8'));
    if (found !== null && (seen === null || found.pid !== seen.pid || found.since !== seen.since)) await rename(aside, path);
    else await rm(aside, { force: true });
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return; // gone in this moment
    throw toIsoglossError(thrown, dirname(path));
  }
}

async function writeNew(path: string): Promise<boolean> {
  const mine: Holder = { pid: process.pid, host: hostname(), since: Date.now() };
  try {
    await using file = await open(path, 'wx');
    try {
      await file.writeFile(`${JSON.stringify(mine)}\n`);
    } catch (thrown) {
      await rm(path, { force: true }); // a full disk: made, but empty
      throw thrown;
    }
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false;
    throw toIsoglossError(thrown, dirname(path));
  }
}

/** Who holds the lock; null: nobody. A lock that is just being made has no content yet, and gets the time to be written. */
async function readHolder(path: string): Promise<Holder | null> {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text === null) return null; // gone in this moment
    const holder = parseHolder(text);
    if (holder !== null) return holder;
    const ageMs = await stat(path).then(({ mtimeMs }) => Date.now() - mtimeMs, () => Number.POSITIVE_INFINITY);
    if (Math.abs(ageMs) > WRITING_MS) return null; // half written when the machine stopped
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function parseHolder(text: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function isAtWork({ pid, host, since }: Holder): boolean {
  if (host !== hostname()) return true;
  const startedAt = Date.now() - uptime() * MS_PER_SECOND;
  if (since < startedAt - CLOCK_TOLERANCE_MS) return false;
  try {
    process.kill(pid, 0); // signal 0 asks whether the process is there
    return true;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
