/** How does a folder of documents become an index? File by file, batch by batch; what is unchanged is not embedded again. */
import { access, constants, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InputError, toIsoglossError } from '../base/errors.ts';
import type { IsoglossError } from '../base/errors.ts';
import { waitWhile } from '../base/pause.ts';
import { sha256OfFile } from '../base/hashing.ts';
import { printable } from '../base/text-files.ts';
import type { FileProblem } from '../base/text-files.ts';
import { ignoreProgress } from '../base/progress.ts';
import type { ReportProgress } from '../base/progress.ts';
import { chunkDocument } from '../documents/chunker.ts';
import type { Chunk } from '../documents/chunker.ts';
import { isInFolder, walkLibrary } from '../documents/library-folders.ts';
import type { LibraryFolder } from '../documents/library-folders.ts';
import type { FolderEntry, SkipReason } from '../documents/folder-walk.ts';
import { createDocumentReader } from '../documents/document-reader.ts';
import type { DocumentReader } from '../documents/document-reader.ts';
import { documentText } from '../documents/parsed-document.ts';
import { encoderIn, type Encoder } from '../encoding/encoder.ts';
import { createBatchWriter } from './batch-writer.ts';
import type { BatchWriter } from './batch-writer.ts';
import { guessLanguage } from './guess-language.ts';
import { lockIndex } from './index-lock.ts';
import { noMatchingRules } from './matching-rules.ts';
import type { MatchingRules } from './matching-rules.ts';
import { isMostlyLatin } from './scripts.ts';
import { keepSegments } from './segments/keep-segments.ts';
import { createSegmentWriter, removeSegments, segmentMaking } from './segments/segment-folder.ts';
import { expectModel, findManifest, isOlder, journalPath, newManifest, writeManifest } from './store/index-manifest.ts';
import type { IndexManifest } from './store/index-manifest.ts';
import { appendEntry, compactJournal, readJournal } from './store/journal.ts';
import type { IndexedFile } from './store/journal.ts';
import { openStore, removeStore, storeFolder, storeShapeOf } from './store/lance-store.ts';
import type { LanceStore } from './store/lance-store.ts';
import { checkedLocation } from './store/store-location.ts';
import { breakSeal, damagedFiles, knownSums, readSeal, writeSeal } from './store/seal.ts';
import { readStoredFiles, sealedFiles } from './store/stored-files.ts';
import type { StoredFiles } from './store/stored-files.ts';

export type BuildIndexOptions = {
  readonly encoder: Encoder;
  /** Remembered in index.json, so that a search can find the model. */
  readonly modelFolder?: string;
  readonly documentsFolder: string;
  /** A library of several folders, in place of `documentsFolder` alone. */
  readonly folders?: readonly LibraryFolder[];
  readonly indexFolder: string;
  /** What to do with an index that another model made. Default: refuse. */
  readonly ifOtherModel?: 'refuse' | 'rebuild';
  /** Where the tables are kept instead of in the index folder: s3://, gs://, az:// or db://; credentials come from the environment. Left out: as before, or the index folder. */
  readonly location?: string;
  /** Spellings that this project treats as one. Left out: as before, or none. */
  readonly rules?: MatchingRules;
  /** Files that could not be read before, by path: not tried again while their content is the same. */
  readonly knownFailures?: ReadonlyMap<string, { readonly hash: string; readonly error: IsoglossError }>;
  /** 'thorough' reads the stored data again and compares it with its sums (bit rot); damaged data is made anew. Default 'quick'. */
  readonly check?: 'quick' | 'thorough';
  /** Asked between files; what was embedded so far is on the disk before it waits. */
  readonly isPaused?: () => boolean;
  readonly signal: AbortSignal;
  readonly report?: ReportProgress;
};

export type BuildSummary = {
  readonly files: number;
  readonly chunks: number;
  readonly vectors: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Files that have another name or place now; their rows stay. */
  readonly moved: number;
  readonly removed: number;
  /** Folders of the library that are away; their documents stay in the index. */
  readonly missingFolders: readonly string[];
  /** Files that were indexed but whose rows were damaged or lost, and that were indexed again. */
  readonly repaired: number;
  readonly skipped: readonly { readonly path: string; readonly reason: SkipReason }[];
  /** Files that could not be read; an older version that is in the index stays. */
  readonly failed: readonly { readonly path: string; /** SHA-256; null when not even that could be read. */ readonly hash: string | null; readonly error: IsoglossError }[];
  /** What is wrong inside files that were read now and are in the index all the same; the first MOST_PROBLEMS. */
  readonly problems: readonly FileProblem[];
};

const MOST_PROBLEMS = 1000;

type DocumentEntry = Extract<FolderEntry, { kind: 'document' }>;

/**
 * Brings an index up to date with a folder. A file is known by its SHA-256: an unchanged one is not read again. Killed at any
 * moment, the next call goes on from the last batch; cancelled, the index holds what it held and the batches since.
 *
 * @throws InputError 'index.already-running', 'index.other-model', 'index.not-an-index', 'index.not-a-folder', 'index.newer-version', 'file.missing';
 *   EnvironmentError 'disk.full', 'disk.no-permission'; the signal's reason once aborted.
 */
export async function buildIndex(options: BuildIndexOptions): Promise<BuildSummary> {
  const { indexFolder, report = ignoreProgress } = options;
  const { documents, skipped, missingFolders } = await listDocuments(options, report);
  await using stack = new AsyncDisposableStack();
  stack.use(await lockIndex(indexFolder));
  const manifest = await prepareFolder(options);
  if (options.check === 'thorough' && (await damagedFiles(indexFolder)).length > 0) await startOver(indexFolder, manifest.location);
  const sums = await knownSums(indexFolder);
  const { store, stored } = await openWhole(indexFolder, options.encoder, manifest.location);
  const reader = createDocumentReader();
  try {
    const journal = journalPath(indexFolder);
    const making = segmentMaking(options.encoder, manifest.rules ?? noMatchingRules);
    await breakSeal(indexFolder);
    await store.removeBatches(stored.staleBatches);
    const known = [...stored.files.keys(), ...stored.missing].filter((path) => !missingFolders.some((name) => isInFolder(path, name)));
    const hashed = await hashDocuments(documents, { ...options, report });
    const renamed = findRenamed({ hashed, known: known.flatMap((path) => stored.files.get(path) ?? []) });
    if (renamed.length > 0) await appendEntry(journal, { kind: 'renamed', files: renamed });
    const kept = new Set([...documents.map(({ relativePath }) => relativePath), ...renamed.map(({ from }) => from)]);
    const gone = known.filter((path) => !kept.has(path));
    if (gone.length > 0) await appendEntry(journal, { kind: 'removed', paths: gone });
    const segments = createSegmentWriter(indexFolder, making);
    const writer = createBatchWriter({ store, segments, journalPath: journal, firstBatch: (await readJournal(journal)).nextBatch, width: options.encoder.width });
    const changes = await indexDocuments({ ...options, reader, report, hashed, stored, writer, renamed: new Set(renamed.map(({ to }) => to)) });
    report({ phase: 'finishing', done: 0, total: 1, unit: 'steps' });
    const isChanged = changes.added + changes.changed + changes.repaired + gone.length + renamed.length + stored.staleBatches.length > 0 || manifest.finishedAt === null;
    await segments.finish();
    if (isChanged || !(await store.areIndexesSound())) await store.finish();
    const counts = await finish({ indexFolder, manifest });
    const now = await readStoredFiles(store, await readJournal(journal));
    await keepSegments({ indexFolder, making, store, files: now.files });
    await writeSeal(indexFolder, { store: await store.version(), missing: now.missing, staleBatches: now.staleBatches }, sums);
    await removeBackup(indexFolder);
    report({ phase: 'finishing', done: 1, total: 1, unit: 'steps' });
    return { ...counts, ...changes, moved: renamed.length, removed: gone.length, missingFolders, skipped };
  } finally {
    reader.dispose();
    store.close();
  }
}

type Listing = { readonly documents: readonly DocumentEntry[]; readonly skipped: BuildSummary['skipped']; readonly missingFolders: readonly string[] };

/** @throws InputError 'file.missing' when none of the folders is there. */
async function listDocuments({ documentsFolder, folders = [{ name: '', path: documentsFolder }], signal }: BuildIndexOptions, report: ReportProgress): Promise<Listing> {
  const documents: DocumentEntry[] = [];
  const skipped: { path: string; reason: SkipReason }[] = [];
  const missingFolders: string[] = [];
  for await (const entry of walkLibrary(folders, signal)) {
    if (entry.kind === 'document') documents.push(entry);
    else if (entry.kind === 'skipped') skipped.push({ path: entry.relativePath, reason: entry.reason });
    else missingFolders.push(entry.name);
    report({ phase: 'listing', done: documents.length, total: null, unit: 'files' });
  }
  const [first] = folders;
  if (first !== undefined && missingFolders.length === folders.length) throw new InputError('file.missing', `${first.path}: expected a folder of documents, found nothing there. Plug in its disk, or choose another folder.`, { data: { path: first.path } });
  return { documents, skipped, missingFolders };
}

/** A document with what it holds; `hash` is the error where it cannot be read. */
type HashedDocument = { readonly document: DocumentEntry; readonly hash: string | IsoglossError };

async function hashDocuments(documents: readonly DocumentEntry[], { signal, isPaused = () => false, report }: Pick<BuildIndexOptions, 'signal' | 'isPaused'> & { readonly report: ReportProgress }): Promise<readonly HashedDocument[]> {
  const hashed: HashedDocument[] = [];
  for (const document of documents) {
    await waitWhile(isPaused, signal);
    report({ phase: 'checking', done: hashed.length, total: documents.length, unit: 'files' });
    try {
      hashed.push({ document, hash: await sha256OfFile(document.path, signal) });
    } catch (thrown) {
      const error = readingError(thrown, document);
      if (error === null || signal.aborted) throw thrown;
      hashed.push({ document, hash: error });
    }
  }
  return hashed;
}

type Renamed = { readonly from: string; readonly to: string; readonly title: string };

/**
 * Files whose content stood elsewhere before: the old place is empty now, or holds something else. Of several with one content
 * the first places go together, in order.
 */
function findRenamed({ hashed, known }: { readonly hashed: readonly HashedDocument[]; readonly known: readonly IndexedFile[] }): readonly Renamed[] {
  const hashNow = new Map(hashed.map(({ document, hash }) => [document.relativePath, hash]));
  const hashBefore = new Map(known.map(({ path, hash }) => [path, hash]));
  const free = new Map<string, IndexedFile[]>();
  for (const file of known) {
    const now = hashNow.get(file.path);
    if (now === file.hash || (now !== undefined && typeof now !== 'string')) continue; // still there, or not readable now
    free.set(file.hash, [...(free.get(file.hash) ?? []), file]);
  }
  return hashed.flatMap(({ document: { relativePath: to }, hash }) => {
    if (typeof hash !== 'string' || hashBefore.get(to) === hash) return [];
    const file = free.get(hash)?.shift();
    if (file === undefined) return [];
    return [{ from: file.path, to, title: file.title === nameOf(file.path) ? nameOf(to) : file.title }];
  });
}

/** The title that a document without one of its own has (read-document.ts). */
const nameOf = (path: string): string => printable(path.slice(path.lastIndexOf('/') + 1).replace(/(?:\.gz)?$/i, '').replace(/\.[^.]+$/, ''));

async function prepareFolder({ encoder, modelFolder, documentsFolder, indexFolder, rules, location, ifOtherModel = 'refuse' }: BuildIndexOptions): Promise<IndexManifest> {
  const facts = { modelId: encoder.modelId, modelFolder: modelFolder ?? null, width: encoder.width, documentsFolder, ...(rules === undefined ? {} : { rules }), ...(location === undefined ? {} : { location: checkedLocation(location) }) };
  const existing = await findManifest(indexFolder);
  if (existing !== null) {
    if (ifOtherModel === 'refuse') expectModel(indexFolder, existing, encoder);
    const isOurs = existing.modelId === encoder.modelId && existing.width === encoder.width;
    if (isOurs && !isOlder(existing)) return { ...existing, ...facts };
    if (isOlder(existing)) await moveAside(indexFolder);
    else await startOver(indexFolder, existing.location);
  }
  const manifest = newManifest(facts);
  await makeFolder(indexFolder);
  await writeManifest(indexFolder, manifest);
  return manifest;
}

/** A folder with its parents. Node reports a read-only disk as "not found" here, so the nearest folder that exists is asked. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (thrown) {
    await access(await nearestExisting(folder), constants.W_OK).catch((reason: unknown) => {
      throw toIsoglossError(reason);
    });
    throw toIsoglossError(thrown);
  }
}

async function nearestExisting(folder: string): Promise<string> {
  for (let place = folder; ; place = dirname(place)) {
    if (dirname(place) === place) return place;
    const isThere = await access(place).then(() => true, () => false);
    if (isThere) return place;
  }
}

const BACKUP_FOLDER = 'older-version';

/** What an older version of the program stored goes into a folder of its own until the new index is whole. */
async function moveAside(indexFolder: string): Promise<void> {
  const backup = join(indexFolder, BACKUP_FOLDER);
  await mkdir(backup, { recursive: true });
  for (const path of [journalPath(indexFolder), storeFolder(indexFolder)]) {
    await rename(path, join(backup, basename(path))).catch((thrown: unknown) => {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw toIsoglossError(thrown, path);
    });
  }
}

async function removeBackup(indexFolder: string): Promise<void> {
  await rm(join(indexFolder, BACKUP_FOLDER), { recursive: true, force: true });
}

/** Forgets every batch: the journal first, so that rows left over by a kill in between do not count. */
async function startOver(indexFolder: string, location: string | undefined): Promise<void> {
  await rm(journalPath(indexFolder), { force: true });
  await breakSeal(indexFolder);
  await removeStore(indexFolder, location ?? null);
  await removeSegments(indexFolder);
}

/** The store and what it holds; a store that cannot be read is made anew, because it is only a cache of the documents. */
async function openWhole(indexFolder: string, encoder: Encoder, location: string | undefined): Promise<{ readonly store: LanceStore; readonly stored: StoredFiles }> {
  const open = async (): Promise<{ store: LanceStore; stored: StoredFiles }> => {
    const store = await openStore(indexFolder, storeShapeOf(encoder, location ?? null));
    try {
      const state = await readJournal(journalPath(indexFolder));
      const seal = await readSeal(indexFolder, await store.version());
      return { store, stored: seal === null ? await readStoredFiles(store, state) : sealedFiles(state, seal) };
    } catch (thrown) {
      store.close();
      throw thrown;
    }
  };
  try {
    return await open();
  } catch (thrown) {
    if (toIsoglossError(thrown).code !== 'index.damaged') throw thrown;
    await startOver(indexFolder, location);
    return open();
  }
}

type Changes = Pick<BuildSummary, 'added' | 'changed' | 'unchanged' | 'repaired' | 'failed' | 'problems'>;

type IndexingOptions = BuildIndexOptions & { readonly report: ReportProgress; readonly hashed: readonly HashedDocument[]; readonly stored: StoredFiles; readonly reader: DocumentReader; readonly writer: BatchWriter; readonly renamed: ReadonlySet<string> };

async function indexDocuments(options: IndexingOptions): Promise<Changes> {
  const { hashed, stored, writer, signal, report, renamed, knownFailures, isPaused = () => false } = options;
  const missing = new Set(stored.missing);
  const changes = { added: 0, changed: 0, unchanged: 0, repaired: 0 };
  const failed: { path: string; hash: string | null; error: IsoglossError }[] = [];
  const problems: FileProblem[] = [];
  for (const [done, { document, hash }] of hashed.entries()) {
    signal.throwIfAborted();
    if (isPaused()) await writer.flush();
    await waitWhile(isPaused, signal);
    report({ phase: 'indexing', done, total: hashed.length, unit: 'files' });
    const path = document.relativePath;
    const known = stored.files.get(path);
    if (typeof hash !== 'string') {
      failed.push({ path, hash: null, error: hash });
      continue;
    }
    if (renamed.has(path)) continue;
    if (known?.hash === hash) {
      changes.unchanged += 1;
      continue;
    }
    const failure = knownFailures?.get(path);
    if (failure?.hash === hash) {
      failed.push({ path, hash, error: failure.error });
      continue;
    }
    try {
      const found = await indexDocument(document, hash, options);
      problems.push(...found.slice(0, MOST_PROBLEMS - problems.length));
      changes[known !== undefined ? 'changed' : missing.has(path) ? 'repaired' : 'added'] += 1;
    } catch (thrown) {
      const error = readingError(thrown, document);
      if (error === null || signal.aborted) throw thrown;
      failed.push({ path, hash, error });
    }
  }
  await writer.flush();
  report({ phase: 'indexing', done: hashed.length, total: hashed.length, unit: 'files' });
  return { ...changes, failed, problems };
}

/** The error of a file that cannot be read, after which indexing goes on; null for everything that must stop it. */
function readingError(thrown: unknown, { path }: DocumentEntry): IsoglossError | null {
  const error = toIsoglossError(thrown);
  if (error.code === 'index.bad-vector') return error;
  const isOfThisFile = error.data['path'] === path;
  return isOfThisFile && (error.family === 'input' || error.code === 'disk.no-permission') ? error : null;
}

const CHUNKS_AT_ONCE = 32;
/** Chunks that decide whether a file is written in Latin letters. */
const LATIN_SAMPLE = 8;

/** @returns what is wrong inside the document. */
async function indexDocument(document: DocumentEntry, hash: string, { encoder, reader, writer, signal }: { readonly encoder: Encoder; readonly reader: DocumentReader; readonly writer: BatchWriter; readonly signal: AbortSignal }): Promise<readonly FileProblem[]> {
  const parsed = await reader.read(document.path, signal);
  const chunks: readonly Chunk[] = chunkDocument(parsed);
  const language = parsed.language ?? guessLanguage(documentText(parsed), encoder);
  const file = { path: document.relativePath, hash, sizeBytes: document.sizeBytes, title: parsed.title, language, modifiedAt: document.modifiedMs, isLatin: isMostlyLatin(chunks.slice(0, LATIN_SAMPLE).map(({ text }) => text)) };
  const withoutVector: Chunk[] = [];
  for (let start = 0; start < chunks.length; start += CHUNKS_AT_ONCE) {
    signal.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
    const some = chunks.slice(start, start + CHUNKS_AT_ONCE);
    const vectors = encoder.tokenSums === undefined ? await encoderIn(encoder, language).encodeDocuments(some.map(({ text }) => text)) : null;
    for (const [i, chunk] of some.entries()) if ((await writer.add(file, chunk, vectors === null ? null : (vectors[i] ?? new Float32Array(0)))) === 0) withoutVector.push(chunk);
  }
  writer.endFile(file);
  return [...parsed.problems, ...noVectors(document.relativePath, withoutVector)];
}

/** Passages in which the model knows nothing: they are counted, not left out. */
function noVectors(path: string, chunks: readonly Chunk[]): readonly FileProblem[] {
  const [first] = chunks;
  if (first === undefined) return [];
  const { line } = first.location;
  const found = printable(first.text);
  return [{ code: 'documents.no-vector', path, line, found, expected: 'words that the model knows', message: `${path}: line ${line}: expected words that the model knows, found ${chunks.length === 1 ? 'a passage' : `${chunks.length} passages`} without any (${found}). Search finds ${chunks.length === 1 ? 'it' : 'them'} by letters only.` }];
}

async function finish({ indexFolder, manifest }: { readonly indexFolder: string; readonly manifest: IndexManifest }): Promise<IndexManifest['counts']> {
  const journal = journalPath(indexFolder);
  const state = await readJournal(journal);
  await compactJournal(journal, state);
  const files = [...state.files.values()];
  const counts = { files: files.length, chunks: files.reduce((sum, file) => sum + file.chunks, 0), vectors: files.reduce((sum, file) => sum + file.vectors, 0) };
  await writeManifest(indexFolder, { ...manifest, finishedAt: new Date().toISOString(), counts });
  return counts;
}
