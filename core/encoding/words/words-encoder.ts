/** How does a model of word vectors turn text into vectors? The mean of its words, of a text whose language is said or guessed. */
import type { Encoder } from '../encoder.ts';
import { windowRanges } from '../windows.ts';
import { createWordGuesser } from './guess-by-words.ts';
import { toUnitRows } from './word-vectors.ts';
import { placedWords, wordsIn } from './words-in.ts';
import type { WordsModel } from './words-model-folder.ts';

export type WordsEncoder = Encoder & Required<Pick<Encoder, 'inLanguage'>>;

/**
 * p = 1/n Σ v_w over the words of the text that the language knows, to length 1; a text without one has a vector of zeros. The same for
 * sentences, queries and documents. Long texts have windows of 32 words every 16.
 * @see Zheng et al. 2022, section 4.2: "the retrieval is achieved by the nearest search using an average word vector".
 */
export function createWordsEncoder(model: WordsModel, modelId: string): WordsEncoder {
  const { width, pivot, languages } = model;
  const vocabularies = new Map([...model.vocabularies].map(([language, { words, vectors }]) => [language, { ranks: new Map(words.map((word, rank) => [word, rank])), vectors }]));
  const guess = createWordGuesser([...vocabularies].map(([language, { ranks }]) => ({ language, ranks })));
  const isSingle = vocabularies.size < 2;

  const addMean = (into: Float32Array, words: readonly string[], language: string): void => {
    const vocabulary = vocabularies.get(language);
    for (const word of words) {
      const rank = vocabulary?.ranks.get(word);
      if (vocabulary === undefined || rank === undefined) continue;
      for (let i = 0; i < width; i += 1) into[i] = (into[i] ?? 0) + (vocabulary.vectors[rank * width + i] ?? 0);
    }
    toUnitRows(into, width); // the mean and the sum have one direction
  };

  const encoderFor = (said: string | null): WordsEncoder => {
    const languageOf = (words: readonly string[]): string => said ?? (isSingle ? pivot : guess(words));
    const documentVectors = (text: string): Float32Array => {
      const words = wordsIn(text);
      const language = languageOf(words);
      const ranges = [{ start: 0, end: words.length }, ...windowRanges(words.length)];
      const rows = new Float32Array(ranges.length * width);
      ranges.forEach(({ start, end }, r) => { addMean(rows.subarray(r * width, (r + 1) * width), words.slice(start, end), language); });
      return rows;
    };
    return {
      width,
      modelId,
      pivot,
      languages,
      encode: (texts) => {
        const rows = new Float32Array(texts.length * width);
        texts.forEach((text, t) => {
          const words = wordsIn(text);
          addMean(rows.subarray(t * width, (t + 1) * width), words, languageOf(words));
        });
        return Promise.resolve(rows);
      },
      encodeDocuments: (texts) => Promise.resolve(texts.map(documentVectors)),
      windowSpans: (text) => {
        const words = placedWords(text);
        return [{ start: 0, end: text.length }, ...windowRanges(words.length).map(({ start, end }) => ({ start: words[start]?.start ?? 0, end: words[end - 1]?.end ?? text.length }))];
      },
      translation: () => null,
      inLanguage: (language) => encoderFor(language !== null && vocabularies.has(language) ? language : null),
    };
  };
  return encoderFor(null);
}
