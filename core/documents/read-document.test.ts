/** Do documents of every format come out as text with its places, and are other files refused for what they are? */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../base/errors.ts';
import { documentExtensions, documentFormats, formatOfName } from './formats.ts';
import { parseHtml } from './html.ts';
import { parseMarkdown } from './markdown.ts';
import type { Block, ParsedDocument } from './parsed-document.ts';
import { readDocument } from './read-document.ts';
import { parseCsv, parseTsv } from './tables.ts';

const never = new AbortController().signal;

async function read(name: string, content: string | Uint8Array, encoding?: string): Promise<ParsedDocument> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-documents-'));
  await writeFile(join(folder.path, name), content);
  return await readDocument(join(folder.path, name), never, encoding === undefined ? {} : { encoding });
}

const short = (blocks: readonly Block[]): (string | number)[][] => blocks.map(({ kind, text, location }) => [kind, text, location.line]);
const texts = (blocks: readonly Block[]): string[] => blocks.map(({ text }) => text);

describe('plain text', () => {
  test('paragraphs keep their line breaks and the line they begin on', async () => {
    const { format, title, blocks } = await read('field notes.txt', '\n\nFirst line\r\nsecond line\r\n\r\n \r\n  Third \n');
    expect([format, title]).toEqual(['text', 'field notes']);
    expect(short(blocks)).toEqual([['paragraph', 'First line\nsecond line', 3], ['paragraph', 'Third', 7]]);
  });

  test('gzip, UTF-16 with a mark, and a given encoding are read', async () => {
    expect(texts((await read('a.txt.gz', gzipSync('añu'))).blocks)).toEqual(['añu']);
    expect(texts((await read('a.txt', Buffer.from('\uFEFFañu', 'utf16le'))).blocks)).toEqual(['añu']);
    expect(texts((await read('a.txt', Buffer.from('añu', 'latin1'), 'windows-1252')).blocks)).toEqual(['añu']);
  });

  test('bytes that are not text are reported with their number and first line, the rest is read', async () => {
    const { blocks, problems } = await read('a.txt', Buffer.concat([Buffer.from('fine ñ\n\n'), Buffer.from('ba\xf1 and \xf1\n', 'latin1')]));
    expect(texts(blocks)).toEqual(['fine ñ', 'ba\uFFFD and \uFFFD']);
    expect(problems).toMatchObject([{ code: 'documents.invalid-bytes', line: 3 }]);
    expect(problems[0]?.message).toContain('2 places');
  });

  test('a text that never was UTF-8 is read in the older encoding that fits, and that is said; where several may fit, nothing is made up', async () => {
    for (const [text, bytes, encoding] of [['ñandú: "déjà vu" – œuvre', Buffer.from('\xf1and\xfa: "d\xe9j\xe0 vu" \x96 \x9cuvre', 'latin1'), 'windows-1252'], ['żółw śpi', Buffer.from('\xbf\xf3\xb3w \x9cpi', 'latin1'), 'windows-1250']] as const) {
      const { blocks, problems } = await read('a.txt', bytes);
      expect([texts(blocks), problems.map(({ code }) => code)]).toEqual([[text], ['documents.guessed-encoding']]);
      expect(problems[0]?.message).toContain(encoding);
    }
    const { problems } = await read('a.txt', Buffer.from('\xef\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0', 'latin1')); // Cyrillic, Greek or Hebrew
    expect(problems).toMatchObject([{ code: 'documents.invalid-bytes', line: 1 }]);
  });
});

describe('Markdown', () => {
  test('headings, paragraphs, lists and code are blocks with the headings above them', () => {
    const { title, language, blocks } = parseMarkdown('---\ntitle: "Notes"\nlang: sw\n---\n# One #\n\nText *with* [a link](http://x.y/z "t") and `code`.\nMore.\n## Two\n- first\n- second\n  more\n\n```js\n# no heading\n\nx\n```\nThree\n=====\n> quoted **words**\n---\n| a | b |\n|---|---|\n| 1 | 2 |\n');
    expect([title, language]).toEqual(['Notes', 'sw']);
    expect(blocks.map(({ kind, text, location }) => [kind, text, location.line, location.headings.join('/')])).toEqual([
      ['heading', 'One', 5, ''],
      ['paragraph', 'Text with a link and code.\nMore.', 7, 'One'],
      ['heading', 'Two', 9, 'One'],
      ['list', '- first\n- second\n  more', 10, 'One/Two'],
      ['code', '# no heading\n\nx', 15, 'One/Two'],
      ['heading', 'Three', 19, ''],
      ['paragraph', 'quoted words', 21, 'Three'],
      ['paragraph', '| a | b |\n| 1 | 2 |', 23, 'Three'],
    ]);
  });

  test('underscores inside words, apostrophes and unclosed marks stay', () => {
    expect(texts(parseMarkdown("a_b_c o'odham 2*3*4 *open k'iche' <b>bold</b> \\*not\\*").blocks)).toEqual(["a_b_c o'odham 2*3*4 *open k'iche' bold *not*"]);
  });

  test('a fence that is never closed is code to the end', () => {
    expect(short(parseMarkdown('text\n~~~\ncode\n\nmore').blocks)).toEqual([['paragraph', 'text', 1], ['code', 'code\n\nmore', 3]]);
  });
});

describe('HTML', () => {
  test('only text is kept: no script, style, template, comment or attribute', () => {
    const { title, language, blocks } = parseHtml('<!DOCTYPE html>\n<html lang="yo"><head><title> Ìwé &amp; more </title><style>p{}</style><script>alert("x<p>")</script></head>\n<body onload="x()"><h1>Head&shy;ing</h1><p>One <b>bold</b>&nbsp;<i>word</i>,<br>next</p><noscript>no</noscript><template>no</template><svg><text>no</text></svg><!-- no --><p hidden>no</p><iframe src="http://x">no</iframe><p>Two</p></body></html>');
    expect([title, language]).toEqual(['Ìwé & more', 'yo']);
    expect(blocks.map(({ kind, text, location }) => [kind, text, location.line, location.headings])).toEqual([
      ['heading', 'Head\u00ADing', 3, []],
      ['paragraph', 'One bold\u00A0word,\nnext', 3, ['Head\u00ADing']],
      ['paragraph', 'Two', 3, ['Head\u00ADing']],
    ]);
  });

  test('tables, lists and preformatted text keep their form', () => {
    const { blocks } = parseHtml('<table><tr><th>Word</th><td>maji</td></tr></table><ul><li>one<li>two</ul><pre>a\n  b</pre>');
    expect(short(blocks).map(([kind, text]) => [kind, text])).toEqual([['paragraph', 'Word | maji'], ['list', 'one'], ['list', 'two'], ['code', 'a\n  b']]);
  });

  test('a head that is never closed does not swallow the page', () => {
    expect(texts(parseHtml('<head><title>T</title><body><p>seen</p>').blocks)).toEqual(['seen']);
  });

  test('the encoding comes from the byte order mark, else from the page itself', async () => {
    const page = (charset: string): string => `<html><head><meta charset="${charset}"></head><p>añu</p>`;
    expect(texts((await read('a.html', Buffer.from(page('windows-1252'), 'latin1'))).blocks)).toEqual(['añu']);
    expect(texts((await read('a.html', `\uFEFF${page('windows-1252')}`)).blocks)).toEqual(['añu']);
    expect(texts((await read('a.html', page('utf-16'))).blocks)).toEqual(['añu']);
    expect(texts((await read('a.html', page('nonsense'))).blocks)).toEqual(['añu']);
  });

  test('a page saved as .txt is read as a page', async () => {
    const { format, blocks } = await read('saved.txt', '<!DOCTYPE html><title>x</title><p>text</p>');
    expect([format, texts(blocks)]).toEqual(['html', ['text']]);
  });

  test('nesting is only text, and a page nested without end is read up to the limit', () => {
    expect(parseHtml(`${'<div>'.repeat(9000)}deep`)).toMatchObject({ blocks: [{ text: 'deep' }], problems: [] });
    expect(parseHtml(`before${'<div>\n'.repeat(2_000_000)}deep`)).toMatchObject({ blocks: [{ text: 'before' }], problems: [{ code: 'documents.too-deep', line: 10_001 }] });
  });
});

describe('input made to be slow', () => {
  const size = 400_000;
  const filled = (piece: string): string => piece.repeat(size / piece.length);

  test.each(['<p>a', '&amp;', '<td>', '<b>a', ' ', '<!--', '<li>x', '<br>'])('a page of %j is read in one go', (piece) => {
    expect(parseHtml(`<p>start</p>${filled(piece)}`).blocks[0]?.text).toMatch(/^start/);
  });

  test.each(['# ', '* ', '- a\n', '[', '](', '<!--', '**a', '_a', '`', '> ', '| ', ' ', '\\*', '<a'])('a text of %j is read in one go', (piece) => {
    expect(parseMarkdown(`start\n\n${filled(piece)}x`).blocks[0]?.text).toBe('start');
    expect(parseMarkdown(`start\n\n# ${filled(piece)}x`).blocks[0]?.text).toBe('start');
  });

  test.each(['"', 'a,', '"a"b', '"\n'])('a table of %j is read in one go', (piece) => {
    expect(parseCsv(`start,b\n${filled(piece)}`, 'a.csv').blocks[0]?.text).toBe('start | b');
  });
});

describe('tables', () => {
  test('each CSV row is a block with row and line, quoted line ends included', () => {
    const { blocks, problems } = parseCsv('name;note\n"A;B";"two\nlines ""quoted"""\n\nc;d\n', 'a.csv');
    expect(blocks.map(({ kind, text, location }) => [kind, text, location.row, location.line])).toEqual([['row', 'name | note', 1, 1], ['row', 'A;B | two\nlines "quoted"', 2, 2], ['row', 'c | d', 4, 5]]);
    expect(problems).toEqual([]);
  });

  test('a quotation mark that is never closed is reported where it opens, and swallows nothing', () => {
    const { blocks, problems } = parseCsv('a,b\nc,"d\ne,f\ng,h\n', 'a.csv');
    expect(problems).toMatchObject([{ code: 'documents.unclosed-quote', line: 2, found: 'c,"d' }]);
    expect(blocks.map(({ text, location }) => [text, location.row, location.line])).toEqual([['a | b', 1, 1], ['c | "d', 2, 2], ['e | f', 3, 3], ['g | h', 4, 4]]);
  });

  test('in TSV a quotation mark is a character like any other', () => {
    expect(parseTsv('a\t"b\n\nc\td').blocks.map(({ text, location }) => [text, location.row])).toEqual([['a | "b', 1], ['c | d', 3]]);
  });
});

describe('files that are not what they are called', () => {
  test('broken PDF and ZIP called .txt or .md are refused as what they are', async () => {
    await expect(read('a.txt', Buffer.from('%PDF-1.7\n%\xe2\xe3', 'latin1'))).rejects.toMatchObject({ family: 'input', code: 'documents.damaged-pdf' });
    await expect(read('a.md', Buffer.from('PK\u0003\u0004\u0014\u0000'))).rejects.toMatchObject({ family: 'input', code: 'documents.damaged-zip' });
  });

  test('programs and noise called .txt, .csv, .html, .pdf or .docx are refused for what they are', async () => {
    for (const [name, content, words] of [
      ['a.pdf', Buffer.from('MZ\u0090\u0000\u0003\u0000'), 'Windows program'],
      ['a.docx', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]), 'Linux program'],
      ['a.csv', Buffer.from('MZ\u0090\u0000\u0003\u0000'), 'Windows program'],
      ['a.html', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]), 'Linux program'],
      ['a.txt', Buffer.from(Uint8Array.from({ length: 2000 }, (_, i) => (i * 2654435761) >>> 11)), 'NUL bytes'],
    ] as const) {
      await expect(read(name, content)).rejects.toMatchObject({ family: 'input', code: 'documents.binary-file' });
      await expect(read(name, content)).rejects.toThrow(words);
    }
  });

  test('old Office files, and new ones with a password, are named; what is only called .doc is read as what it is', async () => {
    const ole = Buffer.from('d0cf11e0a1b11ae1'.padEnd(4096, '0'), 'hex');
    for (const name of ['a.doc', 'a.xls', 'a.docx', 'a.txt']) await expect(read(name, ole)).rejects.toMatchObject({ family: 'input', code: 'documents.old-office' });
    expect((await read('a.doc', '{\\rtf1 text\\par}')).format).toBe('rtf');
    expect((await read('a.xls', '<html><body><p>x')).format).toBe('html');
    expect((await read('a.doc', 'notes')).format).toBe('text');
  });

  test('empty files, pages without text and unknown endings are refused', async () => {
    await expect(read('a.txt', '')).rejects.toMatchObject({ code: 'documents.empty-file' });
    await expect(read('a.html', '<p> </p>')).rejects.toMatchObject({ code: 'documents.empty-file' });
    await expect(read('a.docx', 'x')).rejects.toMatchObject({ code: 'documents.wrong-content' });
    await expect(read('a.xyz', 'x')).rejects.toMatchObject({ code: 'documents.unknown-format' });
    await expect(read('a.txt', Buffer.from('text\n', 'utf16le'))).rejects.toMatchObject({ code: 'documents.utf-16-without-bom' });
  });

  test('every ending belongs to one format', () => {
    expect(documentExtensions.length).toBeGreaterThan(Object.keys(documentFormats).length);
    expect(new Set(documentExtensions).size).toBe(documentExtensions.length);
    for (const [name, { extensions }] of Object.entries(documentFormats)) for (const extension of extensions) expect(formatOfName(`A.B${extension.toUpperCase()}`)).toBe(name);
    expect(formatOfName('README')).toBe(null);
  });

  test('no content makes a reader throw another error than an input error', async () => {
    const piece = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('<p>', '</p>', '<li>', '<script>', '<!--', '```\n', '# ', '---\n', '"', ',', '\n', '\n\n', '&amp', '[a](', '**', '<td>', '\0'));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...documentExtensions), fc.array(piece).map((parts) => parts.join('')), async (extension, content) => {
        try {
          const { blocks } = await read(`a${extension}`, content);
          expect(blocks.length).toBeGreaterThan(0);
          for (const { text, location } of blocks) {
            expect(text).toBe(text.trim());
            expect(text).not.toBe('');
            expect(location.line).toBeGreaterThanOrEqual(0);
            expect(location.line).toBeLessThanOrEqual(content.split(/\r\n|\r|\n/).length);
          }
        } catch (thrown) {
          if (!(thrown instanceof InputError)) throw thrown;
        }
      }),
      { numRuns: 150 },
    );
  });
});
