/** Which language is meant? BCP 47 tags in one canonical form, unlisted languages included, with script, direction and names. */
import { parse, stringify } from 'bcp-47';
import { InputError } from '../base/errors.ts';
import { foldForSearch } from './search-folding.ts';
import { hasWordSpaces, scriptDirection, type Direction } from './scripts.ts';

/** What a canonical tag says. `language` is null for a tag that is private use only (`x-kisukuma`) and for `und`. */
export type LanguageTag = {
  readonly tag: string;
  readonly language: string | null;
  /** ISO 15924: as written in the tag, else the language's usual script; null when nobody knows. */
  readonly script: string | null;
  readonly region: string | null;
  readonly privateUse: readonly string[];
};

const NO_LANGUAGE = 'und';
/** BCP 47 reserves longer language subtags, and none is registered. */
const LONGEST_LANGUAGE = 3;

/**
 * Reads a tag and writes it in its one canonical form:
 * - letter case and order as BCP 47 writes them; `_` is read as `-`; replaced tags as CLDR replaces them (`iw` = he, `zh-yue` = yue);
 * - three letters become two where BCP 47 has two (`eng` = en), and the main member of a macrolanguage becomes its usual tag, as
 *   CLDR does: `swh` = sw, `arb` = ar, `cmn` = zh, `kmr` = ku. Who must keep them apart adds a private subtag (`sw-x-swah1253`);
 * - the script is left out where it is the usual one (`hi-Deva` = hi, but `sr-Latn`);
 * - unlisted languages are private use: `x-kisukuma`, `und-Latn-x-kisukuma`, or with a Glottocode `sw-x-suku1261`.
 * @throws InputError 'language.invalid-tag' when it is no BCP 47 tag.
 */
export function parseLanguageTag(text: string): LanguageTag {
  const written = text.trim().replaceAll('_', '-');
  let reason = '';
  const schema = parse(written, { warning: (message) => { reason = message; } }); // extlang zh-yue: the subtag is the language
  const language = schema.extendedLanguageSubtags[0] ?? schema.language ?? null;
  const privateUse = schema.privateuse.map((subtag) => subtag.toLowerCase());
  if (language === null && privateUse.length === 0) throw invalidTag(text, reason);
  if (language !== null && language.length > LONGEST_LANGUAGE) throw invalidTag(text, `"${language}" is a name, not a code`);
  if (language === null) return { tag: stringify({ privateuse: privateUse }), language: null, script: null, region: null, privateUse };
  const plain = stringify({ ...schema, language, extendedLanguageSubtags: [], privateuse: [] });
  const canonical = new Intl.Locale(canonicalise(plain, text));
  const usual = usualScript(canonical.language, canonical.region);
  const base = canonical.script !== undefined && canonical.script === usualScript(canonical.language, undefined) ? withoutScript(canonical) : canonical.toString();
  return {
    tag: privateUse.length === 0 ? base : `${base}-x-${privateUse.join('-')}`,
    language: isNoLanguage(canonical.language) ? null : canonical.language,
    script: canonical.script ?? usual,
    region: canonical.region ?? null,
    privateUse,
  };
}

/** The canonical form of a tag: `parseLanguageTag(text).tag`. */
export const canonicaliseTag = (text: string): string => parseLanguageTag(text).tag;

/** True when `text` is a BCP 47 tag. */
export function isLanguageTag(text: string): boolean {
  try {
    parseLanguageTag(text);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

function invalidTag(text: string, reason: string): InputError {
  const because = reason === '' ? '' : ` (${reason.toLowerCase()})`;
  return new InputError('language.invalid-tag', `Expected a language tag such as "sw", "sr-Latn" or "x-kisukuma", found ${JSON.stringify(text)}${because}.`, { data: { found: text } });
}

function canonicalise(plain: string, text: string): string {
  try {
    return Intl.getCanonicalLocales(plain)[0] ?? plain;
  } catch (error) {
    if (error instanceof RangeError) throw invalidTag(text, error.message);
    throw error;
  }
}

/** `und`; some runtimes give it as an empty text. */
const isNoLanguage = (language: string | undefined): boolean => language === undefined || language === '' || language === NO_LANGUAGE;

function withoutScript(locale: Intl.Locale): string {
  return locale.toString().replace(`-${locale.script ?? ''}`, '');
}

/** The script a language is usually written in (CLDR likely subtags); null for languages CLDR does not know. */
function usualScript(language: string, region: string | undefined): string | null {
  if (isNoLanguage(language)) return null;
  const likely = new Intl.Locale(language, region === undefined ? {} : { region }).maximize();
  return likely.script ?? null;
}

/** A language as the window shows it. */
export type LanguageDescription = {
  readonly tag: string;
  readonly script: string | null;
  readonly direction: Direction;
  readonly hasWordSpaces: boolean;
  /** In English: "Swahili", "Serbian (Latin)"; for an unlisted language what its private subtags say. */
  readonly englishName: string;
  /** In the language itself where known ("Kiswahili"), else the English name. */
  readonly ownName: string;
  /** False for languages that only their tag names. */
  readonly isListed: boolean;
};

/**
 * Names, script and direction of a language. `script` (ISO 15924, for instance from `dominantScript`) decides where the tag
 * does not say which script it is.
 * @throws InputError 'language.invalid-tag'.
 */
export function describeLanguage(tag: string, script: string | null = null): LanguageDescription {
  const parsed = parseLanguageTag(tag);
  const known = parsed.script ?? script; // a private-use tag may leave it open
  const named = parsed.language === null ? null : new Intl.Locale(parsed.tag).baseName.replace(/-x-.*/, '');
  const english = named === null ? undefined : nameIn('en', named);
  const own = named === null ? undefined : Intl.DisplayNames.supportedLocalesOf(named).length > 0 ? nameIn(named, named) : undefined;
  const privateName = parsed.privateUse.join(' ');
  const addPrivate = (name: string): string => (privateName === '' ? name : `${name} (${privateName})`);
  const fallback = named ?? (privateName === '' ? parsed.tag : privateName);
  const englishName = named === null ? fallback : addPrivate(english ?? fallback);
  return {
    tag: parsed.tag,
    script: known,
    direction: scriptDirection(known),
    hasWordSpaces: hasWordSpaces(known),
    englishName,
    ownName: own === undefined ? englishName : addPrivate(own),
    isListed: english !== undefined,
  };
}

function nameIn(locale: string, tag: string): string | undefined {
  return new Intl.DisplayNames([locale], { type: 'language', fallback: 'none', languageDisplay: 'standard' }).of(tag);
}

/** More of a name than this is not spelled out: tags stay short enough to be read. */
const MOST_PRIVATE_PARTS = 6;
const LETTERS_A_PART = 8; // BCP 47
const BASE_36 = 36;

/**
 * The private-use tag of a language without a code: "Kisukuma" = x-kisukuma, "Luhya Bukusu" = x-luhya-bukusu (8 letters a part).
 * What Latin letters and digits cannot spell out whole (another script, a very long name) ends in a number made of the whole
 * name, so that two names do not share a tag: "ภาษาอีสาน" and "ภาษาเหนือ".
 * @throws InputError 'language.invalid-tag' for a name of blanks.
 */
export function privateUseTag(name: string): string {
  const folded = foldForSearch(name.trim());
  if (name.trim() === '') throw invalidTag(name, '');
  const parts = folded.match(/[a-z0-9]+/g)?.flatMap((word) => word.match(new RegExp(`.{1,${String(LETTERS_A_PART)}}`, 'g')) ?? []) ?? [];
  const isWhole = parts.length > 0 && parts.length <= MOST_PRIVATE_PARTS && !/[\p{L}\p{N}]/u.test(folded.replace(/[a-z0-9]+/g, ''));
  return `x-${(isWhole ? parts : [...parts.slice(0, MOST_PRIVATE_PARTS), numberOf(name.trim())]).join('-')}`;
}

/** FNV-1a over UTF-16 units, 32 bits, at most 7 digits of base 36. @see Fowler, Noll, Vo: prime 16777619, offset 2166136261. */
function numberOf(name: string): string {
  let hash = 2_166_136_261;
  for (const unit of name.normalize('NFC')) for (let at = 0; at < unit.length; at += 1) hash = Math.imul(hash ^ unit.charCodeAt(at), 16_777_619);
  return (hash >>> 0).toString(BASE_36);
}

export type LanguageSuggestion = { readonly tag: string; readonly englishName: string; readonly ownName: string };

type Listed = LanguageSuggestion & { readonly keys: readonly string[] };
let listed: readonly Listed[] | null = null;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * All languages that the runtime's own data names: every code of two or three letters is asked for once (about 0.4 s,
 * then remembered: call it in a worker or ahead of need), and only canonical ones are kept (`sw`, not `swh` and `swa`).
 */
export function listLanguages(): readonly LanguageSuggestion[] {
  listed ??= findLanguages();
  return listed;
}

function findLanguages(): readonly Listed[] {
  const inEnglish = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none', languageDisplay: 'standard' });
  const found: Listed[] = [];
  const add = (code: string): void => {
    const englishName = inEnglish.of(code);
    if (englishName === undefined || code === NO_LANGUAGE || Intl.getCanonicalLocales(code)[0] !== code) return;
    const own = Intl.DisplayNames.supportedLocalesOf(code).length > 0 ? nameIn(code, code) : undefined;
    const ownName = own ?? englishName;
    found.push({ tag: code, englishName, ownName, keys: [...new Set([foldForSearch(englishName), foldForSearch(ownName)])] });
  };
  for (const first of LETTERS) {
    for (const second of LETTERS) {
      add(first + second);
      for (const third of LETTERS) add(first + second + third);
    }
  }
  return found;
}

const MOST_SUGGESTIONS = 12;

/**
 * Languages whose code or name (English or own, marks and case aside) fits what was typed, best first: the code itself, the
 * whole name, names that begin so, names with a word that begins so, names that contain it; then shorter codes, then by name.
 * A code of three letters finds its canonical tag (`swh` finds sw). Nothing typed: nothing.
 */
export function suggestLanguages(text: string, most: number = MOST_SUGGESTIONS): readonly LanguageSuggestion[] {
  const typed = foldForSearch(text.trim());
  if (typed === '') return [];
  const code = isLanguageTag(typed) ? canonicaliseTag(typed) : '';
  listed ??= findLanguages();
  return listed
    .map((language) => ({ language, rank: rankOf(language, typed, code) }))
    .filter(({ rank }) => rank < NO_FIT)
    .sort((a, b) => a.rank - b.rank || a.language.tag.length - b.language.tag.length || (a.language.englishName < b.language.englishName ? -1 : 1))
    .slice(0, most)
    .map(({ language: { tag, englishName, ownName } }) => ({ tag, englishName, ownName }));
}

const NO_FIT = 5;

function rankOf(language: Listed, typed: string, code: string): number {
  if (language.tag === code) return 0;
  let best = NO_FIT;
  for (const key of language.keys) {
    if (key === typed) best = Math.min(best, 1);
    else if (key.startsWith(typed)) best = Math.min(best, 2);
    else if (key.includes(` ${typed}`) || key.includes(`(${typed}`)) best = Math.min(best, 3);
    else if (key.includes(typed)) best = Math.min(best, 4);
  }
  return best;
}
