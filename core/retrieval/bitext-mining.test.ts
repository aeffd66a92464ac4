/** Facts about mining pairs of sentences: equation 5 computed in full, ties, both directions, words and lengths. */
import { describe, expect, it } from 'vitest';
import { openTranslationTable, trainTranslationTable } from '../alignment/translation-table.ts';
import { seededRandom } from '../base/random.ts';
import { mineBitext, type MinedPair, type SimilarityBlock } from './bitext-mining.ts';
import { sentenceSimilarities } from './sentence-similarities.ts';
import { translationOverlap } from './translation-overlap.ts';

const SOURCES = 37;
const TARGETS = 29;
const WIDTH = 8;

function unitRows(rows: number, purpose: string): Float32Array {
  const random = seededRandom(7, purpose);
  const values = Float32Array.from({ length: rows * WIDTH }, () => random.normal());
  for (let row = 0; row < rows; row += 1) {
    const one = values.subarray(row * WIDTH, (row + 1) * WIDTH);
    const length = Math.hypot(...one);
    for (let i = 0; i < WIDTH; i += 1) one[i] = (one[i] ?? 0) / length;
  }
  return values;
}

const sourceRows = unitRows(SOURCES, 'sources');
const targetRows = unitRows(TARGETS, 'targets');
const cosines = Array.from({ length: SOURCES }, (_, x) => Array.from({ length: TARGETS }, (_, y) => Math.fround(dot(x, y))));

function dot(x: number, y: number): number {
  let sum = 0;
  for (let i = 0; i < WIDTH; i += 1) sum += (sourceRows[x * WIDTH + i] ?? 0) * (targetRows[y * WIDTH + i] ?? 0);
  return sum;
}

/** In blocks of 10 rows, as the encoder would give them. */
function* blocksOf(matrix: readonly (readonly number[])[]): Generator<SimilarityBlock> {
  for (let start = 0; start < matrix.length; start += 10) yield { firstSource: start, similarities: Float32Array.from(matrix.slice(start, start + 10).flat()) };
}

/** Equation 5 with full sorts and no cleverness; every pair is scored. */
function bruteForce(k: number): readonly MinedPair[] {
  const meanOf = (values: readonly number[]): number => [...values].sort((a, b) => b - a).slice(0, k).reduce((sum, value) => sum + value, 0) / k;
  const columns = Array.from({ length: TARGETS }, (_, y) => cosines.map((row) => row[y] ?? 0));
  const score = (x: number, y: number): number => (cosines[x]?.[y] ?? 0) / (meanOf(cosines[x] ?? []) / 2 + meanOf(columns[y] ?? []) / 2);
  const nearest = (values: readonly number[]): readonly number[] => values.map((_, i) => i).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b).slice(0, k);
  const pairs = new Map<string, MinedPair>();
  const add = (candidates: readonly (readonly [number, number])[]): void => {
    const [best] = candidates.map(([x, y]) => ({ source: x, target: y, score: score(x, y), similarity: cosines[x]?.[y] ?? 0 })).sort((a, b) => b.score - a.score);
    if (best !== undefined) pairs.set(`${String(best.source)}-${String(best.target)}`, best);
  };
  for (let x = 0; x < SOURCES; x += 1) add(nearest(cosines[x] ?? []).map((y) => [x, y] as const));
  for (let y = 0; y < TARGETS; y += 1) add(nearest(columns[y] ?? []).map((x) => [x, y] as const));
  const taken = { sources: new Set<number>(), targets: new Set<number>() };
  return [...pairs.values()].sort((a, b) => b.score - a.score).filter(({ source, target }) => {
    const isFree = !taken.sources.has(source) && !taken.targets.has(target);
    if (isFree) {
      taken.sources.add(source);
      taken.targets.add(target);
    }
    return isFree;
  });
}

describe('mining', () => {
  it.each([1, 2, 4])('with %i neighbours equals equation 5 computed in full', async (k) => {
    const mined = await mineBitext({ blocks: blocksOf(cosines), targets: TARGETS, neighbours: k });
    const expected = bruteForce(k);
    expect(expected.length).toBeGreaterThan(10);
    expect(mined.map(({ source, target }) => [source, target])).toEqual(expected.map(({ source, target }) => [source, target]));
    mined.forEach(({ score }, i) => expect(score).toBeCloseTo(expected[i]?.score ?? 0, 6));
  });

  it('scores by hand: .9 among neighbours .9 and .5 on one side, .9 and .3 on the other, is .9 / .65', async () => {
    const [best] = await mineBitext({ blocks: blocksOf([[0.9, 0.5], [0.3, 0.1]]), targets: 2, neighbours: 2 });
    expect(best).toMatchObject({ source: 0, target: 0 });
    expect(best?.score).toBeCloseTo(0.9 / 0.65, 6);
  });

  it('a sentence that is near to everything loses to one that is near to its own partner alone', async () => {
    const mined = await mineBitext({ blocks: blocksOf([[0.8, 0.8, 0.8], [0.1, 0.6, 0.1], [0.1, 0.1, 0.1]]), targets: 3, neighbours: 2 });
    expect(mined.find(({ target }) => target === 1)).toMatchObject({ source: 1, similarity: expect.closeTo(0.6, 6) });
  });

  it('is the same whatever the size of the blocks, and empty for nothing', async () => {
    const whole = [{ firstSource: 0, similarities: Float32Array.from(cosines.flat()) }];
    expect(await mineBitext({ blocks: whole, targets: TARGETS })).toEqual(await mineBitext({ blocks: blocksOf(cosines), targets: TARGETS }));
    expect(await mineBitext({ blocks: [], targets: 0 })).toEqual([]);
  });
});

describe('similarities of sentences', () => {
  const sources = ['nyumba kubwa', 'maji safi', 'mtoto mdogo'];
  const targets = ['clean water', 'a small child', 'big house', 'nothing of the kind'];

  async function tableOf(source: string, target: string): Promise<ReturnType<typeof openTranslationTable>> {
    const words = [['nyumba', 'house'], ['kubwa', 'big'], ['maji', 'water'], ['safi', 'clean'], ['mtoto', 'child'], ['mdogo', 'small']] as const;
    const pairs = words.map(([a, b]) => ({ source: source === 'sw' ? a : b, target: source === 'sw' ? b : a, weight: 1 }));
    return openTranslationTable(await trainTranslationTable({ pairs, sourceLanguage: source, targetLanguage: target }));
  }

  it('words that translate each other overlap, others do not', async () => {
    const row = translationOverlap({ from: sources, into: targets, table: await tableOf('sw', 'en') })(1);
    expect(row[0]).toBeGreaterThan(0.9);
    expect([row[2], row[3]]).toEqual([0, 0]);
  });

  it('are cosines where nothing else is asked; words and lengths come on top', async () => {
    const tables = { sw: await tableOf('sw', 'en'), en: await tableOf('en', 'sw') };
    const vectors = new Map([...sources, ...targets].map((text, i) => [text, i < 3 ? sourceRows.subarray(i * WIDTH, (i + 1) * WIDTH) : targetRows.subarray((i - 3) * WIDTH, (i - 2) * WIDTH)]));
    const encoder = {
      width: WIDTH,
      encode: (texts: readonly string[]) => Promise.resolve(Float32Array.from(texts.flatMap((text) => [...(vectors.get(text) ?? [])]))),
      translation: (from: string) => (from === 'sw' ? tables.sw : tables.en),
    };
    const all = async (options: { readonly lexicalWeight: number; readonly lengthWeight: number }): Promise<readonly number[]> => {
      const rows: number[] = [];
      for await (const { similarities } of sentenceSimilarities({ encoder, sources, targets, sourceLanguage: 'sw', targetLanguage: 'en', threads: 1, ...options })) rows.push(...similarities);
      return rows;
    };
    const plain = await all({ lexicalWeight: 0, lengthWeight: 0 });
    expect(plain.length).toBe(12);
    plain.forEach((value, i) => expect(value).toBeCloseTo(cosines[Math.floor(i / 4)]?.[i % 4] ?? 0, 5));
    const worded = await all({ lexicalWeight: 1, lengthWeight: 0 });
    expect((worded[4] ?? 0) - (plain[4] ?? 0)).toBeGreaterThan(0.9); // maji safi - clean water
    expect(worded[7]).toBeCloseTo(plain[7] ?? 0, 5);
    const lengths = await all({ lexicalWeight: 0, lengthWeight: 1 });
    const mean = { source: 32 / 3, target: 52 / 4 };
    expect((plain[0] ?? 0) - (lengths[0] ?? 0)).toBeCloseTo(Math.abs(Math.log(12 / mean.source / (11 / mean.target))), 4);
  });
});
