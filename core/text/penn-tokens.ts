/** Into which tokens does NLTK's `word_tokenize` cut an English text? By Penn Treebank rules, so that other people's token counts can be met. */
import { englishSentences } from './english-sentences.ts';

type Rule = readonly [RegExp, string];

// Python's \w, \d and \b know all scripts; JavaScript's do not.
const W = '[\\p{L}\\p{N}_]';
const START = `(?<!${W})`;
const END = `(?!${W})`;

const STARTING_QUOTES: readonly Rule[] = [
  [/([«“‘„]|`+)/gu, ' $1 '],
  [/^"/gu, '``'],
  [/(``)/gu, ' $1 '],
  [/([ ([{<])("|'{2})/gu, '$1 `` '],
  [new RegExp(`${START}(')(?!(?:re|ve|ll|m|t|s|d|n)${END})(?=${W})`, 'giu'), '$1 '],
];

const PUNCTUATION: readonly Rule[] = [
  [/([^.])(\.)([\])}>"'»”’ ]*)\s*$/gu, '$1 $2 $3 '], // the last full stop
  [/([:,])([^\p{Nd}])/gu, ' $1 $2'],
  [/([:,])$/gu, ' $1 '],
  [/\.{2,}/gu, ' $& '],
  [/[;@#$%&]/gu, ' $& '],
  [/[\u2012-\u2015]/gu, ' $& '],
  [/([^.])(\.)([\])}>"']*)\s*$/gu, '$1 $2$3 '],
  [/[?!]/gu, ' $& '],
  [/([^'])' /gu, "$1 ' "],
  [/[*]/gu, ' $& '],
  [/[\][(){}<>]/gu, ' $& '],
  [/--/gu, ' -- '],
];

const ENDING_QUOTES: readonly Rule[] = [
  [/([»”’])/gu, ' $1 '],
  [/''/gu, " '' "],
  [/"/gu, " '' "],
  [/\s+/gu, ' '],
  [/([^' ])('[sS]|'[mM]|'[dD]|') /gu, '$1 $2 '],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /gu, '$1 $2 '],
];

const CONTRACTIONS: readonly Rule[] = [
  ...[['can', 'not'], ['d', "'ye"], ['gim', 'me'], ['gon', 'na'], ['got', 'ta'], ['lem', 'me'], ['more', "'n"]].map(([first = '', second = '']): Rule => [new RegExp(`${START}(${first})(${second})${END}`, 'giu'), ' $1 $2 ']),
  [new RegExp(`${START}(wan)(na)(?=\\s)`, 'giu'), ' $1 $2 '],
  [new RegExp(` ('t)(is)${END}`, 'giu'), ' $1 $2 '],
  [new RegExp(` ('t)(was)${END}`, 'giu'), ' $1 $2 '],
];

/**
 * The tokens of one sentence, as `NLTKWordTokenizer().tokenize` gives them: punctuation apart (a full stop only at the end of the sentence,
 * a comma not between digits), clitics apart, straight double quotes as `` and ''.
 * @see https://www.nltk.org (nltk.tokenize.destructive, Apache 2.0), after Robert MacIntyre's sed script; checked against version 3.10.3.
 */
export function pennSentenceTokens(sentence: string): readonly string[] {
  const apply = (text: string, rules: readonly Rule[]): string => rules.reduce((so, [pattern, replacement]) => so.replace(pattern, replacement), text);
  const opened = ` ${apply(apply(sentence, STARTING_QUOTES), PUNCTUATION)} `;
  return apply(apply(opened, ENDING_QUOTES), CONTRACTIONS).split(/\s+/u).filter((token) => token !== '');
}

/**
 * The tokens of a text, sentence by sentence, as `nltk.word_tokenize(text)`. NLTK finds the ends of sentences with Punkt and what that learned
 * of English; here its decisions with lists of our own. Where they differ, a full stop is a token of its own in one and part of a word in the other.
 */
export function pennTokens(text: string): readonly string[] {
  return englishSentences(text).flatMap((sentence) => [...pennSentenceTokens(sentence)]);
}
