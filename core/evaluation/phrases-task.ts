/** Does the model find the translation of a phrase among all others? Accuracy@1 in both directions, by vectors from example sentences. */
import type { PhraseSet } from '../corpus/phrase-set.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { phraseVectors } from '../encoding/phrase-vectors.ts';
import { pairAccuracy } from '../metrics/pair-accuracy.ts';
import { phraseForm } from '../text/phrase-places.ts';

export type PhrasesResult = {
  readonly phrases: number;
  /** Mean of both directions. */
  readonly 'accuracy@1': number;
  /** Share of pairs whose source finds its target first; backward: the other way round. */
  readonly forward: number;
  readonly backward: number;
};

/**
 * Every phrase of the other side is a candidate; the most similar (cosine) is the answer, the earlier one of equals. An answer is right when
 * it is written as the phrase's own translation, or as that of another pair with the same phrase.
 * @param layer  as `phraseVectors` has it. @param mostSentences  example sentences used of each phrase, the first ones; left out: all.
 * @throws InputError 'phrases.no-such-layer'; what encoding throws. @see Zheng et al. 2022 (XPR), sections 3.4 and 5.1.
 */
export async function evaluatePhrases(options: { readonly encoder: Pick<Encoder, 'phrases' | 'encode' | 'width'>; readonly set: Pick<PhraseSet, 'sources' | 'targets'>; readonly layer?: number; readonly mostSentences?: number }): Promise<PhrasesResult> {
  const { encoder, set, layer, mostSentences = Number.POSITIVE_INFINITY } = options;
  const vectorsOf = (side: PhraseSet['sources']) => phraseVectors(encoder, side.map(({ phrase, sentences }) => ({ phrase, sentences: sentences.slice(0, mostSentences) })), layer === undefined ? {} : { layer });
  const sources = await vectorsOf(set.sources);
  const targets = await vectorsOf(set.targets);
  const { answers } = pairAccuracy({ sources: sources.vectors, targets: targets.vectors, width: sources.width });
  const phrases = set.sources.length;
  const forward = shareRight(answers.subarray(0, phrases), set.sources, set.targets);
  const backward = shareRight(answers.subarray(phrases), set.targets, set.sources);
  return { phrases, 'accuracy@1': (forward + backward) / 2, forward, backward };
}

/** Phrase i of `asked` was answered by phrase `answers[i]` of `others`. */
function shareRight(answers: Int32Array, asked: PhraseSet['sources'], others: PhraseSet['sources']): number {
  const form = (side: PhraseSet['sources'], i: number): string => phraseForm(side[i]?.phrase ?? '');
  const right = new Set(asked.map((_, i) => `${form(asked, i)}\t${form(others, i)}`));
  return answers.reduce((sum, answer, i) => sum + (right.has(`${form(asked, i)}\t${form(others, answer)}`) ? 1 : 0), 0) / asked.length;
}
