/** Facts about the model's normal form, text repair and search folding. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countDamage, foldForSearch, foldWithOffsets, normaliseForModel, originalSpan, repairText } from './normalise.ts';

const SEED = 20261120;

/** Code points of many blocks with their marks, controls and oddities; lone surrogates included. */
const scripts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: fc.constantFrom(...'iIİıßẞΣςσ’ʼʻꞌꞋ\u0307\u0301\u0323\u0328\u0654\u064E\u0640\u05B0אباक\u094D\u093Fี่ำกߊ߫ᄀ\u1161\u11A8\u200B\u200D\u00AD▁ \t\u00A0´ͺǰΐ'), maxLength: 10 }),
);

describe('normaliseForModel', () => {
  it('keeps every sign of scripts whose marks are letters', () => {
    for (const text of ['हिन्दी क्षत्रिय', 'తెలుగు క్షేత్రం', 'ភាសាខ្មែរ', 'தமிழ்', 'ߒߞߏ ߞߊ߲ߜߍ߫', 'မြန်မာဘာသာ']) expect(normaliseForModel(text)).toBe(text);
  });
  it('keeps vowels and points of Arabic and Hebrew, and the joiners of Persian', () => {
    expect(normaliseForModel('كِتَابٌ')).toBe('كِتَابٌ');
    expect(normaliseForModel('שָׁלוֹם')).toBe('שָׁלוֹם'.normalize('NFKC'));
    expect(normaliseForModel('می\u200Cخواهم')).toBe('می\u200Cخواهم');
  });
  it('writes sara am as its two signs and keeps the rest of Thai', () => {
    expect(normaliseForModel('ที่ดีทำ')).toBe('ที่ดีท\u0E4D\u0E32');
  });
  it('folds case across İ, final sigma, sharp s and composed capitals', () => {
    expect(normaliseForModel('İSTANBUL istanbul i̇stanbul')).toBe('istanbul istanbul istanbul');
    expect(normaliseForModel('ΟΔΟΣ οδος οδός')).toBe('οδοσ οδοσ οδόσ');
    expect(normaliseForModel('STRASSE Straße STRAẞE')).toBe('strasse strasse strasse');
    expect(normaliseForModel('J\u030C')).toBe('ǰ');
    expect(normaliseForModel('ısı')).toBe('ısı');
  });
  it('makes NFC and NFD Yoruba one text without losing tone or dots', () => {
    expect(normaliseForModel('Ọ̀rọ̀ Yorùbá'.normalize('NFD'))).toBe(normaliseForModel('Ọ̀rọ̀ Yorùbá'.normalize('NFC')));
    expect(normaliseForModel('Ọ̀rọ̀')).toBe('ọ̀rọ̀'.normalize('NFC'));
  });
  it('reads all apostrophes as one', () => {
    expect(new Set(['oʻzbek', 'oʼzbek', 'o’zbek', 'o‘zbek', "o'zbek", 'oꞌzbek'].map(normaliseForModel))).toEqual(new Set(["o'zbek"]));
  });
  it('collapses white space, drops controls and invisible signs, reads ▁ as a space', () => {
    expect(normaliseForModel(' a\t\n b\u00A0\u3000c\u0000d\u00ADe\uFEFF\u200Bf▁g ')).toBe('a b cdef g');
  });
  it('is idempotent on random text of many scripts', () => {
    fc.assert(fc.property(scripts, (text) => {
      const once = normaliseForModel(text);
      expect(normaliseForModel(once)).toBe(once);
    }), { numRuns: 3000, seed: SEED });
  });
  it('is idempotent on every code point alone, and before and after an accent', () => {
    let seen = 0;
    for (let codePoint = 0; codePoint <= 0x1ffff; codePoint += 1) {
      const character = String.fromCodePoint(codePoint);
      for (const text of [character, `${character}\u0307`, `i${character}`]) {
        const once = normaliseForModel(text);
        if (normaliseForModel(once) !== once) expect.fail(`U+${codePoint.toString(16)} is not idempotent`);
        seen += 1;
      }
    }
    expect(seen).toBe(3 * 0x20000);
  });
});

describe('countDamage and repairText', () => {
  it('count half surrogate pairs and replacement characters', () => {
    expect(countDamage('a\uD800b\uDC00\uD83D\uDE00\uFFFD')).toEqual({ loneSurrogates: 2, replacementCharacters: 1 });
    expect(countDamage('plain')).toEqual({ loneSurrogates: 0, replacementCharacters: 0 });
  });
  it('repair to well-formed NFC without touching case, spaces or line ends', () => {
    expect(repairText('E\u0301\uD800\u0007  A\n')).toBe('É\uFFFD  A\n');
    fc.assert(fc.property(scripts, (text) => {
      const once = repairText(text);
      expect(repairText(once)).toBe(once);
      expect(once.isWellFormed()).toBe(true);
    }), { numRuns: 1000, seed: SEED });
  });
});

describe('foldForSearch', () => {
  it('takes marks off Latin, Greek and Cyrillic letters only', () => {
    expect(foldForSearch('Ọ̀rọ̀ Yorùbá Ñandú οδός Ёлка')).toBe('oro yoruba nandu οδοσ елка');
    for (const text of ['हिन्दी', 'తెలుగు', 'ที่ทำ', 'ភាសាខ្មែរ', 'ߞߊ߲ߜߍ߫']) expect(foldForSearch(text)).toBe(text.normalize('NFC'));
  });
  it('lets vocalised and bare Arabic and Hebrew meet, and keeps hamza', () => {
    expect(foldForSearch('كِتَـــابٌ')).toBe('كتاب');
    expect(foldForSearch('שָׁלוֹם')).toBe('שלום');
    expect(foldForSearch('أحمد')).toBe('أحمد');
  });
  it('folds IPA to its letters: no tie bars, no tone accents, but length and aspiration', () => {
    expect(foldForSearch('ˈt͡ʃaː.kʰə̃')).toBe('ˈtʃaː.kʰə');
  });
  it('makes NFC and NFD meet and all apostrophes one', () => {
    fc.assert(fc.property(scripts, (text) => {
      const wellFormed = text.toWellFormed();
      expect(foldForSearch(wellFormed.normalize('NFD'))).toBe(foldForSearch(wellFormed.normalize('NFC')));
    }), { numRuns: 2000, seed: SEED });
    expect(foldForSearch('p’unchay pʼunchay')).toBe("p'unchay p'unchay");
  });
  it('is idempotent', () => {
    fc.assert(fc.property(scripts, (text) => {
      const once = foldForSearch(text);
      expect(foldForSearch(once)).toBe(once);
    }), { numRuns: 3000, seed: SEED });
  });
});

describe('foldWithOffsets', () => {
  it('gives the same text as foldForSearch, with rising places inside the original', () => {
    fc.assert(fc.property(scripts, (text) => {
      const folded = foldWithOffsets(text);
      expect(folded.text).toBe(foldForSearch(text));
      expect(folded.starts.length).toBe(folded.text.length);
      for (let i = 0; i < folded.starts.length; i += 1) {
        expect(folded.ends[i] ?? 0).toBeGreaterThan(folded.starts[i] ?? 0);
        expect(folded.ends[i] ?? 0).toBeLessThanOrEqual(text.length);
        if (i > 0) expect(folded.starts[i] ?? 0).toBeGreaterThanOrEqual(folded.starts[i - 1] ?? 0);
      }
    }), { numRuns: 3000, seed: SEED });
  });
  it('puts a highlight on whole letters with their marks', () => {
    const original = 'Ìlú ọ̀rọ̀ Straße'.normalize('NFD');
    const folded = foldWithOffsets(original);
    const word = originalSpan(folded, folded.text.indexOf('oro'), folded.text.indexOf('oro') + 3);
    expect(original.slice(word.start, word.end).normalize('NFC')).toBe('ọ̀rọ̀'.normalize('NFC'));
    const half = originalSpan(folded, folded.text.indexOf('ss'), folded.text.indexOf('ss') + 1);
    expect(original.slice(half.start, half.end)).toBe('ß');
    expect(originalSpan(folded, folded.text.length, folded.text.length)).toEqual({ start: original.length, end: original.length });
  });
});
