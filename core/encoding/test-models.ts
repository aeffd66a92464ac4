/** Which small models do the tests use? Random rows over a tiny vocabulary: nothing is trained here. */
import { seededRandom } from '../base/random.ts';
import { trainUnigram, type UnigramModel } from '../text/unigram-trainer.ts';
import { writeTokenizer } from '../text/tokenizer.ts';
import type { StaticModel } from './model-folder.ts';

export const TEST_SENTENCES: readonly string[] = [
  'the small boat crosses the wide river', 'a big house stands on the hill', 'they carry clean water from the well', 'the river is wide after the rain',
  'wavuvi huvuka mto mpana kwa mashua', 'nyumba kubwa iko juu ya kilima', 'wanabeba maji safi kutoka kisimani', 'mto ni mpana baada ya mvua',
];

export function testVocabulary(): Promise<UnigramModel> {
  return trainUnigram({ texts: TEST_SENTENCES.map((text) => ({ text, weight: 1 })), vocabularySize: 90 });
}

export async function testModel(changes: Partial<StaticModel> = {}): Promise<StaticModel> {
  const vocabulary = await testVocabulary();
  const random = seededRandom(1, 'test model');
  const width = changes.width ?? 16;
  const numbers = (length: number, draw: () => number): Float32Array => Float32Array.from({ length }, draw);
  return {
    width,
    pivot: 'en',
    languages: [{ tag: 'en', pairs: 0, sentences: 0 }, { tag: 'sw', pairs: 4, sentences: 0 }],
    tokenizer: writeTokenizer(vocabulary),
    table: new Float32Array(new Float16Array(numbers(vocabulary.pieces.length * width, () => random.normal()))), // what a model folder can hold
    weights: numbers(vocabulary.pieces.length, () => 0.2 + random.next()),
    mean: numbers(width, () => 0.1 * random.normal()),
    scale: numbers(width, () => 0.5 + random.next()),
    translations: [
      { sourceLanguage: 'sw', targetLanguage: 'en', sources: ['mto', 'maji'], targets: ['river', 'water', 'stream'], offsets: Uint32Array.of(0, 2, 3), targetIds: Uint32Array.of(0, 2, 1), probabilities: Float32Array.of(0.75, 0.25, 1) },
      { sourceLanguage: 'en', targetLanguage: 'sw', sources: [], targets: [], offsets: Uint32Array.of(0), targetIds: new Uint32Array(0), probabilities: new Float32Array(0) },
    ],
    training: { seed: 1, steps: 3, losses: { semantic: 0.5 } },
    ...changes,
  };
}
