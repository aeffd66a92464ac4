/** Facts about jobs. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CancellationError, EnvironmentError } from '../../core/base/errors.ts';
import { HISTORY_STEPS, jobEventSchema, type JobEvent, type JobRequest, type JobResult, type TrainingEvent } from '../contract/index.ts';
import type { WorkerEvent } from '../workers/messages.ts';
import { emptyHistory, withTrainingEvent } from './history.ts';
import { createJournal, type Journal } from './journal.ts';
import { createJobRegistry, type JobRegistry } from './registry.ts';
import type { JobAction } from './transitions.ts';

/** A job that does what the test says. */
type Puppet = { readonly request: JobRequest; readonly emit: (event: WorkerEvent) => void; readonly finish: () => void; readonly fail: (error: Error) => void; readonly controls: readonly JobAction[] };

let folder: string;
let puppets: Puppet[];
let time: number;
let journals: Journal[];
const faults: unknown[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-jobs-'));
  puppets = [];
  journals = [];
  time = 1000;
});
afterEach(async () => {
  for (const journal of journals) await journal.settle();
  await rm(folder, { recursive: true, force: true });
  expect(faults).toEqual([]);
});

const summary = { model: 'm', steps: 1, wallSeconds: 1, cpuSeconds: 1, peakMemoryMB: 1, parameters: 1, losses: { retrieval: 0, semantic: 0, language: 0 } };

function createRegistry(options: { readonly canResume?: boolean } = {}): Promise<JobRegistry> {
  const journal = createJournal(join(folder, 'jobs'), (error) => faults.push(error));
  journals.push(journal);
  return createJobRegistry({
    journal,
    canResume: () => Promise.resolve(options.canResume ?? false),
    now: () => (time += 1),
    prepare: (request) =>
      Promise.resolve({
        run: (emit) => {
          const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
          const controls: JobAction[] = [];
          puppets.push({ request, emit, controls, finish: () => resolve({ kind: 'train', summary, keptEarly: false }), fail: reject });
          return {
            result: promise,
            control: (action) => {
              controls.push(action);
              if (action === 'cancel') reject(new CancellationError());
            },
          };
        },
      }),
  });
}

const train = (projectId = 'p1'): JobRequest => ({ kind: 'train', projectId, preset: 'quick', resume: false });
const index = (projectId = 'p1'): JobRequest => ({ kind: 'index', projectId });
const step = (number: number): TrainingEvent => ({ kind: 'step', step: number, steps: 1000, losses: { retrieval: 1, semantic: 1, language: 0 }, learningRate: 0.1, tokensPerSecond: 10, leftMs: 5 });
const statusOf = (registry: JobRegistry, id: string): string | undefined => registry.list(null).find((job) => job.id === id)?.state.status;
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

async function watchToEnd(registry: JobRegistry, id: string): Promise<readonly JobEvent[]> {
  const events: JobEvent[] = [];
  for await (const event of registry.watch(id, undefined)) events.push(event);
  return events;
}

describe('a job', () => {
  it('runs, tells its watchers, and ends finished', async () => {
    const registry = await createRegistry();
    const job = await registry.start(train());
    const events = watchToEnd(registry, job.id);
    puppets[0]?.emit({ kind: 'training', event: step(1) });
    puppets[0]?.finish();
    expect((await events).map(({ kind }) => kind)).toEqual(['snapshot', 'training', 'state']);
    expect(statusOf(registry, job.id)).toBe('finished');
  });

  it('shows a watcher that comes late everything that matters, also after its end', async () => {
    const registry = await createRegistry();
    const job = await registry.start(train());
    for (let i = 1; i <= 5; i += 1) puppets[0]?.emit({ kind: 'training', event: step(i) });
    puppets[0]?.finish();
    await settle();
    const events = await watchToEnd(registry, job.id);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: 'snapshot', job: { state: { status: 'finished' } }, training: { length: 5 } });
    expect(jobEventSchema.parse(events[0])).toEqual(events[0]);
  });

  it('is paused and resumed, and says how far it was', async () => {
    const registry = await createRegistry();
    const job = await registry.start(train());
    puppets[0]?.emit({ kind: 'training', event: step(7) });
    expect(registry.act(job.id, 'pause').state).toEqual({ status: 'paused', progress: { phase: 'training', done: 7, total: 1000, unit: 'steps' } });
    expect(registry.act(job.id, 'resume').state.status).toBe('running');
    expect(puppets[0]?.controls).toEqual(['pause', 'resume']);
    puppets[0]?.finish();
  });

  it('that is done elsewhere is listed, waits for nothing, and keeps nothing waiting', async () => {
    const registry = await createRegistry();
    const training = await registry.start(train());
    const elsewhere = Promise.withResolvers<JobResult>();
    const asked: JobAction[] = [];
    const bringing = registry.accompany({ kind: 'bring', projectId: 'p2' }, () => ({ result: elsewhere.promise, control: (action) => asked.push(action) }));
    expect([statusOf(registry, training.id), statusOf(registry, bringing.id)]).toEqual(['running', 'running']);
    puppets[0]?.finish();
    await settle();
    const next = await registry.start(index());
    expect(statusOf(registry, next.id)).toBe('running');
    registry.act(bringing.id, 'cancel');
    expect(asked).toEqual(['cancel']);
    elsewhere.reject(new CancellationError());
    await settle();
    expect(statusOf(registry, bringing.id)).toBe('cancelled');
    puppets[1]?.finish();
  });

  it('cancelled ends cancelled, which is no failure', async () => {
    const registry = await createRegistry();
    const job = await registry.start(train());
    registry.act(job.id, 'cancel');
    await settle();
    expect(statusOf(registry, job.id)).toBe('cancelled');
  });

  it('that fails carries the record of its error and whether it can go on', async () => {
    const registry = await createRegistry({ canResume: true });
    const job = await registry.start(train());
    puppets[0]?.fail(new EnvironmentError('worker.died', 'The train process ended.', { data: { worker: 'train' } }));
    await settle();
    expect(registry.list(null)[0]?.state).toEqual({ status: 'failed', canResume: true, error: { family: 'environment', code: 'worker.died', message: 'The train process ended.', data: { worker: 'train' } } });
    expect(job.state.status).toBe('running');
  });

  it.each([
    ['resume', 'running'],
    ['pause', 'paused'],
  ] as const)('cannot be asked to %s while %s', async (action, status) => {
    const registry = await createRegistry();
    const job = await registry.start(train());
    if (status === 'paused') registry.act(job.id, 'pause');
    expect(() => registry.act(job.id, action)).toThrow(expect.objectContaining({ code: 'job.not-possible' }));
    registry.act(job.id, 'cancel');
    await settle();
    expect(() => registry.act(job.id, 'cancel')).toThrow(expect.objectContaining({ code: 'job.not-possible' }));
  });

  it('of indexing has nothing to keep early', async () => {
    const registry = await createRegistry();
    const job = await registry.start(index());
    expect(() => registry.act(job.id, 'stop-and-keep')).toThrow(expect.objectContaining({ code: 'job.not-possible' }));
    registry.act(job.id, 'cancel');
    await settle();
  });
});

describe('jobs together', () => {
  it('compute one after the other, and a paused one gives its turn away', async () => {
    const registry = await createRegistry();
    const first = await registry.start(train('p1'));
    const second = await registry.start(index('p1'));
    const third = await registry.start(train('p2'));
    expect([first, second, third].map(({ id }) => statusOf(registry, id))).toEqual(['running', 'queued', 'queued']);
    registry.act(first.id, 'pause');
    expect([first, second, third].map(({ id }) => statusOf(registry, id))).toEqual(['paused', 'running', 'queued']);
    puppets[1]?.finish();
    await settle();
    expect(statusOf(registry, third.id)).toBe('running');
    for (const puppet of puppets) puppet.finish();
    await settle();
  });

  it('of one kind and one project are not started twice', async () => {
    const registry = await createRegistry();
    await registry.start(train());
    await expect(registry.start(train())).rejects.toMatchObject({ code: 'job.already-running' });
    expect(registry.list('p1')).toHaveLength(1);
    puppets[0]?.finish();
    await settle();
    await registry.start(train());
    expect(registry.list('p1')).toHaveLength(2);
    puppets[1]?.finish();
    await settle();
  });

  it('that wait can be cancelled without having run', async () => {
    const registry = await createRegistry();
    await registry.start(train('p1'));
    const waiting = await registry.start(train('p2'));
    registry.act(waiting.id, 'cancel');
    puppets[0]?.finish();
    await settle();
    expect(statusOf(registry, waiting.id)).toBe('cancelled');
    expect(puppets).toHaveLength(1);
  });
});

describe('after a restart', () => {
  it('what ran is interrupted and resumable where a checkpoint lies; what ended stays as it was', async () => {
    const before = await createRegistry();
    const done = await before.start(train('p1'));
    puppets[0]?.emit({ kind: 'training', event: step(3) });
    puppets[0]?.finish();
    await settle();
    const running = await before.start(train('p2'));
    puppets[1]?.emit({ kind: 'training', event: step(4) });
    await journals[0]?.settle(); // the program dies here: nothing is closed
    const after = await createRegistry({ canResume: true });
    expect(statusOf(after, done.id)).toBe('finished');
    expect(after.list('p2')[0]?.state).toEqual({ status: 'interrupted', canResume: true });
    const [snapshot] = await watchToEnd(after, running.id);
    expect(snapshot).toMatchObject({ kind: 'snapshot', job: { id: running.id } });
    expect(await watchToEnd(after, done.id)).toMatchObject([{ training: [{ kind: 'step', step: 3 }] }]);
  });

  it('half a journal file and foreign files harm nothing', async () => {
    const before = await createRegistry();
    const job = await before.start(train());
    puppets[0]?.finish();
    await before.close();
    await writeFile(join(folder, 'jobs', 'half.json'), '{"format":1,"job":{');
    await writeFile(join(folder, 'jobs', 'foreign.json'), '{}');
    await writeFile(join(folder, 'jobs', 'note.txt'), 'hello');
    const after = await createRegistry();
    expect(after.list(null).map(({ id }) => id)).toEqual([job.id]);
    expect(await readdir(join(folder, 'jobs'))).toContain('half.json');
  });

  it('a job that was ended by closing the program in order is interrupted, not cancelled', async () => {
    const before = await createRegistry({ canResume: true });
    const job = await before.start(train());
    await before.close();
    expect(puppets[0]?.controls).toEqual(['cancel']);
    const after = await createRegistry();
    expect(statusOf(after, job.id)).toBe('interrupted');
  });
});

describe('the history of a job', () => {
  it('keeps a curve of bounded length from first to last, and the first ranks beside the last', () => {
    let history = emptyHistory;
    const heldBack = (at: number): TrainingEvent => ({ kind: 'held-back', step: at, sentences: [] });
    for (let i = 1; i <= 10_000; i += 1) {
      history = withTrainingEvent(history, step(i));
      if (i % 100 === 0) history = withTrainingEvent(history, heldBack(i));
    }
    const steps = history.training.flatMap((event) => (event.kind === 'step' ? [event.step] : []));
    expect(steps.length).toBeLessThanOrEqual(HISTORY_STEPS);
    expect(steps.length).toBeGreaterThan(HISTORY_STEPS / 4);
    expect(steps[0]).toBe(1);
    expect(steps.at(-1)).toBeGreaterThan(9_900);
    expect(steps.every((value, i) => i === 0 || value > (steps[i - 1] ?? 0))).toBe(true);
    expect(history.training.flatMap((event) => (event.kind === 'held-back' ? [event.step] : []))).toEqual([100, 10_000]);
  });
});

describe('a watcher', () => {
  it('that goes away is forgotten, and the job goes on', async () => {
    const registry = await createRegistry();
    const job = await registry.start(train());
    const abort = new AbortController();
    const seen: JobEvent[] = [];
    const watching = (async () => {
      for await (const event of registry.watch(job.id, abort.signal)) seen.push(event);
    })();
    await settle();
    abort.abort();
    await watching;
    puppets[0]?.emit({ kind: 'training', event: step(1) });
    expect(seen.map(({ kind }) => kind)).toEqual(['snapshot']);
    puppets[0]?.finish();
    await settle();
    expect(statusOf(registry, job.id)).toBe('finished');
  });
});
