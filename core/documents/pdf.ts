/** Which blocks does a PDF have? The text of its pages; what is scanned, locked or in a font without Unicode is said. No script of it runs, nothing is fetched. */
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { getDocument, PasswordException, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { InputError } from '../base/errors.ts';
import { printable } from '../base/text-files.ts';
import { createBlockCollector, readWithin } from './block-collector.ts';
import type { BlockCollector } from './block-collector.ts';
import type { DocumentContent } from './parsed-document.ts';
import { joinLines, linesOf, paragraphsOf, wholeWords } from './pdf-layout.ts';
import type { Fragment, Line } from './pdf-layout.ts';
import { textQuality } from './text-quality.ts';
import { readWholeFile } from './whole-file.ts';

const FILE_LIMIT_BYTES = 1024 * 1024 * 1024;
const PAGE_LIMIT = 20_000;
const MOST_BROKEN_PAGES = 50; // one after another: the page tree is made up
/** How much larger than the text a heading is; a little larger is enough in another font. */
const HEADING_SIZES: readonly { readonly ratio: number; readonly level: number; readonly needsFont: boolean }[] = [
  { ratio: 1.8, level: 1, needsFont: false },
  { ratio: 1.35, level: 2, needsFont: false },
  { ratio: 1.15, level: 3, needsFont: false },
  { ratio: 1.04, level: 3, needsFont: true },
];
const HEADING_CHARACTERS = 200;
const HEADING_LINES = 3;
const FEWEST_REPEATS = 4;
const REPEAT_SHARE = 0.5;
const PAGE_NUMBER = /^[\s\p{Pd}|[\](){}.·]*(?:\p{Nd}{1,5}|[ivxlcdm]{1,8})[\s\p{Pd}|[\](){}.·]*$/iu;
/** Forms that a font draws one way for one letter (ligatures, Arabic shapes): the letters themselves are searched for. */
const PRESENTATION_FORMS = /[\uFB00-\uFB4F\uFB50-\uFDFF\uFE70-\uFEFC]+/g;

type Page = { readonly number: number; readonly lines: readonly Line[] };

/** Reads a .pdf. @throws InputError 'documents.encrypted', 'documents.damaged-pdf', 'documents.scanned' (no text on any page), 'documents.unreadable-font', 'documents.too-large'. */
export async function readPdf(path: string, signal: AbortSignal): Promise<DocumentContent> {
  const bytes = await readWholeFile(path, FILE_LIMIT_BYTES);
  const isWhole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).lastIndexOf('startxref') >= 0;
  const collector = createBlockCollector(path);
  const task = getDocument({ data: bytes, verbosity: VerbosityLevel.ERRORS, useSystemFonts: false, disableFontFace: true, useWorkerFetch: false, isOffscreenCanvasSupported: false, enableXfa: false, stopAtErrors: false, ...dataFolders() });
  try {
    const document = await task.promise.catch((thrown: unknown) => {
      throw openingError(thrown, path);
    });
    if (!isWhole) collector.problem('damaged-pdf', { line: 0, expected: 'a whole PDF', found: 'one without its table of contents at the end (cut off, or damaged)', advice: 'What could be found is read; fetch or copy the file again.' });
    const content = await readWithin(collector, async () => writePages(await readPages(document, { path, collector, signal }), collector));
    const { title, language } = await facts(document);
    return { ...content, ...(title === '' ? {} : { title }), ...(language === '' ? {} : { language }) };
  } finally {
    await task.destroy();
  }
}

/** Where the library keeps its character maps and fonts, on this disk. */
function dataFolders(): { readonly cMapUrl: string; readonly cMapPacked: true; readonly standardFontDataUrl: string } {
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  return { cMapUrl: join(folder, 'cmaps') + sep, cMapPacked: true, standardFontDataUrl: join(folder, 'standard_fonts') + sep };
}

function openingError(thrown: unknown, path: string): InputError {
  if (thrown instanceof PasswordException) return new InputError('documents.encrypted', `${path}: expected a PDF that opens without a password, found an encrypted one. Save it again without a password.`, { cause: thrown, data: { path } });
  const found = thrown instanceof Error ? thrown.message : String(thrown);
  return new InputError('documents.damaged-pdf', `${path}: expected a PDF, found a damaged one: ${printable(found)}. Fetch or copy the file again.`, { cause: thrown, data: { path } });
}

async function facts(document: PDFDocumentProxy): Promise<{ readonly title: string; readonly language: string }> {
  const found: { readonly info?: object; readonly Language?: unknown } = await document.getMetadata().catch(() => ({})); // a document without is as good
  const info = found.info ?? {};
  const title = 'Title' in info && typeof info.Title === 'string' ? info.Title.replace(/\s+/g, ' ').trim() : '';
  const language = 'Language' in info && typeof info.Language === 'string' ? info.Language.trim() : '';
  return { title: /^(?:untitled|microsoft word - .*|.*\.(?:docx?|odt|rtf|pptx?|xlsx?|html?|indd|qxd|tex|dvi))$/i.test(title) ? '' : title.replaceAll('\0', ''), language };
}

async function readPages(document: PDFDocumentProxy, { path, collector, signal }: { readonly path: string; readonly collector: BlockCollector; readonly signal: AbortSignal }): Promise<readonly Page[]> {
  const pages: Page[] = [];
  const empty: number[] = [];
  const unreadable: number[] = [];
  const suspect: number[] = [];
  let broken = 0;
  const last = Math.min(document.numPages, PAGE_LIMIT);
  for (let number = 1; number <= last && broken < MOST_BROKEN_PAGES; number += 1) {
    signal.throwIfAborted();
    let fragments: readonly Fragment[];
    try {
      fragments = await fragmentsOf(document, number);
      broken = 0;
    } catch (thrown) {
      broken += 1;
      collector.problem('damaged-page', { line: 0, unit: number, expected: `page ${number} to be whole`, found: printable(thrown instanceof Error ? thrown.message : String(thrown)), advice: 'The rest is read.' });
      continue;
    }
    const lines = linesOf(fragments);
    const text = lines.map((line) => line.text).join('\n');
    const quality = textQuality(text);
    if (text === '') empty.push(number);
    else if (quality === 'garbage') unreadable.push(number);
    else pages.push({ number, lines });
    if (quality === 'suspect') suspect.push(number);
  }
  if (document.numPages > PAGE_LIMIT) collector.problem('too-long', { line: 0, expected: `at most ${PAGE_LIMIT} pages`, found: String(document.numPages), advice: 'It is read up to there; split the file.' });
  const nothing = pages.length === 0;
  if (nothing && unreadable.length > 0) throw new InputError('documents.unreadable-font', `${path}: expected letters, found signs of a font that says not what they mean (an old font?) on all pages with text. Find the text in Unicode, or make the PDF again from it.`, { data: { path } });
  if (nothing && empty.length > 0) throw new InputError('documents.scanned', `${path}: expected text, found ${empty.length} pages with pictures at most (a scan?). Have its text recognised (OCR) first.`, { data: { path } });
  if (empty.length > 0) collector.problem('scanned-pages', { line: 0, expected: 'text on every page', found: `none on pages ${ranges(empty)} (scanned, or empty)`, advice: 'The rest is read.' });
  if (unreadable.length > 0) collector.problem('unreadable-font', { line: 0, expected: 'letters', found: `signs of a font that says not what they mean (an old font?) on pages ${ranges(unreadable)}`, advice: 'These pages are left out.' });
  if (suspect.length > 0) collector.problem('suspect-font', { line: 0, expected: 'words', found: `words with signs inside, as old fonts leave them, on pages ${ranges(suspect)}`, advice: 'They are read as they are; look whether they are right.' });
  return pages;
}

/** "1-3, 7" */
function ranges(numbers: readonly number[]): string {
  const parts: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const open = parts.at(-1);
    if (open !== undefined && open.to === number - 1) open.to = number;
    else parts.push({ from: number, to: number });
  }
  return printable(parts.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`)).join(', '));
}

/** The runs of text of a page, upright; text that runs up or down the page is turned to stand after the rest. */
async function fragmentsOf(document: PDFDocumentProxy, number: number): Promise<readonly Fragment[]> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent({ disableNormalization: true });
  const upright: Fragment[] = [];
  const turned: Fragment[] = [];
  for (const item of items) {
    if (!('str' in item) || (item.str === '' && item.width === 0)) continue;
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = item.transform.map(Number);
    const text = item.str.replace(PRESENTATION_FORMS, (forms) => forms.normalize('NFKC')).replaceAll('\0', '');
    const size = Math.hypot(c, d) || Math.hypot(a, b) || item.height || 1;
    const isRightToLeft = item.dir === 'rtl';
    if (![a, b, e, f, size, item.width].every(Number.isFinite)) continue;
    const isTurned = Math.abs(b) > Math.abs(a);
    if (isTurned) turned.push({ text, x: b > 0 ? f : -f, y: b > 0 ? -e : e, width: Math.abs(item.width) || Math.abs(item.height), size, font: item.fontName, isRightToLeft });
    else upright.push({ text, x: a < 0 ? -e : e, y: a < 0 ? -f : f, width: Math.abs(item.width), size, font: item.fontName, isRightToLeft });
  }
  page.cleanup();
  if (turned.length === 0) return upright;
  const below = Math.min(0, ...upright.map(({ y }) => y)) - Math.max(0, ...turned.map(({ y }) => y)) - 100; // under everything that stands upright
  return [...upright, ...turned.map((fragment) => ({ ...fragment, y: fragment.y + below }))];
}

function writePages(pages: readonly Page[], collector: BlockCollector): void {
  const isRepeated = repeatedLines(pages);
  const body = usualType(pages);
  const words = new Set<string>();
  for (const { number, lines } of pages) {
    const kept = lines.filter((line, i) => !((i === 0 || i === lines.length - 1) && (PAGE_NUMBER.test(line.text) || isRepeated(line.text))) || lines.length === 1);
    wholeWords(kept, words);
    for (const paragraph of paragraphsOf(kept)) {
      const text = joinLines(paragraph, words);
      const place = { line: 0, page: number };
      const level = headingLevel(paragraph, text, body);
      if (level > 0) collector.heading(level, text, place);
      else collector.add('paragraph', text, place);
    }
  }
}

/** Heads and feet of pages: first or last lines that stand, but for their numbers, on half of the pages. */
function repeatedLines(pages: readonly Page[]): (text: string) => boolean {
  const plain = (text: string): string => text.replace(/\p{Nd}+/gu, '').trim();
  const counts = new Map<string, number>();
  for (const { lines } of pages) for (const text of new Set([lines[0]?.text ?? '', lines.at(-1)?.text ?? ''].map(plain))) counts.set(text, (counts.get(text) ?? 0) + 1);
  return (text) => (counts.get(plain(text)) ?? 0) >= Math.max(FEWEST_REPEATS, REPEAT_SHARE * pages.length);
}

/** The size and the font in which most characters are set. */
function usualType(pages: readonly Page[]): { readonly size: number; readonly font: string } {
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  for (const { size, font, text } of pages.flatMap(({ lines }) => lines)) {
    const rounded = Math.round(size * 2) / 2;
    sizes.set(rounded, (sizes.get(rounded) ?? 0) + text.length);
    fonts.set(font, (fonts.get(font) ?? 0) + text.length);
  }
  const most = <Key>(counts: ReadonlyMap<Key, number>): Key | undefined => [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
  return { size: most(sizes) ?? 1, font: most(fonts) ?? '' };
}

function headingLevel(paragraph: readonly Line[], text: string, body: { readonly size: number; readonly font: string }): number {
  const size = paragraph[0]?.size ?? 0;
  if (text.length > HEADING_CHARACTERS || paragraph.length > HEADING_LINES || !/\p{L}/u.test(text)) return 0;
  const isOtherFont = paragraph.every(({ font }) => font !== body.font);
  return HEADING_SIZES.find(({ ratio, needsFont }) => size >= ratio * body.size && (isOtherFont || !needsFont))?.level ?? 0;
}
