/** Which kind of text is this, whatever its name says? Told by its first lines. */
import { looksLikeTextGrid } from '../formats/textgrid.ts';
import { looksLikeHtml } from './html.ts';
import { looksLikeUsfm } from './scripture.ts';
import { looksLikeToolbox } from './toolbox.ts';

export const HEAD_CHARACTERS = 16_384;
const FIRST_ELEMENT = /^\uFEFF?\s*(?:<\?[^]*?\?>\s*|<!--[^]*?-->\s*|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>\s*)*<([A-Za-z_][\w.:-]*)/;

/** Comments, then a first word of ten columns. */
const TREEBANK = /^\uFEFF?\s*(?:#[^\n]*\n)*1(?:-\d+)?\t(?:[^\t\n]*\t){8}[^\t\n]*(?:\n|$)/;

/** The kinds of XML that are known by their first element. */
const ROOTS: Readonly<Record<string, 'eaf' | 'lift' | 'tmx' | 'xliff'>> = { ANNOTATION_DOCUMENT: 'eaf', lift: 'lift', tmx: 'tmx', xliff: 'xliff' };

export type SniffedText = 'html' | 'eaf' | 'flextext' | 'lift' | 'tmx' | 'xliff' | 'textgrid' | 'usfm' | 'toolbox' | 'conllu';

/** The name of the first element of an XML text; '' when it does not begin with one. */
export const firstElement = (text: string): string => FIRST_ELEMENT.exec(text.slice(0, HEAD_CHARACTERS))?.[1] ?? '';

/** The kind of a text that its first lines prove; null when they prove none. */
export function sniffText(text: string): SniffedText | null {
  const head = text.slice(0, HEAD_CHARACTERS);
  if (looksLikeHtml(head)) return 'html';
  if (looksLikeTextGrid(head)) return 'textgrid';
  if (/^\uFEFF?\s*</.test(head)) {
    const root = firstElement(head);
    if (root === 'document' && /<interlinear-text\b/.test(head)) return 'flextext';
    return Object.hasOwn(ROOTS, root) ? (ROOTS[root] ?? null) : null;
  }
  if (looksLikeUsfm(head)) return 'usfm';
  if (looksLikeToolbox(head)) return 'toolbox';
  return TREEBANK.test(head) ? 'conllu' : null;
}
