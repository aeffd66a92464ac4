/**
 * Which letters does each language write with? Makes exemplar-letters.json from CLDR's exemplar characters:
 *
 *     npm pack cldr-misc-full@48.0.0 && tar xzf cldr-misc-full-48.0.0.tgz && node core/text/make-exemplar-letters.ts package
 *
 * CLDR is under the Unicode License v3, which allows this use with its notice (README.md here).
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseLanguageTag } from './language.ts';

/** Scripts of more signs (Han, Hangul, Ethiopic) are typed by other means than a palette. */
const MOST_LETTERS = 120;
/** What every keyboard writes, also several letters that count as one. */
const PLAIN = /^[a-z]+$/;

/** The elements of a set in the notation of UTS 35: `[a á {gb} \u0301 ক-ঘ]`. */
function elementsOf(set: string): readonly string[] {
  const inner = set.replace(/^\[|\]$/g, '').replace(/\\u([0-9A-Fa-f]{4})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  const tokens = [...inner.matchAll(/\{([^}]*)\}|\\(.)|(\s+)|(.)/gsu)].flatMap(([, group, escaped, space, plain]) => (space === undefined ? [{ text: group ?? escaped ?? plain ?? '', isDash: plain === '-' }] : []));
  const found: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const [token, next, end] = [tokens[at], tokens[at + 1], tokens[at + 2]];
    if (token === undefined) continue;
    if (next?.isDash === true && end !== undefined) {
      for (let code = token.text.codePointAt(0) ?? 0; code <= (end.text.codePointAt(0) ?? -1); code += 1) found.push(String.fromCodePoint(code));
      at += 2;
    } else found.push(token.text);
  }
  return found;
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder of the unpacked package cldr-misc-full.');
const letters: Record<string, string> = {};
for (const locale of (await readdir(join(folder, 'main'))).sort()) {
  const { main } = JSON.parse(await readFile(join(folder, 'main', locale, 'characters.json'), 'utf8')) as { main: Record<string, { characters: { exemplarCharacters: string } }> }; // boundary: CLDR's own file
  const { language, region, script } = parseLanguageTag(locale);
  if (language === null || region !== null) continue;
  const all = elementsOf(main[locale]?.characters.exemplarCharacters ?? '[]');
  const own = [...new Set(all.map((letter) => letter.normalize('NFC').toLowerCase()))].filter((letter) => /[\p{L}\p{M}ʹ-ʿ]/u.test(letter) && !PLAIN.test(letter));
  if (own.length > 0 && own.length <= MOST_LETTERS) letters[`${language}-${script ?? 'Zyyy'}`] = own.join(' ');
}
await writeFile(new URL('exemplar-letters.json', import.meta.url), `${JSON.stringify(letters, null, 1)}\n`);
