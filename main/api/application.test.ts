/** Facts about the whole program behind its door: real workers, a real socket, everything a window asks. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import { RPCHandler } from '@orpc/server/ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { errorRecordFrom, RPC_PATH, SESSION_PATH, type IsoglossClient, type JobEvent, type Project } from '../contract/index.ts';
import { serve, type ServedApplication } from '../served/server.ts';
import type { Services } from './application.ts';
import { createRouter } from './router.ts';
import { createTestServices, inRepository } from './test-services.ts';

let home: string;
let services: Services;
let served: ServedApplication;
let client: IsoglossClient;
let socket: WebSocket;
const faults: Error[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'isogloss-application-'));
  services = await createTestServices(home, { onFault: (error) => faults.push(error) });
  const handler = new RPCHandler(createRouter(services));
  served = await serve({ port: 0, pages: new Map(), connect: (opened) => void handler.upgrade(opened) });
  const link = new URL(served.newLink());
  const answer = await fetch(link.origin + SESSION_PATH, { method: 'POST', headers: { authorization: `Bearer ${link.hash.replace('#token=', '')}`, 'content-type': 'application/json', origin: link.origin }, body: '{}' });
  socket = new WebSocket(`ws://${link.host}${RPC_PATH}`, { headers: { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '', origin: link.origin } });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  // ws has the parts of a browser's WebSocket that the link uses
  client = createORPCClient<IsoglossClient>(new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }));
});

afterAll(async () => {
  await served.close();
  await services.close();
  await rm(home, { recursive: true, force: true });
});

/** The record of what a call threw. */
async function failure(call: Promise<unknown>): Promise<ReturnType<typeof errorRecordFrom>> {
  return call.then(
    () => Promise.reject(new Error('The call should have failed.')),
    (thrown: unknown) => errorRecordFrom(thrown),
  );
}

/** English questions with passages, made of the sample's English side. */
async function writeQuestions(path: string): Promise<void> {
  const lines = (await readFile(inRepository('core/sample/parallel.en-sw.tsv'), 'utf8')).split('\n').flatMap((line) => line.split('\t')[0] ?? []).filter(Boolean);
  await writeFile(path, lines.map((line, i) => JSON.stringify({ query: line.split(' ').slice(0, 5).join(' '), positive: `${line} ${lines[(i + 1) % lines.length] ?? ''}` })).join('\n'));
}

describe('the program', () => {
  it('looks at a model that somebody brings, in a process of its own, and answers with its cost or with every fault', async () => {
    expect(await client.backbone.inspect({ folder: inRepository('test/reference/backbones/labse') })).toMatchObject({ status: 'usable', facts: { family: 'bert', licence: 'apache-2.0' }, cost: { pairsPerStep: 48 } });
    expect(await client.backbone.inspect({ folder: home, setup: { encoders: 2 } })).toMatchObject({ status: 'refused', problems: expect.arrayContaining([expect.objectContaining({ code: 'backbone.missing-file', missing: ['config.json'] })]) });
  });

  it('says what it is', async () => {
    expect(await client.app.info({})).toMatchObject({ name: 'Isogloss', version: '1.2.3', mode: 'served', hasSample: true });
  });

  it('answers with records: of a known failure, of a refused input', async () => {
    expect(await failure(client.project.get({ projectId: 'unknown' }))).toMatchObject({ family: 'input', code: 'project.unknown' });
    expect(await failure(client.project.get({ projectId: '../etc' }))).toMatchObject({ code: 'contract.refused' });
    expect(await failure(client.search.query({ projectId: 'x', query: 'q'.repeat(100_000), queryLanguage: null, method: 'hybrid', limit: 10 }))).toMatchObject({ code: 'contract.refused' });
    expect(await failure(client.language.describe({ tag: 'not a tag' }))).toMatchObject({ code: 'language.invalid-tag' });
    expect(await failure(client.job.start({ kind: 'train', projectId: 'unknown', preset: 'quick', resume: false }))).toMatchObject({ code: 'project.unknown' });
    expect(faults).toEqual([]);
  });

  it('never sends a stack', async () => {
    const thrown: unknown = await client.project.open({ folder: join(home, 'nowhere') }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'ISOGLOSS', data: { code: 'file.missing' } });
    expect(Object.keys((thrown as { data: object }).data).sort()).toEqual(['code', 'data', 'family', 'message']);
  });

  it('finds languages by name and by tag', async () => {
    const { languages } = await client.language.suggest({ text: 'swahili', limit: 5 });
    expect(languages[0]).toMatchObject({ tag: 'sw', direction: 'ltr' });
    expect(await client.language.describe({ tag: 'ar' })).toMatchObject({ direction: 'rtl', isListed: true });
    expect(await client.language.describe({ tag: 'x-kisukuma' })).toMatchObject({ tag: 'x-kisukuma', isListed: false });
  });

  it('offers what was typed as a language that no list has, in any script, unless a list has it', async () => {
    const last = async (text: string): Promise<unknown> => (await client.language.suggest({ text, limit: 5 })).languages.at(-1);
    expect(await last('Kilakuva')).toMatchObject({ tag: 'x-kilakuva', name: 'Kilakuva', isListed: false });
    expect(await last('ภาษาริมทะเล')).toMatchObject({ name: 'ภาษาริมทะเล', isListed: false });
    expect(await last('kiswahili')).toMatchObject({ isListed: true });
    expect((await client.language.suggest({ text: 'sw-x-suku1261', limit: 5 })).languages.map(({ tag }) => tag)).toContain('sw-x-suku1261');
  });
});

describe('the sample project', () => {
  it('opens with its texts counted, and the second time is the same', async () => {
    const project = await client.project.openSample({});
    expect(project.isSample).toBe(true);
    expect(project.languages.map(({ tag }) => tag).sort()).toEqual(['ar', 'sw', 'th']);
    for (const { pairs } of project.totals.pairs) expect(pairs).toBeGreaterThanOrEqual(300);
    expect(project.corpora.every(({ counts, state }) => counts.problems === 0 && state === 'present')).toBe(true);
    expect(project.library).toMatchObject({ status: 'not-indexed' });
    expect(project.exampleQueries.length).toBeGreaterThan(3);
    expect((await client.project.openSample({})).id).toBe(project.id);
    const plan = await client.training.plan({ projectId: project.id });
    expect(plan.presets.map(({ preset }) => preset)).toEqual(['quick', 'balanced', 'thorough', 'paper']);
    expect(plan).toMatchObject({ encoder: 'static', usesStarter: true, device: { wish: 'cpu', last: null } });
    expect(plan.presets.flatMap(({ problems }) => problems)).toEqual([]);
  });
});

describe('a language that no list has', () => {
  it('keeps the name it was given: in its project, in the advice, in the list of recent projects, and after a restart', async () => {
    const chosen = (await client.language.suggest({ text: 'ภาษาริมทะเล', limit: 5 })).languages.map(({ tag, name }) => ({ tag, name })).slice(-1);
    const tag = chosen[0]?.tag ?? '';
    expect(tag).toMatch(/^x-/);
    let project = await client.project.create({ name: 'Shore', languages: chosen, parentFolder: null });
    expect(project.languages).toMatchObject([{ tag, name: 'ภาษาริมทะเล', ownName: 'ภาษาริมทะเล', isListed: false }]);
    expect(project.advice.find(({ code }) => code === 'texts.no-pairs')?.message).toContain('ภาษาริมทะเล');
    project = await client.project.update({ projectId: project.id, name: null, settings: null, languages: [{ tag }, { tag: 'x-kilakuva', name: 'Kilakuva ya ziwa' }, { tag: 'swh', name: 'not kept: it is listed' }] });
    expect(project.languages.map(({ name }) => name)).toEqual(['ภาษาริมทะเล', 'Kilakuva ya ziwa', 'Swahili']);
    const { projects } = await client.project.recent({});
    expect(projects.find(({ id }) => id === project.id)).toMatchObject({ languages: [tag, 'x-kilakuva', 'sw'], names: { [tag]: 'ภาษาริมทะเล', 'x-kilakuva': 'Kilakuva ya ziwa' } });
    const saved: unknown = JSON.parse(await readFile(join(project.folder, 'project.json'), 'utf8'));
    expect(saved).toMatchObject({ names: { [tag]: 'ภาษาริมทะเล', 'x-kilakuva': 'Kilakuva ya ziwa' } });
  });
});

describe('a project of one\'s own', () => {
  let project: Project;

  it('is made, and takes a dropped file in pieces', async () => {
    project = await client.project.create({ name: 'Kiswahili', languages: [{ tag: 'swh' }], parentFolder: null });
    expect(project.languages[0]?.tag).toBe('sw');
    const content = await readFile(inRepository('core/sample/parallel.en-sw.tsv'));
    const file = new Blob([content]);
    const half = Math.floor(file.size / 2);
    const piece = { projectId: project.id, upload: 'upload-1', name: 'stories.en-sw.tsv', totalBytes: file.size };
    expect(await client.files.upload({ ...piece, offset: 0, chunk: file.slice(0, half) })).toEqual({ status: 'receiving', receivedBytes: half });
    const whole = await client.files.upload({ ...piece, offset: half, chunk: file.slice(half) });
    expect(whole).toMatchObject({ status: 'complete', sizeBytes: file.size });
    if (whole.status !== 'complete') return;
    expect(await readFile(whole.path)).toEqual(content);
    const inspection = await client.corpus.inspect({ projectId: project.id, paths: [whole.path], choice: { role: null, format: null, languages: null } });
    expect(inspection).toMatchObject({ status: 'readable', role: 'pairs', format: 'tsv', languages: { kind: 'two', source: 'en', target: 'sw' }, languagesFrom: 'name', rows: { length: 20 } });
    if (inspection.status !== 'readable') return;
    project = await client.corpus.add({ projectId: project.id, paths: [whole.path], role: inspection.role, format: inspection.format, languages: inspection.languages, licence: null });
    expect(project.corpora).toMatchObject([{ name: 'stories.en-sw.tsv', counts: { problems: 0 } }]);
  });

  it('says of a file that is no corpus what it is, and of a missing one that it is missing', async () => {
    await writeFile(join(home, 'picture.tsv'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    const inspect = (path: string) => client.corpus.inspect({ projectId: project.id, paths: [path], choice: { role: null, format: null, languages: null } });
    expect(await inspect(join(home, 'picture.tsv'))).toMatchObject({ status: 'unusable', error: { family: 'input', code: 'corpus.binary-file' } });
    expect(await inspect(join(home, 'nowhere.tsv'))).toMatchObject({ status: 'unusable', error: { code: 'file.missing' } });
    expect(await failure(client.corpus.add({ projectId: project.id, paths: [join(home, 'picture.tsv')], role: 'pairs', format: 'tsv', languages: { kind: 'two', source: 'en', target: 'sw' }, licence: null }))).toMatchObject({ code: 'corpus.binary-file' });
  });

  it('is trained: watched from the first step, paused, resumed, and kept early', async () => {
    await writeQuestions(join(home, 'questions.jsonl'));
    project = await client.corpus.add({ projectId: project.id, paths: [join(home, 'questions.jsonl')], role: 'questions', format: 'jsonl-pairs', languages: { kind: 'one', language: 'en' }, licence: 'CC0' });
    expect(project.advice.filter(({ blocks }) => blocks)).toEqual([]);
    const job = await client.job.start({ kind: 'train', projectId: project.id, preset: 'quick', resume: false });
    const seen: JobEvent[] = [];
    let steps = 0;
    for await (const event of await client.job.watch({ jobId: job.id })) {
      seen.push(event);
      if (event.kind !== 'training' || event.event.kind !== 'step') continue;
      steps += 1;
      if (steps === 2) {
        expect((await client.job.pause({ jobId: job.id })).state.status).toBe('paused');
        expect((await client.job.resume({ jobId: job.id })).state.status).toBe('running');
      }
      if (steps === 4) await client.job.stopAndKeep({ jobId: job.id });
    }
    expect(seen[0]).toMatchObject({ kind: 'snapshot', job: { id: job.id } });
    expect(seen.at(-1)).toMatchObject({ kind: 'state', state: { status: 'finished', result: { kind: 'train', keptEarly: true } } });
    expect(seen.some((event) => event.kind === 'training' && event.event.kind === 'plan')).toBe(true);
    project = await client.project.get({ projectId: project.id });
    expect(project.model?.steps).toBeGreaterThanOrEqual(4);
    expect(project.steps.find(({ name }) => name === 'train')?.state).toBe('done');
    const result = await client.project.result({ projectId: project.id });
    expect(result).toMatchObject({ status: 'ready', model: { modelId: project.model?.modelId } });
    expect(result.status === 'ready' ? result.report?.rows.map(({ question, language }) => `${question} ${language}`) : []).toEqual(expect.arrayContaining(['to-english sw', 'from-english sw']));
    const [late] = await Array.fromAsync(await client.job.watch({ jobId: job.id }));
    expect(late).toMatchObject({ kind: 'snapshot', job: { state: { status: 'finished' } } });
  });

  it('is indexed and searched, with reasons and the passage in its document', async () => {
    const library = await client.library.choose({ projectId: project.id, folder: inRepository('core/sample/documents') });
    expect(library.status).toBe('not-indexed');
    const job = await client.job.start({ kind: 'index', projectId: project.id });
    const events = await Array.fromAsync(await client.job.watch({ jobId: job.id }));
    expect(events.at(-1)).toMatchObject({ kind: 'state', state: { status: 'finished', result: { summary: { files: 60, failed: 0 } } } });
    expect(await client.library.status({ projectId: project.id })).toMatchObject({ status: 'indexed', madeBy: 'this-model', changes: { added: 0, changed: 0, removed: 0 } });
    const answer = await client.search.query({ projectId: project.id, query: 'the boat that brings books', queryLanguage: 'en', method: 'hybrid', limit: 5 });
    const [hit] = answer.hits;
    expect(hit?.path).toBe('en/library-boat.txt');
    expect(hit?.reasons.map(({ kind }) => kind)).toContain('same-words');
    for (const { start, end } of hit?.highlights ?? []) expect(hit?.text.slice(start, end)).not.toBe('');
    if (hit === undefined) return;
    const excerpt = await client.document.excerpt({ projectId: project.id, path: hit.path, location: hit.location });
    expect(excerpt.text).toBe(hit.text);
    expect(excerpt.title).toBe(hit.title);
  });

  it('shows no document outside its library', async () => {
    const location = { line: 1, row: null, heading: null, start: 0, end: 10 };
    for (const path of ['../README.md', '../../../package.json', join(home, 'questions.jsonl'), 'en/../../README.md']) {
      expect(await failure(client.document.excerpt({ projectId: project.id, path, location }))).toMatchObject({ code: 'document.outside-library' });
    }
  });

  it('cancelled in training keeps the model that was there', async () => {
    const before = (await client.project.get({ projectId: project.id })).model?.modelId;
    const job = await client.job.start({ kind: 'train', projectId: project.id, preset: 'balanced', resume: false });
    for await (const event of await client.job.watch({ jobId: job.id })) if (event.kind === 'training' && event.event.kind === 'progress') await client.job.cancel({ jobId: job.id }).catch(() => undefined); // a second cancel comes too late, rightly
    expect((await client.job.list({ projectId: project.id })).jobs[0]?.state.status).toBe('cancelled');
    expect((await client.project.get({ projectId: project.id })).model?.modelId).toBe(before);
  });

  it('made no fault of ours on the way', () => {
    expect(faults).toEqual([]);
  });
});
