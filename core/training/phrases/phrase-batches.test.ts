/** Does a step hold the phrases and sentences that algorithm 1 of Zheng et al. 2022 samples? Of one list (supervised), of several (multilingual). */
import { describe, expect, it } from 'vitest';
import { tokensInUse, type PhraseReader } from '../../encoding/phrase-vectors.ts';
import type { PhraseInUse } from '../../encoding/encoder.ts';
import { createPhraseBatches, type PhrasePart } from './phrase-batches.ts';
import type { PhrasePairSet } from './phrase-pairs.ts';

const NONE = new Uint32Array(0);
/** One token a letter, so that a text can be read back from its tokens. */
const letters: PhraseReader = { tokens: (text) => Uint32Array.from(text, (sign) => sign.codePointAt(0) ?? 0), begin: NONE, end: NONE, maxTokens: 1000, isLowerCased: false, hasMarks: false, mostSentences: null };
const read = (phrase: PhraseInUse) => tokensInUse(phrase, letters);
const textOf = (ids: Uint32Array | undefined): string => String.fromCodePoint(...(ids ?? []));

/** `count` pairs; each phrase has `sentences` sentences that show it. */
function setOf(language: string, count: number, sentences: number): PhrasePairSet {
  const inUse = (phrase: string): PhraseInUse => ({ phrase, sentences: Array.from({ length: sentences }, (_, i) => `${phrase} ${'abcdefgh'[i] ?? ''}`) });
  return { source: 'en', target: language, pairs: Array.from({ length: count }, (_, i) => ({ source: inUse(`word${i}${language}`), target: inUse(`${language}${i}`) })) };
}

const batchesOf = (sets: readonly PhrasePairSet[], over: Partial<Parameters<typeof createPhraseBatches>[0]> = {}) => createPhraseBatches({ sets, read, batch: 8, accumulation: 1, sentences: 3, seed: 5, ...over });

/** The phrases of a part, sources then targets, with the sentences that show each. */
function phrasesOf({ texts, spans, counts }: PhrasePart): readonly { readonly phrase: string; readonly sentences: readonly string[] }[] {
  let at = 0;
  return Array.from(counts, (count) => {
    const own = Array.from({ length: count }, (_, k) => at + k);
    at += count;
    return { phrase: textOf(texts[own[0] ?? 0]?.subarray(spans[own[0] ?? 0]?.from, spans[own[0] ?? 0]?.to)), sentences: own.map((place) => textOf(texts[place])) };
  });
}

describe('a step of phrases', () => {
  it('has as many sentences of each phrase as are asked for, drawn without repetition, others at another step', () => {
    const batches = batchesOf([setOf('sw', 8, 6)]);
    const [first, again, later] = [batches.partsAt(0), batches.partsAt(0), batches.partsAt(1)].map(([part]) => phrasesOf(part ?? { name: 'phrases', texts: [], spans: [], counts: new Int32Array(0), pairs: 0, share: 1 }));
    expect(first).toHaveLength(16);
    for (const { phrase, sentences } of first ?? []) {
      expect(new Set(sentences).size).toBe(3);
      expect(sentences.every((sentence) => sentence.startsWith(`${phrase} `))).toBe(true);
    }
    expect(again).toEqual(first); // a function of seed and step
    const sentencesOf = (found: typeof first, phrase: string): string => (found?.find((one) => one.phrase === phrase)?.sentences ?? []).toSorted().join();
    expect((first ?? []).filter(({ phrase }) => sentencesOf(first, phrase) !== sentencesOf(later, phrase)).length).toBeGreaterThan(8);
  });

  it('has sources and targets in the same order: row i of one translates row i of the other', () => {
    const [part] = batchesOf([setOf('sw', 30, 1)]).partsAt(3);
    if (part === undefined) throw new Error('No part.');
    const phrases = phrasesOf(part).map(({ phrase }) => phrase);
    expect(part.pairs).toBe(8);
    phrases.slice(0, 8).forEach((source, i) => expect(phrases[8 + i]).toBe(source.replace(/^word(\d+)sw$/, 'sw$1')));
  });

  it('holds the phrase alone where no sentences are wanted (the ablation "- Example Sentence")', () => {
    const [part] = batchesOf([setOf('sw', 8, 4)], { sentences: 0 }).partsAt(0);
    expect(part?.texts.map(textOf).every((text) => /^(word\d+sw|sw\d+)$/.test(text))).toBe(true);
    expect([...(part?.counts ?? [])]).toEqual(Array.from({ length: 16 }, () => 1));
  });

  it('of several lists mixes their languages, each pair as often as any other', () => {
    const batches = batchesOf([setOf('sw', 60, 1), setOf('ar', 20, 1)]);
    const counts = { sw: 0, ar: 0 };
    for (let step = 0; step < 60; step += 1) {
      const languages = batches.partsAt(step).flatMap(phrasesOf).map(({ phrase }) => (phrase.includes('sw') ? 'sw' : 'ar'));
      for (const language of languages) counts[language] += 1;
      expect(new Set(languages)).toEqual(new Set(['sw', 'ar']));
    }
    expect(counts.sw / counts.ar).toBeGreaterThan(2.5);
    expect(counts.sw / counts.ar).toBeLessThan(3.5);
    expect(batches.stepsPerEpoch).toBe(80 / 8);
  });

  it('never has a phrase twice, whatever its case: a second translation would be a false negative', () => {
    const twice: PhrasePairSet = { source: 'en', target: 'sw', pairs: ['maji', 'Maji', 'mto', 'ziwa', 'bahari', 'mvua', 'barafu', 'umande', 'ukungu'].map((target, i) => ({ source: { phrase: i % 2 === 0 ? `water ${i}` : `WATER ${i - 1}`, sentences: [] }, target: { phrase: target, sentences: [] } })) };
    const batches = batchesOf([twice], { batch: 4 });
    for (let step = 0; step < 40; step += 1) {
      for (const part of batches.partsAt(step)) {
        const phrases = phrasesOf(part).map(({ phrase }) => phrase.toLowerCase());
        expect(new Set(phrases).size).toBe(phrases.length);
      }
    }
  });

  it('of several batches counts each for its share, as the released command\'s four of 32', () => {
    const batches = batchesOf([setOf('sw', 64, 1)], { accumulation: 4 });
    const parts = batches.partsAt(0);
    expect(parts.map(({ share, pairs }) => [share, pairs])).toEqual([[0.25, 8], [0.25, 8], [0.25, 8], [0.25, 8]]);
    expect(new Set(parts.flatMap(phrasesOf).map(({ phrase }) => phrase)).size).toBe(64); // four different ones
    expect(batches.stepsPerEpoch).toBe(2);
  });
});
