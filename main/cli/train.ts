/** `isogloss train`: a recipe in, a model folder out. */
import { resolve } from 'node:path';
import { availableParallelism } from 'node:os';
import { assertNever, CancellationError, InvariantError } from '../../core/base/errors.ts';
import type { TrainingEvent } from '../../core/training/events.ts';
import type { CallOutput, TrainTask } from '../workers/messages.ts';
import { nodeProcesses } from '../workers/process.ts';
import { runTrainTask } from '../workers/run-train-task.ts';
import { expectSoundBackbone } from '../workers/sound-backbone.ts';
import { trainInWorker } from '../workers/train-in-worker.ts';
import { starterFolder, workerScript } from './places.ts';
import { choice, required, wholeNumber, type Command } from './command.ts';
import { createProblemLines, createProgressLine, describeDuration } from './progress.ts';

const MOST_THREADS = 256;
const DIGITS = 4;

export const trainCommand: Command = {
  summary: 'Trains a model from a recipe.',
  usage: '--recipe FILE --out DIR [--threads N] [--device cpu|webgpu|cuda|dml|auto] [--resume] [--json]',
  options: { recipe: { type: 'string' }, out: { type: 'string' }, threads: { type: 'string' }, device: { type: 'string' }, resume: { type: 'boolean' } },
  run: async (values, { signal, say }) => {
    const recipePath = resolve(required(values, 'recipe', 'the path of a recipe (a JSON file)'));
    const outputFolder = resolve(required(values, 'out', 'the folder for the model'));
    const threads = wholeNumber(values, 'threads', { least: 1, most: MOST_THREADS }) ?? availableParallelism();
    const device = choice(values, 'device', ['cpu', 'webgpu', 'cuda', 'dml', 'auto']);
    const task: TrainTask = { recipePath, outputFolder, starterFolder, threads, device, resume: values['resume'] === true, questions: null, onlyPlan: false };
    await expectSoundBackbone(nodeProcesses(workerScript), recipePath, signal);
    const lines = sayEvents(say);
    const train = device === 'cpu' ? trainHere : trainApart;
    const { summary } = await train(task, { signal, report: lines.report }).finally(lines.end);
    if (summary === null) throw new InvariantError('training.no-summary', 'Training ended without a summary.');
    const { model, steps, wallSeconds, cpuSeconds, peakMemoryMB, parameters, losses } = summary;
    return {
      json: { model, steps, wallSeconds, cpuSeconds, peakMemoryMB, parameters, losses },
      text: `Trained ${steps.toLocaleString('en')} steps in ${describeDuration(wallSeconds * 1000)}: ${model}`,
    };
  },
};

type Hearing = { readonly signal: AbortSignal; readonly report: (event: TrainingEvent) => void };

function trainHere(task: TrainTask, hearing: Hearing): Promise<CallOutput<'train'>> {
  return runTrainTask(task, { ...hearing, isPaused: () => false, shouldStopAndKeep: () => false });
}

/** In a process of its own: a graphics card's driver can end the process that uses it, and training then goes on with the CPU. */
async function trainApart(task: TrainTask, { signal, report }: Hearing): Promise<CallOutput<'train'>> {
  const call = trainInWorker(nodeProcesses(workerScript), 'train', { input: task, onEvent: (event) => { if (event.kind === 'training') report(event.event); } });
  const cancel = (): void => call.control('cancel');
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await call.result;
  } catch (thrown) {
    throw signal.aborted ? new CancellationError(undefined, { cause: thrown }) : thrown;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Training events as lines of text. */
export function sayEvents(say: (line: string) => void): { readonly report: (event: TrainingEvent) => void; readonly end: () => void } {
  const progress = createProgressLine(say);
  const problems = createProblemLines(say);
  const report = (event: TrainingEvent): void => {
    switch (event.kind) {
      case 'progress':
        return progress(event);
      case 'plan':
        return say(`plan: ${event.steps.toLocaleString('en')} steps, about ${describeDuration(event.estimatedMinutes * 60_000)}, about ${String(Math.round(event.estimatedMemoryMB))} MB of memory`);
      case 'step': {
        const { retrieval, semantic, language, maskedLanguage, contextPrediction, phrases, distillation } = event.losses;
        const losses = [retrieval, semantic, language, ...[maskedLanguage, contextPrediction, phrases, distillation].filter((loss) => loss !== undefined)].map((loss) => loss.toFixed(DIGITS)).join(' / ');
        return progress({ phase: 'training', done: event.step, total: event.steps, unit: `steps, losses ${losses} nats, ${Math.round(event.tokensPerSecond).toLocaleString('en')} tokens/s`, leftMs: event.leftMs });
      }
      case 'held-back': {
        const first = event.sentences.filter(({ rank }) => rank === 1).length;
        return say(`held-back sentences: the translation is found first for ${String(first)} of ${String(event.sentences.length)}`);
      }
      case 'evaluation': {
        const pairs = Object.entries(event.pairAccuracy).map(([language, accuracy]) => `${language} ${accuracy.toFixed(3)}`).join(', ');
        return say(`evaluation at step ${String(event.step)}: pairs ${pairs === '' ? 'none' : pairs}${event.retrievalMRR === null ? '' : `; questions MRR@100 ${event.retrievalMRR.toFixed(3)}`}`);
      }
      case 'map':
        return say(`translations lie at ${(100 * event.nearness).toFixed(0)} % of the usual distance`);
      case 'problem':
        return problems.add(event.message);
      case 'message':
        return say(event.message);
      default:
        return assertNever(event, 'training event');
    }
  };
  return { report, end: problems.end };
}
