/** Which first answers are translations of the phrase? Also those that stand in the list as another of its translations. */

/**
 * Phrase i of `asked` was answered by `others[answers[i]]`; that is right when it is written as `others[i]`, or as the translation of
 * another phrase that is written as `asked[i]`.
 * @param answers  int32 [n], places in `others` (pairAccuracy). @param asked, others  how the n phrases of each side are written.
 * @returns uint8 [n]: 1 where the answer was right.
 */
export function rightAnswers({ answers, asked, others }: { readonly answers: Int32Array; readonly asked: readonly string[]; readonly others: readonly string[] }): Uint8Array {
  const pairs = new Set(asked.map((phrase, i) => `${phrase}\t${others[i] ?? ''}`));
  return Uint8Array.from(answers, (answer, i) => (pairs.has(`${asked[i] ?? ''}\t${others[answer] ?? ''}`) ? 1 : 0));
}

/** The share of ones; 0 of nothing. */
export function shareOfRight(right: Uint8Array): number {
  return right.length === 0 ? 0 : right.reduce((sum, one) => sum + one, 0) / right.length;
}
