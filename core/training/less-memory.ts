/** How does a recipe take less memory? Half as much text in the encoder at once; a static encoder, which has no slices, half the batch. */
import type { PhraseRecipe } from './phrases/phrase-recipe.ts';
import { isBackbone, isFromScratch, isStatic, type Recipe } from './recipe-schema.ts';
import { LEAST_SLICE_TOKENS } from './transformer/slice-size.ts';

const LEAST_BATCH = 2;

/** Slices change no update but its rounding; half a batch has fewer texts to tell apart, so it is the last resort. */
export function withLessMemory(recipe: Recipe): Recipe {
  if (isStatic(recipe)) {
    const { retrievalBatch, parallelBatch } = recipe.optimizer;
    return { ...recipe, optimizer: { ...recipe.optimizer, retrievalBatch: half(retrievalBatch, LEAST_BATCH), parallelBatch: half(parallelBatch, LEAST_BATCH) } };
  }
  if (isBackbone(recipe)) return withSmallerSlices(recipe);
  return isFromScratch(recipe) ? withSmallerSlices(recipe) : recipe;
}

/** As `withLessMemory`. @param isStatic  whether a static model learns the phrases. */
export function phrasesWithLessMemory(recipe: PhraseRecipe, isStatic: boolean): PhraseRecipe {
  return isStatic ? { ...recipe, optimizer: { ...recipe.optimizer, batch: half(recipe.optimizer.batch, LEAST_BATCH) } } : withSmallerSlices(recipe);
}

function withSmallerSlices<R extends { readonly optimizer: { readonly sliceTokens: number } }>(recipe: R): R {
  return { ...recipe, optimizer: { ...recipe.optimizer, sliceTokens: half(recipe.optimizer.sliceTokens, LEAST_SLICE_TOKENS) } };
}

function half(value: number, least: number): number {
  return Math.max(least, Math.floor(value / 2));
}
