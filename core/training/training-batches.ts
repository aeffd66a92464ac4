/** What happens in each step of a recipe? The losses on vectors with their hard negatives, the guessing of hidden tokens, and that of neighbours. */
import type { Arrays } from './checkpoint.ts';
import type { ContextPrediction } from './context-prediction/context-prediction.ts';
import { SAID_NEGATIVES } from './corpora.ts';
import type { Distillation } from './distillation.ts';
import { bm25Negatives, modelNegatives, saidBeforeMined, saidNegatives, type ModelNegatives, type NegativesOf } from './hard-negatives.ts';
import type { LossSessions } from './loss-sessions.ts';
import type { PreparedTexts } from './prepare.ts';
import { isStatic, type Recipe } from './recipe-schema.ts';
import { createStepBatches } from './step-batches.ts';
import type { MaskedPart, StepPart, TrainableEncoder } from './trainable-encoder.ts';

export type TrainingBatches = {
  readonly partsAt: (step: number) => readonly StepPart[];
  readonly beforeStep: (step: number) => Promise<void>;
  /** What a checkpoint keeps of them. */
  readonly arrays: Arrays;
  /** Back to where step 0 starts: after trial steps, and where there is no checkpoint to go back to. */
  readonly restart: () => void;
};

/** @param maskedAt the part that guesses hidden tokens, where the encoder has one; `contexts`: the parts that guess neighbours, where the recipe asks for them. @param steps all steps of the run, once they are known. */
export function createTrainingBatches(options: {
  readonly recipe: Recipe;
  readonly texts: PreparedTexts;
  readonly sessions: LossSessions;
  readonly encoder: TrainableEncoder;
  readonly maskedAt: ((step: number) => MaskedPart) | null;
  readonly contexts?: ContextPrediction | null | undefined;
  readonly steps: () => number;
  readonly distillation?: Distillation | null | undefined;
  readonly signal: AbortSignal;
}): TrainingBatches {
  const { recipe, texts, sessions, encoder, maskedAt, contexts = null, steps, signal } = options;
  const { hardNegatives, seed } = recipe;
  let mined: ModelNegatives | null = null;
  let minedOf: NegativesOf | null = null;
  if (hardNegatives?.source === 'bm25') minedOf = bm25Negatives({ texts, count: hardNegatives.count, seed });
  if (hardNegatives?.source === 'model') minedOf = (asked) => mined?.negativesOf(asked) ?? [];
  const count = hardNegatives?.count ?? SAID_NEGATIVES;
  const negativesOf = saidBeforeMined(saidNegatives({ texts, count, seed }), minedOf, count);
  const batches = createStepBatches({ recipe, texts, sessions, negativesOf, distilledAt: options.distillation?.partAt });
  if (hardNegatives?.source === 'model') mined = modelNegatives({ texts, ...hardNegatives, seed, encoder, questionsAt: batches.questionsAt, steps, signal });
  const masked = isStatic(recipe) ? NO_GUESSING : recipe.losses.maskedLanguage;
  const context = recipe.losses.contextPrediction;
  const pretrainingSteps = pretrainingStepsOf(recipe);
  const takesPart = (step: number, loss: { readonly weight: number; readonly pretrainingSteps: number }): boolean => loss.weight > 0 || step < loss.pretrainingSteps;
  return {
    partsAt: (step) => {
      const parts: StepPart[] = step < pretrainingSteps ? [] : batches.partsAt(step);
      if (contexts !== null && takesPart(step, context)) parts.push(...contexts.partsAt(step));
      if (maskedAt !== null && takesPart(step, masked)) parts.push(maskedAt(step));
      return parts;
    },
    beforeStep: async (step) => {
      if (step >= pretrainingSteps) await mined?.refresh(step - pretrainingSteps, step);
    },
    arrays: new Map([...(mined === null ? [] : ([['hard-negatives', mined.table]] as const)), ...(contexts?.arrays ?? [])]),
    restart: () => contexts?.restart(),
  };
}

const NO_GUESSING = { pretrainingSteps: 0, weight: 0 };

/** Steps of guessing, of tokens or of neighbours, before all other losses. */
function pretrainingStepsOf(recipe: Recipe): number {
  return Math.max(recipe.losses.contextPrediction.pretrainingSteps, isStatic(recipe) ? 0 : recipe.losses.maskedLanguage.pretrainingSteps);
}
