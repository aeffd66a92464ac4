/** Is this much parallel text enough? Read off the curve that was measured for this program (test/experiments/main-job.md, last section). */

/** Search from Hindi and Arabic questions into English passages by word translation, seed 1: pairs of everyday sentences -> MRR. */
export const MEASURED_CURVE: readonly { readonly pairs: number; readonly mrr: number }[] = [
  { pairs: 250, mrr: 0.254 },
  { pairs: 500, mrr: 0.341 },
  { pairs: 1000, mrr: 0.438 },
  { pairs: 1500, mrr: 0.478 },
  { pairs: 2150, mrr: 0.52 },
];

/** What one doubling is worth where there are few pairs. */
const PER_DOUBLING = 0.09;
/** Below this, a person finds the right passage first less than one time in five. */
const LEAST_USEFUL_MRR = 0.2;
const GOOD_MRR = 0.43;

export type Enough = {
  readonly verdict: 'too-few' | 'some' | 'good';
  readonly pairs: number;
  /** What search across the two languages may reach; null beyond the measured range. */
  readonly expectedMrr: number | null;
  /** In English, one sentence. */
  readonly sentence: string;
};

/** The expected MRR for so many pairs: straight lines over log2(pairs) between measured points, .09 a doubling below them, null above twice the last. */
export function expectedMrr(pairs: number): number | null {
  const [first] = MEASURED_CURVE;
  const last = MEASURED_CURVE.at(-1);
  if (first === undefined || last === undefined || pairs <= 0) return pairs <= 0 ? 0 : null;
  if (pairs > 2 * last.pairs) return null;
  if (pairs <= first.pairs) return Math.max(0, first.mrr - PER_DOUBLING * Math.log2(first.pairs / pairs));
  const at = MEASURED_CURVE.findIndex((point) => point.pairs >= pairs);
  const right = MEASURED_CURVE[at];
  const left = MEASURED_CURVE[at - 1];
  if (right === undefined || left === undefined) return last.mrr + PER_DOUBLING * Math.log2(pairs / last.pairs);
  return left.mrr + (right.mrr - left.mrr) * (Math.log2(pairs / left.pairs) / Math.log2(right.pairs / left.pairs));
}

const inHundred = (share: number): string => String(Math.round(share * 100));

/** Texts shorter than this, in the middle, are words and phrases; the curve is of sentences. */
const PHRASE_CHARACTERS = 16;

/** One sentence about usable, different pairs. @param medianLength characters of a source text, in the middle. */
export function judgeAmount(pairs: number, medianLength: number): Enough {
  const mrr = expectedMrr(pairs);
  const count = pairs === 1 ? 'One pair' : `${pairs.toLocaleString('en')} different pairs`;
  const are = pairs === 1 ? 'is' : 'are';
  if (pairs > 0 && medianLength < PHRASE_CHARACTERS) return { verdict: 'some', pairs, expectedMrr: null, sentence: `${count} of words and short phrases ${are} good for looking up phrases; for search across the languages add sentences (1,000 pairs of sentences gave an MRR of .44 with Hindi and Arabic).` };
  if (mrr === null) return { verdict: 'good', pairs, expectedMrr: null, sentence: `${count} are more than was measured (2,150 pairs of everyday sentences gave an MRR of .52): enough, and what more would add depends on how near their subjects are to what you search.` };
  const curve = `each doubling is worth about .09 MRR (measured with Hindi and Arabic)`;
  if (mrr < LEAST_USEFUL_MRR) return { verdict: 'too-few', pairs, expectedMrr: mrr, sentence: `${count} ${are} too few: expect an MRR near ${mrr.toFixed(2)} across the languages; ${curve}, so aim for 1,000 pairs, which gave .44.` };
  const verdict = mrr < GOOD_MRR ? 'some' : 'good';
  return { verdict, pairs, expectedMrr: mrr, sentence: `${count} are ${verdict === 'some' ? 'enough to begin' : 'enough'}: expect an MRR near ${mrr.toFixed(2)} across the languages (about ${inHundred(mrr)} in 100 for the right passage at the top); ${curve}.` };
}
