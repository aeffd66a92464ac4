/** Which texts, phrases, words and glosses does a FLEx interlinear export hold? */
import { fault, oneLine, part } from './parsing.ts';
import type { FormatPlace, PieceParser, TaggedText } from './parsing.ts';
import { xmlScanner } from './xml-scanner.ts';

export type FlexMorpheme = { readonly type: string; readonly texts: readonly TaggedText[]; readonly glosses: readonly TaggedText[] };

export type FlexWord = {
  /** Empty for punctuation. */
  readonly texts: readonly TaggedText[];
  readonly punctuation: readonly TaggedText[];
  readonly glosses: readonly TaggedText[];
  readonly partsOfSpeech: readonly TaggedText[];
  readonly morphemes: readonly FlexMorpheme[];
};

export type FlexPhrase = {
  readonly kind: 'phrase';
  /** "phrase" or, in older exports, "word". */
  readonly element: string;
  /** Of the text and of the paragraph in it, from 0. */
  readonly text: number;
  readonly paragraph: number;
  readonly line: number;
  readonly number: string;
  /** The sentence as its own items say it; where there is none, its words put together. */
  readonly texts: readonly TaggedText[];
  readonly freeTranslations: readonly TaggedText[];
  readonly literalTranslations: readonly TaggedText[];
  readonly notes: readonly TaggedText[];
  readonly words: readonly FlexWord[];
  /** Where in its recording, in milliseconds; null where the file does not say. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly speaker: string;
};

/** Comes before the phrases of a text. */
export type FlexText = { readonly kind: 'text'; readonly text: number; readonly line: number; readonly titles: readonly TaggedText[] };
/** Comes behind the phrases of a text: the languages it names, those of the texts themselves first. */
export type FlexLanguages = { readonly kind: 'languages'; readonly text: number; readonly languages: readonly { readonly language: string; readonly isVernacular: boolean }[] };

export type FlexPart = FlexText | FlexPhrase | FlexLanguages;

const ITEMS_LIMIT = 100_000; // in one phrase

type Growing<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] };
type OpenPhrase = Omit<Growing<FlexPhrase>, 'words'> & { words: (Omit<Growing<FlexWord>, 'morphemes'> & { morphemes: Growing<FlexMorpheme>[] })[] };

/**
 * Faults: 'invalid-bytes', 'not-well-formed', 'record-too-long'; the phrase is then left out.
 * @throws InputError '<area>.not-flextext'; what createXmlReader throws. @see FlexInterlinear.xsd of FieldWorks
 */
export function flextextParser(place: FormatPlace): PieceParser<FlexPart> {
  return xmlScanner<FlexPart>(place, { element: 'document', format: 'flextext', called: 'a FLEx interlinear text' }, ({ line, emit, isDamaged }) => {
    const path: string[] = [];
    let text = -1;
    let paragraph = -1;
    let textLine = 0;
    let titles: TaggedText[] = [];
    let isTextSaid = true;
    let languages: FlexLanguages['languages'][number][] = [];
    let phrase: OpenPhrase | null = null;
    let items = 0; // in the phrase
    let isBroken = false; // the phrase is
    let phraseDepth = 0;
    let item: { readonly type: string; readonly language: string; text: string } | null = null;
    const sayText = (): void => {
      if (isTextSaid) return;
      isTextSaid = true;
      emit(part({ kind: 'text', text, line: textLine, titles }));
    };
    const breakPhrase = (reason: string, expected: string, found: string): void => {
      if (isBroken && phrase !== null) return;
      isBroken = true;
      emit(fault(reason, { line: phrase?.line ?? line(), expected, found }));
    };
    const takeItem = (found: { readonly type: string; readonly language: string; readonly text: string }): void => {
      const tagged = { language: found.language, text: oneLine(found.text) };
      if (tagged.text === '') return;
      if (isDamaged() && tagged.text.includes('\uFFFD')) breakPhrase('invalid-bytes', 'text in the encoding of the file', tagged.text);
      if (phrase === null) {
        if (found.type === 'title') titles.push(tagged);
        return;
      }
      items += 1;
      if (items > ITEMS_LIMIT) return breakPhrase('record-too-long', `at most ${ITEMS_LIMIT} items in a phrase`, 'more');
      const owner = path.at(-2) ?? '';
      const word = phrase.words.at(-1);
      const isMorpheme = owner === 'morph';
      const isWord = !isMorpheme && path.length - 1 > phraseDepth;
      if (isMorpheme && word !== undefined) {
        const morpheme = word.morphemes.at(-1);
        if (found.type === 'txt') morpheme?.texts.push(tagged);
        else if (found.type === 'gls') morpheme?.glosses.push(tagged);
      } else if (isWord && word !== undefined) {
        if (found.type === 'txt') word.texts.push(tagged);
        else if (found.type === 'punct') word.punctuation.push(tagged);
        else if (found.type === 'gls') word.glosses.push(tagged);
        else if (found.type === 'pos') word.partsOfSpeech.push(tagged);
      } else if (found.type === 'txt') phrase.texts.push(tagged);
      else if (found.type === 'gls') phrase.freeTranslations.push(tagged);
      else if (found.type === 'lit') phrase.literalTranslations.push(tagged);
      else if (found.type === 'note') phrase.notes.push(tagged);
      else if (found.type === 'segnum') phrase.number = tagged.text;
    };
    return {
      onOpen: (name, attributes) => {
        const parent = path.at(-1) ?? '';
        path.push(name);
        if (name === 'interlinear-text') {
          text += 1;
          paragraph = -1;
          textLine = line();
          titles = [];
          languages = [];
          isTextSaid = false;
        } else if (name === 'paragraph') {
          sayText();
          paragraph += 1;
        } else if (parent === 'phrases' && (name === 'phrase' || name === 'word')) {
          sayText();
          phraseDepth = path.length;
          phrase = {
            kind: 'phrase', element: name, text: Math.max(0, text), paragraph: Math.max(0, paragraph), line: line(), number: '', texts: [], freeTranslations: [], literalTranslations: [], notes: [], words: [],
            startMs: milliseconds(attributes['begin-time-offset']), endMs: milliseconds(attributes['end-time-offset']), speaker: attributes['speaker'] ?? '',
          };
          items = 0;
          isBroken = false;
        } else if (name === 'word' && phrase !== null) {
          items += 1;
          if (items <= ITEMS_LIMIT) phrase.words.push({ texts: [], punctuation: [], glosses: [], partsOfSpeech: [], morphemes: [] });
          else breakPhrase('record-too-long', `at most ${ITEMS_LIMIT} items in a phrase`, 'more');
        } else if (name === 'morph' && phrase !== null) {
          items += 1;
          if (items <= ITEMS_LIMIT) phrase.words.at(-1)?.morphemes.push({ type: attributes['type'] ?? '', texts: [], glosses: [] });
        } else if (name === 'item') item = { type: attributes['type'] ?? '', language: attributes['lang'] ?? '', text: '' };
        else if (name === 'language') languages.push({ language: attributes['lang'] ?? '', isVernacular: attributes['vernacular'] === 'true' });
      },
      onText: (piece) => {
        if (item !== null) item.text += piece;
      },
      onClose: (name) => {
        if (name === 'item' && item !== null) {
          takeItem(item);
          item = null;
        } else if (phrase !== null && path.length === phraseDepth) {
          if (!isBroken) emit(part({ ...phrase, texts: phrase.texts.length > 0 ? phrase.texts : joinedWords(phrase.words) }));
          phrase = null;
        } else if (name === 'interlinear-text') {
          sayText();
          emit(part({ kind: 'languages', text, languages: languages.toSorted((a, b) => Number(b.isVernacular) - Number(a.isVernacular)) }));
        }
        path.pop();
      },
      onDamage: (expected, found) => breakPhrase('not-well-formed', expected, found),
    };
  });
}

function milliseconds(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,12}$/.test(value) ? Number(value) : null;
}

const OPENING = /[\p{Ps}\p{Pi}¿¡]$/u;
const CLOSING = /^[\p{Pe}\p{Pf}.,;:!?…%。、！？।॥؟،؛]/u;

/** The words of a phrase as a sentence in the language that most of them are in: spaces between words, none inside brackets and before stops. */
function joinedWords(words: readonly FlexWord[]): TaggedText[] {
  const counts = new Map<string, number>();
  for (const { texts } of words) for (const { language } of texts) counts.set(language, (counts.get(language) ?? 0) + 1);
  const language = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
  if (language === undefined) return [];
  let sentence = '';
  for (const { texts, punctuation } of words) {
    const text = (texts.find((one) => one.language === language) ?? texts[0] ?? punctuation[0])?.text ?? '';
    if (text === '') continue;
    const isPunctuation = texts.length === 0;
    sentence += sentence === '' || OPENING.test(sentence) || (isPunctuation && CLOSING.test(text)) ? text : ` ${text}`;
  }
  return sentence === '' ? [] : [{ language, text: sentence }];
}
