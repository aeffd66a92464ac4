/** What does each preset say for each kind of encoder? Only what differs from the recipe's defaults. */
import { settingsOf, type EncoderKind, type SettingValues } from './recipe-settings.ts';

export const PRESET_NAMES = ['quick', 'balanced', 'thorough', 'paper'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** What presets and checks need to know of a brought model; `layers` null: an ONNX file, which does not say where its layers are. */
export type BroughtShape = { readonly layers: number | null };

/** Hu et al. 2023, table 1: steps of the retrieval task. */
const PAPER_STEPS = 24_540;
/** Section 4 and section 5.1.2: batch, weights of the losses, pairs of each language. */
const PAPER_BATCH_AND_LOSSES: SettingValues = { 'optimizer/retrievalBatch': 48, 'optimizer/parallelBatch': 48, 'losses/semantic/weight': 0.01, 'losses/language/weight': 0.001, pairsPerLanguage: 50_000 };

/** A brought model loses what the texts never use; the less time there is, the more of it stays as it came. */
const TRIMMED: SettingValues = { 'encoder/trimVocabulary': true };
const TABLE_KEPT: SettingValues = { ...TRIMMED, 'encoder/freeze/embeddings': true };

/**
 * The paper's settings are those of pretrained models. The others have no learning rate and no temperature in it: theirs stay, since
 * 1e-5 would leave what begins by chance where it is.
 */
const PRESETS: { readonly [Kind in EncoderKind]: { readonly [Name in PresetName]: SettingValues } } = {
  static: {
    quick: { 'encoder/width': 512, 'budget/steps': 120 },
    balanced: {},
    thorough: { 'budget/steps': 1200 },
    paper: { ...PAPER_BATCH_AND_LOSSES, 'budget/steps': PAPER_STEPS },
  },
  backbone: {
    quick: { ...TABLE_KEPT, 'encoder/maxTokens': 128, 'optimizer/retrievalBatch': 16, 'optimizer/parallelBatch': 16, 'optimizer/learningRate': 3e-5, 'budget/steps': 150 },
    balanced: { ...TABLE_KEPT, 'optimizer/retrievalBatch': 32, 'optimizer/parallelBatch': 32, 'optimizer/learningRate': 2e-5, 'budget/steps': 600 },
    thorough: { ...TRIMMED, 'budget/steps': 3000 },
    paper: { ...PAPER_BATCH_AND_LOSSES, 'optimizer/learningRate': 1e-5, 'budget/steps': PAPER_STEPS },
  },
  transformer: {
    quick: { 'encoder/layers': 2, 'encoder/width': 128, 'encoder/feedForward': 512, 'encoder/vocabularySize': 8000, 'encoder/positions': 128, 'budget/steps': 400 },
    balanced: {},
    thorough: { 'encoder/layers': 6, 'encoder/width': 384, 'encoder/heads': 6, 'encoder/feedForward': 1536, 'encoder/vocabularySize': 24_000, 'losses/maskedLanguage/pretrainingSteps': 1500, 'budget/steps': 6000 },
    paper: { ...PAPER_BATCH_AND_LOSSES, 'budget/steps': PAPER_STEPS },
  },
};

/** Half of its layers: the lower ones know letters and words, the upper ones what a text is about. */
const QUICK_FROZEN_SHARE = 0.5;

/** Values of a preset; for an ONNX file without what needs to know its layers. */
export function presetValues(options: { readonly kind: EncoderKind; readonly preset: PresetName; readonly brought: BroughtShape | null }): SettingValues {
  const { kind, preset, brought } = options;
  const values = PRESETS[kind][preset];
  if (kind !== 'backbone') return values;
  if (brought !== null && brought.layers === null) return Object.fromEntries(Object.entries(values).filter(([key]) => !needsLayers(key)));
  const frozen = preset === 'quick' && brought !== null ? Math.floor((brought.layers ?? 0) * QUICK_FROZEN_SHARE) : 0;
  return frozen === 0 ? values : { ...values, 'encoder/freeze/lowerLayers': frozen };
}

const BEGINNINGS_THAT_NEED_LAYERS = ['encoder/lora/', 'encoder/freeze/', 'encoder/pooling/layer', 'encoder/trimVocabulary', 'encoder/newPieces/', 'losses/maskedLanguage/'];

/** Whether a setting asks for the inside of a model, which an ONNX file does not show. */
export function needsLayers(key: string): boolean {
  return BEGINNINGS_THAT_NEED_LAYERS.some((beginning) => key.startsWith(beginning));
}

/** Keys that a brought model cannot have. */
export function closedKeys(kind: EncoderKind, brought: BroughtShape | null): ReadonlySet<string> {
  const isClosed = kind === 'backbone' && brought !== null && brought.layers === null;
  return new Set(isClosed ? settingsOf(kind).map(({ key }) => key).filter(needsLayers) : []);
}
