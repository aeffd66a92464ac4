/** Facts about a training whose process dies: lost with a graphics card it goes on with the CPU, lost without one it is an error. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrainTask, WorkerEvent } from './messages.ts';
import { nodeProcesses } from './process.ts';
import { trainInWorker } from './train-in-worker.ts';

const answerModule = new URL('./answer.ts', import.meta.url).href;

/** Dies on any device but the CPU, after it has said which one it uses; on the CPU it tells how it was called. */
const script = `
import { answerCalls } from ${JSON.stringify(answerModule)};
answerCalls({
  train: async ({ device, resume, recipePath, takesLess = false }, { report }) => {
    const say = (code) => report({ kind: 'training', event: { kind: 'message', code, message: device } });
    if (recipePath === 'too large' && !takesLess) process.kill(process.pid, 'SIGKILL');
    if (device !== 'cpu') {
      say(recipePath === 'no card' ? 'device.cpu-fastest' : 'device.asked');
      await new Promise((resolve) => setTimeout(resolve, 50));
      process.kill(process.pid, 'SIGKILL');
    }
    return { summary: null, keptEarly: resume };
  },
});
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-train-worker-'));
  await writeFile(join(folder, 'train.mjs'), script);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = nodeProcesses((name) => join(folder, `${name}.mjs`));
const task = (over: Partial<TrainTask>): TrainTask => ({ recipePath: '', outputFolder: '', starterFolder: '', threads: 1, device: 'webgpu', resume: false, questions: null, onlyPlan: false, ...over });

describe('a training in a process of its own', () => {
  it('goes on with the CPU from the last saved state when the process that owns the card is killed, and says so in one sentence', async () => {
    const events: WorkerEvent[] = [];
    const answer = await trainInWorker(start, 'train', { input: task({}), onEvent: (event) => events.push(event) }).result;
    expect(answer.keptEarly).toBe(true); // it was asked to resume
    expect(events.at(-1)).toMatchObject({ kind: 'training', event: { kind: 'message', code: 'device.lost', message: expect.stringMatching(/^The process that used the graphics card ended unexpectedly \(SIGKILL\), so training goes on with the processor from the last saved state\.$/) as string } });
  });

  it('makes a plan again, which has nothing to resume', async () => {
    const answer = await trainInWorker(start, 'train', { input: task({ onlyPlan: true }), onEvent: () => undefined }).result;
    expect(answer.keptEarly).toBe(false);
  });

  it('that the system kills goes on once, from the last saved state, with half as much at once, and says so', async () => {
    const events: WorkerEvent[] = [];
    const answer = await trainInWorker(start, 'train', { input: task({ recipePath: 'too large', device: 'cpu' }), onEvent: (event) => events.push(event) }).result;
    expect(answer.keptEarly).toBe(true); // it was asked to resume
    expect(events).toMatchObject([{ kind: 'training', event: { kind: 'message', code: 'training.out-of-memory', message: expect.stringMatching(/half as much text at once/) as string } }]);
    await expect(trainInWorker(start, 'train', { input: task({ recipePath: 'too large', device: 'cpu', takesLess: true }), onEvent: () => undefined }).result).resolves.toBeDefined();
  });

  it('that dies twice without a card in use is an error', async () => {
    await expect(trainInWorker(start, 'train', { input: task({ recipePath: 'no card', device: 'auto' }), onEvent: () => undefined }).result).rejects.toMatchObject({ code: 'worker.died' });
  });
});
