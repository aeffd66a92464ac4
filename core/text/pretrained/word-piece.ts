/** Which pieces does WordPiece cut a word into? The longest that begins here, again and again; none fits: the word is unknown. */
import { InputError } from '../../base/errors.ts';
import type { PieceModel } from './piece-model.ts';

export type WordPieceModel = {
  readonly ids: ReadonlyMap<string, number>;
  readonly unknownPiece: string;
  /** Put before pieces that do not begin a word. */
  readonly prefix: string;
  /** Words with more characters are unknown. */
  readonly longestWord: number;
  /** Told every piece that is found, also in words that turn out unknown. */
  readonly onUse: (id: number) => void;
};

/** @throws InputError 'tokenizer.invalid' when the unknown piece is none of the pieces. @see Schuster and Nakajima 2012; Devlin et al. 2019. */
export function createWordPieceModel({ ids, unknownPiece, prefix, longestWord, onUse }: WordPieceModel): PieceModel {
  const unknownId = ids.get(unknownPiece);
  if (unknownId === undefined) throw new InputError('tokenizer.invalid', `The unknown piece ${JSON.stringify(unknownPiece)} is missing from the vocabulary of ${ids.size} pieces.`);
  let longest = 0;
  for (const piece of ids.keys()) longest = Math.max(longest, piece.length);
  const cut = (word: string): readonly number[] => {
    if (word.length > longestWord && [...word].length > longestWord) return [unknownId];
    const pieces: number[] = [];
    for (let start = 0; start < word.length; ) {
      let end = Math.min(word.length, start + longest);
      let found: number | undefined;
      for (; end > start; end -= 1) {
        found = ids.get(start === 0 ? word.slice(0, end) : prefix + word.slice(start, end));
        if (found !== undefined) break;
      }
      if (found === undefined) return [unknownId];
      onUse(found);
      pieces.push(found);
      start = end;
    }
    return pieces;
  };
  return { idOf: (piece) => ids.get(piece), cut, unknownId };
}
