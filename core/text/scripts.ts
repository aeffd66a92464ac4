/** What is known about a script? Its direction, whether it sets words apart, and which script a text is in. */

export type Direction = 'ltr' | 'rtl';

/** ISO 15924 codes written from right to left (Unicode 16, living and historic). */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set([
  'Adlm', 'Arab', 'Aran', 'Armi', 'Avst', 'Chrs', 'Cprt', 'Elym', 'Gara', 'Hatr', 'Hebr', 'Hung', 'Khar', 'Lydi', 'Mand', 'Mani', 'Mend', 'Merc', 'Mero',
  'Narb', 'Nbat', 'Nkoo', 'Orkh', 'Ougr', 'Palm', 'Phli', 'Phlp', 'Phnx', 'Prti', 'Rohg', 'Samr', 'Sarb', 'Sogd', 'Sogo', 'Syrc', 'Syre', 'Syrj', 'Syrn', 'Thaa', 'Todr', 'Yezi',
]);

/** Scripts that do not set words apart with spaces. Tibetan sets syllables apart, with tsheg. */
const WITHOUT_WORD_SPACES: ReadonlySet<string> = new Set([
  'Ahom', 'Bali', 'Bopo', 'Hanb', 'Hani', 'Hans', 'Hant', 'Hira', 'Hrkt', 'Java', 'Jpan', 'Kana', 'Khmr', 'Lana', 'Laoo', 'Mymr', 'Talu', 'Tavt', 'Thai', 'Tibt', 'Yiii',
]);

export const scriptDirection = (script: string | null): Direction => (script !== null && RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr');

/** True when words of this script are set apart by spaces or signs; unknown scripts count as spaced. */
export const hasWordSpaces = (script: string | null): boolean => script === null || !WITHOUT_WORD_SPACES.has(script);

/** ISO 15924 code and the property value that finds its characters. Hira, Kana and Hani together are read as Jpan. */
const TESTS: readonly (readonly [code: string, test: RegExp])[] = (
  [
    'Latn', 'Arab', 'Cyrl', 'Deva', 'Grek', 'Thai', 'Hani', 'Hira', 'Kana', 'Hang', 'Beng', 'Taml', 'Telu', 'Knda', 'Mlym', 'Gujr', 'Guru', 'Orya', 'Sinh', 'Khmr', 'Laoo',
    'Mymr', 'Tibt', 'Ethi', 'Hebr', 'Geor', 'Armn', 'Nkoo', 'Tfng', 'Cher', 'Mong', 'Adlm', 'Vaii', 'Java', 'Bali', 'Cans', 'Thaa', 'Syrc', 'Lana', 'Talu', 'Tale', 'Tavt',
    'Cham', 'Sund', 'Bugi', 'Batk', 'Olck', 'Mtei', 'Cakm', 'Newa', 'Limb', 'Lepc', 'Saur', 'Rohg', 'Hmng', 'Hmnp', 'Lisu', 'Plrd', 'Osge', 'Bamu', 'Mend', 'Yiii', 'Bopo', 'Copt', 'Goth', 'Wcho', 'Kali', 'Sylo', 'Tglg', 'Hano', 'Buhd', 'Tagb', 'Rjng', 'Samr', 'Mand', 'Ahom', 'Gong', 'Gonm', 'Sora', 'Wara', 'Shaw', 'Dsrt', 'Phag',
  ] as const
).map((code) => [code, new RegExp(`\\p{Script=${code}}`, 'u')] as const);

const MOST_SAMPLED = 4000;
/** Spaces, digits, punctuation, marks for any script: they are in none of TESTS. */
const OF_NO_SCRIPT = /[\p{Script=Common}\p{Script=Inherited}]/u;

/**
 * The script most letters of a text are in, as ISO 15924; null when it has no letter of a known script. Looks at the first
 * 4,000 characters. Kana among Han is Jpan; ties go to the script met first.
 */
export function dominantScript(text: string): string | null {
  const counts = new Map<string, number>();
  let last: readonly [string, RegExp] | undefined;
  let seen = 0;
  for (const character of text) {
    seen += 1;
    if (seen > MOST_SAMPLED) break;
    if (OF_NO_SCRIPT.test(character)) continue;
    if (last === undefined || !last[1].test(character)) last = TESTS.find(([, test]) => test.test(character));
    if (last !== undefined) counts.set(last[0], (counts.get(last[0]) ?? 0) + 1);
  }
  if (counts.has('Hira') || counts.has('Kana')) {
    const together = (counts.get('Hira') ?? 0) + (counts.get('Kana') ?? 0) + (counts.get('Hani') ?? 0);
    counts.set('Jpan', together);
    counts.delete('Hira');
    counts.delete('Kana');
    counts.delete('Hani');
  }
  let best: string | null = null;
  for (const [script, count] of counts) if (best === null || count > (counts.get(best) ?? 0)) best = script;
  return best;
}
