/** Which model do benchmarks search with when none is given? The shipped English starter as it is, width 1,024: real words, nothing to train. */
import type { StaticModel } from '../../core/encoding/model-folder.ts';
import { readStarterFolder } from '../../core/encoding/starter-folder.ts';
import { writeTokenizer } from '../../core/text/tokenizer.ts';
import { starterFolder } from '../../main/cli/places.ts';

/** The model, and the words that are tokens of their own, the likeliest first. */
export async function readStarterModel(): Promise<{ readonly model: StaticModel; readonly words: readonly string[] }> {
  const { vocabulary, rows, weights, mean, scale, width, language } = await readStarterFolder(starterFolder);
  const model = { width, pivot: language, languages: [{ tag: language, pairs: 0, sentences: 0 }], tokenizer: writeTokenizer(vocabulary), table: rows, weights, mean, scale, translations: [], training: {} };
  return { model, words: wholeWords(vocabulary.pieces, vocabulary.scores) };
}

const WHOLE_WORD = /^\u2581\p{Letter}{2,}$/u;

function wholeWords(pieces: readonly string[], scores: readonly number[]): string[] {
  return pieces
    .map((piece, i) => ({ piece, score: scores[i] ?? -Infinity }))
    .filter(({ piece }) => WHOLE_WORD.test(piece))
    .sort((a, b) => b.score - a.score)
    .map(({ piece }) => piece.slice(1));
}
