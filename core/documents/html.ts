/** Which blocks does an HTML page have? Only its text: no script, style or address is kept, nothing is loaded. */
import { Parser } from 'htmlparser2';
import type { FileProblem } from '../base/text-files.ts';
import { localName } from '../formats/xml.ts';
import { headingStack, lineCounter, makeBlock } from './parsed-document.ts';
import type { Block, BlockKind, DocumentContent } from './parsed-document.ts';

const HIDDEN_ELEMENTS = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'embed', 'canvas', 'audio', 'video', 'select', 'datalist', 'rp', 'rt', 'rtc', 'head', 'title']);
const INLINE_ELEMENTS = new Set([
  'a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'img', 'ins', 'kbd', 'label', 'mark', 'q', 'rb', 'ruby',
  's', 'samp', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr', 'br', 'input', 'button', 'nobr',
]);
const CELL_ELEMENTS = new Set(['td', 'th']);
const CELL_GAP = ' | ';
const LIST_ELEMENTS = new Set(['li', 'dt', 'dd']);
const HEADING = /^h[1-6]$/;
const VOID_ELEMENTS = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr']);
const DEPTH_LIMIT = 10_000; // the parser's time grows with the square of the depth
const META_BYTES = 4096;
const META_CHARSET = /<meta\b[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]+)/i;
const XML_CHARSET = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/;

/** The encoding a page declares in its XML declaration or first meta element. A declared UTF-16 that reads as bytes is UTF-8. */
export function htmlEncoding(sample: Uint8Array): string | undefined {
  const head = Buffer.from(sample.subarray(0, META_BYTES)).toString('latin1');
  const declared = XML_CHARSET.exec(head)?.[1] ?? META_CHARSET.exec(head)?.[1];
  return declared === undefined || /^utf-?16/i.test(declared) ? undefined : declared;
}

/** Does this text, whatever its file is called, start as an HTML page? */
export function looksLikeHtml(text: string): boolean {
  return /^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^]{0,2000}?-->\s*)?<(?:!doctype html|html)\b/i.test(text.slice(0, META_BYTES));
}

/** The blocks of a page, its <title> and its language. Entities are decoded; a table row is one paragraph, its cells joined by " | ". */
export function parseHtml(html: string, path = ''): DocumentContent {
  return parsePage(html, path, false);
}

/** The same for the XHTML of books, where `<title/>` is closed and what is hidden is a list of contents that is shown elsewhere. */
export function parseXhtml(html: string, path = ''): DocumentContent {
  return parsePage(html, path, true);
}

function parsePage(html: string, path: string, isXhtml: boolean): DocumentContent {
  const page = new PageReader(html, path, isXhtml);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => page.onOpenTag(name, attributes),
      ontext: (text) => page.onText(text, parser.startIndex),
      onclosetag: (name) => page.onCloseTag(name),
    },
    { decodeEntities: true, lowerCaseTags: true, recognizeSelfClosing: isXhtml },
  );
  try {
    parser.end(html);
  } catch (thrown) {
    if (!(thrown instanceof TooDeep)) throw thrown;
    page.stopAt(parser.startIndex);
  }
  return page.content();
}

/** Thrown and caught in this file only. */
class TooDeep extends Error {}

/** Collects blocks from the events of a parser. Every event costs as much as its own text, whatever came before. */
class PageReader {
  private readonly path: string;
  private readonly isXhtml: boolean;
  private readonly headings = headingStack();
  private readonly blocks: Block[] = [];
  private readonly problems: FileProblem[] = [];
  private readonly lineAt: (index: number) => number;
  private title = '';
  private inTitle = false;
  private language: string | undefined;
  private hidden: string[] = []; // open elements from the first hidden one on
  private depth = 0;
  private preformatted = 0;
  private kind: BlockKind = 'paragraph';
  private level = 0; // of the heading that is open, else 0
  private parts: string[] = []; // of the block that is open
  private hasText = false;
  private endsWithSpace = true;
  private isNewCell = false;
  private start = 1;

  constructor(html: string, path: string, isXhtml: boolean) {
    this.path = path;
    this.isXhtml = isXhtml;
    this.lineAt = lineCounter(html);
  }

  onOpenTag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.depth += 1;
    if (this.depth > DEPTH_LIMIT) throw new TooDeep();
    if (name === 'title' && this.title === '') this.inTitle = true;
    if (name === 'html' && attributes['lang'] !== undefined && attributes['lang'] !== '') this.language = attributes['lang'];
    if (name === 'body') this.hidden = []; // a head that was never closed
    if (this.hidden.length > 0 || HIDDEN_ELEMENTS.has(this.isXhtml ? localName(name) : name) || (attributes['hidden'] !== undefined && !this.isXhtml)) {
      if (!VOID_ELEMENTS.has(name)) this.hidden.push(name);
    } else if (name === 'br') this.append('\n');
    else if (CELL_ELEMENTS.has(name)) this.isNewCell = this.hasText;
    else if (!INLINE_ELEMENTS.has(name)) this.openBlock(name);
  }

  onText(text: string, index: number): void {
    if (this.inTitle) this.title += text;
    if (this.hidden.length > 0) return;
    const first = /\S/.exec(text)?.index;
    if (first !== undefined) {
      if (!this.hasText) this.start = this.lineAt(index + first);
      if (this.isNewCell) this.append(CELL_GAP);
      this.isNewCell = false;
      this.hasText = true;
    }
    if (this.preformatted > 0) this.append(text);
    else this.append(collapse(text, this.endsWithSpace));
  }

  onCloseTag(name: string): void {
    this.depth -= 1;
    if (name === 'title') this.inTitle = false;
    if (this.hidden.length > 0) {
      const at = this.hidden.lastIndexOf(name);
      if (at >= 0) this.hidden.length = at;
      return;
    }
    if (INLINE_ELEMENTS.has(name) || CELL_ELEMENTS.has(name)) return;
    this.closeBlock();
    if (HEADING.test(name)) this.level = 0;
    if (name === 'pre') this.preformatted = Math.max(0, this.preformatted - 1);
    if (name === 'pre' || LIST_ELEMENTS.has(name)) this.kind = 'paragraph';
  }

  stopAt(index: number): void {
    const line = this.lineAt(index);
    const expected = `at most ${DEPTH_LIMIT} elements inside one another`;
    this.problems.push({ code: 'documents.too-deep', path: this.path, line, found: 'more', expected, message: `${this.path}: line ${line}: expected ${expected}, found more. The page is read up to here.` });
  }

  content(): DocumentContent {
    this.closeBlock();
    const title = this.title.replace(/\s+/g, ' ').trim();
    return { blocks: this.blocks, problems: this.problems, ...(title === '' ? {} : { title }), ...(this.language === undefined ? {} : { language: this.language }) };
  }

  private append(text: string): void {
    if (text === '') return;
    this.parts.push(text);
    this.endsWithSpace = /\s/.test(text.slice(-1));
  }

  private openBlock(name: string): void {
    this.closeBlock();
    if (HEADING.test(name)) this.level = Number(name[1]);
    if (LIST_ELEMENTS.has(name)) this.kind = 'list';
    else if (name === 'pre') this.kind = 'code';
    else if (this.kind !== 'list') this.kind = 'paragraph';
    if (name === 'pre') this.preformatted += 1;
  }

  private closeBlock(): void {
    const text = this.hasText ? this.parts.join('').trim() : '';
    const isHeading = this.level > 0 && text !== '';
    const above = isHeading ? this.headings.enter(this.level, text.replaceAll('\n', ' ')) : this.headings.current();
    this.blocks.push(...makeBlock(isHeading ? 'heading' : this.kind, text, { line: this.start, headings: above }));
    this.parts = [];
    this.hasText = false;
    this.endsWithSpace = true;
    this.isNewCell = false;
  }
}

/** White space as a browser shows it: each run one space, none after another. */
function collapse(text: string, isAfterSpace: boolean): string {
  const collapsed = text.replace(/[ \t\r\n\f]+/g, ' ');
  return isAfterSpace && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed;
}
