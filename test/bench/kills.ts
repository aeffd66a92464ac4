/** Does an index survive SIGKILL at any moment? Kills an indexing process at random moments while its documents change, and compares everything after each. */
import { fork } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvariantError } from '../../core/base/errors.ts';
import { sha256 } from '../../core/base/hashing.ts';
import { seededRandom, type Random } from '../../core/base/random.ts';
import { chunkDocument } from '../../core/documents/chunker.ts';
import { parsePlainText } from '../../core/documents/plain-text.ts';
import type { Encoder } from '../../core/encoding/encoder.ts';
import { openIndex } from '../../core/retrieval/open-index.ts';
import { journalPath } from '../../core/retrieval/store/index-manifest.ts';
import { readJournal, type IndexedFile } from '../../core/retrieval/store/journal.ts';
import { openStore, storeShapeOf, type LanceStore } from '../../core/retrieval/store/lance-store.ts';
import { rowPath } from '../../core/retrieval/store/stored-files.ts';
import { wholeNumber, type Command } from '../../main/cli/command.ts';
import { testEncoders } from './kills-encoders.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const DEFAULT_KILLS = 50;
const MOST_KILLS = 10_000;
const FILES = 40;
const CHANGED_FILES = 12;
const MOST_PARAGRAPHS = 400;
const PARAGRAPH_WORDS = 60;
/** Every so many kills one run is left alone, and the index must hold just what the folder holds. */
const KILLS_BETWEEN_WHOLE_RUNS = 10;
const SEARCHES = 3;
/** A run may take longer than the one that was timed. */
const LATEST_KILL = 1.1;

export const killsBenchmark: Command = {
  summary: 'An index whose process is killed at random moments, compared after each.',
  usage: '[--kills N] [--seed N] [--json]',
  options: { kills: { type: 'string' }, seed: { type: 'string' } },
  run: async (values, { signal, say }) => {
    const kills = wholeNumber(values, 'kills', { least: 1, most: MOST_KILLS }) ?? DEFAULT_KILLS;
    const seed = wholeNumber(values, 'seed', { least: 0, most: Number.MAX_SAFE_INTEGER }) ?? 1;
    const runs = { rows: Math.ceil(kills / 2), sums: Math.floor(kills / 2) };
    const phases: Record<string, number> = {};
    const totals = { kills: 0, wholeRuns: 0, chunksCompared: 0, searches: 0 };
    for (const kind of ['rows', 'sums'] as const) {
      if (runs[kind] === 0) continue;
      await inTemporaryFolder(async (folder) => {
        const library = await startLibrary({ folder, kind, random: seededRandom(seed, `kills ${kind}`), signal });
        while (library.counts.kills < runs[kind]) {
          const phase = await library.killOne();
          phases[phase] = (phases[phase] ?? 0) + 1;
          say(`${kind}: kill ${library.counts.kills} of ${runs[kind]}, while ${phase}: whole`);
          if (library.counts.kills % KILLS_BETWEEN_WHOLE_RUNS === 0) await library.runWhole();
        }
        await library.runWhole();
        for (const key of ['kills', 'wholeRuns', 'chunksCompared', 'searches'] as const) totals[key] += library.counts[key];
      });
    }
    const json = { ...totals, phases, seed };
    return { json, text: `${totals.kills} kills, ${totals.wholeRuns} whole runs: nothing lost, nothing twice, ${totals.chunksCompared} chunks compared, ${totals.searches} searches right.` };
  },
};

type Library = {
  readonly counts: { kills: number; wholeRuns: number; chunksCompared: number; searches: number };
  /** Changes documents, kills a run over them, compares. @returns in which phase. @throws InvariantError 'bench.index-not-whole'. */
  readonly killOne: () => Promise<string>;
  /** A run that is left alone; the index must hold what the folder holds. */
  readonly runWhole: () => Promise<void>;
};

async function startLibrary({ folder, kind, random, signal }: { readonly folder: string; readonly kind: keyof typeof testEncoders; readonly random: Random; readonly signal: AbortSignal }): Promise<Library> {
  const [documentsFolder, indexFolder] = [join(folder, 'documents'), join(folder, 'index')];
  await mkdir(documentsFolder, { recursive: true });
  const encoder = await testEncoders[kind]();
  const contents = new Map<string, string>(); // every version of every file, by its sum
  const counts = { kills: 0, wholeRuns: 0, chunksCompared: 0, searches: 0 };
  let version = 0;

  const write = async (name: string): Promise<void> => {
    version += 1;
    const text = Array.from({ length: 1 + random.integer(MOST_PARAGRAPHS) }, (_, p) => `version${version} paragraph${p} ${Array.from({ length: PARAGRAPH_WORDS }, () => `w${random.integer(5000)}`).join(' ')}`).join('\n\n');
    contents.set(sha256(text), text);
    await writeFile(join(documentsFolder, name), text);
  };
  const change = async (): Promise<void> => {
    const names = (await readdir(documentsFolder)).sort();
    const pick = (): string => names.splice(random.integer(names.length), 1)[0] ?? '';
    for (let i = 0; i < CHANGED_FILES; i += 1) await write(pick());
    await rm(join(documentsFolder, pick()));
    version += 1;
    await rename(join(documentsFolder, pick()), join(documentsFolder, `moved${version}.txt`));
    await write(`new${version}.txt`);
  };
  const onDisk = async (): Promise<ReadonlyMap<string, string>> => new Map(await Promise.all((await readdir(documentsFolder)).map(async (name) => [name, sha256(await readFile(join(documentsFolder, name)))] as const)));

  const compare = async (before: ReadonlyMap<string, IndexedFile>): Promise<ReadonlyMap<string, IndexedFile>> => {
    const { files } = await readJournal(journalPath(indexFolder));
    const now = await onDisk();
    for (const path of before.keys()) if (now.has(path) && !files.has(path)) throw notWhole(`${path} was in the index and is gone`);
    const store = await openStore(indexFolder, storeShapeOf(encoder));
    try {
      for (const file of files.values()) counts.chunksCompared += await compareFile(store, file, contents);
    } finally {
      store.close();
    }
    counts.searches += await search({ indexFolder, encoder, files, contents, random });
    return files;
  };
  const start = (): { readonly child: ReturnType<typeof fork>; readonly phase: () => string; readonly begun: Promise<void>; readonly over: Promise<boolean> } => {
    let phase = 'starting';
    let isDone = false;
    const child = fork(fileURLToPath(new URL('kills-process.ts', import.meta.url)), [], { execArgv: ['--disable-warning=ExperimentalWarning'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced', signal });
    const begun = new Promise<void>((resolve) => {
      child.on('message', (message) => {
        if (typeof message !== 'object' || message === null) return;
        if ('phase' in message) phase = String(message.phase);
        if ('result' in message) isDone = true;
        resolve();
      });
      child.once('close', () => resolve());
    });
    const over = new Promise<boolean>((resolve) => child.once('close', () => resolve(isDone)));
    child.send({ encoder: kind, documentsFolder, indexFolder });
    return { child, phase: () => phase, begun, over };
  };

  for (let i = 0; i < FILES; i += 1) await write(`file${i}.txt`);
  const first = start();
  await first.begun;
  const startedAt = performance.now();
  if (!(await first.over)) throw notWhole('the first run, which nothing disturbed, failed');
  const longestMs = (performance.now() - startedAt) * LATEST_KILL;
  let known = await compare(new Map());

  return {
    counts,
    killOne: async () => {
      for (;;) {
        await change();
        const { child, phase, begun, over } = start();
        await begun;
        await new Promise((resolve) => setTimeout(resolve, random.next() * longestMs));
        const at = phase();
        child.kill('SIGKILL');
        const wasDone = await over;
        signal.throwIfAborted();
        known = await compare(known);
        if (wasDone) continue; // it was faster than the kill
        counts.kills += 1;
        return at;
      }
    },
    runWhole: async () => {
      const { over } = start();
      if (!(await over)) throw notWhole('a run that nothing disturbed failed');
      known = await compare(known);
      const now = await onDisk();
      for (const [path, hash] of now) if (known.get(path)?.hash !== hash) throw notWhole(`${path} is not in the index as it is in the folder`);
      for (const path of known.keys()) if (!now.has(path)) throw notWhole(`${path} is in the index but not in the folder`);
      counts.wholeRuns += 1;
    },
  };
}

const notWhole = (found: string): InvariantError => new InvariantError('bench.index-not-whole', `After a kill the index is not whole: ${found}.`);

/** Every chunk of a file that the journal names is stored once, as the chunker gives it. @returns how many. */
async function compareFile(store: LanceStore, file: IndexedFile, contents: ReadonlyMap<string, string>): Promise<number> {
  const batches = new Set(file.parts.map(({ batch }) => batch));
  const stored: { readonly start: number; readonly text: string }[] = [];
  for await (const piece of store.readBatches([...batches])) for (const { path, text, location } of piece) if (path === rowPath(file)) stored.push({ start: location.start, text });
  const content = contents.get(file.hash);
  if (content === undefined) throw notWhole(`${file.path} has a content that was never written`);
  const expected = chunkDocument(parsePlainText(content)).map(({ text }) => text);
  const found = stored.sort((a, b) => a.start - b.start).map(({ text }) => text);
  if (found.length !== expected.length || found.some((text, i) => text !== expected[i])) throw notWhole(`${file.path} has ${found.length} chunks, expected its ${expected.length}`);
  return expected.length;
}

/** Some files are found by a word that only they have, and no chunk twice. @returns how many searches were made. */
async function search({ indexFolder, encoder, files, contents, random }: { readonly indexFolder: string; readonly encoder: Encoder; readonly files: ReadonlyMap<string, IndexedFile>; readonly contents: ReadonlyMap<string, string>; readonly random: Random }): Promise<number> {
  const index = await openIndex(indexFolder, encoder);
  try {
    if (index.missing.length > 0) throw notWhole(`${index.missing.length} files have lost rows`);
    const chunks = [...files.values()].reduce((sum, file) => sum + file.parts.reduce((own, part) => own + part.chunks, 0), 0);
    if (index.chunks !== chunks) throw notWhole(`${index.chunks} chunks can be searched, the journal has ${chunks}`);
    const list = [...files.values()];
    for (let i = 0; i < SEARCHES; i += 1) {
      const file = list[random.integer(list.length)];
      const query = file === undefined ? '' : (contents.get(file.hash)?.split(' ')[0] ?? '');
      const { hits } = await index.search({ query, method: 'bm25', k: 1000 });
      if (hits.length === 0 || hits.some(({ path }) => path !== file?.path)) throw notWhole(`"${query}" is not found in ${file?.path ?? 'any file'} alone`);
      if (new Set(hits.map(({ location }) => location.start)).size !== hits.length) throw notWhole(`"${query}" is found twice at one place`);
    }
    return SEARCHES;
  } finally {
    index.dispose();
  }
}
