/** Is the text of a PDF read in order, with its pages, and what cannot be read said? */
import { describe, expect, test } from 'vitest';
import { makePdf, readBytes, rows } from './test-documents.ts';
import type { PdfLine } from './test-documents.ts';
import { joinLines } from './pdf-layout.ts';
import type { Line } from './pdf-layout.ts';
import { textQuality } from './text-quality.ts';

const LINE = 14; // points between baselines
const lines = (x: number, top: number, ...texts: readonly string[]): PdfLine[] => texts.map((text, i) => ({ x, y: top - i * LINE, text }));
const texts = async (...pages: readonly (readonly PdfLine[])[]): Promise<string[]> => (await readBytes('a.pdf', makePdf(pages))).blocks.map(({ text }) => text);
const sentence = (n: number): string => `This is line number ${n} of a column`;

describe('the text of a PDF', () => {
  test('has pages, paragraphs and headings by their size', async () => {
    const { format, blocks, problems } = await readBytes('a.pdf', makePdf([[{ x: 72, y: 780, text: 'The heading', size: 24 }, ...lines(72, 740, 'One sentence goes', 'on here. And ends now.'), ...lines(72, 680, 'Another paragraph is here.')], lines(72, 780, 'Second page.')]));
    expect([format, problems]).toEqual(['pdf', []]);
    expect(rows(blocks, 'page', 'headings')).toEqual([
      ['heading', 'The heading', 1, []], ['paragraph', 'One sentence goes on here. And ends now.', 1, ['The heading']], ['paragraph', 'Another paragraph is here.', 1, ['The heading']], ['paragraph', 'Second page.', 2, ['The heading']],
    ]);
  });

  test('runs down one column after the other, also where the page draws them line by line', async () => {
    const left = lines(72, 700, ...Array.from({ length: 8 }, (_, i) => sentence(i)));
    const right = lines(320, 700, ...Array.from({ length: 8 }, (_, i) => sentence(i + 8)));
    const expected = Array.from({ length: 16 }, (_, i) => sentence(i)).join(' ');
    expect((await texts([...left, ...right])).join(' ')).toBe(expected);
    expect((await texts(left.flatMap((line, i) => [line, right[i] ?? line]))).join(' ')).toBe(expected);
    expect((await texts([{ x: 72, y: 760, text: 'A title that reaches over both of the two columns of the page' }, ...left.flatMap((line, i) => [line, right[i] ?? line])])).join(' ')).toBe(`A title that reaches over both of the two columns of the page ${expected}`);
  });

  test('of columns between headings and lines over the whole width stays between them', async () => {
    const columns = (top: number, first: number): PdfLine[] => [...lines(72, top, ...Array.from({ length: 5 }, (_, i) => sentence(first + i))), ...lines(320, top, ...Array.from({ length: 5 }, (_, i) => sentence(first + 5 + i)))];
    const numbers = Array.from({ length: 20 }, (_, i) => sentence(i));
    const wide = 'A line in between that reaches over both of the columns, from here to there.';
    const found = (await texts([...columns(760, 0), { x: 72, y: 660, text: 'Heading', size: 18 }, { x: 72, y: 630, text: wide }, ...columns(600, 10)])).join(' ');
    expect(found).toBe([...numbers.slice(0, 10), 'Heading', wide, ...numbers.slice(10)].join(' '));
  });

  test('of a table is read row by row', async () => {
    const cells = ['maji', 'nyumba', 'mti', 'jua', 'mwezi', 'nyota'].flatMap((word, i) => [{ x: 72, y: 700 - i * LINE, text: word }, { x: 320, y: 700 - i * LINE, text: `word ${i}` }]);
    expect((await texts(cells)).join(' ')).toBe('maji word 0 nyumba word 1 mti word 2 jua word 3 mwezi word 4 nyota word 5');
  });

  test('has words cut at the end of a line whole again, and hyphens that belong kept', async () => {
    expect(await texts(lines(72, 700, 'The transfor-', 'mation of a well-', 'known word, well-known here.'))).toEqual(['The transformation of a well-known word, well-known here.']);
    const line = (text: string): Line => ({ text, x: 0, y: 0, width: 1, size: 1, font: '', order: 0 });
    expect(joinLines([line('ภาษา'), line('ไทย')], new Set())).toBe('ภาษาไทย');
    expect(joinLines([line('soft\u00AD'), line('ly')], new Set())).toBe('softly');
    expect(joinLines([line('A-'), line('Z')], new Set())).toBe('A- Z');
  });

  test('keeps marks of notes in their line, however high they are raised', async () => {
    const raised = (by: number): PdfLine[] => [{ x: 72, y: 700, text: 'Said once' }, { x: 126, y: 700 + by, text: '1', size: 8 }, { x: 131, y: 700, text: ' and goes on' }, { x: 72, y: 686, text: 'in the next line.' }];
    expect(await texts(raised(4), raised(7))).toEqual(['Said once1 and goes on in the next line.', 'Said once1 and goes on in the next line.']);
  });

  test('has no page numbers and no heads that every page repeats', async () => {
    const pages = Array.from({ length: 5 }, (_, i) => [{ x: 72, y: 800, text: `A Grammar of It ${i + 1}` }, ...lines(72, 700, `Text of page ${['one', 'two', 'three', 'four', 'five'][i]}.`), { x: 300, y: 40, text: `- ${i + 1} -` }]);
    expect(await texts(...pages)).toEqual(['Text of page one.', 'Text of page two.', 'Text of page three.', 'Text of page four.', 'Text of page five.']);
  });
});

describe('a PDF that is not what it should be', () => {
  test('without text on any page is a scan; without on some it says which', async () => {
    await expect(texts([], [])).rejects.toMatchObject({ code: 'documents.scanned' });
    const { blocks, problems } = await readBytes('a.pdf', makePdf([lines(72, 700, 'Text.'), [], [], lines(72, 700, 'More.'), []]));
    expect(rows(blocks, 'page')).toEqual([['paragraph', 'Text.', 1], ['paragraph', 'More.', 4]]);
    expect(problems).toMatchObject([{ code: 'documents.scanned-pages', found: expect.stringContaining('pages 2-3, 5') }]);
  });

  test('in a font that says not what it means is left out, and told', async () => {
    const garbage = lines(72, 700, '=>}{][)(*&^%$#@!~<>?/ ;;,,.. ++--', '~~@@##$$%%^^&&**(())__ ||}}{{::""', 'a1!@#$%^&*()_+{}|:"<>?=-][;/.,');
    await expect(texts(garbage)).rejects.toMatchObject({ code: 'documents.unreadable-font' });
    const { blocks, problems } = await readBytes('a.pdf', makePdf([garbage, lines(72, 700, 'Fine.')]));
    expect([blocks.length, problems.map(({ code }) => code)]).toEqual([1, ['documents.unreadable-font']]);
  });

  test('with a password is told as such', async () => {
    const key = '00'.repeat(32);
    const locked = Buffer.from(makePdf([lines(72, 700, 'Secret.')]).toString('latin1').replace('trailer\n<<', `trailer\n<< /ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >>`), 'latin1');
    await expect(readBytes('a.pdf', locked)).rejects.toMatchObject({ family: 'input', code: 'documents.encrypted', message: expect.stringContaining('without a password') });
  });

  test('that is cut off gives what can be found and says so, or is damaged', async () => {
    const whole = makePdf([lines(72, 700, 'The text is here.')]);
    await expect(readBytes('a.pdf', whole.subarray(0, whole.indexOf('xref')))).rejects.toMatchObject({ code: 'documents.damaged-pdf' });
    const { blocks, problems } = await readBytes('a.pdf', whole.subarray(0, whole.indexOf('startxref')));
    expect([blocks.map(({ text }) => text), problems.map(({ code }) => code)]).toEqual([['The text is here.'], ['documents.damaged-pdf']]);
    await expect(readBytes('a.pdf', '%PDF-1.7\nnothing')).rejects.toMatchObject({ code: 'documents.damaged-pdf' });
  });

  test('whose pages contain themselves, or are said to be a billion, ends', async () => {
    const outcome = (tree: string): Promise<unknown> => readBytes('a.pdf', makePdf([lines(72, 700, 'Text.')], { tree })).then(({ blocks }) => blocks.length, ({ code }: { code: string }) => code);
    expect(await outcome('<< /Type /Pages /Kids [2 0 R] /Count 1 >>')).toMatch(/^documents\./);
    expect(await outcome('<< /Type /Pages /Kids [2 0 R 4 0 R] /Count 2 >>')).toBeDefined();
    expect(await outcome('<< /Type /Pages /Kids [4 0 R] /Count 1000000000 >>')).toBeDefined();
  });

  test('with a script, an action and a font that carries a program is only text', async () => {
    const catalog = '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\); this.submitForm\\("http://127.0.0.1:9/"\\)) >> /AA << /WC << /S /Launch /F (/bin/sh) >> >>';
    const { blocks } = await readBytes('a.pdf', makePdf([lines(72, 700, 'Only text.')], { catalog }));
    expect(blocks.map(({ text }) => text)).toEqual(['Only text.']);
    const font = Buffer.from(makePdf([lines(72, 700, 'Only text.')]).toString('latin1').replace('/BaseFont /Helvetica', '/BaseFont /X /FontMatrix [1 2 3 4 5 (0\\); globalThis.pwned = true; //)]'), 'latin1');
    expect((await readBytes('a.pdf', font)).blocks.length).toBe(1);
    expect('pwned' in globalThis).toBe(false);
  });
});

test('the quality of a text: any script, glosses and numbers are good, signs are garbage, words with signs inside are suspect', () => {
  for (const good of ['ภาษาไทยไม่มีช่องว่างระหว่างคำ นะครับ ภาษาไทยไม่มีช่องว่าง', 'wa-li-pik-a 3PL.SUBJ-PST-cook-FV n’ígbà ŋ̀k k’iche’ a:b ma?a ~red'.repeat(6), '1 234,50 2 345,60 3 456,70 4 567,80 2020 2021', 'Contents ........................................................ 1\nMore ........................ 2', 'short']) expect([good, textQuality(good)]).toEqual([good, 'good']);
  expect(textQuality('\uE000\uE001\uE002'.repeat(30))).toBe('garbage');
  expect(textQuality('=> }{ ][ )( *& ^% $# @! ~< >? /; ;, ,. .+ +-'.repeat(3))).toBe('garbage');
  expect(textQuality('uk; Jhe d;k vk{ gS fgUnh esa D;k gksxk ge yksx iz;ksx'.repeat(5))).toBe('suspect');
});
