/** `isogloss starter`: makes the English starter that is shipped. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { makeStarter, STARTER_DEFAULTS } from '../../core/training/make-starter.ts';
import { required, wholeNumber, type Command } from './command.ts';
import { describeDuration } from './progress.ts';
import { sayEvents } from './train.ts';

const MS_PER_SECOND = 1000;

export const starterCommand: Command = {
  summary: 'Makes the English starter from question-passage pairs (for the makers of Isogloss).',
  usage: '--pairs FILE [--pairs FILE ...] --out DIR --attribution TEXT [--vocabulary N] [--width N] [--steps N] [--seed N] [--threads N] [--json]',
  options: {
    pairs: { type: 'string', multiple: true },
    out: { type: 'string' },
    attribution: { type: 'string' },
    vocabulary: { type: 'string' },
    width: { type: 'string' },
    steps: { type: 'string' },
    seed: { type: 'string' },
    threads: { type: 'string' },
  },
  run: async (values, { signal, say }) => {
    const pairs = required(values, 'pairs', 'a file of question-passage pairs (JSONL)').split('\n').map((path) => resolve(path));
    const lines = sayEvents(say);
    const summary = await makeStarter({
      pairs,
      outputFolder: resolve(required(values, 'out', 'the folder for the starter')),
      attribution: required(values, 'attribution', 'where the data is from, with its licences'),
      vocabularySize: wholeNumber(values, 'vocabulary', { least: 500, most: 200_000 }) ?? STARTER_DEFAULTS.vocabularySize,
      width: wholeNumber(values, 'width', { least: 16, most: 2048 }) ?? STARTER_DEFAULTS.width,
      steps: wholeNumber(values, 'steps', { least: 1, most: 10_000_000 }) ?? STARTER_DEFAULTS.steps,
      seed: wholeNumber(values, 'seed', { least: 0, most: Number.MAX_SAFE_INTEGER }) ?? STARTER_DEFAULTS.seed,
      threads: wholeNumber(values, 'threads', { least: 1, most: 256 }) ?? availableParallelism(),
      signal,
      report: lines.report,
    }).finally(lines.end);
    return { json: summary, text: `Made the starter in ${describeDuration(summary.wallSeconds * MS_PER_SECOND)}: ${summary.model}` };
  },
};
