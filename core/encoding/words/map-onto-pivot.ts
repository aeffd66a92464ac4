/** How are the word vectors of a language brought into the space of the pivot? From pairs of words and phrases, or from nothing but the vectors. */
import { InputError } from '../../base/errors.ts';
import type { ReportProgress } from '../../base/progress.ts';
import { cslsNeighbours } from '../mutual-neighbours.ts';
import { applyMap, orthogonalMap } from '../orthogonal-map.ts';
import { bothWays, learnMapWithoutPairs, rowsOf } from '../self-learned-map.ts';
import { reweightedMaps } from './reweighted-maps.ts';
import { mostFrequentWords, toUnitRows, unitCentredUnit, type WordVectors } from './word-vectors.ts';
import { wordsIn } from './words-in.ts';

/** Texts that translate each other: words, or phrases, which have the mean of their words. */
export type TranslationPair = { readonly source: string; readonly target: string };

/**
 * 'supervised': the pairs decide. 'semi-supervised': they are where self-learning begins (identical, or few, pairs do).
 * 'unsupervised': self-learning begins with how words are similar to words of their own language.
 */
export const SUPERVISIONS = ['supervised', 'semi-supervised', 'unsupervised'] as const;
export type Supervision = (typeof SUPERVISIONS)[number];

/** 'orthogonal': a rotation; the pivot stays. 'reweighted': VecMap's further steps; both sides change. */
export const MAP_FORMS = ['orthogonal', 'reweighted'] as const;
export type MapForm = (typeof MAP_FORMS)[number];

export type MapOntoPivotOptions = {
  readonly source: WordVectors;
  readonly pivot: WordVectors;
  /** In the directions of `source` and `pivot`; not needed when unsupervised. */
  readonly pairs: readonly TranslationPair[];
  readonly supervision: Supervision;
  readonly form: MapForm;
  /** Words of each language that take part in self-learning. VecMap: 4,000 to begin with, 20,000 after; time grows with its square. */
  readonly mostFrequent?: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
  readonly report?: ReportProgress;
};

export type MappedWords = {
  readonly source: WordVectors;
  readonly pivot: WordVectors;
  /** Pairs whose words both have vectors. */
  readonly pairsUsed: number;
  /** Word pairs in which the final map agrees with itself (self-learning), or the pairs given. */
  readonly pairsInTheEnd: number;
};

const DEFAULT_MOST_FREQUENT = 4000;
const LEAST_PAIRS = 2;

/**
 * Rows of both sides are brought to length 1, centred, to length 1 again; mapped; and to length 1 in the end.
 * @throws InputError 'words.too-few-pairs', 'words.other-width'; what the maps throw; the signal's reason once aborted.
 * @see Artetxe et al. 2018, arXiv:1805.06297 (VecMap).
 */
export async function mapOntoPivot(options: MapOntoPivotOptions): Promise<MappedWords> {
  const { source, pivot, supervision, form, mostFrequent = DEFAULT_MOST_FREQUENT, seed, signal, report } = options;
  const { width } = pivot;
  if (source.width !== width) throw new InputError('words.other-width', `Word vectors of two languages need one width, found ${source.width} and ${width}. Choose files of one kind, or train both.`);
  const prepared = { source: { ...source, vectors: unitCentredUnit(source) }, pivot: { ...pivot, vectors: unitCentredUnit(pivot) } };
  const given = supervision === 'unsupervised' ? NO_PAIRS : pairRows(options.pairs, prepared);
  if (supervision !== 'unsupervised' && given.count < LEAST_PAIRS) throw new InputError('words.too-few-pairs', `Bringing two languages together with a dictionary needs at least ${LEAST_PAIRS} pairs whose words both have vectors, found ${given.count} among ${options.pairs.length}. Check its languages, or ask for "unsupervised".`);
  const learn = { sources: mostFrequentWords(prepared.source, mostFrequent).vectors, targets: mostFrequentWords(prepared.pivot, mostFrequent).vectors };
  const hearing = { ...(signal === undefined ? {} : { signal }), ...(report === undefined ? {} : { report }) };
  const rotation = await orthogonalMapOf();
  const chosen = supervision === 'supervised' ? given : await agreedRows(rotation);
  if (form === 'orthogonal' || chosen.count < width) {
    return finished({ source: await applyMap(prepared.source.vectors, rotation, width), pivot: prepared.pivot.vectors });
  }
  const { sourceMap, targetMap } = reweightedMaps({ sources: chosen.sources, targets: chosen.targets, width });
  return finished({ source: await applyMap(prepared.source.vectors, sourceMap, width), pivot: await applyMap(prepared.pivot.vectors, targetMap, width) });

  async function orthogonalMapOf(): Promise<Float32Array> {
    if (supervision === 'supervised') return orthogonalMap({ sources: given.sources, targets: given.targets, width });
    const start = supervision === 'unsupervised' ? 'profile' : given.words.filter(([s, t]) => s < mostFrequent && t < mostFrequent);
    if (start !== 'profile' && start.length < LEAST_PAIRS) throw new InputError('words.too-few-pairs', `Self-learning from a dictionary needs at least ${LEAST_PAIRS} pairs of single words among the ${mostFrequent} most frequent, found ${start.length}.`);
    return (await learnMapWithoutPairs({ ...learn, width, start, seed, ...hearing })).map;
  }

  /** The pairs of words that are each other's nearest, or one the other's, under the final rotation. */
  async function agreedRows(map: Float32Array): Promise<PairRows> {
    const found = bothWays(await cslsNeighbours({ sources: await applyMap(learn.sources, map, width), targets: learn.targets, width, ...(signal === undefined ? {} : { signal }) }));
    return { sources: rowsOf(learn.sources, found.map(([s]) => s), width), targets: rowsOf(learn.targets, found.map(([, t]) => t), width), words: found, count: found.length };
  }

  function finished(mapped: { readonly source: Float32Array; readonly pivot: Float32Array }): MappedWords {
    const rows = { source: mapped.source.slice(), pivot: mapped.pivot.slice() };
    toUnitRows(rows.source, width);
    toUnitRows(rows.pivot, width);
    return { source: { ...source, vectors: rows.source }, pivot: { ...pivot, vectors: rows.pivot }, pairsUsed: given.count, pairsInTheEnd: chosen.count };
  }
}

type PairRows = {
  /** float32 [count, H] */
  readonly sources: Float32Array;
  readonly targets: Float32Array;
  /** Of the pairs of single words: their numbers. */
  readonly words: readonly (readonly [source: number, target: number])[];
  readonly count: number;
};

const NO_PAIRS: PairRows = { sources: new Float32Array(0), targets: new Float32Array(0), words: [], count: 0 };

/** The vectors of the pairs both of whose sides have a word with a vector; each pair once. */
function pairRows(pairs: readonly TranslationPair[], { source, pivot }: { readonly source: WordVectors; readonly pivot: WordVectors }): PairRows {
  const { width } = pivot;
  const numbers = [source, pivot].map(({ words }) => new Map(words.map((word, i) => [word, i])));
  const seen = new Set<string>();
  const sides: [number[], number[]][] = [];
  for (const pair of pairs) {
    const [left = [], right = []] = [pair.source, pair.target].map((text, side) => wordsIn(text).flatMap((word) => numbers[side]?.get(word) ?? []));
    const key = `${left.join(' ')}\t${right.join(' ')}`;
    if (left.length === 0 || right.length === 0 || seen.has(key)) continue;
    seen.add(key);
    sides.push([left, right]);
  }
  const rowsFor = (side: 0 | 1, vectors: Float32Array): Float32Array => {
    const rows = new Float32Array(sides.length * width);
    sides.forEach((pair, p) => {
      for (const word of pair[side]) for (let i = 0; i < width; i += 1) rows[p * width + i] = (rows[p * width + i] ?? 0) + (vectors[word * width + i] ?? 0) / pair[side].length;
    });
    toUnitRows(rows, width);
    return rows;
  };
  const words = sides.flatMap(([left, right]): (readonly [number, number])[] => (left.length === 1 && right.length === 1 ? [[left[0] ?? 0, right[0] ?? 0]] : []));
  return { sources: rowsFor(0, source.vectors), targets: rowsFor(1, pivot.vectors), words, count: sides.length };
}
