/** Where do words, sentences and characters begin and end? With offsets, for every script, by rule where no dictionary is known. */

/** `text` is the original's code units [start, end). */
export type TextSpan = { readonly text: string; readonly start: number; readonly end: number };

/**
 * A word by rule: letters, marks, digits, tone letters (˧), joiners and invisible signs; inside it also apostrophes, middle dot,
 * Hebrew gershayim, underscore, and a point or comma between digits. ʻ ʼ ꞌ and click letters are letters everywhere.
 */
const WORD = /(?:[\p{L}\p{M}\p{N}\u02E5-\u02E9\uA700-\uA716](?:[\u200C\u200D\u00AD\u2060\uFE0E\uFE0F]*[\p{L}\p{M}\p{N}\u02E5-\u02E9\uA700-\uA716]|['\u2019\u2018\u00B7\u05F4\u05F3_\u2032\uFF07](?=[\p{L}\p{N}])|(?<=\p{Nd})[.,\u066B\u066C](?=\p{Nd}))*)/gu;

/** Scripts without word spaces for which Intl.Segmenter has a dictionary. */
const DICTIONARY_SCRIPT = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Scripts without word spaces for which it has none: every character with its marks stands for itself. */
const BARE_SCRIPT = /[\p{Script=Javanese}\p{Script=Balinese}\p{Script=Tai_Tham}\p{Script=New_Tai_Lue}\p{Script=Tai_Viet}\p{Script=Ahom}]/u;
const ASCII = /^[\x20-\x7E]*$/;

const segmenters = new Map<string, Intl.Segmenter>();

/** The runtime's segmenter for a language; unlisted languages get the root rules. */
function segmenterFor(language: string | undefined, granularity: 'word' | 'sentence' | 'grapheme'): Intl.Segmenter {
  const key = `${granularity} ${language ?? ''}`;
  let segmenter = segmenters.get(key);
  if (segmenter === undefined) {
    const locale = language === undefined || language.startsWith('x-') ? 'und' : language;
    segmenter = new Intl.Segmenter(Intl.Segmenter.supportedLocalesOf([locale]).length > 0 ? locale : 'und', { granularity });
    segmenters.set(key, segmenter);
  }
  return segmenter;
}

/**
 * The words of a text in order, without punctuation, symbols and spaces. Spaced scripts are cut by rule; Thai, Lao, Khmer,
 * Burmese, Chinese and Japanese with the runtime's dictionaries; other scripts without spaces into characters.
 * A hyphen, a slash, Ethiopic ፡ and Tibetan tsheg end a word.
 * @param language canonical BCP 47 tag; only chooses the dictionary's rules.
 */
export function segmentWords(text: string, language?: string): TextSpan[] {
  const words: TextSpan[] = [];
  const isAscii = ASCII.test(text);
  for (const match of text.matchAll(WORD)) {
    const run = match[0];
    const start = match.index;
    if (!isAscii && DICTIONARY_SCRIPT.test(run)) pushSegments(words, run, start, segmenterFor(language, 'word'));
    else if (!isAscii && BARE_SCRIPT.test(run)) pushSegments(words, run, start, segmenterFor(language, 'grapheme'));
    else words.push({ text: run, start, end: start + run.length });
  }
  return words;
}

const HAS_LETTER = /[\p{L}\p{N}]/u;

function pushSegments(words: TextSpan[], run: string, start: number, segmenter: Intl.Segmenter): void {
  for (const { segment, index } of segmenter.segment(run)) {
    if (HAS_LETTER.test(segment)) words.push({ text: segment, start: start + index, end: start + index + segment.length });
  }
}

/** Characters as readers see them: a letter with its marks, a Devanagari cluster, an emoji sequence (UAX #29). */
export function segmentGraphemes(text: string): TextSpan[] {
  return Array.from(segmenterFor(undefined, 'grapheme').segment(text), ({ segment, index }) => ({ text: segment, start: index, end: index + segment.length }));
}

/** A point after these does not end a sentence. Latin titles and abbreviations that many languages share; initials are a rule. */
const ABBREVIATION = /(?:^|[\s("'\u2018\u201C])(?:Mr|Mrs|Ms|Dr|Prof|Rev|St|Sr|Jr|vs|etc|e\.g|i\.e|cf|ca|No|Nr|Vol|Fig|pp|Bw|Bi|\p{Lu})\.\s+$/u;
const TAIL = 64; // code units at the end of a sentence that hold its last word
/** Tibetan shad ends a clause, as a full stop does elsewhere; the runtime's rules do not know it. */
const AFTER_SHAD = /(?<=[\u0F0D-\u0F12\u0F14][\s\u0F0B]*)(?=[^\s\u0F0B\u0F0D-\u0F12\u0F14])/u;
/** Thai and Lao have no full stop: a space between long stretches is the boundary. */
const SPACE_ENDED = /[\u0E00-\u0EFF]/;
const LEAST_SPACE_ENDED = 40;

/**
 * The sentences of a text in order, trimmed of white space, empty ones left out. A line end ends a sentence. Marks of all scripts
 * count (. ? ! । ॥ ። ፧ ۔ ؟ ߹ ။ ។ 。 ᠃ །); a point after an abbreviation or an initial does not. Thai and Lao are cut at spaces
 * once 40 characters are together.
 */
export function segmentSentences(text: string, language?: string): TextSpan[] {
  const sentences: TextSpan[] = [];
  let start = 0;
  let end = 0;
  const close = (): void => {
    for (const part of cutFurther(text.slice(start, end), start)) pushTrimmed(sentences, text, part.start, part.end);
    start = end;
  };
  for (const { segment, index } of segmenterFor(language, 'sentence').segment(text)) {
    end = index + segment.length;
    if (!(endsInPoint(text, start, end) && ABBREVIATION.test(text.slice(Math.max(start, end - TAIL), end)) && !segment.includes('\n'))) close();
  }
  if (start < text.length) {
    end = text.length;
    close();
  }
  return sentences;
}

/** Is a point the last character of [start, end) that is no space? What the patterns cost is spent on few sentences. */
function endsInPoint(text: string, start: number, end: number): boolean {
  let last = end - 1;
  while (last >= start && /\s/.test(text.charAt(last))) last -= 1;
  return text.charAt(last) === '.';
}

function cutFurther(sentence: string, offset: number): { start: number; end: number }[] {
  const parts: { start: number; end: number }[] = [];
  let from = 0;
  if (sentence.includes('\u0F0D') || sentence.includes('\u0F0E')) {
    for (const part of sentence.split(AFTER_SHAD)) {
      parts.push({ start: offset + from, end: offset + from + part.length });
      from += part.length;
    }
    return parts;
  }
  if (SPACE_ENDED.test(sentence)) {
    for (let at = sentence.indexOf(' '); at !== -1; at = sentence.indexOf(' ', at + 1)) {
      if (at - from < LEAST_SPACE_ENDED || sentence.length - at < LEAST_SPACE_ENDED) continue;
      parts.push({ start: offset + from, end: offset + at });
      from = at;
    }
  }
  parts.push({ start: offset + from, end: offset + sentence.length });
  return parts;
}

function pushTrimmed(sentences: TextSpan[], text: string, from: number, to: number): void {
  const raw = text.slice(from, to);
  const start = from + (raw.length - raw.trimStart().length);
  const trimmed = raw.trim();
  if (trimmed !== '') sentences.push({ text: trimmed, start, end: start + trimmed.length });
}
