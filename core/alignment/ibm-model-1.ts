/** Which word translates which? IBM Model 1, with a Dirichlet prior and an optional preference for the diagonal. */
import { digamma } from '../base/digamma.ts';
import { InvariantError } from '../base/errors.ts';
import { pauseFor } from '../base/pause.ts';
import type { SparseTable } from './sparse-table.ts';

/** Sentence pairs as token ids; `weights[i]` counts pair i as that many pairs (1 when left out). */
export type TokenPairs = {
  readonly sources: readonly Uint32Array[];
  readonly targets: readonly Uint32Array[];
  readonly weights?: Float32Array;
};

export type IbmModel1Options = {
  readonly pairs: TokenPairs;
  /** Ids of sources are below this, ids of targets below the other. */
  readonly sourceSize: number;
  readonly targetSize: number;
  /** Rounds of expectation-maximisation, >= 1. */
  readonly iterations: number;
  /** Longer sentences are cut to this many tokens. */
  readonly maximumTokens: number;
  /** Dirichlet prior on each row; 0 = maximum likelihood. Small values (.01) keep rare words from explaining everything. */
  readonly prior: number;
  /** Strength of the preference for equal relative positions; 0 = none (Model 1 proper). */
  readonly diagonal: number;
  readonly signal?: AbortSignal;
};

/** The share of target words expected to have no source word (Dyer et al. 2013). */
const NULL_PROBABILITY = 0.08;
const POSITION_BINS = 128;
/** Work between two pauses, in places of the text times targets: a few tens of milliseconds. */
const WORK_BETWEEN_PAUSES = 4_000_000;

/**
 * Estimates p(target | source) by expectation-maximisation over sentence pairs.
 *
 *   E: a(i | j) = h(i, j) t(e_j | f_i) / sum_i' h(i', j) t(e_j | f_i'),   h = uniform, or exp(-diagonal |i/I - j/J|) normalised
 *   M: t(e | f) = c(e, f) / c(f);  with a prior: exp(digamma(c(e,f) + prior)) / exp(digamma(c(f) + prior * n_f))
 *
 * where n_f is the number of distinct targets seen with f, and one empty source word takes part in every sentence.
 *
 * It pauses now and then, so that a cancel arrives.
 *
 * @returns a table of `sourceSize` rows (the empty word is left out); rows of unseen sources are empty; targets ascend within a row.
 * @throws InvariantError when sources and targets differ in number; the signal's reason once aborted.
 * @see Brown et al. 1993, section 4; Riley and Gildea 2012 (variational Bayes); Dyer et al. 2013 (diagonal preference).
 */
export async function trainIbmModel1(options: IbmModel1Options): Promise<SparseTable> {
  const { pairs, sourceSize, targetSize, iterations, prior, diagonal, signal } = options;
  if (pairs.sources.length !== pairs.targets.length) throw new InvariantError('alignment.length', `Expected as many sources as targets, found ${pairs.sources.length} and ${pairs.targets.length}.`);
  const text = packPairs(options);
  const rows = collectRows(text, sourceSize, targetSize);
  const probabilities = new Float32Array(rows.targets.length).fill(1);
  const counts = new Float32Array(rows.targets.length);
  const denominators = new Float32Array(text.targetIds.length);
  const normalisers = diagonal > 0 ? diagonalNormalisers(text, diagonal) : null;
  const bins = diagonalBins(diagonal);
  const slot = new Int32Array(targetSize);
  let work = 0;
  await pauseFor(signal);
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    denominators.fill(0);
    counts.fill(0);
    for (const pass of ['sum', 'count'] as const) {
      for (let source = 0; source <= sourceSize; source += 1) {
        if (work > WORK_BETWEEN_PAUSES) {
          work = 0;
          await pauseFor(signal);
        }
        const rowStart = rows.offsets[source] ?? 0;
        const rowEnd = rows.offsets[source + 1] ?? 0;
        if (rowStart === rowEnd) continue;
        for (let k = rowStart; k < rowEnd; k += 1) slot[rows.targets[k] ?? 0] = k;
        const isEmptyWord = source === sourceSize;
        for (let o = rows.occurrenceOffsets[source] ?? 0; o < (rows.occurrenceOffsets[source + 1] ?? 0); o += 1) {
          const sentence = rows.occurrenceSentences[o] ?? 0;
          const targetStart = text.targetOffsets[sentence] ?? 0;
          const targetEnd = text.targetOffsets[sentence + 1] ?? 0;
          work += targetEnd - targetStart;
          const sourceLength = (text.sourceOffsets[sentence + 1] ?? 0) - (text.sourceOffsets[sentence] ?? 0);
          const place = isEmptyWord ? 0 : ((rows.occurrencePositions[o] ?? 0) + 0.5) / sourceLength;
          const perTarget = 1 / (targetEnd - targetStart);
          const weight = text.weights[sentence] ?? 1;
          const uniform = isEmptyWord ? NULL_PROBABILITY : (1 - NULL_PROBABILITY) / sourceLength;
          for (let j = targetStart; j < targetEnd; j += 1) {
            const k = slot[text.targetIds[j] ?? 0] ?? 0;
            let position = uniform;
            if (normalisers !== null && !isEmptyWord) {
              const distance = Math.abs(place - (j - targetStart + 0.5) * perTarget);
              position = ((1 - NULL_PROBABILITY) * (bins[(distance * POSITION_BINS) | 0] ?? 0)) / (normalisers[j] ?? 1);
            }
            const share = position * (probabilities[k] ?? 0);
            if (pass === 'sum') denominators[j] = (denominators[j] ?? 0) + share;
            else counts[k] = (counts[k] ?? 0) + (weight * share) / (denominators[j] ?? 1);
          }
        }
      }
    }
    maximise({ counts, probabilities, offsets: rows.offsets, sourceSize, prior });
  }
  const end = rows.offsets[sourceSize] ?? 0;
  return { sourceSize, targetSize, offsets: rows.offsets.slice(0, sourceSize + 1), targets: rows.targets.slice(0, end), probabilities: probabilities.slice(0, end) };
}

type PackedText = {
  readonly sourceIds: Uint32Array;
  readonly sourceOffsets: Uint32Array;
  readonly targetIds: Uint32Array;
  readonly targetOffsets: Uint32Array;
  readonly weights: Float32Array;
};

function packPairs({ pairs, maximumTokens }: IbmModel1Options): PackedText {
  const pack = (sentences: readonly Uint32Array[]): { ids: Uint32Array; offsets: Uint32Array } => {
    const offsets = new Uint32Array(sentences.length + 1);
    sentences.forEach((sentence, i) => {
      offsets[i + 1] = (offsets[i] ?? 0) + Math.min(sentence.length, maximumTokens);
    });
    const ids = new Uint32Array(offsets[sentences.length] ?? 0);
    sentences.forEach((sentence, i) => {
      ids.set(sentence.subarray(0, maximumTokens), offsets[i]);
    });
    return { ids, offsets };
  };
  const source = pack(pairs.sources);
  const target = pack(pairs.targets);
  return {
    sourceIds: source.ids,
    sourceOffsets: source.offsets,
    targetIds: target.ids,
    targetOffsets: target.offsets,
    weights: pairs.weights ?? new Float32Array(pairs.sources.length).fill(1),
  };
}

type Rows = {
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  readonly occurrenceOffsets: Uint32Array;
  readonly occurrenceSentences: Uint32Array;
  readonly occurrencePositions: Uint32Array;
};

/** Where each source stands, and which distinct targets it ever stands beside. The empty word is source number `sourceSize`. */
function collectRows(text: PackedText, sourceSize: number, targetSize: number): Rows {
  const sentences = text.sourceOffsets.length - 1;
  const occurrenceOffsets = new Uint32Array(sourceSize + 2);
  for (const id of text.sourceIds) occurrenceOffsets[id + 1] = (occurrenceOffsets[id + 1] ?? 0) + 1;
  occurrenceOffsets[sourceSize + 1] = sentences;
  for (let i = 0; i <= sourceSize; i += 1) occurrenceOffsets[i + 1] = (occurrenceOffsets[i + 1] ?? 0) + (occurrenceOffsets[i] ?? 0);
  const fill = occurrenceOffsets.slice();
  const occurrences = text.sourceIds.length + sentences;
  const occurrenceSentences = new Uint32Array(occurrences);
  const occurrencePositions = new Uint32Array(occurrences);
  for (let sentence = 0; sentence < sentences; sentence += 1) {
    const start = text.sourceOffsets[sentence] ?? 0;
    const end = text.sourceOffsets[sentence + 1] ?? 0;
    for (let p = start; p <= end; p += 1) {
      const source = p === end ? sourceSize : (text.sourceIds[p] ?? 0);
      const at = fill[source] ?? 0;
      fill[source] = at + 1;
      occurrenceSentences[at] = sentence;
      occurrencePositions[at] = p - start;
    }
  }
  const offsets = new Uint32Array(sourceSize + 2);
  const stamp = new Int32Array(targetSize).fill(-1);
  let targets = new Uint32Array(1 << 20);
  let length = 0;
  for (let source = 0; source <= sourceSize; source += 1) {
    const rowStart = length;
    for (let o = occurrenceOffsets[source] ?? 0; o < (occurrenceOffsets[source + 1] ?? 0); o += 1) {
      const sentence = occurrenceSentences[o] ?? 0;
      const start = text.targetOffsets[sentence] ?? 0;
      const end = text.targetOffsets[sentence + 1] ?? 0;
      if (length + end - start > targets.length) {
        const larger = new Uint32Array(targets.length * 2);
        larger.set(targets);
        targets = larger;
      }
      for (let j = start; j < end; j += 1) {
        const id = text.targetIds[j] ?? 0;
        if (stamp[id] === source) continue;
        stamp[id] = source;
        targets[length] = id;
        length += 1;
      }
    }
    targets.subarray(rowStart, length).sort();
    offsets[source + 1] = length;
  }
  return { offsets, targets: targets.slice(0, length), occurrenceOffsets, occurrenceSentences, occurrencePositions };
}

function maximise(options: { counts: Float32Array; probabilities: Float32Array; offsets: Uint32Array; sourceSize: number; prior: number }): void {
  const { counts, probabilities, offsets, sourceSize, prior } = options;
  for (let source = 0; source <= sourceSize; source += 1) {
    const start = offsets[source] ?? 0;
    const end = offsets[source + 1] ?? 0;
    let total = 0;
    for (let k = start; k < end; k += 1) total += counts[k] ?? 0;
    if (prior > 0) {
      const below = Math.exp(digamma(total + prior * (end - start)));
      for (let k = start; k < end; k += 1) probabilities[k] = Math.exp(digamma((counts[k] ?? 0) + prior)) / below;
    } else {
      for (let k = start; k < end; k += 1) probabilities[k] = total > 0 ? (counts[k] ?? 0) / total : 0;
    }
  }
}

function diagonalBins(diagonal: number): Float32Array {
  const bins = new Float32Array(POSITION_BINS + 1);
  for (let b = 0; b <= POSITION_BINS; b += 1) bins[b] = Math.exp((-diagonal * b) / POSITION_BINS);
  return bins;
}

function diagonalNormalisers(text: PackedText, diagonal: number): Float32Array {
  const bins = diagonalBins(diagonal);
  const normalisers = new Float32Array(text.targetIds.length);
  for (let sentence = 0; sentence < text.sourceOffsets.length - 1; sentence += 1) {
    const sourceLength = (text.sourceOffsets[sentence + 1] ?? 0) - (text.sourceOffsets[sentence] ?? 0);
    const start = text.targetOffsets[sentence] ?? 0;
    const end = text.targetOffsets[sentence + 1] ?? 0;
    const perTarget = 1 / (end - start); // as in the loop that uses them: both must fall into the same bins
    for (let j = start; j < end; j += 1) {
      let total = 0;
      for (let i = 0; i < sourceLength; i += 1) {
        const distance = Math.abs((i + 0.5) / sourceLength - (j - start + 0.5) * perTarget);
        total += bins[(distance * POSITION_BINS) | 0] ?? 0;
      }
      normalisers[j] = total;
    }
  }
  return normalisers;
}
