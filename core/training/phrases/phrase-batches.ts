/** Which phrases does a step tell apart, and which of their sentences does it read? A function of (seed, step) only. */
import { seededPermutation } from '../../base/random.ts';
import type { PhraseTokens } from '../../encoding/phrase-vectors.ts';
import { keysOfTexts } from '../../sampling/keys.ts';
import { createBatchSampler } from '../../sampling/mixed-batches.ts';
import { phraseForm } from '../../text/phrase-places.ts';
import type { TokenSpan } from '../transformer/engine.ts';
import type { PhrasePairSet } from './phrase-pairs.ts';
import type { PhraseInUse } from '../../encoding/encoder.ts';

/** N pairs of phrases in sentences: the sources' sentences first, then the targets'. */
export type PhrasePart = {
  readonly name: 'phrases';
  readonly texts: readonly Uint32Array[];
  /** Where the phrase stands in each text. */
  readonly spans: readonly TokenSpan[];
  /** How many texts each of the 2N phrases has, in order: N sources, N targets. */
  readonly counts: Int32Array;
  /** N. */
  readonly pairs: number;
  /** By which its loss is multiplied: 1 / batches of a step. */
  readonly share: number;
};

export type PhraseBatches = {
  readonly partsAt: (step: number) => readonly PhrasePart[];
  /** Steps of an epoch, a fraction included. */
  readonly stepsPerEpoch: number;
};

/** Tokens of sentences that are kept between steps; beyond that they are cut again each time. */
const MOST_KEPT_TOKENS = 40_000_000;
/** Each pair as often as any other, in whatever language (the authors shuffle all pairs together). */
const IN_PROPORTION = 1;

/**
 * Batches over all sets together, mixed; no phrase stands twice in a batch, in whatever spelling of case, since its second pair would be a
 * false negative.
 * @param sentences  drawn for each phrase, without repetition; all where it has fewer; 0: the phrase alone.
 */
export function createPhraseBatches(options: {
  readonly sets: readonly PhrasePairSet[];
  readonly read: (phrase: PhraseInUse) => readonly PhraseTokens[];
  readonly batch: number;
  readonly accumulation: number;
  readonly sentences: number;
  readonly seed: number;
}): PhraseBatches {
  const { sets, accumulation, sentences, seed } = options;
  const keys = keysOfTexts(sets.flatMap(({ pairs }) => [pairs.map(({ source }) => phraseForm(source.phrase)), pairs.map(({ target }) => phraseForm(target.phrase))]));
  const sampler = createBatchSampler({
    sources: sets.map(({ pairs }, i) => ({ size: pairs.length, keys: keys.slice(2 * i, 2 * i + 2) })),
    batchSize: Math.max(options.batch, sets.length),
    exponent: IN_PROPORTION,
    seed,
    purpose: 'phrase-batches',
  });
  const read = remembered(options.read);
  const drawn = (phrase: PhraseInUse, place: number, side: 'source' | 'target'): readonly PhraseTokens[] => {
    if (sentences === 0) return read({ phrase: phrase.phrase, sentences: [] });
    if (phrase.sentences.length <= sentences) return read(phrase);
    const order = seededPermutation(phrase.sentences.length, { seed, purpose: `sentences ${side} ${place} ${phrase.phrase}` }).subarray(0, sentences);
    return [...order].flatMap((i) => read({ phrase: phrase.phrase, sentences: [phrase.sentences[i] ?? ''] }));
  };
  const partAt = (place: number): PhrasePart => {
    const { sources, indices } = sampler.batchAt(place);
    const pairs = [...indices].flatMap((index, i) => sets[sources[i] ?? 0]?.pairs[index] ?? []);
    const found = [...pairs.map(({ source }) => drawn(source, place, 'source')), ...pairs.map(({ target }) => drawn(target, place, 'target'))];
    const all = found.flat();
    return { name: 'phrases', texts: all.map(({ ids }) => ids), spans: all, counts: Int32Array.from(found, ({ length }) => length), pairs: pairs.length, share: 1 / accumulation };
  };
  const size = sets.reduce((sum, { pairs }) => sum + pairs.length, 0);
  const places = sampler.places.reduce((sum, count) => sum + count, 0);
  return { partsAt: (step) => Array.from({ length: accumulation }, (_, k) => partAt(step * accumulation + k)), stepsPerEpoch: size / Math.max(1, places * accumulation) };
}

/** Reads each phrase in a sentence once, as long as there is room. */
function remembered(read: (phrase: PhraseInUse) => readonly PhraseTokens[]): (phrase: PhraseInUse) => readonly PhraseTokens[] {
  const known = new Map<string, Map<string, readonly PhraseTokens[]>>();
  let kept = 0;
  return (asked) => {
    const key = asked.sentences.join('\n');
    const ofPhrase = known.get(asked.phrase) ?? new Map<string, readonly PhraseTokens[]>();
    known.set(asked.phrase, ofPhrase);
    const before = ofPhrase.get(key);
    if (before !== undefined) return before;
    const found = read(asked);
    const tokens = found.reduce((sum, { ids }) => sum + ids.length, 0);
    if (kept + tokens <= MOST_KEPT_TOKENS) {
      ofPhrase.set(key, found);
      kept += tokens;
    }
    return found;
  };
}
