/** Which letters does a language need that a keyboard may not have? Found in its texts, or said by the person. */
import type { Corpus } from '../../main/contract/index.ts';
import type { LanguageLooks } from '../stores/settings.ts';

const MOST_LETTERS = 80;
const MOST_PALETTE_LETTERS = 120;
const PLAIN = /^[a-z0-9]$/;
/** Letters that look like signs: modifier letters, saltillo. */
/** The stroke that lengthens Arabic words is no letter. */
const LETTER = /^(?!\u0640)[\p{L}\u02b9-\u02bf\ua78b\ua78c]\p{M}*$/u;
/** Where a letter and its mark are one thing on a keyboard, as a tone on a vowel is; elsewhere each is typed by itself. */
const WITH_MARKS = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\u02b9-\u02bf\ua78b\ua78c]/u;
/** Vowel signs that make syllables; points that most texts leave out (Arabic, Hebrew, Syriac) are not among them. */
const VOWEL_SIGN = /^(?![\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Inherited}])\p{M}$/u;

/** The letters of some texts beyond a to z, with their marks, in the language's own order; small ones, and each once. */
export function lettersOf(texts: Iterable<string>, tag: string): readonly string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const found = new Set<string>();
  for (const text of texts) {
    for (const { segment } of segmenter.segment(text.normalize('NFC'))) {
      const letter = segment.toLowerCase();
      for (const one of WITH_MARKS.test(letter) ? [letter] : letter) if ((LETTER.test(one) && !PLAIN.test(one)) || VOWEL_SIGN.test(one)) found.add(one);
    }
  }
  return inOrder([...found], tag).slice(0, MOST_LETTERS);
}

/** What a person typed as their letters, separated by blanks: "ŋ ɓ ɗ gb". Several letters together count as one. */
export function lettersIn(typed: string): readonly string[] {
  return [...new Set(typed.normalize('NFC').split(/\s+/u).filter((letter) => letter !== ''))];
}

/** Letters of one language of a project: what was said, else those that CLDR names (`exemplars`) and those that its texts hold. */
export function projectLetters(options: { readonly tag: string; readonly exemplars?: readonly string[] | undefined; readonly corpora: readonly Corpus[]; readonly looks: LanguageLooks }): readonly string[] {
  const said = options.looks[options.tag]?.letters ?? null;
  return said === null ? [...new Set([...(options.exemplars ?? []), ...lettersOf(textsIn(options.corpora, options.tag), options.tag)])].slice(0, MOST_PALETTE_LETTERS) : lettersIn(said);
}

/** The texts of a language that the project's cards show. */
function* textsIn(corpora: readonly Corpus[], tag: string): Generator<string> {
  for (const { languages, rows } of corpora) {
    for (const row of rows) {
      if (languages.kind === 'two' && row.kind === 'pair') {
        if (languages.source === tag) yield row.source;
        if (languages.target === tag) yield row.target;
      } else if (languages.kind === 'one' && languages.language === tag) {
        if (row.kind === 'sentence') yield row.text;
        if (row.kind === 'question') yield `${row.question} ${row.passage}`;
      }
    }
  }
}

function inOrder(letters: readonly string[], tag: string): readonly string[] {
  const locale = Intl.Collator.supportedLocalesOf([/^[a-z]{2,3}\b/.exec(tag)?.[0] ?? 'en'])[0];
  const { compare } = new Intl.Collator(locale);
  return letters.toSorted(compare);
}
