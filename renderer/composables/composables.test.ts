// @vitest-environment happy-dom
/** Do chosen files, running jobs and questions go through the bridge as they should? A typed fake stands for the program. */
import { flushPromises, mount } from '@vue/test-utils';
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it } from 'vitest';
import { defineComponent, nextTick } from 'vue';
import { UPLOAD_CHUNK_BYTES } from '../../main/contract/limits.ts';
import { NO_FILTER, NO_SPELLING_RULES, type Hit, type Inspection, type IsoglossClient, type Job, type JobEvent, type Project, type SearchAnswer } from '../../main/contract/index.ts';
import type { Bridge } from '../bridge.ts';
import { ready } from '../stores/loadable.ts';
import { useProjectsStore } from '../stores/projects.ts';
import { bridgeKey } from './useBridge.ts';
import { useAction } from './useAction.ts';
import { useJobs } from './useJobs.ts';
import { usePendingCorpora } from './usePendingCorpora.ts';
import { readRemembered, usePendingMemory } from './usePendingMemory.ts';
import { useSearch } from './useSearch.ts';
import { chooseLanguage } from './useSettings.ts';
import { useInspectedBackbone } from './useInspectedBackbone.ts';
import { useLanguageKin } from './useLanguageKin.ts';
import { useTrainingSettings } from './useTrainingSettings.ts';

const swahili = { tag: 'sw', name: 'Swahili', ownName: 'Kiswahili', script: 'Latn', direction: 'ltr', isListed: true } as const;
const project: Project = {
  id: 'p', name: 'P', folder: '/p', isSample: false, access: { kind: 'writable' }, languages: [swahili], bridge: { ...swahili, tag: 'en', name: 'English', ownName: 'English' }, corpora: [],
  totals: { questions: 0, sentences: 0, pairs: [] }, settings: { preset: 'quick', threads: null, device: null, encoder: 'static', backbone: null, changed: { static: {}, backbone: {}, transformer: {} } },
  advice: [], steps: [], model: null, library: { status: 'none' }, spelling: NO_SPELLING_RULES, exampleQueries: [],
};
const readable: Inspection = { status: 'readable', paths: ['/in/a.tsv'], role: 'pairs', format: 'tsv', languages: { kind: 'two', source: 'en', target: 'sw' }, languagesFrom: 'name', rows: [], counts: { records: 2, problems: 0, sizeBytes: 9 }, problems: [], advice: [] };
const job: Job = { id: 'j', request: { kind: 'train', projectId: 'p', preset: 'quick', resume: false }, startedAt: 1, endedAt: null, state: { status: 'queued' } };
const refusal = (code: string) => ({ code: 'ISOGLOSS', data: { family: 'input', code, message: 'said by the program', data: {} } });

/** A client of which only some calls exist; any other is a fault of the test. */
function clientWith(calls: Record<string, Record<string, unknown>>): IsoglossClient {
  const missing = (area: string) => new Proxy(calls[area] ?? {}, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name);
      if (call === undefined) throw new Error(`The test did not expect ${area}.${String(name)}`);
      return call;
    },
  });
  return new Proxy({}, { get: (_, area) => missing(String(area)) }) as IsoglossClient; // the named boundary of the fake
}

/** Runs a composable inside a component, as views do. */
function within<T>(client: IsoglossClient, use: () => T): T {
  const made: { value: T | null } = { value: null };
  const bridge: Bridge = { client, connection: { state: () => ({ status: 'open' }), onChange: () => () => undefined, whenOpen: () => Promise.resolve() } };
  mount(defineComponent({ setup: () => { made.value = use(); return () => null; } }), { global: { provide: { [bridgeKey]: bridge } } });
  if (made.value === null) throw new Error('The composable was not set up.');
  return made.value;
}

beforeEach(() => {
  setActivePinia(createPinia());
  useProjectsStore().open = ready(project);
});

describe('a dropped file', () => {
  it('goes up in pieces, in order, is looked into, and is added with the languages that were settled', async () => {
    const offsets: number[] = [];
    const added: unknown[] = [];
    const size = UPLOAD_CHUNK_BYTES * 2 + 5;
    const corpora = within(clientWith({
      files: { upload: ({ offset, totalBytes, chunk }: { offset: number; totalBytes: number; chunk: Blob }) => {
        offsets.push(offset);
        const receivedBytes = offset + chunk.size;
        return Promise.resolve(receivedBytes === totalBytes ? { status: 'complete', path: '/in/a.tsv', sizeBytes: totalBytes } : { status: 'receiving', receivedBytes });
      } },
      corpus: { inspect: () => Promise.resolve(readable), add: (input: unknown) => { added.push(input); return Promise.resolve({ ...project, name: 'after' }); } },
    }), () => usePendingCorpora(() => 'p'));
    await corpora.drop('pairs', [new File([new Uint8Array(size)], 'a.tsv')]);
    expect(offsets).toEqual([0, UPLOAD_CHUNK_BYTES, 2 * UPLOAD_CHUNK_BYTES]);
    const [pending] = corpora.pending.value;
    expect(pending?.state.status).toBe('readable');
    const terms = { source: null, licence: 'CC0', consent: null, access: null };
    await corpora.change(pending?.id ?? '', { languages: { kind: 'two', source: 'sw', target: 'en' } });
    await corpora.change(pending?.id ?? '', { terms });
    await corpora.add(pending?.id ?? '');
    expect(added).toEqual([{ projectId: 'p', paths: ['/in/a.tsv'], role: 'pairs', format: 'tsv', languages: { kind: 'two', source: 'sw', target: 'en' }, licence: 'CC0', terms }]);
    expect(corpora.pending.value).toEqual([]);
    expect(useProjectsStore().open).toEqual(ready({ ...project, name: 'after' }));
  });

  it('that is settled and not yet added is there again after the page was loaded anew, as it was settled', async () => {
    const kept = new Map<string, string>();
    const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, text: string) => void kept.set(key, text) };
    const choices: unknown[] = [];
    const load = () => {
      setActivePinia(createPinia());
      return within(clientWith({ corpus: { inspect: ({ choice }: { readonly choice: { readonly languages: unknown } }) => {
        choices.push(choice.languages);
        return Promise.resolve({ ...readable, languages: choice.languages ?? readable.languages });
      } } }), () => {
        usePendingMemory(storage);
        return usePendingCorpora(() => 'p');
      });
    };
    const before = load();
    await before.choose('pairs', ['/in/a.tsv']);
    const settled = { kind: 'two', source: 'sw', target: null } as const;
    await before.change(before.pending.value[0]?.id ?? '', { languages: settled });
    await nextTick();
    const after = load();
    await flushPromises();
    const [again] = after.pending.value;
    expect(again).toMatchObject({ projectId: 'p', role: 'pairs', name: 'a.tsv', state: { status: 'readable', settings: { languages: settled } } });
    expect(choices.at(-1)).toEqual(settled);
    after.leaveOut(again?.id ?? '');
    await nextTick();
    expect(load().pending.value).toEqual([]);
    expect(readRemembered('no json')).toEqual([]);
    expect(readRemembered('[{"projectId":"p"}]')).toEqual([]);
  });

  it('that is refused stays with the reason; left out while it goes up, it goes no further', async () => {
    const refused = within(clientWith({ files: { upload: () => Promise.reject(refusal('upload.too-large')) } }), () => usePendingCorpora(() => 'p'));
    await refused.drop('texts', [new File(['a'], 'a.txt')]);
    const state = refused.pending.value[0]?.state;
    expect(state?.status === 'unusable' && state.problem.code).toBe('upload.too-large');
    refused.leaveOut(refused.pending.value[0]?.id ?? '');

    let pieces = 0;
    const leaving = within(clientWith({ files: { upload: () => {
      pieces += 1;
      leaving.leaveOut(leaving.pending.value[0]?.id ?? '');
      return Promise.resolve({ status: 'receiving', receivedBytes: 1 });
    } } }), () => usePendingCorpora(() => 'p'));
    await leaving.drop('texts', [new File(['abc'], 'a.txt')]);
    expect(pieces).toBe(1);
    expect(leaving.pending.value).toEqual([]);
  });
});

describe('a job', () => {
  it('is followed from its start to its end, once, and then the project and its result are asked for anew', async () => {
    const asked: string[] = [];
    let watchers = 0;
    async function* events(): AsyncGenerator<JobEvent> {
      watchers += 1;
      yield { kind: 'snapshot', job, training: [], index: [] };
      yield { kind: 'training', event: { kind: 'progress', phase: 'reading', done: 1, total: 2, unit: 'files', leftMs: null } };
      await Promise.resolve();
      yield { kind: 'state', state: { status: 'cancelled' } };
    }
    const jobs = within(clientWith({
      job: { start: () => Promise.resolve(job), watch: () => Promise.resolve(events()), list: () => Promise.resolve({ jobs: [job] }) },
      project: { get: () => { asked.push('get'); return Promise.resolve(project); }, result: () => { asked.push('result'); return Promise.resolve({ status: 'none' }); } },
    }), () => useJobs());
    await jobs.start(job.request);
    await jobs.loadAll();
    await flushPromises();
    expect(watchers).toBe(1);
    expect(jobs.latest('p', 'train')?.job.state.status).toBe('cancelled');
    expect(jobs.latest('p', 'train')?.progress?.phase).toBe('reading');
    expect(asked).toEqual(['get', 'result']);
    expect(jobs.latest('p', 'index')).toBeNull();
    expect(jobs.underWay.value).toEqual([]);
  });
});

const NOWHERE = { line: 1, row: null, heading: null, paragraph: null, page: null, verse: null, timeMs: null, speaker: null, tier: null, sheet: null, slide: null, start: 0, end: 1 };

describe('a question', () => {
  const answerTo = (query: string): SearchAnswer => ({ hits: [], choices: [], queryLanguage: query, elapsedMs: 1, chunks: 1 });

  it('asked last is the one answered, whichever answer comes first', async () => {
    const waiting = new Map<string, (answer: SearchAnswer) => void>();
    const search = within(clientWith({ search: { query: ({ query }: { query: string }) => new Promise((resolve) => waiting.set(query, resolve)) } }), () => useSearch(() => 'p'));
    void search.ask({ query: 'first', queryLanguage: null, method: 'hybrid', filter: NO_FILTER });
    void search.ask({ query: 'second', queryLanguage: null, method: 'hybrid', filter: NO_FILTER });
    expect(search.answer.value.status).toBe('loading');
    waiting.get('second')?.(answerTo('second'));
    await flushPromises();
    waiting.get('first')?.(answerTo('first'));
    await flushPromises();
    expect(search.answer.value).toEqual(ready(answerTo('second')));
  });

  it('gives more passages while there are more, and shows those of before until they come', async () => {
    const there = 45;
    const asked: number[] = [];
    const hitAt = (at: number): Hit => ({ chunkId: String(at), score: 1, path: 'a.md', title: 'a', location: NOWHERE, text: 'a', language: 'en', direction: 'ltr', highlights: [], reasons: [], aligned: [], judged: null });
    const query = ({ limit }: { limit: number }): Promise<SearchAnswer> => {
      asked.push(limit);
      return Promise.resolve({ ...answerTo('x'), hits: Array.from({ length: Math.min(there, limit) }, (_, at) => hitAt(at)) });
    };
    const search = within(clientWith({ search: { query } }), () => useSearch(() => 'p'));
    const shown = (): number => (search.answer.value.status === 'ready' ? search.answer.value.value.hits.length : 0);
    await search.ask({ query: 'x', queryLanguage: null, method: 'hybrid', filter: NO_FILTER });
    expect([shown(), search.hasMore.value]).toEqual([20, true]);
    const coming = search.more();
    expect([shown(), search.hasMore.value]).toEqual([20, true]);
    await coming;
    await search.more();
    expect([shown(), search.hasMore.value]).toEqual([there, false]);
    expect(asked).toEqual([20, 40, 60]);
  });

  it('that fails says why', async () => {
    const search = within(clientWith({ search: { query: () => Promise.reject(refusal('index.not-built')) } }), () => useSearch(() => 'p'));
    await search.ask({ query: 'x', queryLanguage: null, method: 'hybrid', filter: NO_FILTER });
    expect(search.answer.value.status === 'failed' && search.answer.value.problem.code).toBe('index.not-built');
  });
});

describe('a wish', () => {
  it('works, fails with its reason, or ends quietly when cancelled; a second one while it works is not taken', async () => {
    const action = useAction();
    let finish: () => void = () => undefined;
    const first = action.run(() => new Promise<void>((resolve) => { finish = resolve; }));
    expect(action.state.value.status).toBe('working');
    expect(await action.run(() => Promise.resolve())).toBe(false);
    finish();
    expect(await first).toBe(true);
    expect(await action.run(() => Promise.reject(refusal('disk.full')))).toBe(false);
    expect(action.state.value.status === 'failed' && action.state.value.problem.code).toBe('disk.full');
    await action.run(() => Promise.reject({ data: { family: 'cancellation', code: 'job.cancelled', message: 'm', data: {} } }));
    expect(action.state.value.status).toBe('idle');
  });
});

describe('the language of the interface', () => {
  it('is the first wish that it speaks, English otherwise', () => {
    expect(chooseLanguage(['sw-TZ', 'ar-EG', 'en'])).toBe('sw');
    expect(chooseLanguage(['th', 'toString'])).toBe('en');
  });
});

describe('training settings', () => {
  it('that are changed quickly one after another are all kept, each from what the one before left; a start waits for them', async () => {
    const kept: unknown[] = [];
    const client = clientWith({
      project: { update: async ({ settings }: { settings: Project['settings'] }) => {
        await Promise.resolve();
        kept.push([settings.preset, settings.threads]);
        return { ...project, settings };
      } },
      training: { plan: () => Promise.resolve({}) },
    });
    const { change, settled } = within(client, () => useTrainingSettings(() => project));
    void change((settings) => ({ ...settings, preset: 'thorough' }));
    void change((settings) => ({ ...settings, threads: 2 }));
    await settled();
    expect(kept).toEqual([['thorough', null], ['thorough', 2]]);
  });

  it('one that is refused says so, and the next is kept all the same', async () => {
    const client = clientWith({
      project: { update: ({ settings }: { settings: Project['settings'] }) => (settings.threads === 7 ? Promise.reject(Object.assign(new Error('x'), refusal('project.read-only'))) : Promise.resolve({ ...project, settings })) },
      training: { plan: () => Promise.resolve({}) },
    });
    const { change, state } = within(client, () => useTrainingSettings(() => project));
    await change((settings) => ({ ...settings, threads: 7 }));
    expect(state.value.status).toBe('failed');
    await change((settings) => ({ ...settings, threads: 2 }));
    expect(state.value.status).toBe('idle');
    expect(useProjectsStore().open).toMatchObject({ value: { settings: { threads: 2 } } });
  });
});

describe('a brought model', () => {
  it('that is looked at while another look is under way: only the newest answer counts', async () => {
    const answers: ((value: unknown) => void)[] = [];
    const asked: unknown[] = [];
    const client = clientWith({ backbone: { inspect: (input: unknown) => {
      asked.push(input);
      return new Promise((resolve) => answers.push(resolve));
    } } });
    const { found, inspect, forget } = within(client, () => useInspectedBackbone());
    const first = inspect('/a', null);
    const second = inspect('/b', 'p');
    answers[1]?.({ status: 'refused', folder: '/b' });
    answers[0]?.({ status: 'refused', folder: '/a' });
    await Promise.all([first, second]);
    expect(asked).toEqual([{ folder: '/a' }, { folder: '/b', projectId: 'p' }]);
    expect(found.value).toMatchObject({ status: 'ready', value: { folder: '/b' } });
    forget();
    expect(found.value.status).toBe('idle');
  });
});

describe('sister languages', () => {
  it('are offered where they are not in the project already', async () => {
    const relative = (tag: string) => ({ ...swahili, tag, name: tag });
    const client = clientWith({ language: { kin: ({ tag }: { tag: string }) => Promise.resolve({ languages: tag === 'sw' ? [relative('swb'), relative('suk')] : [] }) } });
    const kin = within(client, () => useLanguageKin(() => [swahili, relative('suk')]));
    await flushPromises();
    expect(kin.value.map(({ language, relatives }) => [language.tag, relatives.map(({ tag }) => tag)])).toEqual([['sw', ['swb']]]);
  });
});
