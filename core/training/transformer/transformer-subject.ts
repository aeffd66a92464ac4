/** How does a recipe become a transformer in training, and that a model? Its corpora as the backbone reads them, its encoders, the folder at the end. */
import { InputError } from '../../base/errors.ts';
import { writeBackboneModelFolder } from '../../encoding/backbone-model-folder.ts';
import type { DeviceWish } from '../../runtime/device.ts';
import type { ReportTraining } from '../events.ts';
import { createMaskedParts } from '../masked-tokens.ts';
import { chosenDevice } from '../planned-run.ts';
import { readAndSplit, tokeniseCorpora, type PreparedTexts } from '../prepare.ts';
import { isFromScratch, type TransformerRecipe } from '../recipe-schema.ts';
import type { TextRole } from '../trainable-encoder.ts';
import type { TrainingSubject } from '../training-subject.ts';
import { madeFromScratch, openedBackbone, type BackboneSource } from './backbone-source.ts';
import { createTransformerTrainable, type EncoderStart } from './transformer-trainable.ts';

export type TransformerSubjectOptions = {
  readonly recipe: TransformerRecipe;
  readonly threads: number;
  readonly device: DeviceWish;
  readonly signal: AbortSignal;
  readonly report: ReportTraining;
};

/**
 * Reads corpora and backbone, refuses what cannot fit, sets memory aside.
 * @throws as `readAndSplit`, `openBackbone`, `planParameters`, `chosenDevice`; EnvironmentError 'memory.too-little' before anything is set aside.
 */
export async function openTransformerSubject(options: TransformerSubjectOptions): Promise<TrainingSubject> {
  const { recipe, threads, signal, report } = options;
  const split = await readAndSplit({ recipe, hasStarter: false, signal, report });
  if (recipe.retrieval === undefined && recipe.distillation === undefined && recipe.losses.retrieval.weight > 0) report({ kind: 'message', code: 'training.no-questions', message: NO_QUESTIONS });
  const source = isFromScratch(recipe) ? await madeFromScratch(recipe, split, { signal, report }) : await openedBackbone(recipe, split, { signal, report });
  const { tokenizer, prefixes, maxTokens } = source.reading;
  const isSeparate = recipe.encoder.encoders === 'separate';
  const tokens = (text: string, role: TextRole): Uint32Array => tokenizer.encode((role === 'query' ? prefixes.query : prefixes.document) + text, maxTokens);
  const ids = await tokeniseCorpora(split.corpora, tokens, signal);
  const texts = { ...split, ...ids };
  const device = await chosenDevice(options);
  const { guesses, trained, decays } = source.plan;
  const start: EncoderStart = { trained, start: source.parameters };
  const encoder = await createTransformerTrainable({
    ...source.model,
    encoders: { document: start, query: isSeparate ? start : null },
    tokens,
    optimizer: { ...recipe.optimizer, epsilon: ADAM_EPSILON },
    guesses,
    decays,
    seed: recipe.seed,
    threads,
    device: device.device,
  });
  return {
    texts,
    encoder,
    device,
    maskedAt: guesses ? maskedParts(recipe, texts, source.reading) : null,
    lookBefore: async (lookAt) => {
      await lookAt(0);
    },
    finish: (facts) => {
      const model = { ...facts, backbone: source.finished(encoder.weightsOf('document')), queryBackbone: isSeparate ? source.finished(encoder.weightsOf('query')) : null };
      return Promise.resolve(async (folder, extraFiles) => {
        await writeBackboneModelFolder(folder, model, extraFiles);
      });
    },
    [Symbol.asyncDispose]: () => encoder[Symbol.asyncDispose](),
  };
}

/** Static encoders begin as the shipped starter then; its rows are of no use to layers, and no text comes with it. */
const NO_QUESTIONS = 'There are no questions with passages, so this encoder learns from pairs and texts alone, and not which passage answers a question. Add questions under "retrieval", or let the English starter teach it what English texts mean: "distillation": {"teacher": "starter"}.';

/** torch.optim.AdamW's. */
export const ADAM_EPSILON = 1e-8;

function maskedParts(recipe: TransformerRecipe, texts: PreparedTexts, { tokenizer, pieces }: BackboneSource['reading']): ReturnType<typeof createMaskedParts> {
  const { cls, sep, pad, unknown, mask } = tokenizer.ids;
  if (mask === null) throw new InputError('recipe.no-mask', '"losses/maskedLanguage": expected a backbone whose tokenizer has a mask, found one without. Take this loss out of the recipe.');
  const { weight, probability } = recipe.losses.maskedLanguage;
  return createMaskedParts({
    texts,
    batchSize: recipe.optimizer.parallelBatch,
    seed: recipe.seed,
    weight: weight > 0 ? weight : 1, // steps of nothing but guessing
    masking: { probability, mask, vocabularySize: pieces, special: new Set([cls, sep, pad, unknown, mask]) },
  });
}
