/** Which sentences does a CoNLL-U treebank hold, with their words and translations? */
import { fault, part } from './parsing.ts';
import type { LineParser, Parsed, TaggedText } from './parsing.ts';

/** A line of a word: `id` is "3" for a word, "3-4" for a written form of several words, "3.1" for a word not written. */
export type ConlluToken = { readonly id: string; readonly form: string; readonly lemma: string; readonly partOfSpeech: string; readonly misc: string };

export type ConlluSentence = {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly id: string;
  /** `# text`, or the written forms put together where there is none. */
  readonly text: string;
  /** `# text_en = ...` and the like. */
  readonly translations: readonly TaggedText[];
  readonly tokens: readonly ConlluToken[];
  /** Numbered from 0 by `# newdoc`; `document` is its id or ''. */
  readonly documentNumber: number;
  readonly document: string;
};

const COLUMNS = 10;
const COMMENT = /^#\s*([^=]+?)\s*=\s*(.*)$/;
const TRANSLATION = /^text[_[]([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*)\]?$/;
const NOT_LANGUAGES = new Set(['orig', 'std', 'lat', 'rom']);
const NEW_DOCUMENT = /^#\s*newdoc\b/;
const WORD_ID = /^\d+(?:[-.]\d+)?$/;
const SENTENCE_TOKENS = 20_000;
const SHOWN = 80;

/** @see universaldependencies.org/format.html. Faults: 'column-count', 'not-a-word-id', 'record-too-long', 'empty-text'. */
export function conlluParser(): LineParser<ConlluSentence> {
  let documentNumber = -1;
  let document = '';
  let open: { line: number; id: string; text: string; translations: TaggedText[]; tokens: ConlluToken[] } | null = null;
  const close = (): Parsed<ConlluSentence>[] => {
    if (open === null) return [];
    const sentence = open;
    open = null;
    const text = sentence.text === '' ? writtenForms(sentence.tokens) : sentence.text;
    if (text === '' && sentence.tokens.length === 0) return sentence.id === '' ? [] : [fault('empty-text', { line: sentence.line, expected: 'a sentence with words', found: `none under "${sentence.id}"` })];
    return [part({ ...sentence, text, documentNumber: Math.max(0, documentNumber), document })];
  };
  return {
    push: (text, line) => {
      if (text.trim() === '') return close();
      open ??= { line, id: '', text: '', translations: [], tokens: [] };
      if (text.startsWith('#')) {
        if (NEW_DOCUMENT.test(text)) {
          documentNumber += 1;
          document = '';
        }
        const [, key = '', value = ''] = COMMENT.exec(text) ?? [];
        if (key === 'newdoc id') document = value.trim();
        else if (key === 'sent_id') open.id = value.trim();
        else if (key === 'text') open.text = value.trim();
        else {
          const language = TRANSLATION.exec(key)?.[1];
          if (language !== undefined && !NOT_LANGUAGES.has(language) && value.trim() !== '') open.translations.push({ language, text: value.trim() });
        }
        return [];
      }
      const columns = text.split('\t');
      const [id = '', form = '', lemma = '', partOfSpeech = ''] = columns;
      if (columns.length !== COLUMNS) return [fault('column-count', { line, expected: `${COLUMNS} columns separated by tabs`, found: `${columns.length} in "${text.slice(0, SHOWN)}"` })];
      if (!WORD_ID.test(id)) return [fault('not-a-word-id', { line, expected: 'a word number such as 3, 3-4 or 3.1', found: id })];
      if (open.tokens.length >= SENTENCE_TOKENS) return open.tokens.length === SENTENCE_TOKENS ? [fault('record-too-long', { line, expected: `at most ${SENTENCE_TOKENS} words in a sentence`, found: 'more' })] : [];
      open.tokens.push({ id, form, lemma, partOfSpeech, misc: columns[COLUMNS - 1] ?? '' });
      return [];
    },
    end: close,
  };
}

/** The words as they are written: ranges stand for their words, and no space follows where `SpaceAfter=No` says so. */
function writtenForms(tokens: readonly ConlluToken[]): string {
  let text = '';
  let covered = 0;
  for (const { id, form, misc } of tokens) {
    if (id.includes('.')) continue;
    const [first = 0, last] = id.split('-').map(Number);
    if (last === undefined && first <= covered) continue;
    covered = Math.max(covered, last ?? first);
    text += misc.split('|').includes('SpaceAfter=No') ? form : `${form} `;
  }
  return text.trim();
}
