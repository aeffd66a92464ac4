/** Do chunks hold the whole text, in place, within the limit, and never half a character? */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkDocument } from './chunker.ts';
import { parseHtml } from './html.ts';
import { parseMarkdown } from './markdown.ts';
import { documentText } from './parsed-document.ts';
import type { Block } from './parsed-document.ts';
import { parsePlainText } from './plain-text.ts';
import { parseTsv } from './tables.ts';

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const graphemeStarts = (text: string): Set<number> => new Set([...[...graphemes.segment(text)].map(({ index }) => index), text.length]);
const withoutSpace = (text: string): string => text.replace(/\s+/g, '');

/** What must be true of the chunks of any document. */
function expectSound(blocks: readonly Block[], limit: number): readonly string[] {
  const text = documentText({ blocks });
  const chunks = chunkDocument({ blocks }, { limit });
  const starts = graphemeStarts(text);
  let last = 0;
  for (const { text: chunk, location } of chunks) {
    expect(chunk).toBe(text.slice(location.start, location.end));
    expect(location.start).toBeGreaterThanOrEqual(last);
    expect(starts.has(location.start)).toBe(true);
    last = location.end;
  }
  expect(chunks.map((chunk) => withoutSpace(chunk.text)).join('')).toBe(withoutSpace(text));
  return chunks.map((chunk) => chunk.text);
}

describe('chunkDocument', () => {
  test('short paragraphs are joined up to the limit', () => {
    const { blocks } = parsePlainText(Array.from({ length: 10 }, (_, i) => `${i} ${'word '.repeat(59).trim()}.`).join('\n\n'));
    const chunks = expectSound(blocks, 1000);
    expect(chunks.length).toBe(4);
    expect(chunks.every((chunk) => chunk.length <= 1000)).toBe(true);
  });

  test('a long paragraph is cut between sentences, into parts of about equal size', () => {
    const sentence = `${'word '.repeat(19)}end.`;
    const chunks = expectSound(parsePlainText(Array.from({ length: 12 }, () => sentence).join(' ')).blocks, 1000);
    expect(chunks.length).toBe(2);
    expect(chunks.every((chunk) => chunk.endsWith('end.'))).toBe(true);
    expect(Math.abs((chunks[0]?.length ?? 0) - (chunks[1]?.length ?? 0))).toBeLessThan(110);
  });

  test('a sentence without an end is cut between words, a word without an end between characters', () => {
    const words = expectSound(parsePlainText('word '.repeat(1000)).blocks, 1000);
    expect(words.length).toBe(5);
    expect(words.every((chunk) => /^(?:word )*word$/.test(chunk) && chunk.length <= 1000)).toBe(true);
    const letters = expectSound(parsePlainText('x'.repeat(5000)).blocks, 1000);
    expect(letters.length).toBeGreaterThanOrEqual(5);
    expect(letters.every((chunk) => chunk.length <= 1000)).toBe(true);
  });

  test('scripts without spaces, marks, joined emoji and flags are never cut inside a character', () => {
    for (const text of ['ภาษาไทยไม่มีช่องว่างระหว่างคำ'.repeat(80), 'नमस्ते क्षत्रिय '.repeat(200), '👩‍👩‍👧‍👦🇰🇪'.repeat(300), 'a\u0301\u0323'.repeat(1500), '日本語の文章です。'.repeat(200)]) {
      const chunks = expectSound(parsePlainText(text).blocks, 300);
      expect(chunks.length).toBeGreaterThan(1);
      expect(chunks.every((chunk) => chunk.length <= 300)).toBe(true);
    }
  });

  test('one visible character longer than the limit stays whole', () => {
    const zalgo = `a${'\u0301'.repeat(5000)}`;
    expect(expectSound(parsePlainText(`${zalgo} b`).blocks, 200)).toContain(zalgo);
  });

  test('a heading begins a chunk and stays with its text; a long section repeats nothing', () => {
    const { blocks } = parseMarkdown(`# One\n\n${'First text. '.repeat(30)}\n\n# Two\n\n${'Second text. '.repeat(200)}`);
    const chunks = chunkDocument({ blocks });
    expectSound(blocks, 1000);
    expect(chunks[0]?.text.startsWith('One\n\nFirst')).toBe(true);
    expect(chunks[1]?.text.startsWith('Two\n\nSecond')).toBe(true);
    expect(chunks[2]?.location.headings).toEqual(['Two']);
    expect(chunks.every(({ text }) => text.length <= 1000)).toBe(true);
  });

  test('rows of a table are chunks of their own with their row', () => {
    const { blocks } = parseTsv('a\tb\n\nc\td\n');
    expect(chunkDocument({ blocks }).map(({ text, location }) => [text, location.row, location.line])).toEqual([['a | b', 1, 1], ['c | d', 3, 3]]);
  });

  test('the line of a chunk is the line it begins on in the file', () => {
    const lines = Array.from({ length: 100 }, (_, i) => `Sentence number ${i + 3} stands on its own line.`);
    const chunks = chunkDocument(parsePlainText(`\n\n${lines.join('\n')}`), { limit: 400 });
    expect(chunks.length).toBeGreaterThan(8);
    for (const { text, location } of chunks) expect(text.startsWith(`Sentence number ${location.line} `)).toBe(true);
  });

  test('Han, kana and Hangul weigh three characters; another measure can be given', () => {
    expect(chunkDocument(parsePlainText('中文句子。'.repeat(100))).length).toBe(2);
    expect(chunkDocument(parsePlainText('word. '.repeat(30)), { limit: 10, measure: (text) => text.split(' ').filter((word) => word !== '').length }).length).toBe(3);
  });

  test('a language that is no tag, as pages declare them, is no error', () => {
    const { blocks } = parseHtml('<html lang="english (US)!"><p>Text.</p>');
    expect(chunkDocument({ blocks, language: 'english (US)!' }).length).toBe(1);
  });

  test('many lines in one paragraph are counted in one go', () => {
    const chunks = chunkDocument(parsePlainText('a line of eight words stands in here\n'.repeat(50_000)));
    expect(chunks.length).toBeGreaterThan(1000);
    for (const { text, location } of chunks) expect(location.start).toBe((location.line - 1) * 37 + (text.startsWith('a line') ? 0 : NaN));
  });

  test('a line of 2 MB without spaces is cut like any other', () => {
    const chunks = chunkDocument(parsePlainText('abcdefghi.'.repeat(200_000)));
    expect(chunks.length).toBeGreaterThan(1900);
    expect(chunks.map(({ text }) => text.length).reduce((a, b) => a + b)).toBe(2_000_000);
  });

  test('any text in any format keeps all its characters in order', () => {
    const piece = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 10 }), fc.constantFrom('\n', '\n\n', '# ', '. ', ' ', 'word ', '\u0301', '\u200D', '🇰🇪', 'ที่', '。'));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')), fc.integer({ min: 1, max: 120 }), fc.constantFrom(parsePlainText, parseMarkdown, parseHtml, parseTsv), (text, limit, parse) => {
        expectSound(parse(text).blocks, limit);
      }),
      { numRuns: 300 },
    );
  });
});

describe('places of chunks', () => {
  const block = (text: string, location: Partial<Block['location']>, more: Partial<Block> = {}): Block => ({ kind: 'paragraph', text, location: { line: 0, headings: [], ...location }, ...more });

  test('a chunk over pages says where it begins and where it ends; one within a page does not', () => {
    const chunks = chunkDocument({ blocks: [block('a', { page: 1 }), block('b', { page: 2 }), block('c'.repeat(995), { page: 3 })] });
    expect(chunks.map(({ location }) => [location.page, location.last?.page])).toEqual([[1, 2], [3, undefined]]);
  });

  test('verses and utterances stand alone, with their time, speaker, language and what is aligned; a long one keeps them in each part', () => {
    const spoken = { timeMs: { start: 1000, end: 2000 }, speaker: 'Asha', tier: 'A' };
    const aligned = [{ language: 'en', text: 'water' }];
    const chunks = chunkDocument({ blocks: [block('maji', spoken, { kind: 'segment', aligned, language: 'sw' }), block('In the beginning', { verse: 'GEN 1:1' }, { kind: 'segment' }), block('word '.repeat(300).trim(), { ...spoken, line: 7 }, { kind: 'segment', language: 'en' })] });
    expect(chunks.slice(0, 2)).toEqual([
      { text: 'maji', location: { line: 0, headings: [], ...spoken, start: 0, end: 4 }, aligned, language: 'sw' },
      { text: 'In the beginning', location: { line: 0, headings: [], verse: 'GEN 1:1', start: 6, end: 22 } },
    ]);
    expect(chunks.slice(2).map(({ location, language }) => [location.timeMs, location.line, language])).toEqual([[spoken.timeMs, 7, 'en'], [spoken.timeMs, 7, 'en']]);
  });

  test('slides are not mixed; joined blocks share what they have in common', () => {
    const chunks = chunkDocument({ blocks: [block('a', { slide: 1 }), block('b', { slide: 1 }), block('c', { slide: 2 })] });
    expect(chunks.map(({ text, location }) => [text, location.slide])).toEqual([['a\n\nb', 1], ['c', 2]]);
    const [joined] = chunkDocument({ blocks: [block('a', { timeMs: { start: 1, end: 2 } }, { language: 'sw', aligned: [{ language: '', text: 'x' }] }), block('b', { timeMs: { start: 3, end: 9 } }, { language: 'en', aligned: [{ language: '', text: 'y' }] })] });
    expect([joined?.location.timeMs, joined?.language, joined?.aligned?.length]).toEqual([{ start: 1, end: 9 }, undefined, 2]);
  });
});
