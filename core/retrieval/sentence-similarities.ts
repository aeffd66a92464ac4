/** How alike is every sentence of one text to every sentence of another? Cosines of their vectors, with the words' translations added. */
import { pauseFor } from '../base/pause.ts';
import { createGraphBuilder } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { encoderIn, type Encoder } from '../encoding/encoder.ts';
import { createSession } from '../runtime/session.ts';
import { tensorOf } from '../tensor/tensor.ts';
import type { SimilarityBlock } from './bitext-mining.ts';
import { translationOverlap } from './translation-overlap.ts';
import type { OverlapRow } from './translation-overlap.ts';

export type SentenceSimilarityOptions = {
  readonly encoder: Pick<Encoder, 'encode' | 'width' | 'translation' | 'inLanguage'>;
  /** Where the targets are encoded by another one, into the same space. */
  readonly targetEncoder?: Pick<Encoder, 'encode' | 'width'>;
  readonly sources: readonly string[];
  readonly targets: readonly string[];
  /** BCP 47 as the model has them; null: unknown, then vectors alone decide. */
  readonly sourceLanguage: string | null;
  readonly targetLanguage: string | null;
  /** What the translated words add, >= 0; 0: vectors alone. Default LEXICAL_WEIGHT. */
  readonly lexicalWeight?: number;
  /** What unlike lengths take away, >= 0. Default LENGTH_WEIGHT. */
  readonly lengthWeight?: number;
  readonly threads?: number;
  readonly signal?: AbortSignal;
};

/** The best of 0, 0.5, 1, 1.5, 2, 3 on the train splits of es-en and sw-en (F1 .45 / .57 with 0, .60 / .60 with 1; 2026-11-20). */
export const LEXICAL_WEIGHT = 1;

/** The best of 0, 0.1, 0.2, 0.3, 0.4 there (mean F1 .588 with 0, .624 with 0.2; lengths in code units). */
export const LENGTH_WEIGHT = 0.2;

const ROWS_AT_ONCE = 256;
const SENTENCES_AT_ONCE = 2_048;

/**
 * Blocks of
 *   s(x, y) = cos(x, y) + lambda (lex(x, y) + lex(y, x)) / 2 - mu |ln( |x| / |y| / r )|
 * with sentence vectors that are not whitened; lex as translationOverlap has it, one direction alone where the model has one
 * table, 0 where it has none; |x| a sentence's length and r the ratio of both texts' lengths, sentence by sentence on average.
 * @throws what the encoder and `createSession` throw; the signal's reason once aborted.
 */
export async function* sentenceSimilarities(options: SentenceSimilarityOptions): AsyncGenerator<SimilarityBlock> {
  const { encoder, targetEncoder = encoderIn(encoder, options.targetLanguage), sources, targets, signal, threads, lexicalWeight = LEXICAL_WEIGHT, lengthWeight = LENGTH_WEIGHT } = options;
  if (sources.length === 0 || targets.length === 0) return;
  const { width } = encoder;
  const sourceEncoder = encoderIn(encoder, options.sourceLanguage);
  const targetVectors = await encodeAll(targetEncoder, targets, signal);
  const overlap = lexicalWeight === 0 ? null : await overlapOf(options);
  const sourceLengths = logLengths(sources);
  const targetLengths = logLengths(targets);
  await using session = await createSession(scoreModel(width, targets.length), threads === undefined ? {} : { threads });
  const documents = tensorOf('float32', [targets.length, width], targetVectors);
  for (let start = 0; start < sources.length; start += ROWS_AT_ONCE) {
    await pauseFor(signal);
    const texts = sources.slice(start, start + ROWS_AT_ONCE);
    const queries = tensorOf('float32', [texts.length, width], await sourceEncoder.encode(texts, 'sentence'));
    const { scores } = await session.run({ queries, documents }); // [rows, M]
    const similarities = scores?.dtype === 'float32' ? scores.data : new Float32Array(0);
    if (overlap !== null) texts.forEach((_, row) => addRow(similarities.subarray(row * targets.length, (row + 1) * targets.length), overlap(start + row), lexicalWeight));
    texts.forEach((_, row) => subtractLengths({ row: similarities.subarray(row * targets.length, (row + 1) * targets.length), source: sourceLengths[start + row] ?? 0, targetLengths, weight: lengthWeight }));
    yield { firstSource: start, similarities };
  }
}

async function encodeAll(encoder: Pick<Encoder, 'encode' | 'width'>, texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array> {
  const vectors = new Float32Array(texts.length * encoder.width);
  for (let start = 0; start < texts.length; start += SENTENCES_AT_ONCE) {
    await pauseFor(signal);
    vectors.set(await encoder.encode(texts.slice(start, start + SENTENCES_AT_ONCE), 'sentence'), start * encoder.width);
  }
  return vectors;
}

/** The mean of both directions; one where there is one table; null where there is none. */
async function overlapOf({ encoder, sources, targets, sourceLanguage, targetLanguage, signal }: SentenceSimilarityOptions): Promise<OverlapRow | null> {
  if (sourceLanguage === null || targetLanguage === null) return null;
  const there = encoder.translation(sourceLanguage, targetLanguage);
  const back = encoder.translation(targetLanguage, sourceLanguage);
  const forward = there === null ? null : translationOverlap({ from: sources, into: targets, table: there });
  const backward = back === null ? null : await transposed({ row: translationOverlap({ from: targets, into: sources, table: back }), rows: targets.length, columns: sources.length, signal });
  if (forward === null || backward === null) return forward ?? backward;
  return (source) => {
    const one = forward(source);
    const other = backward(source);
    return one.map((value, target) => (value + (other[target] ?? 0)) / 2);
  };
}

/** Rows of the transpose; most similarities are 0, so only the others are kept. */
async function transposed({ row, rows, columns, signal }: { readonly row: OverlapRow; readonly rows: number; readonly columns: number; readonly signal: AbortSignal | undefined }): Promise<OverlapRow> {
  const places: number[][] = Array.from({ length: columns }, () => []);
  const values: number[][] = Array.from({ length: columns }, () => []);
  for (let target = 0; target < rows; target += 1) {
    if (target % ROWS_AT_ONCE === 0) await pauseFor(signal);
    row(target).forEach((value, source) => {
      if (value < LEAST_OVERLAP) return;
      places[source]?.push(target);
      values[source]?.push(value);
    });
  }
  return (source) => {
    const full = new Float64Array(rows);
    places[source]?.forEach((target, i) => {
      full[target] = values[source]?.[i] ?? 0;
    });
    return full;
  };
}

/** Smaller overlaps are of common words alone, and would fill the memory. */
const LEAST_OVERLAP = 0.02;

/** ln(length / mean length): of lengths in proportion the difference is 0. */
function logLengths(texts: readonly string[]): Float64Array {
  const mean = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  return Float64Array.from(texts, (text) => Math.log(Math.max(1, text.length) / Math.max(1, mean)));
}

function subtractLengths({ row, source, targetLengths, weight }: { readonly row: Float32Array; readonly source: number; readonly targetLengths: Float64Array; readonly weight: number }): void {
  if (weight === 0) return;
  for (let target = 0; target < row.length; target += 1) row[target] = (row[target] ?? 0) - weight * Math.abs(source - (targetLengths[target] ?? 0));
}

function addRow(row: Float32Array, overlap: Float64Array, weight: number): void {
  for (let target = 0; target < row.length; target += 1) row[target] = (row[target] ?? 0) + weight * (overlap[target] ?? 0);
}

/** scores = queries x documents^T */
function scoreModel(width: number, targets: number): Uint8Array {
  const g = createGraphBuilder('similarities');
  const queries = g.input('queries', 'float32', ['B', width]);
  const documents = g.input('documents', 'float32', [targets, width]);
  return encodeModel(g.build({ scores: g.matMul(queries, g.transpose(documents, [1, 0])) })); // [B, M]
}
