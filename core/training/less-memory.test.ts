import { expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { withLessMemory } from './less-memory.ts';
import { smallRecipe, transformerRecipe } from './test-recipes.ts';

it('halves the batch of a static encoder and the slices of a transformer, nothing else, and never below what a step needs', async () => {
  using folder = temporaryFolder();
  const still = await smallRecipe(folder.path, { optimizer: { retrievalBatch: 48, parallelBatch: 3 } });
  expect(withLessMemory(still)).toEqual({ ...still, optimizer: { ...still.optimizer, retrievalBatch: 24, parallelBatch: 2 } });
  const transformer = await transformerRecipe(folder.path, { optimizer: { sliceTokens: 100 } });
  expect(withLessMemory(transformer)).toEqual({ ...transformer, optimizer: { ...transformer.optimizer, sliceTokens: 64 } });
});
