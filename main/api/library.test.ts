/** Facts about a living library behind the door: it follows its folders and its model, judgements are kept and measured, texts are mined. Real workers. */
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathOnDisk } from '../../core/base/file-names.ts';
import type { Progress } from '../../core/base/progress.ts';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { buildIndex } from '../../core/retrieval/build-index.ts';
import { journalPath } from '../../core/retrieval/store/index-manifest.ts';
import { errorRecordFrom, NO_FILTER, type Hit, type IsoglossClient, type Job, type JobRequest, type Library } from '../contract/index.ts';
import { libraryPlace } from '../project/index-places.ts';
import type { Services } from './application.ts';
import { clientWithoutSocket, createTestServices } from './test-services.ts';

const LOOK_MS = 50;
const QUIET_MS = 100;

let home: string;
let documents: string;
let services: Services;
let client: IsoglossClient;
let projectId: string;
let projectFolder: string;
const faults: Error[] = [];

async function start(): Promise<void> {
  services = await createTestServices(home, { libraryQuietMs: QUIET_MS, onFault: (error) => faults.push(error) });
  client = clientWithoutSocket(services);
}

/** A model of that seed's numbers as the one in use. */
async function useModel(name: string, seedOfWeights: number): Promise<void> {
  const model = await testModel();
  await writeModelFolder(join(projectFolder, 'models', name), { ...model, weights: model.weights.map((weight) => weight + seedOfWeights / 10) });
  await services.projects.change(projectId, (file) => ({ ...file, model: `models/${name}` }));
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'isogloss-living-'));
  documents = join(home, 'documents');
  await mkdir(join(documents, 'inner'), { recursive: true });
  await writeFile(join(documents, 'river.txt'), 'the small boat crosses the wide river\n');
  await writeFile(join(documents, 'inner', 'house.txt'), 'a big house stands on the hill\n');
  await start();
  const project = await client.project.create({ name: 'Living', languages: [{ tag: 'sw', name: null }], parentFolder: null });
  projectId = project.id;
  projectFolder = project.folder;
  await useModel('model-1', 0);
});

afterAll(async () => {
  await services.close();
  await rm(home, { recursive: true, force: true });
});

async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await ask();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function done(job: Job): Promise<Job> {
  await Array.fromAsync(await client.job.watch({ jobId: job.id }));
  const ended = (await client.job.list({ projectId })).jobs.find(({ id }) => id === job.id);
  if (ended === undefined) throw new Error('The job is gone.');
  return ended;
}

const run = async (request: JobRequest): Promise<Job> => done(await client.job.start(request));

async function search(query: string, change: Partial<Parameters<IsoglossClient['search']['query']>[0]> = {}): Promise<readonly Hit[]> {
  return (await client.search.query({ projectId, query, queryLanguage: 'en', method: 'bm25', limit: 10, ...change })).hits;
}

const paths = async (query: string): Promise<readonly string[]> => (await search(query)).map(({ path }) => path);

async function indexed(): Promise<Extract<Library, { status: 'indexed' }>> {
  const library = await client.library.status({ projectId });
  if (library.status !== 'indexed') throw new Error(`The library is ${library.status}.`);
  return library;
}

/** A first reading that stays after one of two documents while something is asked of it, and is then left. */
async function readInPart(ask: () => Promise<void>): Promise<void> {
  const modelFolder = join(projectFolder, 'models', 'model-1');
  const indexFolder = join(libraryPlace(projectFolder), 'index');
  const leaving = new AbortController();
  let isPaused = false;
  const report = ({ phase, done: files }: Progress): void => {
    if (phase === 'indexing' && files === 0) isPaused = true; // before the second is begun
  };
  const reading = buildIndex({ encoder: await openEncoder(modelFolder), modelFolder, documentsFolder: documents, indexFolder, signal: leaving.signal, isPaused: () => isPaused, report });
  reading.catch(() => undefined); // awaited below
  await until(async () => ((await stat(journalPath(indexFolder)).catch(() => null)) === null ? null : true));
  await ask();
  leaving.abort(new Error('left'));
  await expect(reading).rejects.toThrow('left');
}

/** No job under way, and nothing left to notice. */
const settled = (): Promise<true> =>
  until(async () => {
    const library = await indexed();
    const isBusy = (await client.job.list({ projectId })).jobs.some(({ endedAt }) => endedAt === null);
    return !isBusy && library.madeBy === 'this-model' && library.changes.added + library.changes.changed + library.changes.removed === 0 ? true : null;
  });

const failure = (call: Promise<unknown>): Promise<ReturnType<typeof errorRecordFrom>> => call.then(() => Promise.reject(new Error('The call should have failed.')), errorRecordFrom);

describe('a library', () => {
  it('is indexed when the person says so, and watched from then on', async () => {
    expect(await client.library.choose({ projectId, folder: documents })).toMatchObject({ status: 'not-indexed', folders: [{ name: '', path: documents, state: 'present' }] });
    expect(await client.library.status({ projectId })).toMatchObject({ isSearchable: false });
    await readInPart(async () => {
      expect(await client.library.status({ projectId })).toMatchObject({ status: 'not-indexed', isSearchable: true });
      expect([await paths('hill'), await paths('boat')]).toEqual([['inner/house.txt'], []]);
    });
    expect((await run({ kind: 'index', projectId })).state).toMatchObject({ status: 'finished', result: { summary: { files: 2, failed: 0 } } });
    expect(await paths('boat')).toEqual(['river.txt']);
    const watching = await until(async () => ((await indexed()).watching === 'looking' ? null : (await indexed()).watching));
    expect(watching).toBe('events');
  });

  it('notices a new file, a changed one, a renamed one and a deleted one by itself', async () => {
    await writeFile(join(documents, 'inner', 'water.txt'), 'they carry clean water from the well\n');
    await until(async () => ((await paths('water')).length > 0 ? true : null));
    await writeFile(join(documents, 'inner', 'water.txt'), 'they carry clear water from the spring\n');
    await until(async () => ((await paths('spring')).length > 0 ? true : null));
    expect(await paths('well')).toEqual([]);
    await rename(join(documents, 'inner', 'water.txt'), join(documents, 'spring.txt'));
    await until(async () => ((await paths('spring'))[0] === 'spring.txt' ? true : null));
    await rm(join(documents, 'spring.txt'));
    await until(async () => ((await paths('spring')).length === 0 ? true : null));
    await settled();
  });

  it('notices what changed while the program was away', async () => {
    await services.close();
    await writeFile(join(documents, 'while-away.txt'), 'the river is wide after the rain\n');
    await start();
    await client.project.get({ projectId });
    await until(async () => ((await paths('rain')).length > 0 ? true : null));
    await settled();
  });

  it('left alone, waits for the person', async () => {
    expect(await client.library.watch({ projectId, isWatched: false })).toMatchObject({ watching: 'off' });
    await writeFile(join(documents, 'unnoticed.txt'), 'nobody looks at the well\n');
    expect((await indexed()).changes).toEqual({ added: 1, changed: 0, removed: 0 });
    expect(await client.library.watch({ projectId, isWatched: true })).not.toMatchObject({ watching: 'off' });
    await until(async () => ((await paths('nobody')).length > 0 ? true : null));
  });

  it('lists a file that cannot be read with the reason, does not try it again by itself, and tries it when asked', async () => {
    await writeFile(join(documents, 'broken.txt'), Buffer.from('PK\u0003\u0004 \0\0\0 no text'));
    const failed = await until(async () => ((await indexed()).failed === 1 ? (await indexed()).files.find(({ state }) => state.status === 'failed') ?? null : null));
    expect(failed).toMatchObject({ path: 'broken.txt', state: { error: { family: 'input', code: expect.stringMatching(/^documents\./) } } });
    await settled();
    expect((await done(await client.library.retry({ projectId, paths: ['broken.txt'] }))).state).toMatchObject({ status: 'finished', result: { summary: { failed: 1 } } });
    await rm(join(documents, 'broken.txt'));
    await until(async () => ((await indexed()).failed === 0 ? true : null));
    await settled();
  });

  it('takes a second folder: every path begins with its folder, and search goes on meanwhile', async () => {
    await mkdir(join(home, 'more'));
    await writeFile(join(home, 'more', 'hut.txt'), 'a small hut stands by the lake\n');
    const odd = process.platform === 'linux' ? 'caf\uf7e9.txt' : 'caf\u00e9.txt'; // there a name need not be UTF-8
    await writeFile(pathOnDisk(join(home, 'more', odd)), 'coffee grows on the slope\n');
    const library = await client.library.addFolder({ projectId, folder: join(home, 'more') });
    expect(library).toMatchObject({ folders: [{ name: 'documents' }, { name: 'more' }] });
    expect(await paths('boat')).not.toEqual([]); // the index of before answers
    await until(async () => ((await paths('hut'))[0] === 'more/hut.txt' ? true : null));
    const [hit] = await search('hut');
    expect(await client.document.excerpt({ projectId, path: 'more/hut.txt', location: hit?.location ?? { line: 1, row: null, heading: null, start: 0, end: 5 } })).toMatchObject({ text: 'a small hut stands by the lake' });
    expect(await failure(client.document.excerpt({ projectId, path: 'more/../documents/river.txt', location: hit?.location ?? { line: 1, row: null, heading: null, start: 0, end: 5 } }))).toMatchObject({ code: 'document.outside-library' });
    const [beans] = await search('coffee');
    expect(await client.document.excerpt({ projectId, path: `more/${odd}`, location: beans?.location ?? { line: 1, row: null, heading: null, start: 0, end: 0 } })).toMatchObject({ path: `more/${odd}`, text: 'coffee grows on the slope', hasChanged: false });
    expect(await paths('boat')).toEqual(['documents/river.txt']);
    await settled();
    expect((await indexed()).changes).toEqual({ added: 0, changed: 0, removed: 0 });
    await client.library.removeFolder({ projectId, folder: join(home, 'more') });
    await until(async () => ((await paths('hut')).length === 0 ? true : null));
    await settled();
  });

  it('of a new model is made beside the old index, which answers until then', async () => {
    const before = await readdir(join(projectFolder, 'library'));
    expect(before).toContain('index');
    await useModel('model-2', 3);
    expect(await indexed()).toMatchObject({ madeBy: 'other-model' });
    expect(await paths('boat')).toEqual(['documents/river.txt']); // with the old model
    const job = await run({ kind: 'index', projectId });
    expect(job.state.status).toBe('finished');
    expect(await indexed()).toMatchObject({ madeBy: 'this-model' });
    expect(await paths('boat')).toEqual(['documents/river.txt']);
    const after = (await readdir(join(projectFolder, 'library'))).filter((name) => name.startsWith('index'));
    expect(after).toEqual([expect.stringMatching(/^index-[0-9a-f]{16}$/)]);
  });
});

describe('filters', () => {
  it('are fields: folder, type, language, date; what can be chosen is told', async () => {
    const facets = await client.search.facets({ projectId });
    expect(facets.fileTypes).toEqual(['txt']);
    expect(facets.folders).toEqual(expect.arrayContaining(['documents', 'documents/inner']));
    const inner = await search('the', { filter: { ...NO_FILTER, folders: ['documents/inner'] } });
    expect(inner.map(({ path }) => path)).toEqual(['documents/inner/house.txt']);
    expect(await search('the', { filter: { ...NO_FILTER, fileTypes: ["txt' OR 1=1 --"] } })).toEqual([]);
    expect(await search('boat', { filter: { ...NO_FILTER, to: '1999-12-31' } })).toEqual([]);
    expect(await search('boat', { filter: { ...NO_FILTER, from: '1999-12-31' } })).toHaveLength(1);
  });

  it('spellings of the project change what matches, not what is shown', async () => {
    expect(await paths('bxat')).toEqual([]);
    await client.project.update({ projectId, name: null, languages: null, settings: null, spelling: { equivalents: [['oa', 'xa']], ignoreMarks: false, ignoreApostrophes: false } });
    const [hit] = await search('bxat');
    expect(hit?.text).toBe('the small boat crosses the wide river');
    await client.project.update({ projectId, name: null, languages: null, settings: null, spelling: { equivalents: [], ignoreMarks: false, ignoreApostrophes: false } });
    expect(await paths('bxat')).toEqual([]);
  });

  it('more like this finds others, never itself', async () => {
    const [hit] = await search('boat');
    const { hits } = await client.search.similar({ projectId, chunkId: hit?.chunkId ?? '', limit: 5 });
    expect(hits.length).toBeGreaterThan(0);
    expect(hits.map(({ chunkId }) => chunkId)).not.toContain(hit?.chunkId);
  });
});

describe('judgements', () => {
  const query = 'which boat crosses the river';
  const passageOf = ({ path, title, text, language, location }: Hit) => ({ path, title, text, language, location });

  it('are kept at once, shown with the hits, taken back, and measured', async () => {
    const { hits } = await client.judgement.pool({ projectId, query, queryLanguage: 'en', depth: 5 });
    const [right, wrong] = [hits.find(({ path }) => path === 'documents/river.txt'), hits.find(({ path }) => path !== 'documents/river.txt')];
    expect(new Set(hits.map(({ chunkId }) => chunkId)).size).toBe(hits.length);
    if (right === undefined || wrong === undefined) throw new Error('Too few hits.');
    await client.judgement.mark({ projectId, query, queryLanguage: 'en', passage: passageOf(right), verdict: 'right', method: null });
    await client.judgement.mark({ projectId, query, queryLanguage: 'en', passage: passageOf(wrong), verdict: 'wrong', method: null });
    expect(await client.judgement.list({ projectId })).toMatchObject({ judgements: 2, measurable: 1, queries: [{ query, right: 1, wrong: 1 }] });
    const judged = await search(`  ${query} `, { method: 'hybrid' });
    expect(judged.find(({ path }) => path === right.path)?.judged).toBe('right');
    expect(judged.find(({ chunkId }) => chunkId === wrong.chunkId)?.judged).toBe('wrong');
    const measured = await client.judgement.measure({ projectId });
    expect(measured).toMatchObject({ queries: 1, judgements: 2, scores: { lexical: 1 } });
    for (const score of Object.values(measured.scores)) expect(score).toBeGreaterThan(0);
    expect((await client.judgement.list({ projectId })).history.at(-1)).toEqual(measured);
    await client.judgement.mark({ projectId, query, queryLanguage: 'en', passage: passageOf(wrong), verdict: null, method: null });
    expect(await client.judgement.list({ projectId })).toMatchObject({ judgements: 1, queries: [{ right: 1, wrong: 0 }] });
    await client.judgement.mark({ projectId, query, queryLanguage: 'en', passage: passageOf(wrong), verdict: 'wrong', method: null });
  });

  it('survive a torn line, as a power cut leaves it', async () => {
    const file = join(projectFolder, 'judgements', 'marks.jsonl');
    await writeFile(file, `${await readFile(file, 'utf8')}\n{"at":1,"query":"cut`);
    expect(await client.judgement.list({ projectId })).toMatchObject({ judgements: 2 });
  });

  it('leave as queries, collection and qrels, and as questions with wrong answers for training', async () => {
    const { folder, files, queries, documents: count, judgements } = await client.judgement.export({ projectId, folder: null });
    expect({ queries, count, judgements }).toEqual({ queries: 1, count: 2, judgements: 2 });
    expect(files).toEqual(['corpus.jsonl', 'queries.jsonl', 'qrels/test.tsv', 'qrels.txt', 'training.jsonl']);
    const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
    const [{ _id: queryId }] = (await text('queries.jsonl')).trim().split('\n').map((line) => JSON.parse(line) as { _id: string }) as [{ _id: string }];
    expect((await text('qrels.txt')).trim().split('\n').map((line) => line.split(' ')).map(([q, zero, , grade]) => [q, zero, grade])).toEqual([[queryId, '0', '1'], [queryId, '0', '0']]);
    expect((await text('qrels/test.tsv')).split('\n')[0]).toBe('query-id\tcorpus-id\tscore');
    expect(JSON.parse(await text('training.jsonl'))).toMatchObject({ question: query, positive: 'the small boat crosses the wide river', negatives: [expect.any(String)] });
  });
});

describe('mining', () => {
  it('gives candidates by score; accepted ones become a corpus of the project', async () => {
    const [source, target] = [join(home, 'text.sw'), join(home, 'text.en')];
    await writeFile(source, 'mto\nmaji\nmto maji maji\n');
    await writeFile(target, 'a house\nriver\nwater\nriver water water\n');
    const job = await run({ kind: 'mine', projectId, source: { path: source, language: 'sw' }, target: { path: target, language: 'en' } });
    if (job.state.status !== 'finished' || job.state.result.kind !== 'mine') throw new Error(JSON.stringify(job.state));
    const { id, candidates } = job.state.result.mining;
    expect(candidates).toBeGreaterThan(0);
    const { pairs } = await client.mine.candidates({ projectId, miningId: id, from: 0, count: 10 });
    expect(pairs.map(({ score }) => score)).toEqual(pairs.map(({ score }) => score).sort((a, b) => b - a));
    expect(await failure(client.mine.keep({ projectId, miningId: id }))).toMatchObject({ code: 'mine.none-accepted' });
    expect(await client.mine.decide({ projectId, miningId: id, which: { kind: 'pairs', pairs: [0] }, decision: 'accepted' })).toMatchObject({ accepted: 1, rejected: 0 });
    const project = await client.mine.keep({ projectId, miningId: id });
    expect(project.terms).toMatchObject({ licence: 'unknown', access: 'closed' });
    const [mined] = project.corpora;
    const said = { source: 'My archive', licence: 'CC BY 4.0', consent: 'given', access: 'community' } as const;
    const changed = await client.corpus.change({ projectId, corpusId: mined?.id ?? '', terms: said });
    expect(changed.corpora).toMatchObject([{ id: mined?.id, addedAt: mined?.addedAt, terms: said, licence: 'CC BY 4.0' }]);
    expect(changed.terms).toMatchObject({ licence: 'CC BY 4.0', consent: 'given', access: 'community', sources: ['My archive'] });
    const turned = await client.corpus.change({ projectId, corpusId: mined?.id ?? '', mapping: { columns: { source: 2, target: 1 } } });
    expect(turned.corpora).toMatchObject([{ id: mined?.id, terms: said, mapping: { columns: { source: 2, target: 1 } }, rows: [{ source: pairs[0]?.target, target: pairs[0]?.source }] }]);
    expect(project.corpora).toMatchObject([{ role: 'pairs', counts: { records: 1 }, rows: [{ source: pairs[0]?.source, target: pairs[0]?.target }] }]);
    const again = await client.mine.keep({ projectId, miningId: id });
    expect(again.corpora).toHaveLength(1);
    expect((await client.mine.list({ projectId })).minings).toMatchObject([{ id, corpusId: again.corpora[0]?.id }]);
    await client.mine.remove({ projectId, miningId: id });
    expect((await client.mine.list({ projectId })).minings).toEqual([]);
    expect(await failure(client.mine.candidates({ projectId, miningId: '..', from: 0, count: 1 }))).toMatchObject({ family: 'invariant' });
  });
});

describe('on the way', () => {
  it('there was no fault of ours', () => {
    expect(faults).toEqual([]);
  });
});
