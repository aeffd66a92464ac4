/** Which sentences are paired with a neighbour from their own document in a step of contrastive context prediction? */
import { InvariantError } from '../base/errors.ts';
import { seededRandom } from '../base/random.ts';
import { createBatchSampler } from './mixed-batches.ts';

/** The sentences of a language in reading order: `documents[i]` is the document of sentence i; those of a document stand together. */
export type ContextLanguage = { readonly documents: Int32Array };

/** Row i of `contexts` stands within the window of row i of `centres`; both number the sentences of one language. */
export type ContextBatch = { readonly language: number; readonly centres: Int32Array; readonly contexts: Int32Array };

/**
 * One language a step, in turn, since negatives are of the same language. The windows of two centres of a batch never overlap, so that no
 * negative is a neighbour in truth. Sentences alone in their document are left out. A batch is a function of (seed, step).
 *
 * @param radius  w: a context stands at most w sentences before or behind its centre.
 * @throws InvariantError 'sampling.no-contexts' when no language has two sentences in one document; `radius` below 1.
 * @see Wu et al. 2022, section 3.1: Context(c) = {p | c − w <= p <= c + w, p != c}.
 */
export function createContextSampler(options: { readonly languages: readonly ContextLanguage[]; readonly batchSize: number; readonly radius: number; readonly seed: number }): { readonly batchAt: (step: number) => ContextBatch } {
  const { batchSize, radius, seed } = options;
  if (!Number.isInteger(radius) || radius < 1) throw new InvariantError('sampling.radius', `A context window reaches 1 or more sentences, asked for ${radius}.`);
  const languages = options.languages.flatMap(({ documents }, language) => {
    const centres = Int32Array.from(documents.keys()).filter((i) => documents[i] === documents[i - 1] || documents[i] === documents[i + 1]);
    if (centres.length === 0) return [];
    const keys = windowKeys(documents, centres, radius);
    return [{ language, documents, centres, sampler: createBatchSampler({ sources: [{ size: centres.length, keys }], batchSize: Math.min(batchSize, distinct(keys)), exponent: 1, seed, purpose: `context-batches ${language}` }) }];
  });
  if (languages.length === 0) throw new InvariantError('sampling.no-contexts', 'No language has two sentences in one document.');
  return {
    batchAt: (step) => {
      const turn = languages[step % languages.length];
      if (turn === undefined) throw new InvariantError('sampling.step', `A step is 0 or more, asked for ${step}.`);
      const { language, documents, centres, sampler } = turn;
      const random = seededRandom(seed, 'context of a centre', step);
      const chosen = Int32Array.from(sampler.batchAt(Math.floor(step / languages.length)).indices, (index) => centres[index] ?? 0);
      return { language, centres: chosen, contexts: chosen.map((centre) => neighbourOf(documents, centre, radius, random)) };
    },
  };
}

function neighbourOf(documents: Int32Array, centre: number, radius: number, random: { readonly integer: (below: number) => number }): number {
  let first = centre;
  let last = centre;
  while (first > 0 && centre - first < radius && documents[first - 1] === documents[centre]) first -= 1;
  while (last < documents.length - 1 && last - centre < radius && documents[last + 1] === documents[centre]) last += 1;
  const drawn = first + random.integer(last - first); // the window without its centre
  return drawn < centre ? drawn : drawn + 1;
}

/** Two keys a centre, from grids that are half a cell apart: centres within 2 w of each other in a document share one of them. */
function windowKeys(documents: Int32Array, centres: Int32Array, radius: number): readonly Int32Array[] {
  const half = 2 * radius + 1;
  const cell = 2 * half;
  const grid = (offset: number): Int32Array => {
    const numbers = new Map<string, number>();
    return Int32Array.from(centres, (centre) => {
      const key = `${offset} ${documents[centre] ?? 0} ${Math.floor((centre + offset) / cell)}`;
      const known = numbers.get(key) ?? numbers.size;
      numbers.set(key, known);
      return known;
    });
  };
  const first = grid(0);
  const most = first.reduce((largest, key) => Math.max(largest, key), -1) + 1;
  return [first, grid(half).map((key) => key + most)];
}

/** How many keys the scarcer grid has: no batch can hold more centres. */
function distinct(keys: readonly Int32Array[]): number {
  return Math.min(...keys.map((grid) => new Set(grid).size));
}
