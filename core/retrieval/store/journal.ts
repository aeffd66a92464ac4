/** Which files does an index hold for certain? An append-only journal, synced after every batch; rows that it does not name do not count. */
import { open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { syncFolder, writeFileAtomic } from '../../base/atomic-files.ts';
import { toIsoglossError } from '../../base/errors.ts';
import { sha256 } from '../../base/hashing.ts';
import { dirname } from 'node:path';

const fileSchema = z.object({
  path: z.string(),
  /** The path that the rows carry, where the file was renamed or moved since; rows are found by (batch, storedPath ?? path). */
  storedPath: z.string().optional(),
  /** SHA-256 of the file. */
  hash: z.string(),
  sizeBytes: z.int().min(0),
  title: z.string(),
  language: z.string().nullable(),
  /** When the file was last changed, ms since 1970; left out by older indexes. */
  modifiedAt: z.number().optional(),
  /** Whether most of its letters are Latin. */
  isLatin: z.boolean().optional(),
  /** Chunks and vectors of the file in this batch. */
  chunks: z.int().min(0),
  vectors: z.int().min(0),
  /** A long file spans batches: parts count from 0; part 0 begins the file anew; the file counts when its last part is in. */
  part: z.int().min(0),
  isLast: z.boolean(),
});
const entrySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('batch'), batch: z.int().min(0), files: z.array(fileSchema) }),
  z.object({ kind: z.literal('removed'), paths: z.array(z.string()) }),
  /** All at once, so that two files can change names; what has a new name keeps its rows. */
  z.object({ kind: z.literal('renamed'), files: z.array(z.object({ from: z.string(), to: z.string(), title: z.string() })).readonly() }),
]);

export type JournalFile = z.infer<typeof fileSchema>;
export type JournalEntry = z.infer<typeof entrySchema>;

/** A file that is whole in the index. */
export type IndexedFile = Omit<JournalFile, 'isLast' | 'part'> & { readonly parts: readonly { readonly batch: number; readonly chunks: number; readonly vectors: number }[] };

export type JournalState = {
  readonly files: ReadonlyMap<string, IndexedFile>;
  /** No batch has this number or a higher one. */
  readonly nextBatch: number;
};

const CHECK_LENGTH = 16;
const SEPARATOR = '\t';

/** Appends one entry and syncs it. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export async function appendEntry(path: string, entry: JournalEntry): Promise<void> {
  try {
    await using file = await open(path, 'a');
    const { size } = await file.stat();
    await file.write(`${size === 0 ? '' : '\n'}${formatEntry(entry)}`); // begins a new line, so that a torn line before it stays alone
    await file.sync();
    if (size === 0) await syncFolder(dirname(path));
  } catch (thrown) {
    throw toIsoglossError(thrown, path);
  }
}

/** Replays the journal; lines that were cut off or damaged are passed over, and their files count as not indexed. No journal: nothing is indexed. */
export async function readJournal(path: string): Promise<JournalState> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return { files: new Map(), nextBatch: 0 };
    throw toIsoglossError(thrown);
  }
  return replay(text.split('\n').flatMap(parseEntry));
}

/** Rewrites the journal with what counts, atomically. */
export async function compactJournal(path: string, state: JournalState): Promise<void> {
  const lines: string[] = [];
  for (const { parts, ...file } of state.files.values()) {
    parts.forEach(({ batch, chunks, vectors }, i) => {
      lines.push(formatEntry({ kind: 'batch', batch, files: [{ ...file, chunks, vectors, part: i, isLast: i === parts.length - 1 }] }));
    });
  }
  lines.push(formatEntry({ kind: 'batch', batch: Math.max(0, state.nextBatch - 1), files: [] }));
  await writeFileAtomic(path, lines.join('\n'));
}

function formatEntry(entry: JournalEntry): string {
  const json = JSON.stringify(entry);
  return `${json}${SEPARATOR}${sha256(json).slice(0, CHECK_LENGTH)}`;
}

function parseEntry(line: string): JournalEntry[] {
  const at = line.lastIndexOf(SEPARATOR);
  const json = line.slice(0, Math.max(0, at));
  if (at < 0 || sha256(json).slice(0, CHECK_LENGTH) !== line.slice(at + 1)) return [];
  const parsed = entrySchema.safeParse(JSON.parse(json));
  return parsed.success ? [parsed.data] : [];
}

function replay(entries: readonly JournalEntry[]): JournalState {
  const files = new Map<string, IndexedFile>();
  const pending = new Map<string, IndexedFile>();
  let nextBatch = 0;
  for (const entry of entries) {
    if (entry.kind === 'removed') {
      for (const path of entry.paths) files.delete(path);
      continue;
    }
    if (entry.kind === 'renamed') {
      rename(files, entry.files);
      continue;
    }
    nextBatch = Math.max(nextBatch, entry.batch + 1);
    for (const { isLast, part, ...file } of entry.files) {
      const before = part === 0 ? [] : (pending.get(file.path)?.parts ?? []);
      if (before.length !== part) continue; // a part is lost; the file does not become whole
      const parts = [...before, { batch: entry.batch, chunks: file.chunks, vectors: file.vectors }];
      const whole = { ...file, chunks: parts.reduce((sum, part) => sum + part.chunks, 0), vectors: parts.reduce((sum, part) => sum + part.vectors, 0), parts };
      if (isLast) {
        files.set(file.path, whole);
        pending.delete(file.path);
      } else pending.set(file.path, whole);
    }
  }
  return { files, nextBatch };
}

function rename(files: Map<string, IndexedFile>, renamed: readonly { readonly from: string; readonly to: string; readonly title: string }[]): void {
  const moving = renamed.map(({ from, to, title }) => ({ to, title, file: files.get(from) }));
  for (const { from } of renamed) files.delete(from);
  for (const { to, title, file } of moving) if (file !== undefined) files.set(to, { ...file, path: to, title, storedPath: file.storedPath ?? file.path });
}
