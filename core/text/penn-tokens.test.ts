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
});
