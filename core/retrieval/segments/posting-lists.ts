/**
 * How is written down which documents hold a term, and how often? Two forms:
 *   sparse: for each document a varint (gap << 1 | 1 when the term occurs more than once) and, then, a varint of the frequency;
 *   full:   for a term of many documents one byte a document, its frequency (0 = none; 255 = 255 or more), open to random access.
 */

/** A term in more than this share of a segment's documents has a full list. */
const FULL_SHARE = 1 / 8;
const FEWEST_FOR_FULL = 64;
export const MOST_IN_FULL = 255;
const LOW_BITS = 0x7f;
const MORE = 0x80;
const SHIFT = 7;
/** Bytes that one posting takes at most. */
export const MOST_POSTING_BYTES = 10;

export const isFullList = (documentFrequency: number, size: number): boolean => size >= FEWEST_FOR_FULL && documentFrequency > size * FULL_SHARE;

/** Writes a sparse list at a place that has room for it. @returns the place after it. */
export function writeSparse(bytes: Uint8Array, at: number, list: { readonly documents: Uint32Array; readonly frequencies: Uint16Array; readonly from: number; readonly to: number }): number {
  let place = at;
  let previous = -1;
  for (let i = list.from; i < list.to; i += 1) {
    const document = list.documents[i] ?? 0;
    const frequency = list.frequencies[i] ?? 1;
    let value = (document - previous - 1) * 2 + (frequency > 1 ? 1 : 0);
    previous = document;
    while (value > LOW_BITS) {
      bytes[place] = (value & LOW_BITS) | MORE;
      value >>>= SHIFT;
      place += 1;
    }
    bytes[place] = value;
    place += 1;
    if (frequency === 1) continue;
    let rest = frequency;
    while (rest > LOW_BITS) {
      bytes[place] = (rest & LOW_BITS) | MORE;
      rest >>>= SHIFT;
      place += 1;
    }
    bytes[place] = rest;
    place += 1;
  }
  return place;
}

/** Writes a full list of `size` bytes. @returns the place after it. */
export function writeFull(bytes: Uint8Array, at: number, size: number, list: { readonly documents: Uint32Array; readonly frequencies: Uint16Array; readonly from: number; readonly to: number }): number {
  bytes.fill(0, at, at + size);
  for (let i = list.from; i < list.to; i += 1) bytes[at + (list.documents[i] ?? 0)] = Math.min(MOST_IN_FULL, list.frequencies[i] ?? 1);
  return at + size;
}

/** What one term adds to the scores of documents: weight * f / (f + norm) for frequency f; `unit[d]` is 1 / (1 + norm[d]). */
export type TermScoring = { readonly weight: number; readonly norms: Float32Array; readonly units: Float32Array; readonly scores: Float32Array; /** Where the segment's documents begin in these arrays, and how many they are. */ readonly base: number; readonly size: number };

/** Adds the scores of a sparse list. Bytes that are no list end it: nothing is read or written outside. */
export function addSparse(bytes: Uint8Array, { weight, norms, units, scores, base, size }: TermScoring): void {
  const end = bytes.length;
  let document = base - 1;
  const limit = base + size;
  for (let place = 0; place < end; ) {
    let byte = bytes[place] ?? 0;
    place += 1;
    let value = byte & LOW_BITS;
    for (let shift = SHIFT; byte >= MORE && place < end; shift += SHIFT) {
      byte = bytes[place] ?? 0;
      place += 1;
      value |= (byte & LOW_BITS) << shift;
    }
    document += (value >>> 1) + 1;
    if (document >= limit) return;
    if ((value & 1) === 0) scores[document] = (scores[document] ?? 0) + weight * (units[document] ?? 0);
    else {
      byte = bytes[place] ?? 0;
      place += 1;
      let frequency = byte & LOW_BITS;
      for (let shift = SHIFT; byte >= MORE && place < end; shift += SHIFT) {
        byte = bytes[place] ?? 0;
        place += 1;
        frequency |= (byte & LOW_BITS) << shift;
      }
      scores[document] = (scores[document] ?? 0) + (weight * frequency) / (frequency + (norms[document] ?? 0));
    }
  }
}

/** Adds the scores of a full list to all documents. */
export function addFull(bytes: Uint8Array, { weight, norms, units, scores, base, size }: TermScoring): void {
  const count = Math.min(size, bytes.length);
  for (let local = 0; local < count; local += 1) {
    const frequency = bytes[local] ?? 0;
    if (frequency === 0) continue;
    const document = base + local;
    scores[document] = (scores[document] ?? 0) + (frequency === 1 ? weight * (units[document] ?? 0) : (weight * frequency) / (frequency + (norms[document] ?? 0)));
  }
}

/**
 * The same for some documents: those of `documents` (rising numbers over all segments) from place `from` on that lie in this segment.
 * @param isByPlace whether `scores` has the documents' scores at their places in `documents` and not by their numbers.
 * @returns the place after them.
 */
export function addFullTo(bytes: Uint8Array, { weight, norms, units, scores, base, size }: TermScoring, documents: Uint32Array, from: number, isByPlace: boolean): number {
  const end = base + size;
  const count = documents.length;
  let i = from;
  for (; i < count; i += 1) {
    const document = documents[i] ?? 0;
    if (document >= end) break;
    const frequency = bytes[document - base] ?? 0;
    if (frequency === 0) continue;
    const at = isByPlace ? i : document;
    scores[at] = (scores[at] ?? 0) + (frequency === 1 ? weight * (units[document] ?? 0) : (weight * frequency) / (frequency + (norms[document] ?? 0)));
  }
  return i;
}
