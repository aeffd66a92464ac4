import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentStem, wordTokens } from './word-tokens.ts';

const words = (text: string, stem = 8): string[] => wordTokens(text, stem).map(({ token }) => token);
const places = (text: string, stem = 8): string[] => wordTokens(text, stem).map(({ start, end }) => text.slice(start, end));

describe('wordTokens', () => {
  it('gives the words of a sentence in small letters, with their places', () => {
    expect(wordTokens('Where is the House?', 8)).toEqual([
      { token: 'where', start: 0, end: 5 },
      { token: 'is', start: 6, end: 8 },
      { token: 'the', start: 9, end: 12 },
      { token: 'house', start: 13, end: 18 },
    ]);
  });

  it('cuts long words to the stem, but points at the whole word', () => {
    expect(words('international internationally', 6)).toEqual(['intern', 'intern']);
    expect(places('international!', 6)).toEqual(['international']);
    expect(documentStem('International')).toBe('intern');
  });

  it('cuts by characters, not by halves of one', () => {
    expect(words('𐐀𐐁𐐂𐐃', 3)).toEqual(['𐐨𐐩𐐪']); // Deseret capitals: two UTF-16 units each
    expect(words('𐐀𐐁', 3)).toEqual(['𐐨𐐩']);
  });

  it('finds Arabic words with and without vowel marks and tatweel equal, and points at the marked word', () => {
    const marked = 'كَتَبَ الوَلَدُ كـتـاب';
    expect(words(marked)).toEqual(['كتب', 'الولد', 'كتاب']);
    expect(places(marked)).toEqual(marked.split(' '));
  });

  it('keeps apostrophes inside words, whichever sign is typed, but not around them', () => {
    expect(places("ng'ombe wake 'safi'")).toEqual(["ng'ombe", 'wake', 'safi']);
    expect(places('ng’ombe maʼlum ʻokina')).toEqual(['ng’ombe', 'maʼlum', 'ʻokina']);
  });

  it('gives the same words for composed and decomposed text, each with places in its own text', () => {
    const composed = 'Đường phố Hà Nội, café';
    const decomposed = composed.normalize('NFD');
    expect(decomposed).not.toBe(composed);
    expect(words(decomposed)).toEqual(words(composed));
    expect(places(decomposed)).toEqual(places(composed).map((word) => word.normalize('NFD')));
  });

  it('cuts Thai by dictionary; the pieces stand one after the other and make up the text', () => {
    const text = 'ชาวนาย้ายต้นกล้าข้าวไปปลูกในนา';
    const found = wordTokens(text, 8);
    expect(found.length).toBeGreaterThan(4);
    expect(found.map(({ token }) => token)).toContain('ข้าว'.normalize('NFKC'));
    expect(found.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  });

  it('writes the two sigmas of Greek alike', () => {
    expect(words('ΛΌΓΟΣ λόγος')).toEqual(['λόγοσ', 'λόγοσ']);
  });

  it('finds nothing in signs and spaces', () => {
    expect(wordTokens('  — ... ?!🙂 ', 8)).toEqual([]);
    expect(wordTokens('', 8)).toEqual([]);
  });

  it('has places that rise, lie in the text and are never empty, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        let last = 0;
        for (const { token, start, end } of wordTokens(text, 6)) {
          expect(token).not.toBe('');
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          last = start;
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});
