/** Is RTF text whatever its code page, and never its machinery? */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DocumentContent } from './parsed-document.ts';
import { parseRtf } from './rtf.ts';

const read = (rtf: string): DocumentContent => parseRtf(Buffer.from(rtf, 'latin1'), 'a.rtf');
const texts = (rtf: string): string[] => read(rtf).blocks.map(({ text }) => text);

test('bytes are decoded by the code page of the document or of the font, two at a time where it has such characters', () => {
  expect(texts("{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\'e8\\par}")).toEqual(['При']);
  expect(texts("{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset128 Mincho;}{\\f2\\fcharset178 Arab;}}\\f1\\'93\\'fa\\f0 a\\'e9 {\\f2\\'d3}\\par}")).toEqual(['日aé س']);
  expect(texts("{\\rtf1\\ansi\\ansicpg932 \\'96\\{\\'83\\\\\\'95\\'5c}")).toEqual(['本ソ表']); // second halves that are signs of RTF
  expect(texts('{\\rtf1\\mac \\\'8e\\par}')).toEqual(['é']);
});

test('Unicode escapes stand for their characters, and what stands in for them is passed over', () => {
  expect(texts("{\\rtf1\\ansi\\uc1 \\u3652?\\u3607?\\u3618? x\\par}")).toEqual(['ไทย x']);
  expect(texts("{\\rtf1\\ansi {\\uc2\\u233\\'65\\'65}b{\\uc0\\u233}c\\par}")).toEqual(['ébéc']);
  expect(texts('{\\rtf1\\ansi\\u-10179?\\u-8694?\\par}')).toEqual(['😊']);
  expect(texts('{\\rtf1\\ansi{\\upr{\\\'3f}{\\*\\ud\\u1103?}}\\par}')).toEqual(['я']);
});

test('headings, lists, tables, notes and pages are blocks; fonts, pictures, fields and deleted text are not', () => {
  const { title, blocks } = read('{\\rtf1\\ansi{\\stylesheet{\\s1 heading 1;}{\\s7\\outlinelevel1 Mine;}}{\\info{\\title The title}{\\author no}}{\\*\\generator no;}{\\header no\\par}\\pard\\s1 One\\par\\pard\\s7 Two\\par\\pard text{\\footnote \\pard note}{\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt  link}}{\\pict\\bin3 }}}}{\\deleted gone}\\par\\pard\\ls1{\\listtext *\\tab}item\\par\\trowd\\pard\\intbl a\\cell b\\cell\\row\\pard\\page after\\par}');
  expect(title).toBe('The title');
  expect(blocks.map(({ kind, text, location }) => [kind, text, location.headings.length, location.page])).toEqual([
    ['heading', 'One', 0, undefined], ['heading', 'Two', 1, undefined], ['paragraph', 'text link', 2, undefined], ['note', 'note', 2, undefined], ['list', 'item', 2, undefined], ['paragraph', 'a | b', 2, undefined], ['paragraph', 'after', 2, 2],
  ]);
});

test('signs by name and by escape are themselves', () => {
  expect(texts('{\\rtf1 \\{a\\}\\\\ \\lquote b\\rquote\\emdash\\~c\\-d\\_e\\line f\\tab g\\\nh}')).toEqual(['{a}\\ ‘b’—\u00A0c\u00ADd\u2011e\nf\tg', 'h']);
});

test('whatever is broken, reading ends and gives the text there is', () => {
  expect(texts('{\\rtf1 cut')).toEqual(['cut']);
  expect(texts(`{\\rtf1 ${'{'.repeat(100_000)}deep`)).toEqual([]);
  const part = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('{', '}', '\\par ', "\\'e9", '\\u233?', '\\*', '\\bin9 ', '\\f1', '\\fonttbl', '\\stylesheet', '\\intbl ', '\\cell ', '\\row ', '{\\footnote ', '\\uc3 ', '\\u-1', '{\\info{\\title '));
  fc.assert(fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
    for (const { text } of read(`{\\rtf1${parts.join('')}`).blocks) expect([text.trim(), text.isWellFormed()]).toEqual([text, true]);
  }), { numRuns: 500 });
});
