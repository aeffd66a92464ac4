/** Does the model find the translation of a phrase among all others? Accuracy@1 in both directions, by vectors from example sentences. */
import type { PhraseSet } from '../corpus/phrase-set.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { phraseVectors } from '../encoding/phrase-vectors.ts';
import { pairAccuracy } from '../metrics/pair-accuracy.ts';
import { rightAnswers, shareOfRight } from '../metrics/right-answers.ts';
import { phraseForm } from '../text/phrase-places.ts';

type PhraseEncoder = Pick<Encoder, 'phrases' | 'encode' | 'width'>;

export type PhrasesTask = {
  readonly encoder: PhraseEncoder;
  /** Where the vectors of the other language are made by another one, into the same space. */
  readonly targetEncoder?: PhraseEncoder;
  readonly set: Pick<PhraseSet, 'sources' | 'targets'>;
  readonly layer?: number;
  readonly mostSentences?: number;
};

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
export async function evaluatePhrases(options: PhrasesTask): Promise<PhrasesResult> {
  const { forward, backward } = await answerPhrases(options);
  const [there, back] = [shareOfRight(forward), shareOfRight(backward)];
  return { phrases: forward.length, 'accuracy@1': (there + back) / 2, forward: there, backward: back };
}

/** uint8 [phrases] of each direction: 1 where the answer was right. @param options and @throws as evaluatePhrases. */
export async function answerPhrases(options: PhrasesTask): Promise<{ readonly forward: Uint8Array; readonly backward: Uint8Array }> {
  const { encoder, targetEncoder = encoder, set, layer, mostSentences = Number.POSITIVE_INFINITY } = options;
  const vectorsOf = (own: PhraseEncoder, side: PhraseSet['sources']) => phraseVectors(own, side.map(({ phrase, sentences }) => ({ phrase, sentences: sentences.slice(0, mostSentences) })), layer === undefined ? {} : { layer });
  const sources = await vectorsOf(encoder, set.sources);
  const targets = await vectorsOf(targetEncoder, set.targets);
  const { answers } = pairAccuracy({ sources: sources.vectors, targets: targets.vectors, width: sources.width });
  const phrases = set.sources.length;
  const [forms, others] = [set.sources, set.targets].map((side) => side.map(({ phrase }) => phraseForm(phrase)));
  return { forward: rightAnswers({ answers: answers.subarray(0, phrases), asked: forms ?? [], others: others ?? [] }), backward: rightAnswers({ answers: answers.subarray(phrases), asked: others ?? [], others: forms ?? [] }) };
}
