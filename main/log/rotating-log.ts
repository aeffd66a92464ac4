/** What happened in the program, for the person who asks for help? One file that begins anew when it is full; three older ones stay. */
import { appendFile, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogEntry } from '../contract/index.ts';
import { scrub } from './scrub.ts';

export const LOG_FILE = 'isogloss.log';
const FILE_BYTES = 1024 * 1024;
const OLDER_FILES = 3;

export type Log = {
  /** Never throws and never waits; what could not be written is counted and said once writing works again. */
  readonly write: (level: LogEntry['level'], code: string, message?: string) => void;
  /** The newest entries, oldest first; a line that cannot be read (half written when the power went) is left out. */
  readonly read: (most: number) => Promise<readonly LogEntry[]>;
  /** Resolves when all that was written so far is in the file, or lost. */
  readonly settle: () => Promise<void>;
};

/** @param now milliseconds since 1970. */
export function createLog(options: { readonly folder: string; readonly now: () => number; readonly fileBytes?: number }): Log {
  const { folder, now, fileBytes = FILE_BYTES } = options;
  const file = join(folder, LOG_FILE);
  const older = (at: number): string => `${file}.${String(at)}`;
  let last: Promise<void> = Promise.resolve();
  let size: number | null = null;
  let lost = 0;

  async function append(entry: LogEntry): Promise<void> {
    const line = `${JSON.stringify(entry)}\n`;
    if (size === null) {
      await mkdir(folder, { recursive: true });
      size = await stat(file).then((found) => found.size, () => 0);
    }
    if (size + line.length > fileBytes && size > 0) {
      await rm(older(OLDER_FILES), { force: true });
      for (let at = OLDER_FILES - 1; at >= 0; at -= 1) await rename(at === 0 ? file : older(at), older(at + 1)).catch(ignoreMissing);
      size = 0;
    }
    await appendFile(file, line, { mode: 0o600 });
    size += Buffer.byteLength(line);
  }

  async function keep(entry: LogEntry): Promise<void> {
    try {
      if (lost > 0) await append({ at: entry.at, level: 'warning', code: 'log.lost', message: `${String(lost)} entries could not be written.` });
      lost = 0;
      await append(entry);
    } catch {
      lost += 1; // a full disk must not stop the program; the count is said when there is room again
      size = null;
    }
  }

  return {
    write: (level, code, message = '') => {
      const entry: LogEntry = { at: now(), level, code: scrub(code), message: scrub(message) };
      last = last.then(() => keep(entry));
    },
    settle: () => last,
    read: async (most) => {
      await last;
      const texts = await Promise.all([older(1), file].map((path) => readFile(path, 'utf8').catch(() => '')));
      return texts.flatMap((text) => text.split('\n')).flatMap(parseEntry).slice(-most);
    },
  };
}

function parseEntry(line: string): readonly LogEntry[] {
  try {
    const found: unknown = JSON.parse(line);
    if (typeof found !== 'object' || found === null || !('at' in found) || !('level' in found) || !('code' in found) || !('message' in found)) return [];
    const { at, level, code, message } = found;
    if (typeof at !== 'number' || (level !== 'info' && level !== 'warning' && level !== 'error')) return [];
    return [{ at, level, code: String(code), message: String(message) }];
  } catch {
    return []; // an empty or torn line says nothing
  }
}

function ignoreMissing(thrown: unknown): void {
  if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown;
}
