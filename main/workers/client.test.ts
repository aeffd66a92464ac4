/** Facts about worker processes: real ones, that answer, hang and die. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from './service.ts';
import { NO_FILTER, NO_SPELLING_RULES } from '../contract/index.ts';
import { startWorker } from './client.ts';
import type { IndexTask, WorkerEvent } from './messages.ts';
import { nodeProcesses, scrubbedEnvironment, type WorkerProcess } from './process.ts';

const answerModule = new URL('./answer.ts', import.meta.url).href;

/** Workers whose behaviour is the name of the folder they are asked to index. */
const script = `
import { answerCalls } from ${JSON.stringify(answerModule)};
import { setTimeout } from 'node:timers/promises';
answerCalls({
  index: async ({ place }, { signal, report }) => {
    report({ kind: 'index', event: { kind: 'progress', phase: 'reading', done: 1, total: 2, unit: 'files', leftMs: null } });
    if (place === 'crash') { process.stderr.write('last words\\n'); process.kill(process.pid, 'SIGSEGV'); }
    if (place === 'exit') process.exit(7);
    if (place === 'deaf') { process.on('SIGTERM', () => {}); for (;;) {} }
    if (place === 'wait') await setTimeout(100_000, undefined, { signal });
    if (place === 'fail') throw new Error('our bug');
    if (place === 'lie') return { files: 'many' };
    return { summary: { files: 1, skipped: 0, failed: 0, chunks: process.env.SECRET_TOKEN === undefined ? 0 : 1, wallSeconds: 0 }, modelId: '', indexFolder: '', fingerprint: '', libraryFiles: [], failures: [] };
  },
});
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-workers-'));
  await writeFile(join(folder, 'index.mjs'), script);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = nodeProcesses((name) => join(folder, `${name}.mjs`));
const task = (behaviour: string): IndexTask => ({ modelFolder: '', folders: [], place: behaviour, failures: [], spelling: NO_SPELLING_RULES });

describe('a worker', () => {
  it('answers, reports on the way, and sees a scrubbed environment', async () => {
    process.env['SECRET_TOKEN'] = 'secret';
    const worker = startWorker(start, 'index');
    const events: WorkerEvent[] = [];
    const answer = await worker.call('index', task('answer'), (event) => events.push(event)).result;
    expect(answer.summary.chunks).toBe(0);
    expect(events).toMatchObject([{ kind: 'index', event: { phase: 'reading' } }]);
    await worker.stop();
    delete process.env['SECRET_TOKEN'];
  });

  it.each([
    ['crash', /by SIGSEGV/],
    ['exit', /code 7/],
  ])('that dies (%s) is an error that says what to do, with its last words', async (behaviour, how) => {
    const worker = startWorker(start, 'index');
    const error: unknown = await worker.call('index', task(behaviour), () => undefined).result.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ family: 'environment', code: 'worker.died' });
    expect(String(error)).toMatch(how);
    expect(String(error)).toMatch(/Start it again/);
    if (behaviour === 'crash') expect(error).toMatchObject({ data: { stderr: 'last words\n' } });
    await worker.ended;
  });

  it('is cancelled by a message', async () => {
    const worker = startWorker(start, 'index');
    const call = worker.call('index', task('wait'), () => call.control('cancel'));
    await expect(call.result).rejects.toMatchObject({ family: 'cancellation' });
    await worker.stop();
  });

  it('that does not listen is ended by force, and this counts as cancelled', async () => {
    const worker = startWorker(start, 'index', () => new Promise((resolve) => setTimeout(resolve, 200)));
    const call = worker.call('index', task('deaf'), () => call.control('cancel'));
    await expect(call.result).rejects.toMatchObject({ family: 'cancellation' });
    expect((await worker.ended).signal).toBe('SIGKILL');
  });

  it('that fails by a fault of ours says so, and still answers the next call', async () => {
    const worker = startWorker(start, 'index');
    await expect(worker.call('index', task('fail'), () => undefined).result).rejects.toMatchObject({ family: 'invariant', message: 'our bug' });
    await expect(worker.call('index', task('lie'), () => undefined).result).rejects.toMatchObject({ code: 'worker.bad-answer' });
    await expect(worker.call('index', task('answer'), () => undefined).result).resolves.toMatchObject({ summary: { skipped: 0 } });
    await expect(worker.call('search', { indexFolder: '', modelFolder: '', generation: 0, spelling: NO_SPELLING_RULES, query: '', queryLanguage: null, method: 'dense', limit: 1, filter: NO_FILTER }, () => undefined).result).rejects.toMatchObject({ family: 'invariant' });
    await worker.stop();
  });

  it('that cannot be started at all is an error too', async () => {
    const worker = startWorker(nodeProcesses(() => join(folder, 'missing.mjs')), 'index');
    await expect(worker.call('index', task('answer'), () => undefined).result).rejects.toMatchObject({ code: 'worker.died' });
  });
});

describe('a service', () => {
  it('starts again after a death, and stays down after three within a minute', async () => {
    let time = 0;
    let starts = 0;
    const service = createService({ startProcess: (name) => ((starts += 1), start(name)), worker: 'index', idleMs: 60_000, now: () => time });
    for (let death = 1; death <= 3; death += 1) await expect(service.ask('index', task('exit'))).rejects.toMatchObject({ code: 'worker.died' });
    await expect(service.ask('index', task('answer'))).rejects.toMatchObject({ code: 'worker.keeps-dying' });
    expect(starts).toBe(3);
    time = 61_000;
    await expect(service.ask('index', task('answer'))).resolves.toMatchObject({ summary: { skipped: 0 } });
    await service.stop();
  });

  it('ends its process when nobody asks, and starts another when somebody does', async () => {
    const ended: Promise<unknown>[] = [];
    const watched = (name: 'index'): WorkerProcess => {
      const child = start(name);
      ended.push(new Promise((resolve) => child.onExit(resolve)));
      return child;
    };
    const service = createService({ startProcess: () => watched('index'), worker: 'index', idleMs: 10, now: () => 0 });
    for (let round = 0; round < 4; round += 1) {
      await service.ask('index', task('answer'));
      await ended.at(-1);
    }
    expect(ended).toHaveLength(4); // ends of our own doing do not count as deaths
  });

  it('passes on that its asker has gone', async () => {
    const service = createService({ startProcess: start, worker: 'index', idleMs: 60_000, now: () => 0 });
    const abort = new AbortController();
    const answer = service.ask('index', task('wait'), abort.signal);
    setTimeout(() => abort.abort(), 300);
    await expect(answer).rejects.toMatchObject({ family: 'cancellation' });
    await service.stop();
  });
});

describe('the environment of a worker', () => {
  it('holds the named variables and nothing else', () => {
    expect(scrubbedEnvironment({ PATH: 'p', NODE_OPTIONS: '--inspect', HTTPS_PROXY: 'x', AWS_SECRET_ACCESS_KEY: 'x', LANG: 'C' })).toEqual({ PATH: 'p', LANG: 'C' });
  });
});
