/** Which words does a text have, in the form in which word vectors know them, and where do they stand? */
import { normaliseForModel } from '../../text/normalise.ts';
import { segmentWords } from '../../text/segment.ts';

/** `start` and `end` are UTF-16 offsets in the text. */
export type PlacedWord = { readonly word: string; readonly start: number; readonly end: number };

/** The words in order, case-folded and normalised (core/text); punctuation is no word. */
export function placedWords(text: string): readonly PlacedWord[] {
  return segmentWords(text).flatMap(({ text: found, start, end }) => {
    const word = normaliseForModel(found);
    return word === '' ? [] : [{ word, start, end }];
  });
}

export function wordsIn(text: string): readonly string[] {
  return placedWords(text).map(({ word }) => word);
}
