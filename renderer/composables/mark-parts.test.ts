/** Do the parts of a marked text give the text again, each with its strongest reason? */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Highlight } from '../../main/contract/index.ts';
import { markParts } from './mark-parts.ts';

const KINDS = ['same-word', 'translated-word', 'similar-meaning'] as const;

describe('marked parts', () => {
  it('cut the text at the borders of the marks', () => {
    expect(markParts('young rice', [{ start: 6, end: 10, kind: 'translated-word' }])).toEqual([
      { text: 'young ', kind: null },
      { text: 'rice', kind: 'translated-word' },
    ]);
  });

  it('the same word wins over a translation, a translation over similar meaning', () => {
    const marks: readonly Highlight[] = [{ start: 0, end: 10, kind: 'similar-meaning' }, { start: 2, end: 6, kind: 'translated-word' }, { start: 4, end: 5, kind: 'same-word' }];
    expect(markParts('0123456789', marks).map(({ text, kind }) => `${text} ${String(kind)}`)).toEqual(['01 similar-meaning', '23 translated-word', '4 same-word', '5 translated-word', '6789 similar-meaning']);
  });

  it('marks outside the text are cut, empty ones ignored', () => {
    expect(markParts('ab', [{ start: 1, end: 99, kind: 'same-word' }, { start: 1, end: 1, kind: 'similar-meaning' }])).toEqual([{ text: 'a', kind: null }, { text: 'b', kind: 'same-word' }]);
    expect(markParts('', [{ start: 0, end: 4, kind: 'same-word' }])).toEqual([]);
  });

  it('joined, they are the text again, and neighbours differ in kind', () => {
    const mark = fc.record({ start: fc.nat(30), end: fc.nat(30), kind: fc.constantFrom(...KINDS) });
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 24 }), fc.array(mark, { maxLength: 6 }), (text, marks) => {
      const parts = markParts(text, marks);
      expect(parts.map((part) => part.text).join('')).toBe(text);
      for (const [index, part] of parts.entries()) expect(part.kind).not.toBe(parts[index + 1]?.kind);
    }));
  });
});
