/** Where do token rows start? Pivot rows by chance; a foreign row where its translations are, by IBM Model 1. */
import { trainIbmModel1 } from '../alignment/ibm-model-1.ts';
import type { SparseTable } from '../alignment/sparse-table.ts';
import { seededRandom } from '../base/random.ts';

/** Token ids of one language pair; `isPivotSource` tells which side is the pivot. */
export type TokenisedPairs = { readonly language: string; readonly pivotIds: readonly Uint32Array[]; readonly foreignIds: readonly Uint32Array[]; readonly weights: Float32Array };

const ALIGNMENT = { iterations: 4, maximumTokens: 40, prior: 0, diagonal: 3 };
/** default-retriever.md: English rows N(0, .05); a foreign row .8 of its translations and .5 of chance. */
const ROW_DEVIATION = 0.05;
const TRANSLATION_SHARE = 0.8;
const CHANCE_SHARE = 0.5;
/** SIF (Arora et al. 2017): w = a / (a + p). */
const SIF_A = 1e-3;
const LEAST_TRANSLATION_PROBABILITY = 0.01;

/** p(pivot token | foreign token) of one language. */
export type TokenTranslations = { readonly language: string; readonly toPivot: SparseTable };

/** IBM Model 1 on subword ids, from the foreign language to the pivot. @throws the signal's reason once aborted. */
export async function alignTokens(pairs: TokenisedPairs, vocabularySize: number, signal: AbortSignal): Promise<TokenTranslations> {
  const { language, foreignIds: sources, pivotIds: targets, weights } = pairs;
  return { language, toPivot: await trainIbmModel1({ pairs: { sources, targets, weights }, sourceSize: vocabularySize, targetSize: vocabularySize, ...ALIGNMENT, signal }) };
}

/** How often each token stands in a language: counts [V] and their total. */
export type TokenCounts = { readonly language: string; readonly counts: Float64Array; readonly total: number };

/**
 * Token weights by smooth inverse frequency: w_t = a / (a + p_t), p_t = the largest share that t has of any language's tokens.
 * @returns float32 [V], in (0, 1].
 */
export function startingWeights(counts: readonly TokenCounts[], vocabularySize: number): Float32Array {
  const weights = new Float32Array(vocabularySize);
  for (let t = 0; t < vocabularySize; t += 1) {
    let share = 0;
    for (const language of counts) share = Math.max(share, (language.counts[t] ?? 0) / Math.max(1, language.total));
    weights[t] = SIF_A / (SIF_A + share);
  }
  return weights;
}

/**
 * Fills `table` float32 [V, H]. Every row starts at chance r ~ N(0, .05^2). A token that is more frequent (as a share) in a foreign
 * language than in the pivot becomes .8 n(sum_e p(e|f) idf(e)^2 v_e) + .5 r, summed over its languages by count, where n(.) scales
 * to the expected length of a chance row and v_e are the pivot rows before this; `anchored` rows are copied first and stay.
 */
export function fillStartingTable(options: {
  readonly table: Float32Array;
  readonly width: number;
  readonly seed: number;
  readonly counts: readonly TokenCounts[];
  readonly pivot: string;
  readonly translations: readonly TokenTranslations[];
  readonly anchored: { readonly rows: Float32Array; readonly isAnchored: Uint8Array } | null;
}): void {
  const { table, width, seed, counts, translations, anchored } = options;
  const vocabularySize = table.length / width;
  const random = seededRandom(seed, 'starting table');
  for (let i = 0; i < table.length; i += 1) table[i] = ROW_DEVIATION * random.normal();
  if (anchored !== null) {
    for (let t = 0; t < vocabularySize; t += 1) if (anchored.isAnchored[t] === 1) table.set(anchored.rows.subarray(t * width, (t + 1) * width), t * width);
  }
  const pivotCounts = counts.find((language) => language.language === options.pivot);
  const rowLength = ROW_DEVIATION * Math.sqrt(width);
  const sum = new Float32Array(width);
  const starts = new Map<number, Float32Array>();
  for (let t = 0; t < vocabularySize; t += 1) {
    if (anchored?.isAnchored[t] === 1) continue;
    const pivotShare = (pivotCounts?.counts[t] ?? 0) / Math.max(1, pivotCounts?.total ?? 1);
    sum.fill(0);
    let found = false;
    for (const { language, toPivot } of translations) {
      const own = counts.find((entry) => entry.language === language);
      const count = own?.counts[t] ?? 0;
      if (own === undefined || count / Math.max(1, own.total) <= pivotShare) continue;
      for (let k = toPivot.offsets[t] ?? 0; k < (toPivot.offsets[t + 1] ?? 0); k += 1) {
        const e = toPivot.targets[k] ?? 0;
        const probability = toPivot.probabilities[k] ?? 0;
        if (probability < LEAST_TRANSLATION_PROBABILITY) continue;
        const idf = Math.log((pivotCounts?.total ?? 1) / (1 + (pivotCounts?.counts[e] ?? 0)));
        const share = count * probability * idf * idf;
        for (let i = 0; i < width; i += 1) sum[i] = (sum[i] ?? 0) + share * (table[e * width + i] ?? 0);
        found = true;
      }
    }
    if (!found) continue;
    const length = Math.hypot(...sum);
    if (length === 0) continue;
    const row = new Float32Array(width);
    for (let i = 0; i < width; i += 1) row[i] = TRANSLATION_SHARE * ((sum[i] ?? 0) / length) * rowLength + CHANCE_SHARE * (table[t * width + i] ?? 0);
    starts.set(t, row);
  }
  for (const [t, row] of starts) table.set(row, t * width);
}
