/** Which tag does a language get that no list has? A private-use tag made of its name: "Kisukuma" -> "x-kisukuma". */

const LONGEST_PART = 8; // BCP 47: subtags have at most eight letters or digits
const CODES_KEPT = 4;
const BASE = 36;

/** The tag of a name; of a name without Latin letters its first characters as numbers. Null for a name of blanks. */
export function unlistedTag(name: string): string | null {
  const letters = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, ' ').trim();
  if (letters !== '') return `x-${letters.split(' ').flatMap((word) => word.match(new RegExp(`.{1,${String(LONGEST_PART)}}`, 'g')) ?? []).join('-')}`;
  const codes = Array.from(name.trim(), (character) => (character.codePointAt(0) ?? 0).toString(BASE)).slice(0, CODES_KEPT);
  return codes.length === 0 ? null : `x-${codes.join('-')}`;
}
