import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { createMaskedParts, maskTokens, type MaskingOptions } from './masked-tokens.ts';
import type { PreparedTexts } from './prepare.ts';

const MASKING: MaskingOptions = { probability: 0.15, mask: 4, vocabularySize: 1000, special: new Set([0, 1, 2, 3, 4]) };
const LONG = Uint32Array.from([0, ...Array.from({ length: 20_000 }, (_, i) => 5 + (i % 900)), 2]);

describe('hidden tokens', () => {
  it('are 15 %, of which 80 % become the mask, 10 % another token, and 10 % stay', () => {
    const { ids, places, labels } = maskTokens(LONG, MASKING, seededRandom(1, 'test'));
    const share = (count: number): number => count / places.length;
    expect(places.length / 20_000).toBeCloseTo(0.15, 1);
    const masked = [...places].filter((place) => ids[place] === MASKING.mask).length;
    const kept = [...places].filter((place) => ids[place] === LONG[place]).length;
    expect(share(masked)).toBeCloseTo(0.8, 1);
    expect(share(kept)).toBeCloseTo(0.1, 1);
    expect(share(places.length - masked - kept)).toBeCloseTo(0.1, 1);
    expect([...labels]).toEqual([...places].map((place) => LONG[place]));
    const asked = new Set(places);
    ids.forEach((id, place) => { if (!asked.has(place)) expect(id).toBe(LONG[place]); });
    for (const place of places) expect([0, 1, 2, 3].includes(ids[place] ?? 0)).toBe(false);
    expect([...places]).toEqual([...places].sort((a, b) => a - b));
  });

  it('are never special ones; a short text hides one, a text of nothing none', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const { places } = maskTokens(Uint32Array.of(0, 7, 8, 2), MASKING, seededRandom(seed, 'short'));
      expect(places.length).toBeGreaterThan(0);
      for (const place of places) expect([1, 2]).toContain(place);
    }
    expect(maskTokens(Uint32Array.of(0, 2), MASKING, seededRandom(1, 'none')).places).toHaveLength(0);
  });

  it('are a function of seed and step, from every language the same number of texts', () => {
    const list = (count: number, from: number): Uint32Array[] => Array.from({ length: count }, (_, i) => Uint32Array.of(0, from + i, from + i + 1, 2));
    const texts = { pivot: 'en', retrieval: { queries: [], passages: list(100, 10), passageOf: new Int32Array(0) }, parallel: [{ corpus: { name: '', source: 'en', target: 'sw', pairs: [] }, sources: list(20, 200), targets: list(20, 300) }], monolingual: [{ language: 'th', sentences: list(30, 400) }] };
    const options = { texts: texts as unknown as PreparedTexts, batchSize: 30, seed: 3, weight: 1, masking: MASKING };
    const [one, again] = [createMaskedParts(options), createMaskedParts(options)];
    expect(one?.(5)).toEqual(again?.(5));
    expect(one?.(5).texts).not.toEqual(one?.(6).texts);
    const part = one?.(7);
    const languageOf = (ids: Uint32Array, i: number): string => { const first = [...(part?.labels[i] ?? [])][0] ?? ids[1] ?? 0; return first >= 400 ? 'th' : first >= 300 ? 'sw' : 'en'; };
    const counts = new Map<string, number>();
    part?.texts.forEach((ids, i) => counts.set(languageOf(ids, i), (counts.get(languageOf(ids, i)) ?? 0) + 1));
    expect(counts).toEqual(new Map([['en', 10], ['sw', 10], ['th', 10]]));
    expect(createMaskedParts({ ...options, texts: { ...texts, retrieval: { ...texts.retrieval, passages: [] }, parallel: [], monolingual: [] } as unknown as PreparedTexts })).toBeNull();
  });
});
