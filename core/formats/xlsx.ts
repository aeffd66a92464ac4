/** Which rows do the sheets of an Excel workbook (.xlsx) have? Streamed; text as a person sees it, dates as ISO 8601. */
import { badFile } from './parsing.ts';
import { mainPart, partPath, readPart, relationsOf } from './office-package.ts';
import type { Package, Relation } from './office-package.ts';
import { childrenOf, createXmlReader, decodeXml, qualified, readXml } from './xml.ts';
import type { XmlEvents } from './xml.ts';

export type XlsxSheet = { readonly name: string; readonly state: 'visible' | 'hidden' | 'veryHidden'; readonly part: string };

/** `column` and `row` count from 1 (A1 is 1, 1). `text` is as stored, spaces at its ends too. */
export type XlsxCell = { readonly column: number; readonly text: string };
/** Only cells with a value; rows without any are left out. */
export type XlsxRow = { readonly row: number; readonly cells: readonly XlsxCell[] };

export type XlsxWorkbook = {
  readonly sheets: readonly XlsxSheet[];
  /** The rows of a sheet from the top. @throws as `openXlsx`. */
  readonly rows: (sheet: XlsxSheet) => AsyncGenerator<XlsxRow>;
};

const SHARED_LIMIT = 64 * 1024 * 1024; // characters of all shared texts
const CELLS_LIMIT = 16_384; // columns of a sheet
const ROWS_LIMIT = 1_048_576;
const LETTERS = 26;
const DAY_MS = 86_400_000;
const DIGITS = 15; // that Excel keeps
/** Day 60 of 1900 never was; the count is kept by beginning a day early. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const MOST_DAYS = 2_958_466; // the year 10000
/** Number formats of every workbook that show dates or times (ECMA-376 part 1, 18.8.30). */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51, 52, 53, 54, 55, 56, 57, 58]);

/**
 * Opens a workbook: its sheets in their order, shared texts and date formats read.
 * @throws InputError '<area>.not-xlsx', '<area>.too-large'; what `ZipArchive.stream` and `readXml` throw.
 */
export async function openXlsx(opened: Package): Promise<XlsxWorkbook> {
  const main = await mainPart(opened, ['xl/workbook.xml']);
  if (main === null) throw badFile('not-xlsx', opened, 'expected an Excel workbook (.xlsx), found another archive.');
  const workbook = await readPart(opened, main);
  const relations = await relationsOf(opened, main);
  const targetOf = (matches: (relation: Relation) => boolean): string | undefined => relations.find((relation) => matches(relation) && opened.zip.has(relation.target))?.target;
  const shared = await sharedTexts(opened, targetOf(({ type }) => type === 'sharedStrings'));
  const dates = await dateStyles(opened, targetOf(({ type }) => type === 'styles'));
  const is1904 = childrenOf(workbook, 'workbookPr').some(({ attributes }) => /^(?:1|true)$/.test(attributes['date1904'] ?? ''));
  const sheets = childrenOf(workbook, 'sheets').flatMap((list) => childrenOf(list, 'sheet')).flatMap(({ attributes }): XlsxSheet[] => {
    const part = targetOf(({ id, type }) => id === (qualified(attributes, 'r:id') ?? '') && type === 'worksheet'); // chart sheets hold no rows
    const state = attributes['state'];
    return part === undefined ? [] : [{ name: attributes['name'] ?? '', state: state === 'hidden' || state === 'veryHidden' ? state : 'visible', part }];
  });
  return { sheets, rows: (sheet) => readRows(opened, sheet, { shared, dates, epoch: is1904 ? EPOCH_1904 : EPOCH_1900 }) };
}

type Tables = { readonly shared: readonly string[]; readonly dates: ReadonlySet<number>; readonly epoch: number };

async function sharedTexts(opened: Package, part: string | undefined): Promise<readonly string[]> {
  if (part === undefined) return [];
  const texts: string[] = [];
  let parts: string[] | null = null;
  let isText = false;
  let reading = 0; // depth inside phonetic readings, which are no part of the text
  let characters = 0;
  await readXml(opened.zip.stream(part), { path: partPath(opened.path, part), area: opened.area }, {
    onOpen: (local) => {
      if (local === 'si') parts = [];
      else if (local === 'rPh') reading += 1;
      else if (local === 't') isText = reading === 0;
    },
    onText: (text) => {
      if (!isText) return;
      parts?.push(text);
      characters += text.length;
      if (characters > SHARED_LIMIT) throw badFile('too-large', opened, `expected at most ${SHARED_LIMIT} characters in the cells of a workbook, found more. Split the file.`);
    },
    onClose: (local) => {
      if (local === 'rPh') reading -= 1;
      else if (local === 't') isText = false;
      else if (local === 'si') {
        texts.push(unescaped((parts ?? []).join('')));
        parts = null;
      }
    },
  });
  return texts;
}

/** Excel writes control characters as _x000D_. */
const unescaped = (text: string): string => text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).replace(/\r\n?/g, '\n');

/** The cell styles that show a number as a date or time. */
async function dateStyles(opened: Package, part: string | undefined): Promise<ReadonlySet<number>> {
  if (part === undefined) return new Set();
  const root = await readPart(opened, part);
  const own = new Map(childrenOf(root, 'numFmts').flatMap((list) => childrenOf(list, 'numFmt')).map(({ attributes }) => [Number(attributes['numFmtId']), isDateFormat(attributes['formatCode'] ?? '')]));
  const styles = childrenOf(root, 'cellXfs').flatMap((list) => childrenOf(list, 'xf'));
  return new Set(styles.flatMap(({ attributes }, i) => {
    const format = Number(attributes['numFmtId'] ?? 0);
    return (own.get(format) ?? DATE_FORMATS.has(format)) ? [i] : [];
  }));
}

const isDateFormat = (code: string): boolean => /[ymdhs]/i.test(code.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|General/gi, ''));

async function* readRows(opened: Package, { part }: XlsxSheet, tables: Tables): AsyncGenerator<XlsxRow> {
  const options = { path: partPath(opened.path, part), area: opened.area };
  const ready: XlsxRow[] = [];
  const reader = createXmlReader(options, sheetEvents(ready, tables));
  for await (const text of decodeXml(opened.zip.stream(part), options)) {
    reader.push(text);
    yield* ready.splice(0);
  }
  reader.end();
  yield* ready.splice(0);
}

function sheetEvents(ready: XlsxRow[], tables: Tables): XmlEvents {
  let row = 0;
  let column = 0;
  let cells: XlsxCell[] = [];
  let type = 'n';
  let style = 0;
  let parts: string[] = [];
  let isValue = false;
  let reading = 0;
  return {
    onOpen: (local, attributes) => {
      if (local === 'row') {
        const written = Number(attributes['r']);
        row = Number.isInteger(written) && written > 0 && written <= ROWS_LIMIT ? written : row + 1;
        column = 0;
        cells = [];
      } else if (local === 'c') {
        column = columnOf(attributes['r']) ?? column + 1;
        type = attributes['t'] ?? 'n';
        style = Number(attributes['s'] ?? 0);
        parts = [];
      } else if (local === 'rPh') reading += 1;
      else if (local === 'v' || local === 't') isValue = reading === 0;
    },
    onText: (text) => {
      if (isValue) parts.push(text);
    },
    onClose: (local) => {
      if (local === 'v' || local === 't') isValue = false;
      else if (local === 'rPh') reading -= 1;
      else if (local === 'c') {
        const text = shownText(parts.join(''), type, { ...tables, isDate: tables.dates.has(style) });
        if (text !== '' && cells.length < CELLS_LIMIT) cells.push({ column, text });
      } else if (local === 'row' && cells.length > 0) {
        ready.push({ row, cells });
        cells = [];
      }
    },
  };
}

/** A1 is column 1, AA1 is 27. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? '')?.[0];
  return letters === undefined ? null : [...letters].reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - 64, 0);
}

function shownText(value: string, type: string, { shared, epoch, isDate }: Tables & { readonly isDate: boolean }): string {
  if (type === 's') return shared[Number(value)] ?? '';
  if (type === 'b') return value === '' ? '' : value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
  if (type !== 'n') return unescaped(value);
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  return isDate && number >= 0 && number < MOST_DAYS ? isoDate(number, epoch) : String(Number(number.toPrecision(DIGITS)));
}

/** Days since the epoch as a date, a time, or both. */
function isoDate(days: number, epoch: number): string {
  const [date = '', time = ''] = new Date(epoch + Math.round(days * DAY_MS)).toISOString().replace(/(?:\.\d+)?Z$/, '').split('T');
  return days < 1 ? time : time === '00:00:00' ? date : `${date} ${time}`;
}
