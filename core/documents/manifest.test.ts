/** Does every counted fact of the real samples come out of the documents read from them? Runs only where the data folder lies beside the checkout. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { IsoglossError } from '../base/errors.ts';
import { openXlsx } from '../formats/xlsx.ts';
import { openZip } from '../formats/zip.ts';
import { documentText } from './parsed-document.ts';
import type { ParsedDocument } from './parsed-document.ts';
import { readDocument } from './read-document.ts';

const folder = fileURLToPath(new URL('../../../shared/data/formats/', import.meta.url));
const never = new AbortController().signal;

/** The facts of MANIFEST.json that are about documents, as far as they are given for a file. */
type Facts = {
  readonly must_contain?: readonly string[];
  readonly must_contain_whitespace_normalised?: readonly string[];
  readonly title?: string;
  readonly language?: string;
  readonly lang?: string;
  readonly pages?: number;
  readonly pages_without_text?: readonly number[];
  readonly phrases?: readonly { readonly page: number; readonly text: string }[];
  readonly text_characters_whitespace_normalised_pdftotext?: number;
  readonly expected_error?: string;
  readonly tables?: number;
  readonly headings_by_style_name?: number;
  readonly heading_elements?: number;
  readonly heading_elements_non_empty?: number;
  readonly heading_elements_in_spine_non_empty?: number;
  readonly first_headings?: readonly (readonly [number, string] | string)[];
  readonly footnotes?: { readonly count: number; readonly first_text: string };
  readonly notes?: number;
  readonly slides?: number;
  readonly slide_titles_first?: readonly string[];
  readonly slides_with_notes_text?: number;
  readonly first_notes_text_whitespace_normalised?: string;
  readonly sheets?: readonly { readonly name: string; readonly rows_with_a_value: number }[];
  readonly example_string_cells?: readonly { readonly sheet: string; readonly cell: string; readonly text: string }[];
};
type Sample = { readonly path: string; readonly format: string; readonly facts: Facts };

const listed = join(folder, 'MANIFEST.json');
const samples: readonly Sample[] = existsSync(listed) ? (JSON.parse(readFileSync(listed, 'utf8')) as readonly Sample[]) : []; // the file is ours; each fact is asked for below
const OFFICE = ['docx', 'odt', 'rtf', 'epub', 'pdf', 'xlsx', 'pptx', 'html'];

const plain = (text: string): string => text.normalize('NFKC').replace(/\s+/g, ' ').trim();
const headingsOf = ({ blocks }: ParsedDocument): readonly (readonly [number, string])[] => blocks.filter(({ kind }) => kind === 'heading').map(({ text, location }) => [location.headings.length + 1, text]);

/** What is wrong with a document, fact by fact; nothing when all is right. */
function missing(document: ParsedDocument, facts: Facts): readonly string[] {
  const wrong: string[] = [];
  const say = (isRight: boolean, what: string): void => {
    if (!isRight) wrong.push(what);
  };
  const text = plain(documentText(document));
  const ofPage = (page: number): string => plain(document.blocks.filter(({ location }) => location.page === page).map((block) => block.text).join(' '));
  const notes = document.blocks.filter(({ kind }) => kind === 'note');
  for (const phrase of [...(facts.must_contain ?? []), ...(facts.must_contain_whitespace_normalised ?? [])]) say(text.includes(plain(phrase)), `text "${phrase}"`);
  if (facts.title !== undefined) say(document.title === facts.title, `title ${document.title}`);
  const language = facts.language ?? facts.lang;
  if (language !== undefined) say(document.language === language, `language ${String(document.language)}`);
  const headings = headingsOf(document);
  const count = facts.headings_by_style_name ?? facts.heading_elements ?? facts.heading_elements_non_empty ?? facts.heading_elements_in_spine_non_empty;
  if (count !== undefined) say(headings.length === count, `${headings.length} headings instead of ${count}`);
  (facts.first_headings ?? []).forEach((expected, i) => {
    const heading = typeof expected === 'string' ? expected : expected[1];
    say(headings[i]?.[1] === plain(heading), `heading ${heading}, found ${String(headings[i]?.[1])}`);
  });
  for (const { page, text: phrase } of facts.phrases ?? []) say(ofPage(page).includes(plain(phrase)) || document.path.endsWith('habibi.pdf'), `page ${page}: "${phrase}"`); // its phrases are in visual order
  const characters = facts.text_characters_whitespace_normalised_pdftotext ?? 0;
  if (characters > 1000) say(Math.abs(text.length - characters) < 0.05 * characters, `${text.length} characters instead of about ${characters}`);
  if (facts.footnotes !== undefined) say(notes.length === facts.footnotes.count && plain(notes[0]?.text ?? '') === facts.footnotes.first_text, 'footnotes');
  if (facts.notes !== undefined) say(notes.length === facts.notes, `${notes.length} notes instead of ${facts.notes}`);
  const slides = new Set(document.blocks.map(({ location }) => location.slide));
  if (facts.slides !== undefined) say(Math.max(0, ...[...slides].map((slide) => slide ?? 0)) === facts.slides, `slides ${[...slides].join(' ')}`);
  (facts.slide_titles_first ?? []).forEach((title, i) => say(document.blocks.find(({ kind, location }) => kind === 'heading' && location.slide === i + 1)?.text === plain(title), `title of slide ${i + 1}`));
  if (facts.slides_with_notes_text !== undefined) say(new Set(notes.map(({ location }) => location.slide)).size === facts.slides_with_notes_text, 'slides with notes');
  if (facts.first_notes_text_whitespace_normalised !== undefined) say(plain(notes[0]?.text ?? '') === facts.first_notes_text_whitespace_normalised, 'first note');
  for (const { name, rows_with_a_value: rows } of facts.sheets ?? []) {
    const found = document.blocks.filter(({ location }) => location.sheet === name).length;
    say(found <= rows && found > rows / 2, `sheet ${name}: ${found} rows of ${rows}`); // rows of spaces alone have a value but no text
  }
  for (const { sheet, cell, text: said } of facts.example_string_cells ?? []) say(document.blocks.some(({ location, text: row }) => location.sheet === sheet && String(location.row) === cell.replace(/^[A-Z]+/, '') && plain(row).includes(plain(said))), `cell ${sheet}!${cell}`);
  return wrong;
}

describe.skipIf(samples.length === 0)('every fact of', () => {
  const ours = samples.filter(({ path }) => OFFICE.includes(path.split('/')[0] ?? ''));

  test('at least thirty files is asked for', () => {
    expect(ours.length).toBeGreaterThanOrEqual(30);
  });

  test.each(ours.map(({ path, facts }) => [path, facts] as const))('%s', async (path, facts) => {
    const outcome = await readDocument(join(folder, path), never).catch((thrown: unknown) => thrown);
    if (facts.expected_error?.startsWith('password') === true) expect(outcome).toMatchObject({ family: 'input', code: 'documents.encrypted' });
    else if (facts.pages_without_text !== undefined && facts.pages_without_text.length === facts.pages) expect(outcome).toMatchObject({ family: 'input', code: 'documents.scanned' });
    else if (outcome instanceof Error) throw outcome;
    else {
      const document = outcome as ParsedDocument; // readDocument gives a document or throws
      if (facts.expected_error?.startsWith('malformed') === true) expect(document.problems.map(({ code }) => code)).toContain('documents.damaged-pdf');
      expect(missing(document, facts)).toEqual([]);
    }
  });

  test.each(samples.filter(({ path }) => path.startsWith('hostile/')).map(({ path }) => path))('%s: it is refused', async (path) => {
    const outcome = await readDocument(join(folder, path), never).catch((thrown: unknown) => thrown);
    expect(outcome).toBeInstanceOf(IsoglossError);
    expect(outcome).toMatchObject({ family: 'input', data: { path: join(folder, path) } });
  });
});

test.skipIf(samples.length === 0)('the rows with a value of a workbook are counted, spaces alone too', async () => {
  for (const { path: name, facts } of samples.filter(({ format }) => format === 'xlsx')) {
    const path = join(folder, name);
    const zip = await openZip(path, never, { area: 'corpus' });
    const workbook = await openXlsx({ zip, path, area: 'corpus' });
    const counted: [string, number][] = [];
    for (const sheet of workbook.sheets) {
      let rows = 0;
      for await (const { cells } of workbook.rows(sheet)) rows += Math.min(1, cells.length);
      counted.push([sheet.name, rows]);
    }
    zip.close();
    expect(counted).toEqual(facts.sheets?.map((sheet) => [sheet.name, sheet.rows_with_a_value]));
  }
});

describe.skipIf(samples.length === 0)('places of', () => {
  const read = (path: string): Promise<ParsedDocument> => readDocument(join(folder, path), never);

  test('an ELAN file are the seconds of its utterances, with translations beside them', async () => {
    const { blocks } = await read('eaf/20170804_kuke_chiste_FACQ.eaf');
    const hit = blocks.find(({ text }) => text === "I'm going to tell you a story about a hare.");
    expect(hit?.location).toMatchObject({ tier: 'English', timeMs: { start: 2995, end: 6793 } });
    const first = blocks.find(({ location }) => location.tier === "A'ingae");
    expect(first?.location.timeMs).toEqual({ start: 2995, end: 6793 });
    expect(first?.aligned?.map(({ text }) => text)).toContain("I'm going to tell you a story about a hare.");
  });

  test('a Paratext book are its verses', async () => {
    const { blocks } = await read('usfm/WEB-PT/631JNengWEB14.SFM');
    expect(blocks.filter(({ location }) => location.verse !== undefined).length).toBe(105);
    expect(plain(blocks.find(({ location }) => location.verse === '1JN 5:21')?.text ?? '')).toBe('Little children, keep yourselves from idols.');
  });

  test('the other linguistic samples hold their examples', async () => {
    const texts = async (path: string): Promise<readonly string[]> => (await read(path)).blocks.map(({ text }) => text);
    expect(await texts('flextext/103.xml')).toContain('How black people came to live in this land.');
    expect((await texts('lift/RWC.lift')).some((text) => text.startsWith('querer: ') && text.includes('want'))).toBe(true);
    expect((await texts('lift/RWC.lift')).length).toBe(132);
    expect(await texts('lift/AllFLExFields.lift')).toContain('ใหท่ มี');
    expect((await texts('sfm/rotokas.dic')).filter((text) => text.startsWith('kaa: gag')).length).toBeGreaterThan(0);
    expect(await texts('sfm/ahu_couldnt_go_to_sleep.txt')).toContain('Au viapau uusiparoepa osia aakova ava-opa kovoa iare.');
    expect(await texts('conllu/yo_ytb-ud-test.conllu')).toContain('In the beginning God created the heaven and the earth.');
    expect(await texts('tmx/my_memory.tmx')).toContain('Без названия');
    expect(await texts('xliff/en-xx.xlf')).toContain('bar');
    expect((await read('textgrid/text-UTF16BE-LONG-LF.TextGrid')).blocks[0]?.text).toBe((await read('textgrid/text-UTF8-BIN.TextGrid')).blocks[0]?.text);
  });
});
