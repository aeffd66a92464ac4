/** What is known of jobs after the program has ended? One small file per job in the user's data folder. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { IsoglossError } from '../../core/base/errors.ts';
import { indexEventSchema, jobSchema, list, trainingEventSchema } from '../contract/index.ts';

const FORMAT = 1;
const JOBS_KEPT = 50;

const entrySchema = z.object({ format: z.literal(FORMAT), job: jobSchema, history: z.object({ training: list(trainingEventSchema), index: list(indexEventSchema) }) });
export type JournalEntry = Omit<z.infer<typeof entrySchema>, 'format'>;

export type Journal = {
  /** All readable entries; a damaged or foreign file is left alone and not shown. */
  readonly read: () => Promise<readonly JournalEntry[]>;
  /** Writes in order; a failure (disk full) is told to `onFailure` and harms no job. */
  readonly write: (entry: JournalEntry) => void;
  /** Resolves when all that was written is on disk. */
  readonly settle: () => Promise<void>;
};

export function createJournal(folder: string, onFailure: (error: unknown) => void): Journal {
  let last: Promise<void> = Promise.resolve();
  const pathOf = (id: string): string => join(folder, `${id}.json`);
  return {
    read: async () => {
      await mkdir(folder, { recursive: true });
      const entries: JournalEntry[] = [];
      for (const name of await readdir(folder)) {
        if (!/^[A-Za-z0-9_-]+\.json$/.test(name)) continue;
        const entry = await readEntry(join(folder, name));
        if (entry !== null) entries.push(entry);
      }
      entries.sort((a, b) => b.job.startedAt - a.job.startedAt);
      for (const old of entries.slice(JOBS_KEPT)) await rm(pathOf(old.job.id), { force: true });
      return entries.slice(0, JOBS_KEPT);
    },
    write: (entry) => {
      last = last.then(() => mkdir(folder, { recursive: true })).then(() => writeJsonAtomic(pathOf(entry.job.id), { format: FORMAT, ...entry })).catch(onFailure);
    },
    settle: () => last,
  };
}

async function readEntry(path: string): Promise<JournalEntry | null> {
  try {
    const parsed = entrySchema.safeParse(await readJson(path));
    return parsed.success ? parsed.data : null;
  } catch (thrown) {
    if (thrown instanceof IsoglossError) return null; // half a file from a power cut, or not ours
    throw thrown;
  }
}
