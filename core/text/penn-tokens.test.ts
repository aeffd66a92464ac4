/** Are these the tokens that NLTK gives? */
import { describe, expect, it } from 'vitest';
import reference from '../../test/reference/penn-tokens.json' with { type: 'json' };
import { pennSentenceTokens, pennTokens } from './penn-tokens.ts';

describe('pennSentenceTokens', () => {
  it.each(reference.cases.map(({ sentence, tokens }) => [sentence, tokens] as const))('are NLTK\'s: %s', (sentence, tokens) => {
    expect(pennSentenceTokens(sentence)).toEqual(tokens);
  });
});

describe('pennTokens', () => {
  it('sets the full stop of every sentence apart, not that of an abbreviation or a number', () => {
    expect(pennTokens('Dr. Ali paid $3.50. He left.')).toEqual(['Dr.', 'Ali', 'paid', '$', '3.50', '.', 'He', 'left', '.']);
    expect(pennTokens('')).toEqual([]);
  });

  // The right sides are NLTK 3.10.3's, with the abbreviations and sentence starters of Punkt's English model; an answer such as "U.S. Virgin Islands" must stay in one piece.
  it.each([
    ['He left the U.S. Virgin Islands. Lt. Col. Smith stayed.', 'He left the U.S. Virgin Islands . Lt. Col. Smith stayed .'],
    ['It is in the U.S. The town is old.', 'It is in the U.S . The town is old .'],
    ['They reached No. 15 in Nov. 1999. 104 concrete piles stood.', 'They reached No . 15 in Nov. 1999 . 104 concrete piles stood .'],
    ['"He won," said Mr. Bell. "Twice!" She left.', "`` He won , '' said Mr. Bell . `` Twice ! '' She left ."],
    ['Time Warner Inc. owns Warner Bros. Discovery, etc. It grew.', 'Time Warner Inc. owns Warner Bros. Discovery , etc . It grew .'],
  ])('cuts as NLTK does: %s', (text, tokens) => {
    expect(pennTokens(text).join(' ')).toBe(tokens);
  });
});
