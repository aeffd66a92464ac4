/** Which blocks does an RTF document have? Paragraphs, headings by outline level, table rows, notes; in any code page. */
import { TextDecoder } from 'node:util';
import { collectWithin, createBlockCollector } from './block-collector.ts';
import type { BlockCollector } from './block-collector.ts';
import type { DocumentContent, DocumentPlace } from './parsed-document.ts';
import { createRowWriter } from './row-writer.ts';
import type { RowWriter } from './row-writer.ts';
import { readWholeFile } from './whole-file.ts';

const FILE_LIMIT_BYTES = 128 * 1024 * 1024; // most of a big one are pictures
const GROUP_LIMIT = 2000; // groups inside one another
const HIGHEST_LEVEL = 9;
const DEFAULT_CODE_PAGE = 1252;
const TAB = '\t';

/** Destinations whose content is not the text of the document. Any group that begins with \* is one too, but those in STARRED_TEXT. */
const HIDDEN = new Set(['fonttbl', 'colortbl', 'stylesheet', 'info', 'pict', 'object', 'header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf', 'fldinst', 'pntext', 'listtext', 'listtable', 'listoverridetable', 'revtbl', 'rsidtbl', 'generator', 'xmlnstbl', 'themedata', 'datastore', 'filetbl', 'ftnsep', 'ftnsepc', 'aftnsep', 'aftnsepc', 'bkmkstart', 'bkmkend', 'atnid', 'atnauthor', 'annotation', 'nonshppict', 'tc', 'xe', 'template', 'operator', 'nesttableprops', 'upr', 'mmathPr']);
/** Starred destinations that hold text: shapes with text boxes, the Unicode half of a doubled text. */
const STARRED_TEXT = new Set(['shpinst', 'ud', 'nestrow', 'shptxt']);
const CHARACTERS: Readonly<Record<string, string>> = {
  tab: TAB, line: '\n', lquote: '\u2018', rquote: '\u2019', ldblquote: '\u201C', rdblquote: '\u201D', emdash: '\u2014', endash: '\u2013', bullet: '\u2022',
  enspace: '\u2002', emspace: '\u2003', qmspace: '\u2005', zwj: '\u200D', zwnj: '\u200C', zwbo: '\u200B', zwnbo: '\u2060', ltrmark: '\u200E', rtlmark: '\u200F',
};
const SYMBOLS: Readonly<Record<string, string>> = { '~': '\u00A0', '-': '\u00AD', _: '\u2011', ':': ':', '\n': '\u0000', '\r': '\u0000' };

/** Code pages of RTF that TextDecoder knows under another name. DOS pages without a decoder are read as Latin-1's Windows form. */
const CODE_PAGES: Readonly<Record<number, string>> = { 866: 'ibm866', 874: 'windows-874', 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5', 10_000: 'macintosh', 10_007: 'x-mac-cyrillic', 20_866: 'koi8-r', 21_866: 'koi8-u', 54_936: 'gb18030', 65_001: 'utf-8' };
/** Character sets of fonts, as code pages (RTF 1.9.1, \fcharset). */
const FONT_CODE_PAGES: Readonly<Record<number, number>> = { 77: 10_000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250 };

/** What a group inherits and gives back at its end. */
type State = { readonly destination: 'text' | 'hidden' | 'fonts' | 'styles' | 'title'; readonly font: number; readonly skip: number; readonly isDeleted: boolean; readonly isNote: boolean };
type Paragraph = { parts: string[]; level: number; isList: boolean; isCell: boolean };

/** Reads an .rtf. @throws InputError 'documents.too-large', 'file.missing'. */
export async function readRtf(path: string): Promise<DocumentContent> {
  return parseRtf(await readWholeFile(path, FILE_LIMIT_BYTES), path);
}

/** Reads RTF from its bytes. Broken RTF gives the text it has; nothing of it is ever an error. */
export function parseRtf(bytes: Uint8Array, path: string): DocumentContent {
  const collector = createBlockCollector(path);
  const reader = new RtfReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), collector);
  const content = collectWithin(collector, () => reader.read());
  const title = reader.title().trim();
  return { ...content, ...(title === '' ? {} : { title }) };
}

/** Walks the bytes once. Text bytes wait until the code page is certain, so that double-byte characters stay whole. */
class RtfReader {
  private readonly source: string;
  private readonly collector: BlockCollector;
  private readonly rows: RowWriter;
  private at = 0;
  private state: State = { destination: 'text', font: -1, skip: 1, isDeleted: false, isNote: false };
  private readonly saved: State[] = [];
  private codePage = DEFAULT_CODE_PAGE;
  private readonly fontPages = new Map<number, number>();
  private readonly styleLevels = new Map<number, number>();
  private styleNumber = 0;
  private styleName = '';
  private titleText = '';
  private defaultFont = -1;
  private waiting: number[] = []; // bytes
  private toSkip = 0; // characters that stand in for a \u
  private paragraph: Paragraph = { parts: [], level: 0, isList: false, isCell: false };
  private note: string[] | null = null;
  private noteDepth = 0;
  private notes: string[] = [];
  private isRowOpen = false;
  private page = 1;

  constructor(source: string, collector: BlockCollector) {
    this.source = source;
    this.collector = collector;
    this.rows = createRowWriter(collector);
  }

  title(): string {
    return this.titleText;
  }

  read(): void {
    const { source } = this;
    while (this.at < source.length) {
      const character = source[this.at];
      if (character === '\\') this.readControl();
      else {
        this.at += 1;
        if (character === '{') this.openGroup();
        else if (character === '}') this.closeGroup();
        else if (character !== '\r' && character !== '\n' && character !== '\0') this.takeByte(source.charCodeAt(this.at - 1));
      }
    }
    this.endParagraph();
    this.endRow();
  }

  private openGroup(): void {
    this.flushBytes();
    this.toSkip = 0;
    this.saved.push(this.state);
    if (this.saved.length > GROUP_LIMIT) this.at = this.source.length; // no person wrote this
  }

  private closeGroup(): void {
    this.flushBytes();
    this.toSkip = 0;
    if (this.note !== null && this.saved.length === this.noteDepth) {
      this.notes.push(this.note.join(''));
      this.note = null;
    }
    this.state = this.saved.pop() ?? this.state;
  }

  private readControl(): void {
    const { source } = this;
    const next = source[this.at + 1] ?? '';
    if (next === "'") {
      const byte = Number.parseInt(source.slice(this.at + 2, this.at + 4), 16);
      this.at += 4;
      if (!Number.isNaN(byte)) this.takeByte(byte);
      return;
    }
    if (!/[a-zA-Z]/.test(next)) {
      this.at += 2;
      if (next === '*') this.readStar();
      else this.takeSymbol(next);
      return;
    }
    const pattern = /([a-zA-Z]{1,32})(-?\d{1,10})? ?/y;
    pattern.lastIndex = this.at + 1;
    const match = pattern.exec(source);
    if (match === null) {
      this.at += 2;
      return;
    }
    this.at = pattern.lastIndex;
    this.takeWord(match[1] ?? '', match[2] === undefined ? null : Number(match[2]));
  }

  /** `\*` before a destination: readers that do not know it pass over the group. */
  private readStar(): void {
    const name = /^\s*\\([a-zA-Z]{1,32})/.exec(this.source.slice(this.at, this.at + 64))?.[1] ?? '';
    if (!STARRED_TEXT.has(name) && this.state.destination === 'text') this.state = { ...this.state, destination: 'hidden' };
  }

  private takeSymbol(symbol: string): void {
    if (symbol === '\\' || symbol === '{' || symbol === '}') return this.takeByte(symbol.charCodeAt(0)); // also the second half of a double-byte character
    const character = SYMBOLS[symbol];
    if (character === '\u0000') this.endParagraph(); // backslash and line end is \par
    else if (character !== undefined) this.takeText(character);
  }

  private takeWord(word: string, value: number | null): void {
    if (word === 'u') return this.takeUnicode(value ?? 0);
    if (word === 'bin') {
      this.at += Math.max(0, value ?? 0);
      return;
    }
    const { destination } = this.state;
    if (word in CHARACTERS) return this.takeText(CHARACTERS[word] ?? '');
    this.flushBytes();
    if (word === 'uc') this.state = { ...this.state, skip: Math.max(0, value ?? 1) };
    else if (word === 'ansicpg') this.codePage = value ?? DEFAULT_CODE_PAGE;
    else if (word === 'mac') this.codePage = 10_000;
    else if (word === 'pc' || word === 'pca') this.codePage = DEFAULT_CODE_PAGE;
    else if (word === 'deff') this.defaultFont = value ?? -1;
    else if (word === 'f') this.state = { ...this.state, font: value ?? -1 };
    else if (word === 'fcharset' && destination === 'fonts') this.fontPages.set(this.state.font, FONT_CODE_PAGES[value ?? 0] ?? 0);
    else if (word === 'cpg' && destination === 'fonts') this.fontPages.set(this.state.font, value ?? 0);
    else if (word === 'fonttbl') this.state = { ...this.state, destination: 'fonts' };
    else if (word === 'stylesheet') this.state = { ...this.state, destination: 'styles' };
    else if (word === 'title' && destination === 'hidden') this.state = { ...this.state, destination: 'title' };
    else if (word === 'ud') this.state = { ...this.state, destination: 'text' };
    else if (destination === 'styles') this.takeStyleWord(word, value);
    else if (HIDDEN.has(word) && destination === 'text') this.state = { ...this.state, destination: 'hidden' };
    else if (destination === 'text') this.takeTextWord(word, value);
  }

  private takeStyleWord(word: string, value: number | null): void {
    if (word === 's') this.styleNumber = value ?? 0;
    else if (word === 'outlinelevel' && value !== null && value < HIGHEST_LEVEL) this.styleLevels.set(this.styleNumber, value + 1);
  }

  private takeTextWord(word: string, value: number | null): void {
    const { paragraph } = this;
    if (word === 'par' || word === 'sect') this.endParagraph();
    else if (word === 'pard') this.paragraph = { ...paragraph, level: 0, isList: false, isCell: false };
    else if (word === 'plain') this.state = { ...this.state, font: this.defaultFont };
    else if (word === 's') paragraph.level = this.styleLevels.get(value ?? 0) ?? paragraph.level;
    else if (word === 'outlinelevel') paragraph.level = value !== null && value < HIGHEST_LEVEL ? value + 1 : 0;
    else if (word === 'ls' || word === 'pn') paragraph.isList = true;
    else if (word === 'intbl') paragraph.isCell = true;
    else if (word === 'cell' || word === 'nestcell') this.endCell();
    else if (word === 'row' || word === 'nestrow') this.endRow();
    else if (word === 'page' || word === 'pagebb') {
      if (word === 'page') this.page += 1;
    } else if (word === 'deleted') this.state = { ...this.state, isDeleted: value !== 0 };
    else if (word === 'footnote') this.startNote();
  }

  private startNote(): void {
    if (this.note !== null) return;
    this.note = [];
    this.noteDepth = this.saved.length;
    this.state = { ...this.state, isNote: true };
  }

  /** \uN: a UTF-16 code unit, negative above 32767; the next `skip` characters are its stand-in. */
  private takeUnicode(value: number): void {
    this.takeText(String.fromCharCode(value & 0xffff));
    this.toSkip = this.state.skip;
  }

  private takeByte(byte: number): void {
    if (this.toSkip > 0) {
      this.toSkip -= 1;
      return;
    }
    this.waiting.push(byte);
  }

  private takeText(text: string): void {
    if (this.toSkip > 0 && text.length === 1 && text !== TAB && text !== '\n') {
      this.toSkip -= 1;
      return;
    }
    this.flushBytes();
    this.put(text);
  }

  private flushBytes(): void {
    if (this.waiting.length === 0) return;
    const bytes = Uint8Array.from(this.waiting);
    this.waiting = [];
    const font = this.state.font < 0 ? this.defaultFont : this.state.font;
    this.put(decoderOf(this.fontPages.get(font) || this.codePage).decode(bytes));
  }

  private put(text: string): void {
    const { destination, isDeleted } = this.state;
    if (destination === 'title') this.titleText += text;
    else if (destination === 'styles') this.putStyleName(text);
    else if (destination === 'text' && !isDeleted) (this.note ?? this.paragraph.parts).push(text);
  }

  /** Style names end with a semicolon; "heading 1" in any writer's English is a heading. */
  private putStyleName(text: string): void {
    this.styleName += text;
    if (!text.includes(';')) return;
    const level = Number(/heading (\d)/i.exec(this.styleName)?.[1] ?? 0);
    if (level > 0 && !this.styleLevels.has(this.styleNumber)) this.styleLevels.set(this.styleNumber, level);
    this.styleName = '';
    this.styleNumber = 0;
  }

  private place(): DocumentPlace {
    return this.page > 1 ? { line: 0, page: this.page } : { line: 0 };
  }

  private endParagraph(): void {
    this.flushBytes();
    if (this.note !== null) {
      this.note.push('\n');
      return;
    }
    const { parts, level, isList, isCell } = this.paragraph;
    const text = wellFormed(parts.join(''));
    this.paragraph = { ...this.paragraph, parts: [] };
    if (isCell) this.addToCell(text);
    else {
      this.endRow();
      if (level > 0) this.collector.heading(level, text, this.place());
      else this.collector.add(isList ? 'list' : 'paragraph', text, this.place());
    }
    this.addNotes();
  }

  private addNotes(): void {
    if (this.isRowOpen) return;
    for (const note of this.notes) this.collector.add('note', wellFormed(note), this.place());
    this.notes = [];
  }

  private addToCell(text: string): void {
    if (!this.isRowOpen) {
      this.rows.openTable();
      this.rows.openRow(this.place());
      this.rows.openCell();
      this.isRowOpen = true;
    }
    this.rows.add(text);
  }

  private endCell(): void {
    this.flushBytes();
    this.addToCell(wellFormed(this.paragraph.parts.join('')));
    this.paragraph = { ...this.paragraph, parts: [] };
    this.rows.openCell();
  }

  private endRow(): void {
    this.flushBytes();
    if (!this.isRowOpen) return;
    this.isRowOpen = false;
    this.rows.closeTable();
    this.addNotes();
  }
}

/** Two \u make one character beyond the first plane; half of one is no text. */
const wellFormed = (text: string): string => text.toWellFormed();

const decoders = new Map<number, TextDecoder>();

function decoderOf(codePage: number): TextDecoder {
  let decoder = decoders.get(codePage);
  if (decoder === undefined) {
    decoder = makeDecoder(CODE_PAGES[codePage] ?? `windows-${codePage}`) ?? new TextDecoder(`windows-${DEFAULT_CODE_PAGE}`);
    decoders.set(codePage, decoder);
  }
  return decoder;
}

function makeDecoder(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label);
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}
