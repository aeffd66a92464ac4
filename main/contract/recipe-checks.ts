/** Which settings are each allowed, but not together? The rules of core/training/recipe.ts that a window can know before anything is read. */
import { closedKeys, type BroughtShape } from './recipe-presets.ts';
import { isSameValue, needsMet, settingOf, type EncoderKind, type SettingValue } from './recipe-settings.ts';

/** Every such fault, with the places that its sentence has. */
export const SETTING_PROBLEM_PLACES = {
  'no-backbone': [],
  'backbone-gone': ['folder'],
  'heads-do-not-divide': ['width', 'heads'],
  'layer-too-high': ['layer', 'layers'],
  'frozen-too-many': ['frozen', 'layers'],
  'nothing-left-to-train': [],
  'pretraining-too-long': ['pretraining', 'steps'],
  'table-too-large': ['width', 'pieces', 'most'],
  'negatives-without-questions': [],
  'stopping-without-questions': [],
  'stopping-without-pairs': [],
  'no-neighbours': [],
  'teacher-without-pairs': [],
  'no-loss': [],
  'inside-unknown': ['setting'],
  'too-little-memory': ['needed', 'available'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type SettingProblemCode = keyof typeof SETTING_PROBLEM_PLACES;

/** `keys`: the settings that it is about, the one to change first. `message`: plain English for logs. */
export type SettingProblem = { readonly code: SettingProblemCode; readonly keys: readonly string[]; readonly message: string; readonly data: Readonly<Record<string, string | number>> };

export type CheckedSetup = {
  readonly kind: EncoderKind;
  readonly values: ReadonlyMap<string, SettingValue | null>;
  /** The brought model; null: none is chosen, or none is needed. */
  readonly brought: BroughtShape | null;
  /** `questions`: with the shipped English, where it is used. */
  readonly texts: { readonly questions: number; readonly pairs: number; readonly sentences: number };
};

/** A token row, its gradient and two moments, 4 bytes each, in kernels' memory of 4 GiB (core/training/recipe.ts). */
const MOST_TABLE_NUMBERS = Math.floor((3.5 * 2 ** 30) / 16);

/** All faults of a set-up; none: it can be started. */
export function settingProblems({ kind, values, brought, texts }: CheckedSetup): readonly SettingProblem[] {
  const problems: SettingProblem[] = [];
  const say = (code: SettingProblemCode, keys: readonly string[], message: string, data: SettingProblem['data'] = {}): void => void problems.push({ code, keys, message, data });
  const number = (key: string): number => {
    const value = values.get(key);
    return typeof value === 'number' ? value : 0;
  };
  const has = (key: string): boolean => (values.get(key) ?? null) !== null && needsMet(key, values);

  if (kind === 'backbone' && brought === null) say('no-backbone', [], 'Choose the folder of the model that is to be trained.');
  for (const key of closedKeys(kind, brought)) {
    const value = values.get(key) ?? null;
    const byItself = settingOf(kind, key)?.defaults[kind] ?? null;
    if (!isSameValue(value, byItself) && needsMet(key, values)) say('inside-unknown', [key], `An ONNX file does not say where its layers are, so "${key}" cannot be done with it. Put it back, or choose the Hugging Face folder of the same model.`, { setting: key });
  }

  if (kind === 'transformer' && number('encoder/width') % number('encoder/heads') !== 0) {
    const [width, heads] = [number('encoder/width'), number('encoder/heads')];
    say('heads-do-not-divide', ['encoder/heads', 'encoder/width'], `${String(heads)} heads do not divide a width of ${String(width)}.`, { width, heads });
  }
  const layers = kind === 'transformer' ? number('encoder/layers') : kind === 'backbone' ? (brought?.layers ?? null) : null;
  if (layers !== null) {
    const layer = number('encoder/pooling/layer');
    const frozen = number('encoder/freeze/lowerLayers');
    if (layer > layers) say('layer-too-high', ['encoder/pooling/layer'], `The vector is to be taken from layer ${String(layer)}, but there are ${String(layers)}.`, { layer, layers });
    if (frozen > layers) say('frozen-too-many', ['encoder/freeze/lowerLayers'], `${String(frozen)} layers are to stay as they came, but there are ${String(layers)}.`, { frozen, layers });
    else if (kind === 'backbone' && frozen === layers && (values.get('encoder/freeze/embeddings') === true || has('encoder/lora/rank'))) say('nothing-left-to-train', ['encoder/freeze/lowerLayers', 'encoder/freeze/embeddings'], 'Everything is to stay as it came: there is nothing left to train.');
  }

  const steps = number('budget/steps');
  for (const key of ['losses/maskedLanguage/pretrainingSteps', 'losses/contextPrediction/pretrainingSteps']) {
    const pretraining = number(key);
    if (!has('budget/minutes') && pretraining > steps) say('pretraining-too-long', [key, 'budget/steps'], `${String(pretraining)} steps of guessing come before all others, but there are only ${String(steps)} steps.`, { pretraining, steps });
  }
  if (kind === 'static' && number('encoder/width') * number('encoder/vocabularySize') > MOST_TABLE_NUMBERS) {
    const [width, pieces] = [number('encoder/width'), number('encoder/vocabularySize')];
    const most = Math.floor(MOST_TABLE_NUMBERS / width);
    say('table-too-large', ['encoder/vocabularySize', 'encoder/width'], `${String(pieces)} pieces of width ${String(width)} do not fit into memory; at this width ${String(most)} do.`, { width, pieces, most });
  }

  if (has('hardNegatives/source') && (texts.questions === 0 || number('losses/retrieval/weight') === 0)) say('negatives-without-questions', ['hardNegatives/source'], 'Wrong passages can be sought for questions only; there are none.');
  if (values.get('earlyStopping/metric') === 'questions' && texts.questions === 0) say('stopping-without-questions', ['earlyStopping/metric'], 'Training cannot end by held-back questions: there are none.');
  if (values.get('earlyStopping/metric') === 'pairs' && texts.pairs === 0) say('stopping-without-pairs', ['earlyStopping/metric'], 'Training cannot end by held-back pairs: there are none.');

  const guessesNeighbours = number('losses/contextPrediction/weight') + number('losses/contextPrediction/pretrainingSteps') > 0;
  const hasNeighbours = texts.sentences > 0 || (texts.questions > 0 && values.get('losses/contextPrediction/passages') === true);
  if (guessesNeighbours && !hasNeighbours) say('no-neighbours', ['losses/contextPrediction/weight', 'losses/contextPrediction/pretrainingSteps'], 'Neighbouring sentences can be learnt from running text only; there is none. Add texts in one language.');
  const hasTeacher = has('distillation/teacher');
  if (hasTeacher && texts.pairs === 0) say('teacher-without-pairs', ['distillation/teacher'], 'A teacher needs sentences with their translations; there are none.');

  const fromQuestions = texts.questions > 0 ? number('losses/retrieval/weight') : 0;
  const fromPairs = texts.pairs > 0 ? number('losses/semantic/weight') + number('losses/language/weight') + (hasTeacher ? number('distillation/weight') : 0) : 0;
  const fromGuessing = texts.sentences + texts.pairs + texts.questions > 0 ? number('losses/maskedLanguage/weight') + number('losses/maskedLanguage/pretrainingSteps') : 0;
  if (fromQuestions + fromPairs + fromGuessing === 0 && !(guessesNeighbours && hasNeighbours) && texts.questions + texts.pairs > 0) say('no-loss', ['losses/retrieval/weight', 'losses/semantic/weight', 'losses/language/weight'], 'No loss is left that these texts could train: give one of them a weight above 0.');
  return problems;
}
