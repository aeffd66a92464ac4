/** Facts about vocabulary training: candidates, expectation, pruning, limits. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CancellationError, InputError } from '../base/errors.ts';
import { encodeRuns } from './encoded-runs.ts';
import { findCandidates, LONGEST_PIECE } from './piece-candidates.ts';
import { expectedCounts, leastLosses, makeLattice, type PieceTable } from './piece-lattice.ts';
import { smallCorpus } from './test-texts.ts';
import { createTokenizer } from './tokenizer.ts';
import { SCORE_STEP, trainUnigram, UNKNOWN_PIECE } from './unigram-trainer.ts';
import { characterKind, CharacterKind, countRuns, cutIntoRuns } from './word-counts.ts';

const SEED = 20261120;
const table = (runs: Readonly<Record<string, number>>) => ({ runs: Object.keys(runs), weights: Object.values(runs), sightings: Object.values(runs), texts: 1 });

describe('cutIntoRuns', () => {
  it('cuts at script changes, numbers and punctuation; ▁ goes with what follows; an apostrophe between letters is a letter', () => {
    expect(cutIntoRuns('▁hello,')).toEqual(['▁hello', ',']);
    expect(cutIntoRuns('▁"42abcабв"')).toEqual(['▁"', '42', 'abc', 'абв', '"']);
    expect(cutIntoRuns("▁don't")).toEqual(["▁don't"]);
    expect(cutIntoRuns("▁'tis'")).toEqual(["▁'", 'tis', "'"]);
    expect(cutIntoRuns('▁ọ\u0300rọ\u0300')).toEqual(['▁ọ\u0300rọ\u0300']);
  });
  it('bounds runs of scripts without spaces and never begins one with a mark', () => {
    const runs = cutIntoRuns(`▁${'กำ่ที่'.repeat(100)}`);
    expect(runs.length).toBeGreaterThan(10);
    expect(runs.every((run) => [...run].length <= 48 && !/^\p{M}/u.test(run))).toBe(true);
    expect(Math.max(...cutIntoRuns(`a${'\u0301'.repeat(10_000)}`).map((run) => [...run].length))).toBeLessThanOrEqual(48);
  });
  it('loses nothing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      expect(cutIntoRuns(text).join('')).toBe(text);
    }), { numRuns: 500, seed: SEED });
  });
});

describe('countRuns', () => {
  it('adds up fractional weights, and counts sightings apart', async () => {
    const counted = await countRuns([{ text: 'Maji maji', weight: 0.25 }, { text: 'maji', weight: 2 }, { text: 'never', weight: 0 }], {});
    expect(counted).toEqual({ runs: ['▁maji'], weights: [2.5], sightings: [3], texts: 3 });
  });
});

describe('findCandidates', () => {
  it('finds the frequent substrings that a plain count finds, but those that one same character always follows', () => {
    fc.assert(fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 12 }), (words) => {
      const weights: Record<string, number> = {};
      for (const word of words) weights[word] = (weights[word] ?? 0) + 1;
      const runs = encodeRuns(table(weights), 1);
      const found = findCandidates(runs, 1e6);
      const read = (start: number, length: number): string => Array.from(runs.symbols.subarray(start, start + length), (symbol) => runs.characters[symbol]).join('');
      const ours = new Map(Array.from(found.starts, (start, i) => [read(start, found.lengths[i] ?? 0), (found.scores[i] ?? 0) / (found.lengths[i] ?? 1)]));
      const counts = new Map<string, number>();
      for (const [word, weight] of Object.entries(weights)) {
        for (let from = 0; from < word.length; from += 1) for (let to = from + 1; to <= word.length; to += 1) counts.set(word.slice(from, to), (counts.get(word.slice(from, to)) ?? 0) + weight);
      }
      const expected = [...counts].filter(([gram, count]) => gram.length >= 2 && count >= 2 && !['a', 'b', 'c'].some((next) => counts.get(gram + next) === count));
      expect(new Map([...ours].sort())).toEqual(new Map(expected.sort()));
    }), { numRuns: 300, seed: SEED });
  });
  it('are never longer than the longest piece, never begin with a mark, never cut an accent off', () => {
    const runs = encodeRuns(table({ [`▁${'abcdefghij'.repeat(3)}`]: 5, '▁e\u0301e\u0301e\u0301': 9, 'कि': 4, 'कि।': 3, 'की': 5 }), 1);
    const found = findCandidates(runs, 1e6);
    const pieces = Array.from(found.starts, (start, i) => Array.from(runs.symbols.subarray(start, start + (found.lengths[i] ?? 0)), (symbol) => runs.characters[symbol]).join(''));
    expect(Math.max(...pieces.map((piece) => piece.length))).toBe(LONGEST_PIECE);
    expect(pieces.some((piece) => /^\p{M}/u.test(piece))).toBe(false);
    expect(pieces).not.toContain('▁e');
    expect(pieces).toContain('▁e\u0301e\u0301e\u0301');
  });
  it('keep the best when there are too many', () => {
    const runs = encodeRuns(table({ '▁aaaa': 100, '▁bb': 50, '▁cc': 2 }), 1);
    const all = findCandidates(runs, 1e6);
    const two = findCandidates(runs, 2);
    expect(all.scores.length).toBeGreaterThan(2);
    expect([...two.scores].sort((a, b) => b - a)).toEqual([...all.scores].sort((a, b) => b - a).slice(0, 2));
  });
});

describe('expectedCounts', () => {
  /** Pieces a, b, ab of the runs "ab" (weight 3) and "b" (weight 1). */
  const setting = (): { runs: ReturnType<typeof encodeRuns>; pieces: PieceTable } => {
    const runs = encodeRuns(table({ ab: 3, b: 1 }), 1);
    const b = runs.characters.indexOf('b');
    expect([runs.symbols[1], runs.symbols[3]]).toEqual([b, b]);
    return { runs, pieces: { count: 3, starts: Int32Array.of(0, 1, 0), lengths: Uint8Array.of(1, 1, 2), probabilities: Float64Array.of(0.2, 0.3, 0.5) } };
  };
  it('share a run among its cuttings by their probabilities', () => {
    const { runs, pieces } = setting();
    const cuts = 0.2 * 0.3;
    const whole = 0.5;
    const counts = expectedCounts(runs, makeLattice(runs, pieces), pieces);
    expect(counts[0]).toBeCloseTo((3 * cuts) / (cuts + whole), 12);
    expect(counts[1]).toBeCloseTo((3 * cuts) / (cuts + whole) + 1, 12);
    expect(counts[2]).toBeCloseTo((3 * whole) / (cuts + whole), 12);
  });
  it('cost of losing a piece is its count times what its best replacement lacks', () => {
    const { runs, pieces } = setting();
    const losses = leastLosses(runs, makeLattice(runs, pieces), pieces);
    const total = 3 + 1;
    const replaced = Math.log((0 + 3) / (total + 3)) + Math.log((1 + 3) / (total + 3));
    expect(losses[2]).toBeCloseTo(3 * (Math.log(3 / total) - replaced), 12);
  });
});

describe('trainUnigram', () => {
  it('gives the pieces asked for, unknown first, then by falling score, probabilities that sum to at most one', async () => {
    const model = await trainUnigram({ texts: smallCorpus(), vocabularySize: 350 });
    expect(model.pieces).toHaveLength(350);
    expect(new Set(model.pieces).size).toBe(350);
    expect([model.pieces[0], model.scores[0], model.unknownId]).toEqual([UNKNOWN_PIECE, 0, 0]);
    const scores = model.scores.slice(1);
    expect(scores.every((score, i) => i === 0 || score <= (scores[i - 1] ?? 0))).toBe(true);
    expect(scores.every((score) => Number.isInteger(score / SCORE_STEP))).toBe(true);
    const sum = scores.reduce((sofar, score) => sofar + Math.exp(score), 0); // the digamma takes about half a count off each
    expect(sum).toBeGreaterThan(0.8);
    expect(sum).toBeLessThan(1);
  });
  it('keeps all covered characters and knows frequent words whole', async () => {
    const texts = smallCorpus();
    const model = await trainUnigram({ texts, vocabularySize: 700, characterCoverage: 1 });
    const tokenizer = createTokenizer(model);
    const characters = new Set(texts.flatMap(({ text }) => [...tokenizer.normalise(text).replaceAll(' ', '▁')]));
    expect([...characters].filter((character) => tokenizer.idOf(character) === undefined)).toEqual([]);
    const frequent = await trainUnigram({ texts: [...texts, ...Array.from({ length: 40 }, () => ({ text: 'mtoto ลูก', weight: 1 }))], vocabularySize: 400 });
    expect(frequent.pieces).toContain('▁mtoto');
  });
  it('never crosses scripts, numbers or punctuation, and never begins a longer piece with a mark', async () => {
    const { pieces } = await trainUnigram({ texts: smallCorpus(), vocabularySize: 900 });
    const longer = pieces.slice(1).filter((piece) => [...piece].length > 1);
    expect(longer.length).toBeGreaterThan(100);
    for (const piece of longer) {
      const kinds = new Set([...piece.replace('▁', '').replaceAll("'", '')].map((character) => characterKind(character.codePointAt(0) ?? 0)).filter((kind) => kind !== CharacterKind.joiner));
      expect(kinds.size, piece).toBeLessThanOrEqual(1);
      expect(piece).not.toMatch(/^\p{M}/u);
      expect(piece.lastIndexOf('▁')).toBeLessThanOrEqual(0);
    }
  });
  it('gives the same model again, and for a weight of two what twice the text gives', async () => {
    const once = await trainUnigram({ texts: smallCorpus(4), vocabularySize: 400, seed: 1 });
    expect(await trainUnigram({ texts: smallCorpus(4), vocabularySize: 400, seed: 2 })).toEqual(once);
    const doubled = await trainUnigram({ texts: smallCorpus(2).map(({ text }) => ({ text, weight: 2 })), vocabularySize: 400 });
    expect(doubled).toEqual(once);
  });
  it('leaves rare signs out, but not the letters of a small language', async () => {
    const many = Array.from({ length: 400 }, (_, i) => ({ text: `plain english words number ${i} again and again`, weight: 1 }));
    const model = await trainUnigram({ texts: [...many, { text: 'ߒߞߏ ߒߞߏ ߞߊ߲ mẵn', weight: 1 }, { text: '☃', weight: 1 }], vocabularySize: 200 });
    expect(model.pieces.some((piece) => piece.includes('ߞ'))).toBe(true);
    expect(model.pieces).toContain('ẵ');
    expect(model.pieces.some((piece) => piece.includes('☃'))).toBe(false);
  });
  it('stays finite on a wall of marks and on a long word of rare characters', async () => {
    const rare = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
    const model = await trainUnigram({ texts: [{ text: `a${'\u0301'.repeat(5000)} ${rare}`, weight: 0.01 }, ...smallCorpus()], vocabularySize: 1000, characterCoverage: 1 });
    expect(model.scores.every((score) => Number.isFinite(score))).toBe(true);
  });
  it('takes an asynchronous corpus and gives fewer pieces when the text holds no more', async () => {
    async function* texts(): AsyncGenerator<{ text: string; weight: number }> {
      yield { text: 'maji maji', weight: 1 };
      await Promise.resolve();
      yield { text: 'maji', weight: 1 };
    }
    const model = await trainUnigram({ texts: texts(), vocabularySize: 8000 });
    expect(model.pieces.length).toBeLessThan(20);
    expect(model.pieces).toContain('▁maji');
  });
  it('reports progress in pieces up to the number wanted', async () => {
    const seen: number[] = [];
    await trainUnigram({ texts: smallCorpus(), vocabularySize: 300, report: (progress) => { if (progress.unit === 'pieces' && progress.total !== null) seen.push(progress.done / progress.total); } });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.at(-1)).toBe(1);
  });
  it('refuses no text and too small a vocabulary, and stops when cancelled', async () => {
    await expect(trainUnigram({ texts: [{ text: ' \n', weight: 1 }], vocabularySize: 100 })).rejects.toThrow(InputError);
    await expect(trainUnigram({ texts: smallCorpus(), vocabularySize: 20 })).rejects.toThrow(/at least \d+ pieces/);
    const controller = new AbortController();
    const training = trainUnigram({ texts: smallCorpus(), vocabularySize: 300, signal: controller.signal });
    controller.abort();
    await expect(training).rejects.toThrow(CancellationError);
  });
});
