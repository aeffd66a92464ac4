/** Is a text written in Latin letters? Decides whether names and cognates look alike across two languages. */

const LATIN = /\p{Script=Latin}/gu;
const LETTER = /\p{L}/gu;
const ASCII = /^[\x00-\x7F]*$/;
const NO_ASCII_LETTERS = /[^A-Za-z]+/g;
const SAMPLE_TEXTS = 64;
const SAMPLE_CHARACTERS = 400;

/** Whether more than half of the letters of a sample of the texts (64 or more, spread over all) are Latin. */
export function isMostlyLatin(texts: readonly string[]): boolean {
  const step = Math.max(1, Math.floor(texts.length / SAMPLE_TEXTS));
  let latin = 0;
  let letters = 0;
  for (let i = 0; i < texts.length; i += step) {
    const sample = (texts[i] ?? '').slice(0, SAMPLE_CHARACTERS);
    if (ASCII.test(sample)) {
      const count = sample.replace(NO_ASCII_LETTERS, '').length;
      latin += count;
      letters += count;
      continue;
    }
    latin += sample.match(LATIN)?.length ?? 0;
    letters += sample.match(LETTER)?.length ?? 0;
  }
  return latin * 2 > letters;
}
