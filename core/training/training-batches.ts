/** What happens in each step of a recipe? The losses on vectors with their hard negatives, and the guessing of hidden tokens. */
import { SAID_NEGATIVES } from './corpora.ts';
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
  readonly arrays: ReadonlyMap<string, Int32Array>;
};

/** @param maskedAt the part that guesses hidden tokens, where the encoder has one. @param steps all steps of the run, once they are known. */
export function createTrainingBatches(options: {
  readonly recipe: Recipe;
  readonly texts: PreparedTexts;
  readonly sessions: LossSessions;
  readonly encoder: TrainableEncoder;
  readonly maskedAt: ((step: number) => MaskedPart) | null;
  readonly steps: () => number;
  readonly signal: AbortSignal;
}): TrainingBatches {
  const { recipe, texts, sessions, encoder, maskedAt, steps, signal } = options;
  const { hardNegatives, seed } = recipe;
  let mined: ModelNegatives | null = null;
  let minedOf: NegativesOf | null = null;
  if (hardNegatives?.source === 'bm25') minedOf = bm25Negatives({ texts, count: hardNegatives.count, seed });
  if (hardNegatives?.source === 'model') minedOf = (asked) => mined?.negativesOf(asked) ?? [];
  const count = hardNegatives?.count ?? SAID_NEGATIVES;
  const negativesOf = saidBeforeMined(saidNegatives({ texts, count, seed }), minedOf, count);
  const batches = createStepBatches({ recipe, texts, sessions, negativesOf });
  if (hardNegatives?.source === 'model') mined = modelNegatives({ texts, ...hardNegatives, seed, encoder, questionsAt: batches.questionsAt, steps, signal });
  const { pretrainingSteps, weight } = isStatic(recipe) ? NO_GUESSING : recipe.losses.maskedLanguage;
  return {
    partsAt: (step) => {
      if (maskedAt !== null && step < pretrainingSteps) return [maskedAt(step)];
      return maskedAt !== null && weight > 0 ? [...batches.partsAt(step), maskedAt(step)] : batches.partsAt(step);
    },
    beforeStep: async (step) => {
      if (step >= pretrainingSteps) await mined?.refresh(step - pretrainingSteps, step);
    },
    arrays: mined === null ? new Map() : new Map([['hard-negatives', mined.table]]),
  };
}

const NO_GUESSING = { pretrainingSteps: 0, weight: 0 };
