/** `isogloss phrases train`: phrase pairs in, a model folder out. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { InputError, InvariantError } from '../../core/base/errors.ts';
import { PHRASE_PRESETS, parsePhraseRecipe, readPhraseRecipe, type PhraseRecipe } from '../../core/training/phrases/phrase-recipe.ts';
import { runPhraseTraining } from '../../core/training/phrases/run-phrase-training.ts';
import { nodeProcesses } from '../workers/process.ts';
import { expectSoundFolder } from '../workers/sound-backbone.ts';
import { choice, optional, refuse, required, wholeNumber, type Command, type OptionTable, type OptionValues } from './command.ts';
import { workerScript } from './places.ts';
import { describeDuration } from './progress.ts';
import { sayEvents } from './train.ts';

const MOST_THREADS = 256;
const MOST_STEPS = 10_000_000;
const PER_CENT = 100;

/** Options that name phrase pairs and where sentences come from; `evaluate` has them too. */
export const PAIRS_OPTIONS: OptionTable = {
  pairs: { type: 'string' }, source: { type: 'string' }, target: { type: 'string' },
  'source-sentences': { type: 'string' }, 'target-sentences': { type: 'string' }, 'source-texts': { type: 'string' }, 'target-texts': { type: 'string' },
  wikixpr: { type: 'string' }, language: { type: 'string' },
};

export const phrasesTrainCommand: Command = {
  summary: 'Trains a model to tell phrases apart across languages, from a list or dictionary and sentences that show the phrases in use (Zheng et al. 2022).',
  usage:
    '(--recipe FILE | --model DIR --pairs FILE --source TAG --target TAG [--source-sentences FILE --target-sentences FILE] [--source-texts FILE] [--target-texts FILE] [--held-back FILE] [--preset usual|paper|xpr] [--steps N])\n' +
    '       --out DIR [--threads N] [--device cpu|webgpu|cuda|dml|auto] [--resume] [--json]\n' +
    '       With --wikixpr DIR --language TAG in place of --pairs: the data of the paper, English and one language.',
  options: { ...PAIRS_OPTIONS, recipe: { type: 'string' }, model: { type: 'string' }, 'held-back': { type: 'string' }, preset: { type: 'string' }, steps: { type: 'string' }, out: { type: 'string' }, threads: { type: 'string' }, device: { type: 'string' }, resume: { type: 'boolean' } },
  run: async (values, { signal, say }) => {
    const recipe = await recipeOf(values);
    if ('backbone' in recipe.start) await expectSoundFolder(nodeProcesses(workerScript), recipe.start.backbone, signal);
    const lines = sayEvents(say);
    const summary = await runPhraseTraining({
      recipe,
      outputFolder: resolve(required(values, 'out', 'the folder for the model')),
      threads: wholeNumber(values, 'threads', { least: 1, most: MOST_THREADS }) ?? availableParallelism(),
      device: choice(values, 'device', ['cpu', 'webgpu', 'cuda', 'dml', 'auto']),
      resume: values['resume'] === true,
      signal,
      report: lines.report,
    }).finally(lines.end);
    if (summary === null) throw new InvariantError('training.no-summary', 'Training ended without a summary.');
    const shown = (accuracy: number | null): string => (accuracy === null ? '-' : `${(PER_CENT * accuracy).toFixed(1)} %`);
    const rows = summary.pairs.map(({ source, target, training, heldBack, before, after }) => `  ${source}-${target}: ${training} pairs trained; found first, of ${heldBack} held back: ${shown(before)} before, ${shown(after)} after`);
    return { json: summary, text: [`Trained ${summary.steps.toLocaleString('en')} steps in ${describeDuration(summary.wallSeconds * 1000)}: ${summary.model}`, ...rows].join('\n') };
  },
};

/** From a file, or from the options. @throws InputError 'cli.useless-option', 'cli.missing-option', 'phrases.recipe'. */
async function recipeOf(values: OptionValues): Promise<PhraseRecipe> {
  const file = optional(values, 'recipe');
  if (file !== null) {
    refuse(values, [...Object.keys(PAIRS_OPTIONS), 'model', 'held-back', 'preset', 'steps'], '--recipe, which says it');
    return readPhraseRecipe(resolve(file));
  }
  const list = pairsOption(values);
  const heldBack = optional(values, 'held-back');
  const steps = wholeNumber(values, 'steps', { least: 1, most: MOST_STEPS });
  const value = {
    start: { model: resolve(required(values, 'model', 'the folder of a model to begin with, or --recipe')) },
    preset: choice(values, 'preset', ['usual', ...Object.keys(PHRASE_PRESETS).filter((name) => name !== 'usual')]),
    training: [list],
    ...(heldBack === null ? {} : { heldBack: [{ ...list, pairs: resolve(heldBack) }] }),
    texts: textsOption(values),
    ...(steps === null ? {} : { budget: { steps } }),
  };
  return parsePhraseRecipe(value, { file: 'options', folder: process.cwd() });
}

/** A list of pairs as a recipe names it. @throws InputError 'cli.missing-option'. */
export function pairsOption(values: OptionValues, split?: 'train' | 'dev' | 'test'): Record<string, string> {
  const wiki = optional(values, 'wikixpr');
  if (wiki !== null) return { folder: resolve(wiki), language: required(values, 'language', 'the language beside English'), ...(split === undefined ? {} : { split }) };
  const [sourceSentences, targetSentences] = [optional(values, 'source-sentences'), optional(values, 'target-sentences')];
  if ((sourceSentences === null) !== (targetSentences === null)) throw new InputError('cli.missing-option', '--source-sentences and --target-sentences: expected both files or none, found one.', { data: { option: sourceSentences === null ? 'source-sentences' : 'target-sentences' } });
  return {
    pairs: resolve(required(values, 'pairs', 'the list of phrase pairs (phrase<tab>phrase, or a dictionary)')),
    source: required(values, 'source', 'the language of the first phrases'),
    target: required(values, 'target', 'the language of the second phrases'),
    ...(sourceSentences === null || targetSentences === null ? {} : { sourceSentences: resolve(sourceSentences), targetSentences: resolve(targetSentences) }),
  };
}

/** Texts in which sentences are looked for, as a recipe names them. */
export function textsOption(values: OptionValues): readonly { readonly path: string; readonly language: string }[] {
  return (['source', 'target'] as const).flatMap((side) => {
    const path = optional(values, `${side}-texts`);
    return path === null ? [] : [{ path: resolve(path), language: required(values, side, `the language of --${side}-texts`) }];
  });
}
