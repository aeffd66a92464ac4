/** On what do the tests train? A few hundred pairs of the sample project, narrow vectors and few steps: seconds, not minutes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRecipe } from './recipe.ts';
import { isStatic, type Recipe, type StaticRecipe } from './recipe-schema.ts';

export const SAMPLE_FOLDER = join(import.meta.dirname, '..', 'sample');
export const STARTER_FOLDER = join(import.meta.dirname, 'starter');

/** The recipe's text for a folder into which its questions are written (the second half of an English sentence answers the first). */
export function smallRecipeText(folder: string, changes: Readonly<Record<string, unknown>> = {}): string {
  const english = readFileSync(join(SAMPLE_FOLDER, 'parallel.en-sw.tsv'), 'utf8').split('\n').filter((line) => line !== '').map((line) => (line.split('\t')[0] ?? '').split(' '));
  const questions = english.map((words) => JSON.stringify({ query: words.slice(0, words.length >> 1).join(' '), passage: words.slice(words.length >> 1).join(' ') }));
  writeFileSync(join(folder, 'questions.jsonl'), `${questions.join('\n')}\n`);
  return JSON.stringify({
    encoder: { kind: 'static', width: 32, vocabularySize: 1200 },
    retrieval: [{ pairs: 'questions.jsonl' }],
    parallel: [{ path: join(SAMPLE_FOLDER, 'parallel.en-sw.tsv'), source: 'en', target: 'sw' }],
    monolingual: [{ path: join(SAMPLE_FOLDER, 'monolingual.sw.txt'), language: 'sw' }],
    losses: { language: { weight: 0.1 } },
    optimizer: { retrievalBatch: 48, parallelBatch: 64 },
    budget: { steps: 36 },
    seed: 3,
    ...changes,
  });
}

/** A recipe for a static encoder. */
export async function smallRecipe(folder: string, changes: Readonly<Record<string, unknown>> = {}): Promise<StaticRecipe> {
  const recipe = await parseRecipe({ text: smallRecipeText(folder, changes), recipePath: join(folder, 'recipe.json'), folder });
  if (!isStatic(recipe)) throw new Error('smallRecipe is for static encoders.');
  return recipe;
}

/** A tiny transformer from scratch on the same texts: seconds on one thread. */
export const TINY_TRANSFORMER = { kind: 'transformer', layers: 1, width: 48, heads: 2, feedForward: 96, positions: 48, vocabularySize: 1200, dropout: 0.1 } as const;

export function transformerRecipe(folder: string, changes: Readonly<Record<string, unknown>> = {}): Promise<Recipe> {
  const text = smallRecipeText(folder, { encoder: TINY_TRANSFORMER, losses: {}, optimizer: { retrievalBatch: 24, parallelBatch: 32, learningRate: 2e-3 }, ...changes });
  return parseRecipe({ text, recipePath: join(folder, 'recipe.json'), folder });
}
