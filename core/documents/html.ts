/** Which blocks does an HTML page have? Only its text: no script, style or address is kept, nothing is loaded. */
import { Parser } from 'htmlparser2';
import type { FileProblem } from '../base/text-files.ts';
import { headingStack, makeBlock } from './parsed-document.ts';
import type { Block, BlockKind, DocumentContent } from './parsed-document.ts';

const HIDDEN_ELEMENTS = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'embed', 'canvas', 'audio', 'video', 'select', 'datalist', 'rp', 'head', 'title']);
const INLINE_ELEMENTS = new Set([
  'a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'img', 'ins', 'kbd', 'label', 'mark', 'q', 'rb', 'rt', 'ruby',
  's', 'samp', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr', 'br', 'td', 'th', 'input', 'button', 'nobr',
]);
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

/** Thrown and caught in this file only. */
class TooDeep extends Error {}

/** The blocks of a page, its <title> and its language. Entities are decoded; a table row is one paragraph, its cells joined by " | ". */
export function parseHtml(html: string, path = ''): DocumentContent {
  const headings = headingStack();
  const blocks: Block[] = [];
  let title = '';
  let language: string | undefined;
  let inTitle = false;
  let hidden: string[] = []; // open elements from the first hidden one on
  let preformatted = 0;
  let kind: BlockKind = 'paragraph';
  let level = 0; // of the heading that is open, else 0
  let text = '';
  let start = 1;
  let line = 1;
  let depth = 0;
  let counted = 0;

  const lineAt = (index: number): number => {
    for (let at = html.indexOf('\n', counted); at >= 0 && at < index; at = html.indexOf('\n', at + 1)) {
      line += 1;
      counted = at + 1;
    }
    return line;
  };
  const close = (): void => {
    const clean = text.replace(/(?: \| )+$/, '').replace(/^(?: \| )+/, '').trim();
    const isHeading = level > 0 && clean !== '';
    const above = isHeading ? headings.enter(level, clean.replaceAll('\n', ' ')) : headings.current();
    blocks.push(...makeBlock(isHeading ? 'heading' : kind, clean, { line: start, headings: above }));
    text = '';
  };
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1;
        if (depth > DEPTH_LIMIT) throw new TooDeep();
        if (name === 'title' && title === '') inTitle = true;
        if (name === 'html' && attributes['lang'] !== undefined && attributes['lang'] !== '') language = attributes['lang'];
        if (name === 'body') hidden = []; // a head that was never closed
        if (hidden.length > 0 || HIDDEN_ELEMENTS.has(name) || attributes['hidden'] !== undefined) {
          if (!VOID_ELEMENTS.has(name)) hidden.push(name);
          return;
        }
        if (name === 'br') text += '\n';
        else if ((name === 'td' || name === 'th') && text.trim() !== '') text += ' | ';
        else if (!INLINE_ELEMENTS.has(name)) {
          close();
          if (/^h[1-6]$/.test(name)) level = Number(name[1]);
          kind = name === 'li' || name === 'dt' || name === 'dd' ? 'list' : name === 'pre' ? 'code' : kind === 'list' ? kind : 'paragraph';
          if (name === 'pre') preformatted += 1;
        }
      },
      ontext: (piece) => {
        if (inTitle) title += piece;
        if (hidden.length > 0) return;
        if (text.trim() === '') start = lineAt(parser.startIndex + (/\S/.exec(piece)?.index ?? 0));
        if (preformatted > 0) text += piece;
        else {
          const collapsed = piece.replace(/[ \t\r\n\f]+/g, ' ');
          text += /[ \n]$/.test(text) || text === '' ? collapsed.replace(/^ /, '') : collapsed;
        }
      },
      onclosetag: (name) => {
        depth -= 1;
        if (name === 'title') inTitle = false;
        if (hidden.length > 0) {
          const at = hidden.lastIndexOf(name);
          if (at >= 0) hidden = hidden.slice(0, at);
          return;
        }
        if (INLINE_ELEMENTS.has(name)) return;
        close();
        if (/^h[1-6]$/.test(name)) level = 0;
        if (name === 'pre') preformatted = Math.max(0, preformatted - 1);
        if (['pre', 'li', 'dd', 'dt'].includes(name)) kind = 'paragraph';
      },
    },
    { decodeEntities: true, lowerCaseTags: true, recognizeSelfClosing: false },
  );
  const problems: FileProblem[] = [];
  try {
    parser.end(html);
  } catch (thrown) {
    if (!(thrown instanceof TooDeep)) throw thrown;
    problems.push(tooDeep(path, lineAt(parser.startIndex)));
  }
  close();
  const ownTitle = title.replace(/\s+/g, ' ').trim();
  return { blocks, problems, ...(ownTitle === '' ? {} : { title: ownTitle }), ...(language === undefined ? {} : { language }) };
}

function tooDeep(path: string, line: number): FileProblem {
  const expected = `at most ${DEPTH_LIMIT} elements inside one another`;
  return { code: 'documents.too-deep', path, line, found: 'more', expected, message: `${path}: line ${line}: expected ${expected}, found more. The page is read up to here.` };
}
