/** Are these labels only numbers that people refer by ("12", "KU.001", "Paragraph 3"), or is something said in them? */

const HAS_LETTER = /\p{L}/u;
const DIGITS_AND_SIGNS = /[\p{Nd}\p{P}\p{S}\s]+/gu;
const LETTERED = 0.1; // this share of them may differ in more than the number: one prefix for each file or speaker
const LEAST_LETTERS = 0.5; // share of labels with letters, below which there is no text

/** Every label has a digit and hardly any differ in their letters, or most have no letters at all. Empty labels say nothing. */
export function areReferenceNumbers(labels: readonly string[]): boolean {
  const filled = labels.filter((label) => label !== '');
  if (filled.length === 0) return false;
  if (filled.filter((label) => HAS_LETTER.test(label)).length < LEAST_LETTERS * filled.length) return true;
  if (!filled.every((label) => /\p{Nd}/u.test(label) && label.split(/\s+/).length <= 2)) return false;
  return new Set(filled.map((label) => label.replace(DIGITS_AND_SIGNS, ''))).size <= 1 + LETTERED * filled.length;
}
