/** Is this project open in another Isogloss? One lock file per project folder says who holds it. */
import { randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { InputError } from '../../core/base/errors.ts';

export const LOCK_FILE = 'project.lock';

const holderSchema = z.object({ pid: z.number().int(), host: z.string(), since: z.string(), key: z.string() });
type Holder = z.infer<typeof holderSchema>;

export type Lock = { readonly release: () => Promise<void> };

export type LockOptions = {
  readonly host?: string;
  readonly pid?: number;
  /** Whether a process of this machine lives. */
  readonly isAlive?: (pid: number) => boolean;
};

/**
 * Takes the lock of a folder. A lock left by a dead process of this machine is taken over; one of another machine never is,
 * because nobody here can know whether it still works on the folder.
 * @throws InputError 'project.open-elsewhere' with who and since when; what writing throws (read-only folder, full disk).
 */
export async function takeLock(folder: string, options: LockOptions = {}): Promise<Lock> {
  const { host = hostname(), pid = process.pid, isAlive = isProcessAlive } = options;
  const path = join(folder, LOCK_FILE);
  const mine: Holder = { pid, host, since: new Date().toISOString(), key: randomUUID() };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (await writeNew(path, mine)) return { release: () => release(path, mine) };
    const other = await readHolder(path);
    const isDead = other === 'unreadable' || (other !== 'gone' && other.host === host && !isAlive(other.pid));
    if (other !== 'gone' && !isDead) throw openElsewhere(folder, other, host);
    if (isDead) await rm(path, { force: true });
  }
  throw new InputError('project.open-elsewhere', `${folder}: another Isogloss is opening this project at this very moment. Use that one, or try again.`, { data: { path: folder } });
}

async function writeNew(path: string, holder: Holder): Promise<boolean> {
  try {
    await using file = await open(path, 'wx');
    await file.writeFile(`${JSON.stringify(holder)}\n`);
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false;
    throw thrown;
  }
}

async function readHolder(path: string): Promise<Holder | 'gone' | 'unreadable'> {
  try {
    const parsed = holderSchema.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : 'unreadable';
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return 'unreadable';
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return 'gone';
    throw thrown;
  }
}

async function release(path: string, mine: Holder): Promise<void> {
  const holder = await readHolder(path);
  if (typeof holder === 'object' && holder.key === mine.key) await rm(path, { force: true });
}

function openElsewhere(folder: string, holder: Holder, host: string): InputError {
  const where = holder.host === host ? 'in another window of Isogloss on this computer' : `on the computer "${holder.host}"`;
  const help = holder.host === host ? 'Use that window, or close it.' : `Close it there. If that computer is gone, delete the file ${LOCK_FILE} in the project's folder.`;
  return new InputError('project.open-elsewhere', `${folder}: this project is open ${where} since ${holder.since}. It is shown, but nothing in it can be changed here. ${help}`, {
    data: { path: folder, host: holder.host, since: holder.since },
  });
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
