/** `isogloss mine`: which sentences of two texts translate each other? Written as pairs that training reads. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { writeFileAtomic } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import { canonicaliseTag } from '../../core/text/language.ts';
import { mineTexts, PROPOSED_THRESHOLD } from '../workers/run-mine-task.ts';
import { optional, outputFile, required, wholeNumber, type Command, type OptionValues } from './command.ts';
import { createProblemLines, createProgressLine } from './progress.ts';

const MOST_THREADS = 256;
const DIGITS = 4;

export const mineCommand: Command = {
  summary: 'Finds sentences of two texts that translate each other (margin score, Hu et al. 2023, equation 5), best first.',
  usage:
    '--model DIR --source FILE --target FILE --out FILE [--source-language TAG --target-language TAG] [--threshold 1.2] [--threads N] [--json]\n' +
    '       Written: sentence<tab>sentence<tab>score, those above the threshold. evaluate --task bitext finds a threshold by known pairs.',
  options: { model: { type: 'string' }, source: { type: 'string' }, target: { type: 'string' }, out: { type: 'string' }, 'source-language': { type: 'string' }, 'target-language': { type: 'string' }, threshold: { type: 'string' }, threads: { type: 'string' } },
  run: async (values, { signal, say }) => {
    const modelFolder = resolve(required(values, 'model', 'the folder of a model'));
    const [source, target] = [textOf(values, 'source'), textOf(values, 'target')];
    if (source.path === target.path) throw new InputError('mine.same-text', `${source.path}: expected two texts, found the same one twice. Choose the text in the other language.`, { data: { path: source.path } });
    const out = outputFile(values, 'out', { what: 'the file for the pairs', read: ['source', 'target'] });
    const threshold = thresholdOf(values);
    const problems = createProblemLines(say);
    const progress = createProgressLine(say);
    const mined = await mineTexts(
      { modelFolder, source, target, threads: wholeNumber(values, 'threads', { least: 1, most: MOST_THREADS }) ?? availableParallelism() },
      { signal, report: (event) => (event.kind === 'progress' ? progress(event) : problems.add(event.message)) },
    ).finally(problems.end);
    const pairs = mined.filter(({ score }) => score >= threshold);
    const cell = (text: string): string => text.replaceAll(/[\t\r\n]+/g, ' ');
    await writeFileAtomic(out, Buffer.from(pairs.map((pair) => `${cell(pair.source)}\t${cell(pair.target)}\t${pair.score.toFixed(DIGITS)}\n`).join('')));
    return { json: { candidates: mined.length, pairs: pairs.length, threshold, out }, text: `${pairs.length.toLocaleString('en')} of ${mined.length.toLocaleString('en')} candidates score ${String(threshold)} or more: ${out}` };
  },
};

function textOf(values: OptionValues, side: 'source' | 'target') {
  const tag = optional(values, `${side}-language`);
  return { path: resolve(required(values, side, 'a text, one sentence a line')), language: tag === null ? null : canonicaliseTag(tag), format: null, encoding: null, mapping: null };
}

/** @throws InputError 'cli.not-a-number'. */
function thresholdOf(values: OptionValues): number {
  const written = optional(values, 'threshold');
  const threshold = written === null ? PROPOSED_THRESHOLD : Number(written);
  if (!Number.isFinite(threshold) || threshold < 0) throw new InputError('cli.not-a-number', `--threshold: expected a number from 0 on, such as 1.2, found "${written ?? ''}".`, { data: { option: 'threshold' } });
  return threshold;
}
