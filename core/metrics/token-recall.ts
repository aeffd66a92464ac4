/** Does what was found hold the answer within its first so many tokens? XOR-Retrieve's R@2kt and R@5kt. */

/** Tokens that are read, by the name of the metric. */
export const tokenLimits = { 'R@2kt': 2000, 'R@5kt': 5000 } as const;
export type TokenRecallName = keyof typeof tokenLimits;
export const tokenRecallNames = ['R@2kt', 'R@5kt'] as const satisfies readonly TokenRecallName[];

/** Answers that are no text to be found: such a question counts only by its other answers. */
const NO_SPANS: ReadonlySet<string> = new Set(['yes', 'no']);

/** The answers that can stand in a text; empty: the question is not counted. */
export function spanAnswers(answers: readonly string[]): readonly string[] {
  return answers.filter((answer) => !NO_SPANS.has(answer));
}

/**
 * For each limit n: whether one of the answers is a substring of the first n tokens of the passages, joined by single spaces.
 *
 *   found_n = ∃ answer: answer ⊂ join(" ", (t_1, ..., t_n)),   t the tokens of all passages in the order of their ranks
 *
 * A limit may fall inside a passage. Letters count as they are written; an answer is not cut into tokens, so "D.C., USA" is not found in
 * "D.C. , USA". An empty answer is found everywhere, as in the official script.
 *
 * @param passages the tokens of each, best first; read no further than the largest limit.
 * @param limits   whole numbers >= 0.
 * @see Asai et al. 2021, section 4.2 (XOR-Retrieve), and the official eval_xor_retrieve.py: yes/no answers are left out beforehand (`spanAnswers`).
 */
export function answersWithin({ passages, answers, limits }: { readonly passages: Iterable<readonly string[]>; readonly answers: readonly string[]; readonly limits: readonly number[] }): readonly boolean[] {
  const most = limits.reduce((largest, limit) => Math.max(largest, limit), 0);
  const tokens: string[] = [];
  for (const passage of passages) {
    for (const token of passage) tokens.push(token);
    if (tokens.length >= most) break;
  }
  return limits.map((limit) => {
    const text = tokens.slice(0, limit).join(' ');
    return answers.some((answer) => text.includes(answer));
  });
}

/** Mean of the means of groups (languages): each counts the same, however many questions it has. NaN of nothing. */
export function macroMean(groups: Iterable<readonly number[]>): number {
  const means = [...groups].filter(({ length }) => length > 0).map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
  return means.reduce((sum, value) => sum + value, 0) / means.length;
}
