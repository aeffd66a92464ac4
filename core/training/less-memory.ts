/** How does a recipe take less memory? Half as much text in the encoder at once; a static encoder, which has no slices, half the batch. */
import { isBackbone, isFromScratch, isStatic, type Recipe, type TransformerRecipe } from './recipe-schema.ts';

const LEAST_BATCH = 2;
const LEAST_SLICE_TOKENS = 64;

/** Slices change no update but its rounding; half a batch has fewer texts to tell apart, so it is the last resort. */
export function withLessMemory(recipe: Recipe): Recipe {
  if (isStatic(recipe)) {
    const { retrievalBatch, parallelBatch } = recipe.optimizer;
    return { ...recipe, optimizer: { ...recipe.optimizer, retrievalBatch: half(retrievalBatch, LEAST_BATCH), parallelBatch: half(parallelBatch, LEAST_BATCH) } };
  }
  if (isBackbone(recipe)) return withSmallerSlices(recipe);
  return isFromScratch(recipe) ? withSmallerSlices(recipe) : recipe;
}

function withSmallerSlices<R extends TransformerRecipe>(recipe: R): R {
  return { ...recipe, optimizer: { ...recipe.optimizer, sliceTokens: half(recipe.optimizer.sliceTokens, LEAST_SLICE_TOKENS) } };
}

function half(value: number, least: number): number {
  return Math.max(least, Math.floor(value / 2));
}
