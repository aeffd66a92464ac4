/** In which order do scored documents stand? Exactly as trec_eval orders them. */

export type ScoredDocument = { readonly documentId: string; readonly score: number };

/**
 * Compares two ids as their UTF-8 bytes compare (strcmp), which is the order of code points, not of UTF-16 units.
 * @returns < 0, 0 or > 0.
 */
export function compareIds(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

const SURROGATES_START = 0xd800;
const SURROGATES_END = 0xe000;
const AFTER_ALL_UNITS = 0x10000;

/** A UTF-16 unit placed so that surrogates (code points above U+FFFF) come after every other unit. */
function codePointRank(unit: number): number {
  return unit >= SURROGATES_START && unit < SURROGATES_END ? unit + AFTER_ALL_UNITS : unit;
}

/**
 * The order of a ranking: score rounded to float32, larger first; equal scores by document id, larger (as bytes) first.
 * trec_eval 9.0 reads the score of a run into a C float and sorts so; the rank column of a run file is ignored.
 *
 * @see usnistgov/trec_eval, form_res_rels.c (comp_sim_docno) and trec_format.h (TEXT_RESULTS.sim).
 */
export function compareScored(a: ScoredDocument, b: ScoredDocument): number {
  const x = Math.fround(a.score);
  const y = Math.fround(b.score);
  if (x !== y) return x > y ? -1 : 1;
  return compareIds(b.documentId, a.documentId);
}

/** The documents in ranking order (a new array); see compareScored. */
export function rankDocuments(documents: readonly ScoredDocument[]): ScoredDocument[] {
  return documents.toSorted(compareScored);
}
