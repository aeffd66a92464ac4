import { describe, expect, it } from 'vitest';
import { alignTokens, fillStartingTable, startingWeights, type TokenCounts } from './starting-table.ts';

const V = 12;
const H = 64;
// tokens 0-4 are English, 5-9 the other language's; 5 translates 0 and so on; 10 is in neither, 11 (a number) in both
const english = [[0, 1, 11], [1, 2], [2, 3], [3, 4], [4, 0], [0, 2], [1, 3], [0], [1], [2], [3], [4]].map((ids) => Uint32Array.from(ids));
const foreign = english.map((ids) => ids.map((id) => (id === 11 ? 11 : id + 5)));

function count(language: string, sentences: readonly Uint32Array[]): TokenCounts {
  const counts = new Float64Array(V);
  for (const ids of sentences) for (const id of ids) counts[id] = (counts[id] ?? 0) + 1;
  return { language, counts, total: counts.reduce((a, b) => a + b, 0) };
}

const counts = [count('en', english), count('sw', foreign)];
const cosine = (table: Float32Array, a: number, b: number): number => {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < H; i += 1) {
    const [x, y] = [table[a * H + i] ?? 0, table[b * H + i] ?? 0];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / Math.sqrt(aa * bb);
};

async function filled(anchored: { rows: Float32Array; isAnchored: Uint8Array } | null = null, seed = 1): Promise<Float32Array> {
  const translations = [await alignTokens({ language: 'sw', pivotIds: english, foreignIds: foreign, weights: new Float32Array(english.length).fill(1) }, V, new AbortController().signal)];
  const table = new Float32Array(V * H);
  fillStartingTable({ table, width: H, seed, counts, pivot: 'en', translations, anchored });
  return table;
}

describe('the starting table', () => {
  it('has a foreign row nearest to its translation', async () => {
    const table = await filled();
    for (let token = 5; token < 10; token += 1) {
      const similarities = [0, 1, 2, 3, 4].map((pivot) => cosine(table, token, pivot));
      expect(similarities.indexOf(Math.max(...similarities))).toBe(token - 5);
      expect(similarities[token - 5]).toBeGreaterThan(0.6);
    }
  });

  it('has rows of chance for English and for tokens of no language: length .05 sqrt(H), nothing alike', async () => {
    const table = await filled();
    for (const token of [0, 1, 2, 3, 4, 10, 11]) {
      expect(Math.hypot(...table.subarray(token * H, (token + 1) * H)) / (0.05 * Math.sqrt(H))).toBeGreaterThan(0.75);
      expect(Math.hypot(...table.subarray(token * H, (token + 1) * H)) / (0.05 * Math.sqrt(H))).toBeLessThan(1.25);
      expect(Math.abs(cosine(table, token, token === 0 ? 1 : 0))).toBeLessThan(0.5);
    }
  });

  it('leaves anchored rows as they are, and starts foreign rows near them', async () => {
    const rows = Float32Array.from({ length: V * H }, (_, i) => Math.cos(i * i));
    const table = await filled({ rows, isAnchored: Uint8Array.from({ length: V }, (_, t) => (t < 5 ? 1 : 0)) });
    expect(table.subarray(0, 5 * H)).toEqual(rows.subarray(0, 5 * H));
    for (let token = 5; token < 10; token += 1) expect(cosine(table, token, token - 5)).toBeGreaterThan(0.6);
  });

  it('is the same for a seed and another for another', async () => {
    expect(await filled()).toEqual(await filled());
    expect(await filled(null, 2)).not.toEqual(await filled());
  });
});

describe('starting weights', () => {
  it('are a / (a + p) by the language in which a token is most frequent', () => {
    const weights = startingWeights(counts, V);
    const share = (counts[0]?.counts[0] ?? 0) / (counts[0]?.total ?? 1);
    expect(weights[0]).toBeCloseTo(1e-3 / (1e-3 + share), 6);
    expect(weights[5]).toBeCloseTo(weights[0] ?? 0, 6); // as frequent in its language
    expect(weights[10]).toBe(1); // never seen
    expect(weights[11]).toBeGreaterThan(weights[0] ?? 1); // rare
  });
});
