/** Into which words is a text cut before words are translated? Words of the script, case-folded, long ones shortened to a stem. */

/** One word: its normalised, shortened form, and where it stands in the text (UTF-16 offsets, whole word). */
export type WordToken = { readonly token: string; readonly start: number; readonly end: number };

/** Queries keep longer stems than documents: chosen on held-back pairs (test/experiments/query-translation.md). */
export const QUERY_STEM_CHARACTERS = 8;
export const DOCUMENT_STEM_CHARACTERS = 6;

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’ʼʻꞌ][\p{L}\p{M}\p{N}]+)*/gu;
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const ARABIC_MARKS = /[\u064B-\u0652\u0640]/g;
const LONE_CHARACTERS = 1;

let dictionarySegmenter: Intl.Segmenter | undefined;

/**
 * The words of a text in order, each NFKC-normalised, lower-cased, without Arabic vowel marks, cut to `stemCharacters`.
 * Runs of scripts without word spaces are cut by the dictionaries of ICU; where ICU leaves single characters, pairs of neighbours are used.
 */
export function wordTokens(text: string, stemCharacters: number): WordToken[] {
  const tokens: WordToken[] = [];
  for (const match of text.matchAll(WORD)) {
    const word = match[0];
    if (UNSPACED.test(word)) pushUnspaced(tokens, word, match.index);
    else pushToken(tokens, word, match.index, stemCharacters);
  }
  return tokens;
}

/** The shortened form of one word, as a document's word of that spelling would have it. */
export function documentStem(word: string): string {
  return stem(word, DOCUMENT_STEM_CHARACTERS);
}

function pushToken(tokens: WordToken[], word: string, start: number, stemCharacters: number): void {
  const token = stem(word, stemCharacters);
  if (token !== '') tokens.push({ token, start, end: start + word.length });
}

function pushUnspaced(tokens: WordToken[], run: string, offset: number): void {
  dictionarySegmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  let lone: { text: string; start: number } | null = null;
  for (const { segment, index } of dictionarySegmenter.segment(run)) {
    const isLone = [...segment].length === LONE_CHARACTERS && UNSPACED.test(segment);
    if (isLone && lone !== null) pushToken(tokens, lone.text + segment, lone.start, Number.POSITIVE_INFINITY);
    if (!isLone) pushToken(tokens, segment, offset + index, Number.POSITIVE_INFINITY);
    lone = isLone ? { text: segment, start: offset + index } : null;
  }
}

function stem(word: string, characters: number): string {
  const folded = word.normalize('NFKC').toLowerCase().replace(ARABIC_MARKS, '').replaceAll('ς', 'σ');
  if (folded.length <= characters) return folded;
  return [...folded].slice(0, characters).join('');
}
