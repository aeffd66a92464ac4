/** Is it getting better? Between steps: how often held-back phrases find their translation first, and at which rank some of them do. */
import type { PhraseInUse } from '../../encoding/encoder.ts';
import type { PhraseHead } from '../../encoding/phrase-reading.ts';
import { toLengthOne, type PhraseTokens } from '../../encoding/phrase-vectors.ts';
import { pairAccuracy } from '../../metrics/pair-accuracy.ts';
import { rightAnswers, shareOfRight } from '../../metrics/right-answers.ts';
import { phraseForm } from '../../text/phrase-places.ts';
import type { HeldBackSentence, ReportTraining } from '../events.ts';
import type { LookResult } from '../look.ts';
import { rankOfPartners } from '../pair-ranks.ts';
import { similaritiesOf } from '../similarities.ts';
import type { PhrasePairSet } from './phrase-pairs.ts';
import type { PhraseTrainable } from './phrase-trainable.ts';

const SHOWN_PHRASES = 10;
/** Between steps a look is short; before the first and after the last step all is measured. */
const PHRASES_OF_A_LOOK = 500;
const SENTENCES_OF_A_LOOK = 8;
/** Phrases whose tokens are held at once. */
const PHRASES_AT_ONCE = 256;

/** Accuracy@1 of one list, mean of both directions. */
export type PhraseMeasure = { readonly source: string; readonly target: string; readonly phrases: number; readonly accuracy: number };

export type PhraseLook = {
  /** Reports 'held-back' (phrases in the place of sentences) and 'evaluation' (by foreign language). */
  readonly lookAt: (step: number) => Promise<LookResult>;
  /** All held-back phrases with all their sentences. @param head  null: as an encoder reads phrases that has no head. */
  readonly measure: (head: PhraseHead | null) => Promise<readonly PhraseMeasure[]>;
};

export function createPhraseLook(options: { readonly sets: readonly PhrasePairSet[]; readonly trainable: Pick<PhraseTrainable, 'vectors' | 'head'>; readonly read: (phrase: PhraseInUse) => readonly PhraseTokens[]; readonly sentences: number; readonly report: ReportTraining }): PhraseLook {
  const { sets, trainable, read, sentences, report } = options;
  const names = namesOf(sets);
  const vectorsOf = async (phrases: readonly PhraseInUse[], head: PhraseHead | null): Promise<{ readonly vectors: Float32Array; readonly width: number }> => {
    const parts: Float32Array[] = [];
    for (let start = 0; start < phrases.length; start += PHRASES_AT_ONCE) {
      const found = phrases.slice(start, start + PHRASES_AT_ONCE).map(read);
      const all = found.flat();
      parts.push(await trainable.vectors({ texts: all.map(({ ids }) => ids), spans: all, counts: Int32Array.from(found, ({ length }) => length) }, head));
    }
    const vectors = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      vectors.set(part, at);
      at += part.length;
    }
    const width = vectors.length / Math.max(1, phrases.length);
    return { vectors: toLengthOne(vectors, width), width };
  };
  const accuracyOf = async ({ pairs }: PhrasePairSet, { head, mostSentences }: { readonly head: PhraseHead | null; readonly mostSentences: number }): Promise<{ readonly accuracy: number; readonly ranks: readonly number[] }> => {
    const side = (which: 'source' | 'target'): readonly PhraseInUse[] => pairs.map((pair) => ({ phrase: pair[which].phrase, sentences: pair[which].sentences.slice(0, mostSentences) }));
    const [sources, targets] = [await vectorsOf(side('source'), head), await vectorsOf(side('target'), head)];
    const { answers } = pairAccuracy({ sources: sources.vectors, targets: targets.vectors, width: sources.width });
    const [asked, others] = [pairs.map(({ source }) => phraseForm(source.phrase)), pairs.map(({ target }) => phraseForm(target.phrase))];
    const forward = rightAnswers({ answers: answers.subarray(0, pairs.length), asked, others });
    const backward = rightAnswers({ answers: answers.subarray(pairs.length), asked: others, others: asked });
    const shown = Math.min(pairs.length, PHRASES_OF_A_LOOK);
    const ranks = rankOfPartners(similaritiesOf({ left: targets.vectors.subarray(0, shown * sources.width), right: sources.vectors.subarray(0, shown * sources.width), width: sources.width }), shown, 'rows');
    return { accuracy: (shareOfRight(forward) + shareOfRight(backward)) / 2, ranks };
  };
  return {
    lookAt: async (step) => {
      const pairAccuracies: Record<string, number> = {};
      const ranked: { readonly set: PhrasePairSet; readonly ranks: readonly number[] }[] = [];
      for (const [i, set] of sets.entries()) {
        const part = { ...set, pairs: set.pairs.slice(0, PHRASES_OF_A_LOOK) };
        const { accuracy, ranks } = await accuracyOf(part, { head: trainable.head, mostSentences: Math.min(sentences, SENTENCES_OF_A_LOOK) });
        pairAccuracies[names[i] ?? set.target] = accuracy;
        ranked.push({ set: part, ranks });
      }
      const shown: HeldBackSentence[] = [];
      for (let place = 0; shown.length < SHOWN_PHRASES && ranked.some(({ ranks }) => place < ranks.length); place += 1) {
        for (const { set, ranks } of ranked) {
          const [pair, rank] = [set.pairs[place], ranks[place]];
          if (pair !== undefined && rank !== undefined && shown.length < SHOWN_PHRASES) shown.push({ source: pair.target.phrase, target: pair.source.phrase, sourceLanguage: set.target, targetLanguage: set.source, rank, of: ranks.length });
        }
      }
      if (shown.length > 0) report({ kind: 'held-back', step, sentences: shown });
      report({ kind: 'evaluation', step, pairAccuracy: pairAccuracies, retrievalMRR: null });
      return { pairAccuracy: pairAccuracies, retrievalMRR: null };
    },
    measure: async (head) => {
      const measures: PhraseMeasure[] = [];
      for (const set of sets) measures.push({ source: set.source, target: set.target, phrases: set.pairs.length, accuracy: (await accuracyOf(set, { head, mostSentences: sentences })).accuracy });
      return measures;
    },
  };
}

/** The foreign language of each list; both languages where that alone would not tell two lists apart. */
function namesOf(sets: readonly PhrasePairSet[]): readonly string[] {
  return sets.map(({ source, target }, i) => (sets.some((other, k) => k !== i && other.target === target) ? `${source}-${target}` : target));
}
