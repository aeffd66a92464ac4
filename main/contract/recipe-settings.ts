/** Which settings does a recipe have, for which kinds of encoder, with which limits and defaults? The one table behind the form, its sentences, the project file and the recipe. */

export const ENCODER_KINDS = ['static', 'backbone', 'transformer'] as const;
/** How text becomes a vector: word vectors, a brought pretrained model, a transformer from scratch. */
export type EncoderKind = (typeof ENCODER_KINDS)[number];

export type SettingValue = number | boolean | string | readonly string[];

export type SettingForm =
  /** `isAbove`: the least itself is not allowed. */
  | { readonly kind: 'number'; readonly least: number; readonly most: number; readonly isWhole: boolean; readonly isAbove?: boolean }
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'several'; readonly options: readonly string[] }
  /** The folder of a model on this computer. */
  | { readonly kind: 'folder' }
  /** One of the project's languages, as a tag. */
  | { readonly kind: 'language' }
  /** Which languages are paired: two tags each, with a space between them ("en sw"). */
  | { readonly kind: 'connections' };

export const SETTING_GROUPS = ['size', 'reading', 'adapting', 'data', 'losses', 'neighbours', 'teacher', 'optimizer', 'length', 'chance'] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];

export type RecipeSetting = {
  /** The place in the recipe: "optimizer/learningRate". */
  readonly key: string;
  readonly group: SettingGroup;
  readonly form: SettingForm;
  /** What the recipe takes when nothing is said, by kind of encoder; null: nothing at all. A kind that is not here has no such setting. */
  readonly defaults: Readonly<Partial<Record<EncoderKind, SettingValue | null>>>;
  /** Means something only while this other setting has a value. */
  readonly needs?: string;
};

/** Values by key: what a preset or a person says. */
export type SettingValues = Readonly<Record<string, SettingValue>>;

const whole = (least: number, most: number): SettingForm => ({ kind: 'number', least, most, isWhole: true });
const real = (least: number, most: number): SettingForm => ({ kind: 'number', least, most, isWhole: false });
const above = (least: number, most: number): SettingForm => ({ kind: 'number', least, most, isWhole: false, isAbove: true });
const choice = (...options: readonly string[]): SettingForm => ({ kind: 'choice', options });
const SWITCH: SettingForm = { kind: 'switch' };
const MOST_PATH_CHARACTERS = 4096;
const MOST_TAG_CHARACTERS = 100;
const TWO = 2;

const MOST_STEPS = 10_000_000;
const WIDTH = whole(16, 2048);
const VOCABULARY = whole(500, 200_000);
const TOKENS = whole(8, 4096);
const BATCH = whole(2, 8192);
const WEIGHT = real(0, 1000);
const TEMPERATURE = above(0, 100);

const all = (value: SettingValue | null): RecipeSetting['defaults'] => ({ static: value, backbone: value, transformer: value });
const transformers = (backbone: SettingValue | null, transformer: SettingValue | null = backbone): RecipeSetting['defaults'] => ({ backbone, transformer });

/** Every key of a recipe but its corpora, the kind of encoder and the folder of a backbone. */
export const RECIPE_SETTINGS: readonly RecipeSetting[] = [
  { key: 'encoder/layers', group: 'size', form: whole(1, 48), defaults: { transformer: 4 } },
  { key: 'encoder/width', group: 'size', form: WIDTH, defaults: { static: 1024, transformer: 256 } },
  { key: 'encoder/heads', group: 'size', form: whole(1, 64), defaults: { transformer: 4 } },
  { key: 'encoder/feedForward', group: 'size', form: whole(16, 8192), defaults: { transformer: 1024 } },
  { key: 'encoder/vocabularySize', group: 'size', form: VOCABULARY, defaults: { static: 24_000, transformer: 16_000 } },
  { key: 'encoder/positions', group: 'size', form: TOKENS, defaults: { transformer: 256 } },

  { key: 'encoder/encoders', group: 'reading', form: choice('shared', 'separate'), defaults: transformers('shared') },
  { key: 'encoder/maxTokens', group: 'reading', form: TOKENS, defaults: { backbone: 256 } },
  { key: 'encoder/pooling/mode', group: 'reading', form: choice('cls', 'mean'), defaults: transformers(null, 'mean') },
  { key: 'encoder/pooling/layer', group: 'reading', form: whole(0, 1000), defaults: transformers(null) },
  { key: 'optimizer/passageTokens', group: 'reading', form: TOKENS, defaults: { static: 96 } },

  { key: 'encoder/trimVocabulary', group: 'adapting', form: SWITCH, defaults: { backbone: false } },
  { key: 'encoder/freeze/embeddings', group: 'adapting', form: SWITCH, defaults: { backbone: false } },
  { key: 'encoder/freeze/lowerLayers', group: 'adapting', form: whole(0, 1000), defaults: { backbone: 0 } },
  { key: 'encoder/lora/rank', group: 'adapting', form: whole(1, 512), defaults: { backbone: null } },
  { key: 'encoder/lora/alpha', group: 'adapting', form: above(0, 4096), defaults: { backbone: 16 }, needs: 'encoder/lora/rank' },
  { key: 'encoder/lora/targets', group: 'adapting', form: { kind: 'several', options: ['query', 'key', 'value', 'output', 'up', 'down'] }, defaults: { backbone: ['query', 'value'] }, needs: 'encoder/lora/rank' },

  { key: 'encoder/newPieces/count', group: 'adapting', form: VOCABULARY, defaults: { backbone: null } },
  { key: 'encoder/newPieces/start', group: 'adapting', form: choice('translations', 'average'), defaults: { backbone: 'translations' }, needs: 'encoder/newPieces/count' },

  { key: 'pairsPerLanguage', group: 'data', form: whole(1, 100_000_000), defaults: { static: null, backbone: 50_000, transformer: null } },
  { key: 'sentencesPerLanguage', group: 'data', form: whole(1, 100_000_000), defaults: all(null) },
  { key: 'connections', group: 'data', form: { kind: 'connections' }, defaults: all(null) },
  { key: 'hardNegatives/source', group: 'data', form: choice('bm25', 'model'), defaults: all(null) },
  { key: 'hardNegatives/count', group: 'data', form: whole(1, 16), defaults: all(1), needs: 'hardNegatives/source' },
  { key: 'hardNegatives/refreshEvery', group: 'data', form: whole(1, MOST_STEPS), defaults: all(500), needs: 'hardNegatives/source' },

  { key: 'losses/retrieval/weight', group: 'losses', form: WEIGHT, defaults: all(1) },
  { key: 'losses/retrieval/temperature', group: 'losses', form: TEMPERATURE, defaults: { static: 0.05, backbone: 1, transformer: 0.05 } },
  { key: 'losses/retrieval/symmetric', group: 'losses', form: SWITCH, defaults: transformers(false, true) },
  { key: 'losses/semantic/weight', group: 'losses', form: WEIGHT, defaults: { static: 1, backbone: 0.01, transformer: 1 } },
  { key: 'losses/semantic/temperature', group: 'losses', form: TEMPERATURE, defaults: { static: 0.07, backbone: 0.05, transformer: 0.07 } },
  { key: 'losses/language/weight', group: 'losses', form: WEIGHT, defaults: { static: 0, backbone: 0.001, transformer: 0 } },
  { key: 'losses/language/temperature', group: 'losses', form: TEMPERATURE, defaults: all(1) },
  { key: 'losses/contrastiveOn', group: 'losses', form: choice('document', 'both'), defaults: transformers('document') },
  { key: 'losses/maskedLanguage/weight', group: 'losses', form: WEIGHT, defaults: transformers(0) },
  { key: 'losses/maskedLanguage/probability', group: 'losses', form: above(0, 0.9), defaults: transformers(0.15) },
  { key: 'losses/maskedLanguage/pretrainingSteps', group: 'losses', form: whole(0, MOST_STEPS), defaults: transformers(0) },

  { key: 'losses/contextPrediction/weight', group: 'neighbours', form: WEIGHT, defaults: all(0) },
  { key: 'losses/contextPrediction/pretrainingSteps', group: 'neighbours', form: whole(0, MOST_STEPS), defaults: all(0) },
  { key: 'losses/contextPrediction/temperature', group: 'neighbours', form: TEMPERATURE, defaults: all(0.1) },
  { key: 'losses/contextPrediction/window', group: 'neighbours', form: whole(2, 101), defaults: all(5) },
  { key: 'losses/contextPrediction/batch', group: 'neighbours', form: BATCH, defaults: all(32) },
  { key: 'losses/contextPrediction/bank', group: 'neighbours', form: whole(0, 10_000_000), defaults: all(32_768) },
  { key: 'losses/contextPrediction/similarity', group: 'neighbours', form: choice('cosine', 'dot'), defaults: all('cosine') },
  { key: 'losses/contextPrediction/normalisation', group: 'neighbours', form: choice('asymmetric', 'batch', 'none'), defaults: all('asymmetric') },
  { key: 'losses/contextPrediction/projection/width', group: 'neighbours', form: whole(1, 16_384), defaults: all(128) },
  { key: 'losses/contextPrediction/projection/hidden', group: 'neighbours', form: whole(1, 16_384), defaults: all(null) },
  { key: 'losses/contextPrediction/passages', group: 'neighbours', form: SWITCH, defaults: all(true) },

  { key: 'distillation/teacher', group: 'teacher', form: { kind: 'folder' }, defaults: all(null) },
  { key: 'distillation/weight', group: 'teacher', form: above(0, 1000), defaults: all(1), needs: 'distillation/teacher' },
  { key: 'distillation/language', group: 'teacher', form: { kind: 'language' }, defaults: all(null), needs: 'distillation/teacher' },

  { key: 'optimizer/learningRate', group: 'optimizer', form: above(0, 1), defaults: { static: 0.005, backbone: 1e-5, transformer: 5e-4 } },
  { key: 'optimizer/retrievalBatch', group: 'optimizer', form: BATCH, defaults: { static: 384, backbone: 48, transformer: 64 } },
  { key: 'optimizer/parallelBatch', group: 'optimizer', form: BATCH, defaults: { static: 512, backbone: 48, transformer: 64 } },
  { key: 'optimizer/accumulation', group: 'optimizer', form: whole(1, 1024), defaults: { static: null, backbone: 1, transformer: 1 } },
  { key: 'optimizer/sliceTokens', group: 'optimizer', form: whole(8, 1_048_576), defaults: transformers(4096) },
  { key: 'optimizer/schedule', group: 'optimizer', form: choice('linear', 'cosine'), defaults: { static: null, backbone: 'linear', transformer: 'linear' } },
  { key: 'optimizer/warmUp', group: 'optimizer', form: real(0, 1), defaults: transformers(0.05) },
  { key: 'optimizer/beta1', group: 'optimizer', form: real(0, 0.9999), defaults: transformers(0.9) },
  { key: 'optimizer/beta2', group: 'optimizer', form: real(0, 0.99999), defaults: transformers(0.999, 0.98) },
  { key: 'optimizer/weightDecay', group: 'optimizer', form: real(0, 1), defaults: transformers(0.01) },
  { key: 'optimizer/clipping', group: 'optimizer', form: above(0, 1_000_000), defaults: transformers(1) },
  { key: 'encoder/dropout', group: 'optimizer', form: real(0, 0.9), defaults: transformers(0.1) },
  { key: 'optimizer/tokenDropout', group: 'optimizer', form: real(0, 0.9), defaults: { static: 0.3 } },

  { key: 'budget/steps', group: 'length', form: whole(1, MOST_STEPS), defaults: { static: 480, backbone: 1000, transformer: 2000 } },
  { key: 'budget/minutes', group: 'length', form: above(0, 10_000), defaults: all(null) },
  { key: 'earlyStopping/metric', group: 'length', form: choice('pairs', 'questions'), defaults: all(null) },
  { key: 'earlyStopping/patience', group: 'length', form: whole(1, 1000), defaults: all(4), needs: 'earlyStopping/metric' },

  { key: 'seed', group: 'chance', form: whole(0, Number.MAX_SAFE_INTEGER), defaults: all(1) },
];

const byKey = new Map(RECIPE_SETTINGS.map((setting) => [setting.key, setting]));

/** The settings of one kind of encoder, in the table's order. */
export function settingsOf(kind: EncoderKind): readonly RecipeSetting[] {
  return RECIPE_SETTINGS.filter(({ defaults }) => defaults[kind] !== undefined);
}

/** The row of a key, where this kind of encoder has such a setting. */
export function settingOf(kind: EncoderKind, key: string): RecipeSetting | null {
  const setting = byKey.get(key);
  return setting === undefined || setting.defaults[kind] === undefined ? null : setting;
}

export type ValueFault = 'not-a-number' | 'not-whole' | 'too-small' | 'too-large' | 'not-an-option' | 'none-chosen';

/** What is wrong with a value, or null. */
export function valueFault(form: SettingForm, value: SettingValue): ValueFault | null {
  switch (form.kind) {
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'not-a-number';
      if (form.isWhole && !Number.isSafeInteger(value)) return 'not-whole';
      if (value < form.least || (form.isAbove === true && value <= form.least)) return 'too-small';
      return value > form.most ? 'too-large' : null;
    case 'switch':
      return typeof value === 'boolean' ? null : 'not-an-option';
    case 'choice':
      return typeof value === 'string' && form.options.includes(value) ? null : 'not-an-option';
    case 'folder':
      return typeof value === 'string' && value !== '' && value.length <= MOST_PATH_CHARACTERS ? null : 'not-an-option';
    case 'language':
      return typeof value === 'string' && value !== '' && value.length <= MOST_TAG_CHARACTERS ? null : 'not-an-option';
    case 'connections':
      if (typeof value !== 'object') return 'not-an-option';
      if (value.length === 0) return 'none-chosen';
      return value.every((one) => one.split(' ').length === TWO && !one.split(' ').includes('')) ? null : 'not-an-option';
    case 'several':
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return 'not-an-option';
      if (value.length === 0) return 'none-chosen';
      return value.every((one) => form.options.includes(one)) && new Set(value).size === value.length ? null : 'not-an-option';
  }
}

/** What is known, allowed and said of an encoder of this kind; everything else (an older or newer program's) is left out. */
export function knownValues(kind: EncoderKind, values: SettingValues): SettingValues {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => {
    const setting = settingOf(kind, key);
    return setting !== null && valueFault(setting.form, value) === null;
  }));
}

/** Every setting of a kind with the value that counts: what was changed, else what the preset says, else the recipe's default. */
export function effectiveValues(kind: EncoderKind, { preset, changed }: { readonly preset: SettingValues; readonly changed: SettingValues }): ReadonlyMap<string, SettingValue | null> {
  return new Map(settingsOf(kind).map(({ key, defaults }) => [key, changed[key] ?? preset[key] ?? defaults[kind] ?? null]));
}

/** Whether the setting that this one hangs on has a value. */
export function needsMet(key: string, values: ReadonlyMap<string, SettingValue | null>): boolean {
  const needs = byKey.get(key)?.needs;
  return needs === undefined || (values.get(needs) ?? null) !== null;
}

/** A value as a recipe writes it. */
export function recipeValue({ form }: RecipeSetting, value: SettingValue): unknown {
  return form.kind === 'connections' && typeof value === 'object' ? value.map((one) => one.split(' ')) : value;
}

/** Whether two values say the same. */
export function isSameValue(one: SettingValue | null, other: SettingValue | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Where training calculates when nobody says: word vectors train on the processor; whatever has layers asks which device is fastest. */
export function usualDevice(kind: EncoderKind): 'cpu' | 'auto' {
  return kind === 'static' ? 'cpu' : 'auto';
}

/** The key as names in locale files have it: "optimizer-learningRate". */
export function settingName(key: string): string {
  return key.replaceAll('/', '-');
}
