/** Which blocks does a Markdown text have? Headings, paragraphs, lists, code; markup that is not language is taken out. */
import { headingStack, makeBlock } from './parsed-document.ts';
import type { Block, BlockKind, DocumentContent } from './parsed-document.ts';

const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const SETEXT_UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const LIST_ITEM = /^\s{0,12}(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const LINK_DEFINITION = /^ {0,3}\[[^\]]{1,200}\]:[ \t]*\S/;
const TABLE_RULE = /^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$/;
const FRONT_MATTER_LINES = 200;
const STRUCTURE_LIMIT = 2000; // a longer line is text: the patterns above stay fast

/** The blocks of a CommonMark-like text with LF line ends, and the title of its front matter or first level-1 heading. */
export function parseMarkdown(text: string): DocumentContent {
  const lines = text.split('\n');
  const front = frontMatter(lines);
  const reader = new MarkdownReader();
  for (let i = front.lines; i < lines.length; i += 1) reader.push(lines[i] ?? '', i + 1);
  const { blocks, title: headingTitle } = reader.end();
  const title = front.title ?? headingTitle;
  return { blocks, ...(title === undefined ? {} : { title }), ...(front.language === undefined ? {} : { language: front.language }) };
}

/** Collects blocks line by line. */
class MarkdownReader {
  private readonly headings = headingStack();
  private readonly blocks: Block[] = [];
  private title: string | undefined;
  private kind: BlockKind = 'paragraph'; // of the block that is open
  private open: string[] = [];
  private start = 1;
  private isQuote = false; // the open paragraph is quoted, so a line of dashes below it is a rule
  private fence: string | null = null; // the mark that closes the open code

  push(line: string, number: number): void {
    if (this.fence !== null) this.pushCode(line, number, this.fence);
    else if (line.trim() === '') this.close();
    else if (line.length > STRUCTURE_LIMIT || !this.pushStructure(line, number)) this.pushText(line, number);
  }

  end(): { readonly blocks: readonly Block[]; readonly title: string | undefined } {
    this.close();
    return { blocks: this.blocks, title: this.title };
  }

  private pushCode(line: string, number: number, fence: string): void {
    const closing = line.length > STRUCTURE_LIMIT ? null : FENCE.exec(line);
    if (closing?.[1]?.startsWith(fence) === true && (closing[2] ?? '').trim() === '') {
      this.close();
      this.fence = null;
    } else this.add(line, number, 'code');
  }

  /** Headings, fences, rules, list items and lines that hold no language; false for a line of text. */
  private pushStructure(line: string, number: number): boolean {
    const fence = FENCE.exec(line);
    const atx = ATX_HEADING.exec(line);
    const underline = SETEXT_UNDERLINE.exec(line);
    if (fence?.[1] !== undefined && !(fence[1].startsWith('`') && (fence[2] ?? '').includes('`'))) {
      this.close();
      this.fence = fence[1];
    } else if (atx !== null) {
      this.close();
      this.addHeading(atx[1]?.length ?? 1, atx[2] ?? '', number);
    } else if (underline !== null && this.isOpen('paragraph') && !this.isQuote) {
      const content = this.open.join(' ');
      this.open = [];
      this.addHeading(underline[1]?.startsWith('=') === true ? 1 : 2, content, this.start);
    } else if (RULE.test(line)) this.close();
    else if (LIST_ITEM.test(line)) {
      if (!this.isOpen('list')) this.close();
      this.add(line, number, 'list');
    } else return this.open.length === 0 ? LINK_DEFINITION.test(line) : TABLE_RULE.test(line);
    return true;
  }

  private pushText(line: string, number: number): void {
    const content = line.replace(/^ {0,3}(?:> ?)+/, '');
    if (this.open.length === 0) this.isQuote = /^ {0,3}>/.test(line);
    this.add(content, number, 'paragraph');
  }

  private isOpen(kind: BlockKind): boolean {
    return this.open.length > 0 && this.kind === kind;
  }

  private add(content: string, number: number, kind: BlockKind): void {
    if (this.open.length === 0) {
      this.start = number;
      this.kind = kind;
    }
    this.open.push(content);
  }

  private addHeading(level: number, content: string, line: number): void {
    const plain = plainInline(content).trim();
    if (plain === '') return;
    if (level === 1) this.title ??= plain;
    this.blocks.push(...makeBlock('heading', plain, { line, headings: this.headings.enter(level, plain) }));
  }

  private close(): void {
    const content = this.kind === 'code' ? this.open.join('\n') : plainInline(this.open.join('\n'));
    this.blocks.push(...makeBlock(this.kind, content, { line: this.start, headings: this.headings.current() }));
    this.open = [];
    this.kind = 'paragraph';
  }
}

/** YAML front matter between two `---` lines at the very start: how many lines, and its title and language. */
function frontMatter(lines: readonly string[]): { readonly lines: number; readonly title?: string; readonly language?: string } {
  if (lines[0]?.trimEnd() !== '---') return { lines: 0 };
  const end = lines.slice(0, FRONT_MATTER_LINES).findIndex((line, i) => i > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end < 0) return { lines: 0 };
  const value = (key: string): string | undefined => {
    const line = lines.slice(1, end).find((candidate) => candidate.startsWith(`${key}:`));
    const written = line?.slice(key.length + 1).trim().replace(/^(["'])(.*)\1$/, '$2');
    return written === undefined || written === '' ? undefined : written;
  };
  const title = value('title');
  const language = value('lang') ?? value('language');
  return { lines: end + 1, ...(title === undefined ? {} : { title }), ...(language === undefined ? {} : { language }) };
}

/** Escaped punctuation is held back as noncharacters while markup is taken out. */
const ESCAPABLE = '\\`*_{}[]()#+-.!>|';
const FIRST_HELD = 0xfdd0;

/** Text without inline markup: links and pictures become their words, emphasis and tags go. Bounded patterns: no runaway matching. */
function plainInline(text: string): string {
  return withoutComments(text)
    .replace(/\\([\\`*_{}[\]()#+\-.!>|])/g, (_, character: string) => String.fromCharCode(FIRST_HELD + ESCAPABLE.indexOf(character)))
    .replace(/!?\[([^[\]]{0,1000})\]\([^()\s]{0,2000}(?:\s+"[^"]{0,500}")?\)/g, '$1')
    .replace(/!?\[([^[\]]{0,1000})\]\[[^[\]]{0,200}\]/g, '$1')
    .replace(/<(https?:\/\/[^\s<>]{1,2000})>/g, '$1')
    .replace(/<\/?[A-Za-z][^<>\n]{0,500}>/g, '')
    .replace(/(\*\*|__)(?=\S)([^*_\n]{1,2000}?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]{1,2000}?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/(?<![\p{L}\p{N}_])_(?=\S)([^_\n]{1,2000}?)(?<=\S)_(?![\p{L}\p{N}_])/gu, '$1')
    .replace(/`([^`\n]{1,2000})`/g, '$1')
    .replace(/[\uFDD0-\uFDE0]/g, (held) => ESCAPABLE[held.charCodeAt(0) - FIRST_HELD] ?? held);
}

function withoutComments(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (let start = text.indexOf('<!--'); start >= 0; start = text.indexOf('<!--', at)) {
    const end = text.indexOf('-->', start);
    if (end < 0) break;
    kept.push(text.slice(at, start));
    at = end + '-->'.length;
  }
  return at === 0 ? text : [...kept, text.slice(at)].join('');
}
