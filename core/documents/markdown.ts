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

/** The blocks of a CommonMark-like text with LF line ends, and the title of its front matter or first level-1 heading. */
export function parseMarkdown(text: string): DocumentContent {
  const lines = text.split('\n');
  const front = frontMatter(lines);
  const headings = headingStack();
  const blocks: Block[] = [];
  let title = front.title;
  let kind: BlockKind = 'paragraph';
  let open: string[] = [];
  let start = 0;

  const close = (): void => {
    const content = kind === 'code' ? open.join('\n') : plainInline(open.join('\n'));
    blocks.push(...makeBlock(kind, content, { line: start, headings: headings.current() }));
    open = [];
    kind = 'paragraph';
  };
  const heading = (level: number, content: string, line: number): void => {
    const plain = plainInline(content).trim();
    if (level === 1 && plain !== '') title ??= plain;
    if (plain !== '') blocks.push(...makeBlock('heading', plain, { line, headings: headings.enter(level, plain) }));
  };
  const add = (line: number, content: string, as: BlockKind): void => {
    if (open.length === 0) {
      start = line;
      kind = as;
    }
    open.push(content);
  };

  let isQuote = false; // the open paragraph is quoted, so a line of dashes below it is a rule
  const isOpen = (as: BlockKind): boolean => open.length > 0 && kind === as;

  let fence: string | null = null;
  for (let i = front.lines; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    const number = i + 1;
    if (fence !== null) {
      const closing = FENCE.exec(line);
      if (closing?.[1]?.startsWith(fence) === true && (closing[2] ?? '').trim() === '') {
        close();
        fence = null;
      } else add(number, line, 'code');
      continue;
    }
    const opening = FENCE.exec(line);
    const atx = ATX_HEADING.exec(line);
    const underline = SETEXT_UNDERLINE.exec(line);
    if (opening?.[1] !== undefined && !(opening[1].startsWith('`') && (opening[2] ?? '').includes('`'))) {
      close();
      fence = opening[1];
    } else if (atx !== null) {
      close();
      heading(atx[1]?.length ?? 1, atx[2] ?? '', number);
    } else if (underline !== null && isOpen('paragraph') && !isQuote) {
      const content = open.join(' ');
      const at = start;
      open = [];
      heading(underline[1]?.startsWith('=') === true ? 1 : 2, content, at);
    } else if (RULE.test(line) || line.trim() === '') close();
    else if (LINK_DEFINITION.test(line) && open.length === 0) continue;
    else if (TABLE_RULE.test(line) && open.length > 0) continue;
    else if (LIST_ITEM.test(line)) {
      if (!isOpen('list')) close();
      add(number, line, 'list');
    } else {
      const content = line.replace(/^ {0,3}(?:> ?)+/, '');
      if (open.length === 0) isQuote = content !== line && /^ {0,3}>/.test(line);
      add(number, content, 'paragraph');
    }
  }
  close();
  return { blocks, ...(title === undefined ? {} : { title }), ...(front.language === undefined ? {} : { language: front.language }) };
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
  return text
    .replace(/\\([\\`*_{}[\]()#+\-.!>|])/g, (_, character: string) => String.fromCharCode(FIRST_HELD + ESCAPABLE.indexOf(character)))
    .replace(/<!--[^]*?-->/g, '')
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
