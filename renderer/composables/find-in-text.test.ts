/** Are typed words found in a text, whichever keyboard wrote them? */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInText } from './find-in-text.ts';

describe('typed words', () => {
  it('are found everywhere, small or capital', () => {
    expect(findInText('Ziwa na ziwa', 'ZIWA')).toEqual([{ start: 0, end: 4 }, { start: 8, end: 12 }]);
    expect(findInText('الماء والماء', 'ماء')).toHaveLength(2);
  });

  it('are found composed and decomposed alike, with the place in the text as it is', () => {
    const decomposed = 'Ng\u0303a\u0301ma';
    expect(findInText(decomposed, 'g\u0303\u00e1')).toEqual([{ start: 1, end: 5 }]);
    expect(findInText('caf\u00e9', 'e\u0301')).toEqual([{ start: 3, end: 4 }]);
    expect(findInText('𞤀𞤁 x', 'X')).toEqual([{ start: 5, end: 6 }]);
  });

  it('that are empty or not there are found nowhere', () => {
    expect(findInText('abc', '')).toEqual([]);
    expect(findInText('', 'a')).toEqual([]);
    expect(findInText('abc', 'abcd')).toEqual([]);
  });

  it('stand in order, inside the text, without overlap', () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('a', 'á', 'A', 'a\u0301', 'ß', 'İ', '𞤀', ' '), maxLength: 30 }), fc.string({ unit: fc.constantFrom('a', 'á', 'ß', 'i'), minLength: 1, maxLength: 3 }), (text, wanted) => {
      let last = 0;
      for (const { start, end } of findInText(text, wanted)) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        last = end - 1; // a letter whose parts were found twice is named by both
      }
    }), { numRuns: 200 });
  });
});
