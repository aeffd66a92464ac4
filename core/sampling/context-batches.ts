/** Which sentences are paired with a neighbour from their own document in a step of contrastive context prediction? */
import { InvariantError } from '../base/errors.ts';
import { seededRandom } from '../base/random.ts';
import { createBatchSampler } from './mixed-batches.ts';

/**
 * The sentences of a language in reading order: `documents[i]` is the document of sentence i; those of a document stand together.
 * `keys`: equal for sentences of the same text, which never stand in one batch as centres.
 */
export type ContextLanguage = { readonly documents: Int32Array; readonly keys?: Int32Array };

/** How far a window reaches from its centre, in sentences. */
export type ContextWindow = { readonly before: number; readonly behind: number };

/** A window of so many sentences, its centre among them: 2 holds the next sentence alone, 3 one on either side, 5 two. @see Wu et al. 2022, Table 6. */
export function contextWindow(sentences: number): ContextWindow {
  if (!Number.isInteger(sentences) || sentences < 2) throw new InvariantError('sampling.window', `A context window holds 2 or more sentences, asked for ${sentences}.`);
  return { before: Math.floor((sentences - 1) / 2), behind: Math.floor(sentences / 2) };
}

/** Row i of `contexts` stands within the window of row i of `centres`; both number the sentences of one language. */
export type ContextBatch = { readonly language: number; readonly centres: Int32Array; readonly contexts: Int32Array };

/**
 * One language a step, in turn, since negatives are of the same language. The windows of two centres of a batch never overlap, so that no
 * negative is a neighbour in truth. Sentences alone in their document are left out. A batch is a function of (seed, step).
 *
 * @param window  the sentences it holds, the centre among them (`contextWindow`).
 * @throws InvariantError 'sampling.no-contexts' when no language has two sentences in one document; 'sampling.window'.
 * @see Wu et al. 2022, section 3.1: Context(c) = {p | c − w <= p <= c + w, p != c}.
 */
export function createContextSampler(options: { readonly languages: readonly ContextLanguage[]; readonly batchSize: number; readonly window: number; readonly seed: number }): { readonly languages: number; readonly batchAt: (step: number) => ContextBatch } {
  const { batchSize, seed } = options;
  const window = contextWindow(options.window);
  const reach = Math.max(window.before, window.behind);
  const languages = options.languages.flatMap(({ documents, keys: texts }, language) => {
    const hasNeighbour = (i: number): boolean => (window.before > 0 && documents[i] === documents[i - 1]) || documents[i] === documents[i + 1];
    const centres = Int32Array.from(documents.keys()).filter(hasNeighbour);
    if (centres.length === 0) return [];
    const windows = windowKeys(documents, centres, reach);
    const keys = texts === undefined ? windows : [...windows, textKeys(texts, centres, windows)];
    return [{ language, documents, centres, sampler: createBatchSampler({ sources: [{ size: centres.length, keys }], batchSize: Math.min(batchSize, distinct(windows)), exponent: 1, seed, purpose: `context-batches ${language}` }) }];
  });
  if (languages.length === 0) throw new InvariantError('sampling.no-contexts', 'No language has two sentences in one document.');
  return {
    languages: languages.length,
    batchAt: (step) => {
      const turn = languages[step % languages.length];
      if (turn === undefined) throw new InvariantError('sampling.step', `A step is 0 or more, asked for ${step}.`);
      const { language, documents, centres, sampler } = turn;
      const random = seededRandom(seed, 'context of a centre', step);
      const chosen = Int32Array.from(sampler.batchAt(Math.floor(step / languages.length)).indices, (index) => centres[index] ?? 0);
      return { language, centres: chosen, contexts: chosen.map((centre) => neighbourOf(documents, centre, window, random)) };
    },
  };
}

function neighbourOf(documents: Int32Array, centre: number, { before, behind }: ContextWindow, random: { readonly integer: (below: number) => number }): number {
  let first = centre;
  let last = centre;
  while (first > 0 && centre - first < before && documents[first - 1] === documents[centre]) first -= 1;
  while (last < documents.length - 1 && last - centre < behind && documents[last + 1] === documents[centre]) last += 1;
  const drawn = first + random.integer(last - first); // the window without its centre
  return drawn < centre ? drawn : drawn + 1;
}

/** Two keys a centre, from grids that are half a cell apart: centres within twice the reach of each other in a document share one of them. */
function windowKeys(documents: Int32Array, centres: Int32Array, reach: number): readonly Int32Array[] {
  const half = 2 * reach + 1;
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

/** A third key a centre: its text, numbered behind the windows. */
function textKeys(texts: Int32Array, centres: Int32Array, windows: readonly Int32Array[]): Int32Array {
  const behind = windows.reduce((most, keys) => keys.reduce((largest, key) => Math.max(largest, key), most), -1) + 1;
  return centres.map((centre) => (texts[centre] ?? 0) + behind);
}

/** How many keys the scarcer grid has: no batch can hold more centres. */
function distinct(keys: readonly Int32Array[]): number {
  return Math.min(...keys.map((grid) => new Set(grid).size));
}
