/** Which pieces explain the user's texts best? Unigram training: many candidates, EM, prune, repeat. */
import { digamma } from '../base/digamma.ts';
import { CancellationError, InputError } from '../base/errors.ts';
import { ignoreProgress, type ReportProgress } from '../base/progress.ts';
import { encodeRuns, type EncodedRuns } from './encoded-runs.ts';
import { findCandidates } from './piece-candidates.ts';
import { expectedCounts, leastLosses, makeLattice, type PieceTable } from './piece-lattice.ts';
import { countRuns, pause, type WeightedText } from './word-counts.ts';

/** A Unigram vocabulary. `pieces[i]` has log probability `scores[i]` (nats); `pieces[unknownId]` is never produced by text. */
export type UnigramModel = { readonly pieces: readonly string[]; readonly scores: readonly number[]; readonly unknownId: number };

export type TrainUnigramOptions = {
  readonly texts: Iterable<WeightedText> | AsyncIterable<WeightedText>;
  /** Pieces wanted, the unknown piece included; fewer come back when the text does not hold as many. */
  readonly vocabularySize: number;
  /** Share of the characters that must be covered, in (0, 1]; default .9995. */
  readonly characterCoverage?: number;
  /** Kept for the record: training draws no chance, the same texts in the same order give the same model. */
  readonly seed?: number;
  readonly signal?: AbortSignal;
  readonly report?: ReportProgress;
};

/** The unknown piece. In capitals, so that no normalised text can spell it. */
export const UNKNOWN_PIECE = '<UNK>';
const UNKNOWN_ID = 0;
const DEFAULT_COVERAGE = 0.9995;

const CANDIDATES_PER_PIECE = 10;
const MOST_CANDIDATES = 400_000;
/** SentencePiece's settings: two EM passes between prunings, three quarters of the pieces kept, rarer pieces dropped. */
const PASSES = 2;
const KEPT_SHARE = 0.75;
const LEAST_EXPECTED_COUNT = 0.5;

/** Scores are whole multiples of 2^-12 nats, so that sums are exact, ties are true ties, and every encoder agrees. */
export const SCORE_STEP = 2 ** -12;
export const roundScore = (score: number): number => Math.round(score / SCORE_STEP) * SCORE_STEP;

/**
 * Trains a Unigram vocabulary as SentencePiece does (Kudo 2018, arXiv:1804.10959, section 3.2): candidates by weight * length,
 * then EM (M step with the digamma of the expected counts) and pruning of the pieces whose removal costs least likelihood.
 * Works on the table of distinct runs (word-counts.ts). All covered characters stay. Deterministic: no chance is drawn, and
 * equal scores keep the order of first sight.
 *
 * @returns pieces: id 0 unknown (score 0), then by falling score, equal scores in code-unit order.
 * @throws InputError 'text.vocabulary-size' when the size cannot hold even the covered characters; 'text.no-text' when there is no text.
 * @throws CancellationError when the signal is aborted.
 */
export async function trainUnigram(options: TrainUnigramOptions): Promise<UnigramModel> {
  const { vocabularySize, characterCoverage = DEFAULT_COVERAGE, signal, report = ignoreProgress } = options;
  const breathe = async (done: number, total: number | null, unit: string): Promise<void> => {
    report({ phase: 'vocabulary', done, total, unit });
    await pause();
    if (signal?.aborted === true) throw new CancellationError();
  };
  const table = await countRuns(options.texts, { signal, onTexts: (texts) => { report({ phase: 'vocabulary', done: texts, total: null, unit: 'texts' }); } });
  if (table.runs.length === 0) throw new InputError('text.no-text', 'A vocabulary cannot be made from no text. Expected at least one text with a letter in it; add texts.');
  const runs = encodeRuns(table, characterCoverage);
  const most = vocabularySize - 1;
  const singles = runs.characters.length - 1;
  if (most < singles) {
    throw new InputError('text.vocabulary-size', `A vocabulary of ${vocabularySize} pieces cannot hold the ${singles} different characters of these texts. Ask for at least ${singles + 1} pieces, or for less character coverage than ${characterCoverage}.`);
  }
  await breathe(0, null, 'pieces');
  let pieces = startPieces(runs, Math.min(MOST_CANDIDATES, CANDIDATES_PER_PIECE * vocabularySize));
  const start = pieces.count;
  const doneShare = (): number => (start <= most ? 1 : Math.min(1, Math.log(start / pieces.count) / Math.log(start / most)));
  for (;;) {
    for (let pass = 0; pass < PASSES; pass += 1) {
      pieces = maximise(pieces, expectedCounts(runs, makeLattice(runs, pieces), pieces), singles);
      await breathe(Math.round(doneShare() * most), most, 'pieces');
    }
    if (pieces.count <= most) break;
    const target = Math.max(most, Math.floor(pieces.count * KEPT_SHARE));
    pieces = select(pieces, leastLosses(runs, makeLattice(runs, pieces), pieces), target, singles);
  }
  return toModel(runs, pieces);
}

/** All covered characters first (piece s - 1 is symbol s), then the candidates; probabilities in proportion to weight * length. */
function startPieces(runs: EncodedRuns, most: number): PieceTable {
  const singles = runs.characters.length - 1;
  const found = findCandidates(runs, most);
  const count = singles + found.starts.length;
  const starts = new Int32Array(count);
  const lengths = new Uint8Array(count);
  const probabilities = new Float64Array(count);
  const firsts = new Int32Array(singles + 1).fill(-1);
  for (let at = 0; at < runs.length; at += 1) {
    const symbol = runs.symbols[at] ?? 0;
    if (symbol === 0) continue;
    if (firsts[symbol] === -1) firsts[symbol] = at;
    probabilities[symbol - 1] = (probabilities[symbol - 1] ?? 0) + (runs.weights[runs.runOf[at] ?? 0] ?? 0);
  }
  for (let i = 0; i < singles; i += 1) {
    starts[i] = firsts[i + 1] ?? 0;
    lengths[i] = 1;
  }
  starts.set(found.starts, singles);
  lengths.set(found.lengths, singles);
  probabilities.set(found.scores, singles);
  let total = 0;
  for (let i = 0; i < count; i += 1) total += probabilities[i] ?? 0;
  for (let i = 0; i < count; i += 1) probabilities[i] = (probabilities[i] ?? 0) / total;
  return { count, starts, lengths, probabilities };
}

/** p_i = exp(digamma(c_i) - digamma(sum c)), after rare pieces are dropped; single characters stay with at least the least count. */
function maximise(pieces: PieceTable, counts: Float64Array, singles: number): PieceTable {
  const keep: number[] = [];
  let total = 0;
  for (let i = 0; i < pieces.count; i += 1) {
    const expected = counts[i] ?? 0;
    if (i >= singles && expected < LEAST_EXPECTED_COUNT) continue;
    keep.push(i);
    total += Math.max(expected, LEAST_EXPECTED_COUNT);
  }
  const scale = digamma(total);
  return subset(pieces, keep, (i) => Math.exp(digamma(Math.max(counts[i] ?? 0, LEAST_EXPECTED_COUNT)) - scale));
}

/** The `target` pieces whose removal would cost most; the first `singles` always stay; ties by order. */
function select(pieces: PieceTable, losses: Float64Array, target: number, singles: number): PieceTable {
  const wanted = target - singles;
  const order: number[] = [];
  for (let i = singles; i < pieces.count; i += 1) if ((losses[i] ?? -Infinity) > -Infinity) order.push(i);
  order.sort((a, b) => (losses[b] ?? 0) - (losses[a] ?? 0) || a - b);
  const chosen = order.slice(0, Math.max(0, wanted)).sort((a, b) => a - b);
  const keep = Array.from({ length: singles }, (_, i) => i).concat(chosen);
  return subset(pieces, keep, (i) => pieces.probabilities[i] ?? 0);
}

function subset(pieces: PieceTable, keep: readonly number[], probability: (piece: number) => number): PieceTable {
  return {
    count: keep.length,
    starts: Int32Array.from(keep, (i) => pieces.starts[i] ?? 0),
    lengths: Uint8Array.from(keep, (i) => pieces.lengths[i] ?? 0),
    probabilities: Float64Array.from(keep, probability),
  };
}

function toModel(runs: EncodedRuns, pieces: PieceTable): UnigramModel {
  const rows: { piece: string; score: number }[] = [];
  for (let i = 0; i < pieces.count; i += 1) {
    const start = pieces.starts[i] ?? 0;
    let piece = '';
    for (let k = 0; k < (pieces.lengths[i] ?? 0); k += 1) piece += runs.characters[runs.symbols[start + k] ?? 0] ?? '';
    rows.push({ piece, score: roundScore(Math.log(pieces.probabilities[i] ?? 0)) });
  }
  rows.sort((a, b) => b.score - a.score || (a.piece < b.piece ? -1 : 1));
  return { pieces: [UNKNOWN_PIECE, ...rows.map((row) => row.piece)], scores: [0, ...rows.map((row) => row.score)], unknownId: UNKNOWN_ID };
}
