/** Which pieces does byte-pair encoding make of a word? Its signs, with neighbours joined in the order in which the joins were learnt. */
import type { PieceModel } from './piece-model.ts';

export type BytePairModel = {
  readonly ids: ReadonlyMap<string, number>;
  /** Pairs that are joined, the earliest first. */
  readonly merges: readonly (readonly [string, string])[];
  readonly unknownPiece: string | null;
  /** Unknown signs are written as "<0x41>" pieces of their UTF-8 bytes. */
  readonly byteFallback: boolean;
  /** Neighbouring unknown signs give one unknown piece. */
  readonly fuseUnknown: boolean;
  /** A word that is a piece is taken whole, joined or not. */
  readonly ignoreMerges: boolean;
  /** Told every piece that is joined on the way. */
  readonly onUse: (id: number) => void;
};

const BETWEEN = '\0';

/** @see Sennrich et al. 2016, arXiv:1508.07909, algorithm 1. */
export function createBytePairModel({ ids, merges, unknownPiece, byteFallback, fuseUnknown, ignoreMerges, onUse }: BytePairModel): PieceModel {
  const ranks = new Map(merges.map(([left, right], rank) => [left + BETWEEN + right, rank]));
  const unknownId = unknownPiece === null ? null : (ids.get(unknownPiece) ?? null);

  const tell = (piece: string): void => {
    const id = ids.get(piece);
    if (id !== undefined) onUse(id);
  };

  const joined = (word: string): readonly string[] => {
    for (const sign of word) tell(sign);
    let signs: readonly string[] = [...word];
    for (;;) {
      let least = Infinity;
      for (let i = 0; i + 1 < signs.length; i += 1) least = Math.min(least, ranks.get((signs[i] ?? '') + BETWEEN + (signs[i + 1] ?? '')) ?? Infinity);
      const merge = merges[least];
      if (merge === undefined) return signs;
      tell(merge[0] + merge[1]);
      const next: string[] = [];
      for (let i = 0; i < signs.length; i += 1) {
        const isPair = signs[i] === merge[0] && signs[i + 1] === merge[1];
        next.push(isPair ? merge[0] + merge[1] : (signs[i] ?? ''));
        if (isPair) i += 1;
      }
      signs = next;
    }
  };

  const bytePieces = (sign: string): readonly number[] | null => {
    const pieces = Array.from(Buffer.from(sign), (byte) => ids.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`));
    return pieces.every((id) => id !== undefined) ? pieces : null;
  };

  const cut = (word: string): readonly number[] => {
    const whole = ignoreMerges ? ids.get(word) : undefined;
    if (whole !== undefined) {
      onUse(whole);
      return [whole];
    }
    const pieces: number[] = [];
    let wasUnknown = false;
    for (const sign of joined(word)) {
      const id = ids.get(sign);
      const known = id !== undefined ? [id] : byteFallback ? bytePieces(sign) : null;
      if (known !== null) {
        known.forEach(onUse);
        pieces.push(...known);
      } else if (unknownId !== null && !(fuseUnknown && wasUnknown)) pieces.push(unknownId);
      wasUnknown = known === null;
    }
    return pieces;
  };
  return { idOf: (piece) => ids.get(piece), cut, unknownId };
}
