/** Are tokens counted as XOR-Retrieve counts them? Worked by hand. */
import { describe, expect, it } from 'vitest';
import { answersWithin, macroMean, spanAnswers, tokenLimits } from './token-recall.ts';

const words = (text: string): readonly string[] => text.split(' ');

describe('answersWithin', () => {
  it('finds an answer whose last token is the n-th, and not one token later', () => {
    const passages = [words('a b c'), words('d Lake Victoria e')];
    const at = (limits: readonly number[]) => answersWithin({ passages, answers: ['Lake Victoria'], limits });
    expect(at([4, 5, 6, 7])).toEqual([false, false, true, true]); // tokens: a b c d Lake Victoria e
  });

  it('joins passages by a space: an answer may stand across their border', () => {
    expect(answersWithin({ passages: [words('in Lake'), words('Victoria today')], answers: ['Lake Victoria'], limits: [3] })).toEqual([true]);
  });

  it('compares letters as they are, looks inside words, and does not cut answers into tokens', () => {
    const passages = [['Washington', ',', 'D.C.', ',', 'is', 'north']];
    const one = (answer: string) => answersWithin({ passages, answers: [answer], limits: [10] })[0];
    expect([one('washington'), one('ashing'), one('Washington, D.C.'), one('Washington , D.C.'), one('nor')]).toEqual([false, true, false, true, true]);
  });

  it('is satisfied by any of the answers, and by none of none', () => {
    expect(answersWithin({ passages: [words('a b')], answers: ['x', 'b'], limits: [2, 1] })).toEqual([true, false]);
    expect(answersWithin({ passages: [words('a b')], answers: [], limits: [2] })).toEqual([false]);
    expect(answersWithin({ passages: [], answers: ['a'], limits: [2000] })).toEqual([false]);
  });

  it('reads no passage beyond the largest limit', () => {
    let read = 0;
    function* passages(): Generator<readonly string[]> {
      for (;;) {
        read += 1;
        yield new Array<string>(1500).fill('w');
      }
    }
    answersWithin({ passages: passages(), answers: ['x'], limits: Object.values(tokenLimits) });
    expect(read).toBe(4); // 6,000 tokens hold the first 5,000
  });
});

describe('spanAnswers', () => {
  it('leaves out yes and no, exactly so written, and nothing else', () => {
    expect(spanAnswers(['yes', 'no', 'Yes', 'north', 'no '])).toEqual(['Yes', 'north', 'no ']);
    expect(spanAnswers(['yes'])).toEqual([]);
  });
});

describe('macroMean', () => {
  it('lets every language count the same', () => {
    expect(macroMean([[1, 1, 1, 0], [0]])).toBe(0.375);
    expect(macroMean([[1], []])).toBe(1);
    expect(macroMean([])).toBeNaN();
  });
});
