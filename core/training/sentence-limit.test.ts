/** Are sentences limited by language, evenly, with their documents whole and the same ones for a seed? */
import { describe, expect, it } from 'vitest';
import type { MonolingualCorpus } from './corpora.ts';
import { limitSentences } from './sentence-limit.ts';

const numbered = (name: string, count: number): readonly string[] => Array.from({ length: count }, (_, i) => `${name} ${i}`);
const corpus = (language: string, count: number, perDocument: number | null): MonolingualCorpus => ({ name: language, language, sentences: numbered(language, count), documents: perDocument === null ? null : Int32Array.from({ length: count }, (_, i) => Math.floor(i / perDocument)) });

describe('limitSentences', () => {
  it('keeps languages that have fewer as they are, and takes the same share of each text of the others', () => {
    const small = corpus('yo', 50, null);
    const [kept, a, b] = limitSentences([small, corpus('sw', 300, null), corpus('sw', 100, 10)], 100, 1);
    expect(kept).toBe(small);
    expect([a?.sentences.length, b?.sentences.length]).toEqual([75, 25]);
  });

  it('keeps documents whole but for the last, in their order', () => {
    const [kept] = limitSentences([corpus('sw', 100, 10)], 25, 3);
    const counts = new Map<number, number>();
    for (const document of kept?.documents ?? []) counts.set(document, (counts.get(document) ?? 0) + 1);
    expect([...counts.values()].sort((x, y) => y - x)).toEqual([10, 10, 5]);
    const places = kept?.sentences.map((sentence) => Number(sentence.split(' ')[1])) ?? [];
    expect(places).toEqual(places.toSorted((x, y) => x - y));
    expect(kept?.documents).toEqual(Int32Array.from(places, (place) => Math.floor(place / 10)));
  });

  it('draws the same for a seed and others for another', () => {
    const draw = (seed: number): readonly string[] => limitSentences([corpus('sw', 200, null)], 20, seed)[0]?.sentences ?? [];
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(1)).toHaveLength(20);
  });
});
