/** Does the map of held-back sentences show what is learned, and nothing else? */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { createSentenceMap, type MapEntry } from './sentence-map.ts';

const WIDTH = 16;
function unit(values: readonly number[]): number[] {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}
/** Pairs whose sides share `common` of their vectors. */
function entry(n: number, common: number, languages = { source: 'en', target: 'sw' }): MapEntry {
  const random = seededRandom(3, `sentences ${languages.target}`);
  const noise = (): number[] => Array.from({ length: WIDTH }, () => random.normal());
  const rows = Array.from({ length: n }, () => {
    const [meaning, a, b] = [noise(), noise(), noise()];
    const mix = (own: number[], shift: number): number[] => unit(meaning.map((value, h) => common * value + (1 - common) * ((own[h] ?? 0) + shift)));
    return { source: mix(a, 1), target: mix(b, -1) };
  });
  return { ...languages, pairs: rows.map((_, i) => ({ source: `s${i}`, target: `t${i}` })), sources: Float32Array.from(rows.flatMap(({ source }) => source)), targets: Float32Array.from(rows.flatMap(({ target }) => target)) };
}

describe('the map of sentences', () => {
  it('brings translations together as they come together in the space', () => {
    const map = createSentenceMap({ pivot: 'en', width: WIDTH });
    const gaps = [0, 0.5, 0.98].map((common, step) => {
      const found = map(step, [entry(40, common)]);
      if (found === null) throw new Error('no map');
      return { nearness: found.nearness, gap: found.pairs.reduce((sum, { from, to }) => sum + Math.hypot(from[0] - to[0], from[1] - to[1]), 0) };
    });
    expect(gaps[0]?.nearness).toBeCloseTo(1, 1);
    expect(gaps[2]?.nearness).toBeLessThan(0.2);
    expect(gaps.map(({ gap }) => gap)).toEqual(gaps.map(({ gap }) => gap).toSorted((a, b) => b - a));
  });

  it('puts the foreign sentence first, keeps at most 64 pairs, spread over the languages', () => {
    const found = createSentenceMap({ pivot: 'en', width: WIDTH })(1, [entry(100, 0.5), entry(100, 0.5, { source: 'th', target: 'en' }), entry(100, 0.5, { source: 'en', target: 'ar' })]);
    expect(found?.pairs).toHaveLength(64);
    expect(new Set(found?.pairs.map(({ targetLanguage }) => targetLanguage))).toEqual(new Set(['en']));
    for (const tag of ['sw', 'th', 'ar']) expect(found?.pairs.filter(({ sourceLanguage }) => sourceLanguage === tag).length, tag).toBeGreaterThanOrEqual(20);
    expect(found?.pairs[0]).toMatchObject({ source: 't0', target: 's0' });
    expect(found?.pairs.find(({ sourceLanguage }) => sourceLanguage === 'th')).toMatchObject({ source: 's0', target: 't0' });
  });

  it('of the same vectors stays where it was, also when they are turned in the space', () => {
    const map = createSentenceMap({ pivot: 'en', width: WIDTH });
    const one = entry(30, 0.6);
    const swapped = (rows: Float32Array): Float32Array => rows.map((_, i) => rows[i - (i % WIDTH) + (WIDTH - 1 - (i % WIDTH))] ?? 0);
    const [first, again] = [map(0, [one]), map(1, [{ ...one, sources: swapped(one.sources), targets: swapped(one.targets) }])];
    again?.pairs.forEach(({ from }, i) => {
      expect(from[0]).toBeCloseTo(first?.pairs[i]?.from[0] ?? NaN, 3);
      expect(from[1]).toBeCloseTo(first?.pairs[i]?.from[1] ?? NaN, 3);
    });
  });

  it('of less than two pairs is none', () => {
    expect(createSentenceMap({ pivot: 'en', width: WIDTH })(0, [])).toBeNull();
    expect(createSentenceMap({ pivot: 'en', width: WIDTH })(0, [entry(1, 0)])).toBeNull();
  });
});
