/** Are pairs that do not belong together told from those that do? */
import { describe, expect, test } from 'vitest';
import { scorePairs } from './pair-scores.ts';

const never = new AbortController().signal;
const WORDS = 60;

/** Sentences of a made-up language and their word-by-word translation; every `every`-th pair is with the translation of another. */
function invented(count: number, every: number): { readonly source: string; readonly target: string }[] {
  let state = 7;
  const next = (limit: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
  const sentences = Array.from({ length: count }, () => Array.from({ length: 8 }, () => next(WORDS)));
  const word = (prefix: string, id: number): string => `${prefix}${String.fromCharCode(97 + (id % 26))}${String.fromCharCode(97 + Math.floor(id / 26))}`;
  return sentences.map((ids, i) => {
    const other = every > 0 && i % every === 0 ? (sentences[(i + 501) % count] ?? ids) : ids;
    return { source: ids.map((id) => word('s', id)).join(' '), target: other.map((id) => word('t', id)).join(' ') };
  });
}

describe('scorePairs', () => {
  test('the share of pairs that do not belong together is near what was put in, and they have the lowest scores', async () => {
    const wrong = await scorePairs(invented(2000, 5), never);
    expect(wrong?.misalignedShare).toBeGreaterThan(0.14);
    expect(wrong?.misalignedShare).toBeLessThan(0.26);
    const mean = (indexes: readonly number[]): number => indexes.reduce((sum, i) => sum + (wrong?.scores[i] ?? 0), 0) / indexes.length;
    const all = [...(wrong?.scores.keys() ?? [])];
    expect(mean(all.filter((i) => i % 5 === 0))).toBeLessThan(mean(all.filter((i) => i % 5 !== 0)) - 1);
    expect((await scorePairs(invented(2000, 0), never))?.misalignedShare).toBeLessThan(0.02);
  });

  test('too few pairs, pairs of single words, and pairs without any relation say nothing', async () => {
    expect(await scorePairs(invented(200, 0), never)).toBeNull();
    expect(await scorePairs(invented(1000, 0).map(({ source, target }) => ({ source: source.slice(0, 3), target: target.slice(0, 3) })), never)).toBeNull();
    expect(await scorePairs(invented(1000, 1), never)).toBeNull();
  });
});
