/** How does a calibrated model turn text into vectors? As the model it was made from, then shifted, scaled and rotated by the language of the text. */
import { calibrate } from '../calibration.ts';
import { encoderIn, type Encoder, type PhraseEncoder, type TextKind } from '../encoder.ts';
import { withMovedVectors } from '../moved-vectors.ts';
import type { ModelCalibration, Space } from './calibration-files.ts';
import { createLetterGuesser } from './letter-profiles.ts';

const spaceOf: { readonly [Kind in TextKind]: Space } = { sentence: 'sentence', query: 'search', document: 'search' };

/**
 * The same encoder with calibrated vectors. A language that was not calibrated keeps its vectors; where nobody says the language of a text,
 * it is guessed from its letters among those that were.
 * Phrases are brought as sentences are, with the language of a sentence that shows them in use, unless they live in a space of their own: another
 * layer than the one that is pooled, or `hasPhraseSpace`, a model trained on phrases.
 * @param modelId its own: an index made before calibration is another model's.
 */
export function createCalibratedEncoder(plain: Encoder, calibration: ModelCalibration, { modelId, hasPhraseSpace }: { readonly modelId: string; readonly hasPhraseSpace: boolean }): Encoder {
  const { spaces, profiles } = calibration;
  const guess = createLetterGuesser(profiles);
  const { width, pivot } = plain;

  const encoderFor = (said: string | null): Encoder => {
    const base = encoderIn(plain, said);
    const languageOf = (text: string): string => said ?? guess(text);
    /** Rows by the language of each, in the order given. */
    const brought = async (rows: Float32Array, tags: readonly string[], space: Space): Promise<Float32Array> => {
      const result = new Float32Array(rows.length);
      for (const language of new Set(tags)) {
        const places = tags.flatMap((one, i) => (one === language ? [i] : []));
        const own = new Float32Array(places.length * width);
        places.forEach((place, i) => { own.set(rows.subarray(place * width, (place + 1) * width), i * width); });
        const moved = await calibrate(spaces[space], own, language);
        places.forEach((place, i) => {
          const isEmpty = own.subarray(i * width, (i + 1) * width).every((value) => value === 0); // a text without known tokens stays nowhere
          if (!isEmpty) result.set(moved.subarray(i * width, (i + 1) * width), place * width);
        });
      }
      return result;
    };
    const phrasesOf = (phrases: PhraseEncoder): PhraseEncoder => ({
      ...phrases,
      vectors: async (list, options = {}) => {
        const rows = await phrases.vectors(list, options);
        return options.layer === undefined ? brought(rows, list.map(({ phrase, sentences }) => languageOf(sentences[0] ?? phrase)), 'sentence') : rows;
      },
    });
    const moved = withMovedVectors(base, {
      modelId,
      inLanguage: encoderFor,
      move: (rows, texts, kind) => {
        const tags = texts.map(languageOf);
        return brought(rows, tags.length === 1 ? new Array<string>(rows.length / width).fill(tags[0] ?? pivot) : tags, spaceOf[kind]);
      },
    });
    if (base.phrases === undefined) return moved;
    return { ...moved, phrases: hasPhraseSpace || base.phrases.width !== width ? base.phrases : phrasesOf(base.phrases) };
  };
  return encoderFor(null);
}
