/** Is this extracted text language, or what a font without Unicode leaves behind? A cheap gate by kinds of characters. */

export type TextQuality = 'good' | 'suspect' | 'garbage';

const FEWEST_CHARACTERS = 40; // less says nothing
const FEWEST_WORDS = 30;
const LEAST_LETTERS = 0.5; // letters, marks and digits among what is no space
const MOST_UNKNOWN = 0.2; // private, control and replacement characters
const MOST_SPOILT_WORDS = 0.2;
const LEADERS = /[.\u2026\u00B7_\p{Pd}](?:\s?[.\u2026\u00B7_\p{Pd}]){2,}/gu; // the dots of a table of contents, rules, blanks to fill in
const SPACE = /\s/gu;
const LETTERS = /[\p{L}\p{M}\p{N}]/gu;
const UNKNOWN = /[\p{Co}\p{Cn}\uFFFD\u0000-\u0008\u000E-\u001F\u007F-\u009F]/gu;
/** Signs that no orthography and no gloss has between letters; a small letter before a capital one. */
const SPOILT = /[\p{L}\p{M}][;{}|\\^`$%*+#¡-©«-±´¶·¸»-¿×÷][\p{L}\p{M}]|\p{Ll}\p{Lu}/u;

/** 'garbage' where letters are few or many characters mean nothing; 'suspect' where many words have signs inside, as legacy fonts leave them. */
export function textQuality(text: string): TextQuality {
  const visible = text.replace(LEADERS, '').replace(SPACE, '');
  if (visible.length < FEWEST_CHARACTERS) return 'good';
  const count = (pattern: RegExp): number => visible.match(pattern)?.length ?? 0;
  const length = [...visible].length;
  if (count(UNKNOWN) / length > MOST_UNKNOWN || count(LETTERS) / length < LEAST_LETTERS) return 'garbage';
  const words = text.split(/\s+/).filter((word) => word.length > 1);
  if (words.length < FEWEST_WORDS) return 'good';
  return words.filter((word) => SPOILT.test(word)).length / words.length > MOST_SPOILT_WORDS ? 'suspect' : 'good';
}
