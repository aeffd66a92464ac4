/** When do two spellings count as the same word in search? When their matching forms are equal. */

import { normaliseForModel } from '../text/normalise.ts';

/** Rewritings of decomposed (NFD) lower-case text, in this order. Each joins spellings that writers of the script treat as one. */
const joinedSpellings: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/[\u200c\u200d]/gu, ''], // joiners choose a letter's shape, not the word
  [/(\p{Script=Greek})\p{M}+/gu, '$1'], // capitals drop accents and breathings
  [/(?<=[аеиоуыэюяіє])[\u0300\u0301]/gu, ''], // stress marks of dictionaries and primers
  [/(?<=е)\u0308/gu, ''], // ё is mostly written е
  // Arabic script: vowel signs, stretching, seats of alef; letters that fonts and keyboards mix (as Lucene's Arabic and Persian filters).
  [/[\u0610-\u061a\u0640\u064b-\u0652\u0657-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]/gu, ''],
  [/(?<=ا)[\u0653-\u0655]/gu, ''],
  [/[ىی]/gu, 'ي'],
  [/ک/gu, 'ك'],
  [/ة/gu, 'ه'],
  [/[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/gu, ''], // Hebrew points and accents
];
const ASCII_WORD = /^[a-z0-9]*$/;

/**
 * The normalised text (normaliseForModel: NFKC, case folding, one apostrophe) with the joined spellings above.
 * Marks of Latin, Indic and other scripts stay: they tell words apart (removing Vietnamese tones cost .035 MRR on xquad-vi).
 */
export function matchingForm(text: string): string {
  const normalised = normaliseForModel(text);
  if (ASCII_WORD.test(normalised)) return normalised;
  let form = normalised.normalize('NFD');
  for (const [pattern, replacement] of joinedSpellings) form = form.replace(pattern, replacement);
  return form.normalize('NFKC');
}
