/** Do words get vectors from the company they keep, from files, and one space for several languages? */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/test-disks.ts';
import { seededRandom } from '../../base/random.ts';
import { openEncoder } from '../open-encoder.ts';
import { openUntrainedEncoder } from '../untrained-encoder.ts';
import { createWordGuesser } from './guess-by-words.ts';
import { mapOntoPivot } from './map-onto-pivot.ts';
import { reweightedMaps } from './reweighted-maps.ts';
import { keepProbability, trainSkipGram, updatePair } from './skip-gram.ts';
import { readVecFile } from './vec-file.ts';
import { dictionaryFromPairs } from './word-dictionary.ts';
import { toUnitRows, unitCentredUnit, type WordVectors } from './word-vectors.ts';
import { createWordsEncoder } from './words-encoder.ts';
import { writeWordsModelFolder, type WordsModel } from './words-model-folder.ts';

const { signal } = new AbortController();
const WIDTH = 8;

function chanceRows(count: number, seed: number, width = WIDTH): Float32Array {
  const random = seededRandom(seed, 'rows');
  return Float32Array.from({ length: count * width }, () => random.normal());
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => Array.from(a).reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
const row = ({ vectors, width }: Pick<WordVectors, 'vectors' | 'width'>, i: number): Float32Array => vectors.subarray(i * width, (i + 1) * width);

describe('skip-gram', () => {
  /** −log σ(out_w · in) − Σ log σ(−out_n · in), in float64. */
  const lossOf = (input: readonly number[], outs: readonly (readonly number[])[]): number => outs.reduce((sum, out, t) => sum + Math.log1p(Math.exp((t === 0 ? -1 : 1) * dot(out, input))), 0);

  it('moves every row against the gradient of its loss, as difference quotients give it', () => {
    const [inputs, outputs] = [chanceRows(1, 1, 3), chanceRows(3, 2, 3)];
    const before = { input: [...inputs], outs: [0, 1, 2].map((t) => [...outputs.subarray(t * 3, t * 3 + 3)]) };
    const rate = 0.01;
    updatePair({ inputs, outputs, width: 3, input: 0, targets: Int32Array.of(0, 1, 2), count: 3, rate, scratch: new Float32Array(3) });
    const h = 1e-5;
    for (let i = 0; i < 3; i += 1) {
      const moved = (step: number): number[] => before.input.map((value, k) => (k === i ? value + step : value));
      const slope = (lossOf(moved(h), before.outs) - lossOf(moved(-h), before.outs)) / (2 * h);
      expect(((inputs[i] ?? 0) - (before.input[i] ?? 0)) / rate).toBeCloseTo(-slope, 4);
      for (let t = 0; t < 3; t += 1) {
        const shifted = (step: number): number[][] => before.outs.map((out, o) => out.map((value, k) => (o === t && k === i ? value + step : value)));
        const outSlope = (lossOf(before.input, shifted(h)) - lossOf(before.input, shifted(-h))) / (2 * h);
        expect(((outputs[t * 3 + i] ?? 0) - (before.outs[t]?.[i] ?? 0)) / rate).toBeCloseTo(-outSlope, 4);
      }
    }
  });

  it('keeps rare words, and frequent ones with word2vec\'s probability', () => {
    expect(keepProbability(1e-5, 1e-3)).toBe(1);
    expect(keepProbability(0.1, 1e-3)).toBeCloseTo((Math.sqrt(100) + 1) / 100, 12);
    expect(keepProbability(0.5, 0)).toBe(1);
  });

  const farm = ['goat', 'cow', 'milk', 'grass', 'herd', 'barn'];
  const lake = ['boat', 'net', 'fish', 'wave', 'shore', 'pier'];
  const random = seededRandom(4, 'sentences');
  const sentences = Array.from({ length: 500 }, (_, s) => Array.from({ length: 6 }, () => (s % 2 === 0 ? farm : lake)[random.integer(6)] ?? '').join(' '));

  it('puts words of like company together, and the same seed gives the same bits', async () => {
    const train = (seed: number): Promise<WordVectors> => trainSkipGram({ sentences, seed, width: 12, epochs: 3, subsampling: 0, signal });
    const found = await train(1);
    expect([...found.words].sort()).toEqual([...farm, ...lake].sort());
    const unit = { ...found, vectors: unitCentredUnit(found) };
    const mean = (one: readonly string[], other: readonly string[]): number => {
      const likes = one.flatMap((a) => other.filter((b) => b !== a).map((b) => dot(row(unit, unit.words.indexOf(a)), row(unit, unit.words.indexOf(b)))));
      return likes.reduce((sum, like) => sum + like, 0) / likes.length;
    };
    expect(Math.min(mean(farm, farm), mean(lake, lake))).toBeGreaterThan(mean(farm, lake) + 0.5);
    expect((await train(1)).vectors).toEqual(found.vectors);
    expect((await train(2)).vectors).not.toEqual(found.vectors);
  });

  it('says when there is too little text, and stops when told to', async () => {
    await expect(trainSkipGram({ sentences: ['every word comes once'], seed: 1 })).rejects.toMatchObject({ code: 'words.too-little-text' });
    await expect(trainSkipGram({ sentences, seed: 1, signal: AbortSignal.abort() })).rejects.toThrow();
  });
});

describe('a file of word vectors', () => {
  it('gives its words in their order, names the lines that are wrong, and reads no further than asked', async () => {
    using place = temporaryFolder();
    const path = join(place.path, 'wiki.sw.vec');
    const lines = ['6 3', 'maji 0.5 -1 2e-1', 'Mto 1 2 3', 'mto 9 9 9', 'short 1 2', 'nan NaN 1 2', 'far 1e60 1 2', '</s> 1 1 1 ', 'new york 4 5 6', 'ziwa 7 8 9', ''];
    await writeFile(path, gzipSync(lines.join('\n')));
    const found = await readVecFile(path, { signal });
    expect(found.words).toEqual(['maji', 'mto', 's', 'ziwa']);
    expect([...found.vectors.subarray(0, 3)]).toEqual([0.5, -1, Math.fround(0.2)]);
    expect([...found.vectors.subarray(9)]).toEqual([7, 8, 9]);
    expect(found.problems.map(({ line, code }) => `${line} ${code}`)).toEqual(['5 words.bad-line', '6 words.bad-line', '7 words.not-finite']);
    expect(found.leftOut).toBe(2); // "mto" again, and two words in one line
    expect(await readVecFile(path, { signal, mostWords: 1 })).toMatchObject({ words: ['maji'], isCut: true, width: 3 });
  });

  it('may begin without its sizes; one of something else is refused by name', async () => {
    using place = temporaryFolder();
    const file = async (name: string, text: string): Promise<string> => {
      await writeFile(join(place.path, name), text);
      return join(place.path, name);
    };
    expect(await readVecFile(await file('glove.txt', 'the 1 2\nof 3 4\n'), { signal })).toMatchObject({ words: ['the', 'of'], width: 2, isCut: false });
    await expect(readVecFile(await file('wide.vec', `1 99999\nword ${'1 '.repeat(5)}\n`), { signal })).rejects.toMatchObject({ code: 'words.too-wide' });
    await expect(readVecFile(await file('prose.txt', 'This is a story.\nIt has no numbers.\n'), { signal })).rejects.toMatchObject({ code: 'words.no-vectors' });
    await expect(readVecFile(join(place.path, 'nobody.vec'), { signal })).rejects.toMatchObject({ code: 'file.missing' });
  });
});

describe('two languages in one space', () => {
  const words = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${String.fromCharCode(97 + (i % 26))}${String.fromCharCode(97 + Math.floor(i / 26))}`);
  const COUNT = 60;
  /** A language whose space is another's, turned: q q − 2 v vᵀ, a reflection. */
  const turned = (vectors: Float32Array): Float32Array => {
    const mirror = chanceRows(1, 9);
    toUnitRows(mirror, WIDTH);
    const out = vectors.slice();
    for (let start = 0; start < out.length; start += WIDTH) {
      const along = dot(out.subarray(start, start + WIDTH), mirror);
      for (let i = 0; i < WIDTH; i += 1) out[start + i] = (out[start + i] ?? 0) - 2 * along * (mirror[i] ?? 0);
    }
    return out;
  };
  const pivot: WordVectors = { words: words('en', COUNT), vectors: chanceRows(COUNT, 5), width: WIDTH };
  const source: WordVectors = { words: words('sw', COUNT), vectors: turned(pivot.vectors), width: WIDTH };
  const dictionary = source.words.map((word, i) => ({ source: word, target: pivot.words[i] ?? '' }));
  const alike = (mapped: { readonly source: WordVectors; readonly pivot: WordVectors }): number => Math.min(...mapped.source.words.map((_, i) => dot(row(mapped.source, i), row(mapped.pivot, i))));

  it('a dictionary recovers the turn, as a rotation and with weighted directions; phrases count as the mean of their words', async () => {
    for (const form of ['orthogonal', 'reweighted'] as const) {
      const mapped = await mapOntoPivot({ source, pivot, pairs: dictionary.slice(0, 30), supervision: 'supervised', form, seed: 1 });
      expect(alike(mapped)).toBeGreaterThan(0.999);
      expect(mapped.pairsUsed).toBe(30);
    }
    const phrases = dictionary.slice(0, 24).map(({ source: s, target: t }, i) => ({ source: `${s} ${source.words[i + 1] ?? ''}`, target: `${t}, ${pivot.words[i + 1] ?? ''}` }));
    expect(alike(await mapOntoPivot({ source, pivot, pairs: phrases, supervision: 'supervised', form: 'orthogonal', seed: 1 }))).toBeGreaterThan(0.99);
  });

  it('self-learning goes on from a few pairs, and finds the turn without any', async () => {
    for (const supervision of ['semi-supervised', 'unsupervised'] as const) {
      const mapped = await mapOntoPivot({ source, pivot, pairs: supervision === 'unsupervised' ? [] : dictionary.slice(0, 12), supervision, form: 'orthogonal', seed: 1 });
      expect(alike(mapped)).toBeGreaterThan(0.99);
      expect(mapped.pairsInTheEnd).toBeGreaterThan(COUNT);
    }
  });

  it('says when no pair can be used and when widths differ', async () => {
    await expect(mapOntoPivot({ source, pivot, pairs: [{ source: 'nobody', target: 'knows' }], supervision: 'supervised', form: 'orthogonal', seed: 1 })).rejects.toMatchObject({ code: 'words.too-few-pairs' });
    await expect(mapOntoPivot({ source: { words: ['a'], vectors: new Float32Array(3), width: 3 }, pivot, pairs: dictionary, supervision: 'supervised', form: 'orthogonal', seed: 1 })).rejects.toMatchObject({ code: 'words.other-width' });
    expect(() => reweightedMaps({ sources: chanceRows(4, 1), targets: chanceRows(4, 2), width: WIDTH })).toThrow(/at least 8 pairs/);
  });

  it('weighted directions are those of the definition: both sides agree on each, by the root of how much they do', () => {
    // One pair of directions agrees wholly, the other not at all: whitened, Σ = diag(1, 0).
    const sources = Float32Array.of(2, 0, -2, 0, 0, 1, 0, -1);
    const targets = Float32Array.of(0, 3, 0, -3, 1, 0, 1, 0);
    const { sourceMap } = reweightedMaps({ sources, targets, width: 2 });
    const lengths = [Math.hypot(sourceMap[0] ?? 0, sourceMap[1] ?? 0), Math.hypot(sourceMap[2] ?? 0, sourceMap[3] ?? 0)];
    expect(lengths[0]).toBeCloseTo(1, 5); // kept as it was, only turned
    expect(lengths[1]).toBeCloseTo(0, 5);
  });

  it('parallel text gives a dictionary of words that choose each other', async () => {
    const pairs = ['maji safi=clean water', 'maji baridi=cold water', 'nyumba safi=clean house', 'nyumba kubwa=big house', 'samaki baridi=cold fish', 'samaki kubwa=big fish'].map((line) => ({ source: line.split('=')[0] ?? '', target: line.split('=')[1] ?? '' }));
    const found = new Map((await dictionaryFromPairs(pairs)).map((pair) => [pair.source, pair.target]));
    expect(found.get('maji')).toBe('water');
    expect(found.get('nyumba')).toBe('house');
  });
});

describe('a model of word vectors', () => {
  const model: WordsModel = {
    width: 2,
    pivot: 'en',
    languages: [{ tag: 'en', pairs: 0, sentences: 3 }, { tag: 'sw', pairs: 0, sentences: 3 }],
    vocabularies: new Map([['en', { words: ['the', 'lake', 'can'], vectors: Float32Array.of(1, 0, 0, 1, 0.5, 0.5), width: 2 }], ['sw', { words: ['ziwa', 'kubwa', 'can'], vectors: Float32Array.of(0, 1, 1, 0, -1, 0), width: 2 }]]),
    training: {},
  };

  it('gives a text the mean of its words in the language said, or the one that knows them', async () => {
    const encoder = createWordsEncoder(model, 'test');
    const half = Math.SQRT1_2;
    expect([...(await encoder.encode(['The lake!', 'ziwa kubwa', 'nothing known'], 'sentence'))]).toEqual([expect.closeTo(half, 6), expect.closeTo(half, 6), expect.closeTo(half, 6), expect.closeTo(half, 6), 0, 0]);
    expect([...(await encoder.inLanguage('sw').encode(['can'], 'query'))]).toEqual([-1, 0]);
    expect([...(await encoder.inLanguage('en').encode(['can'], 'query'))]).toEqual([expect.closeTo(half, 6), expect.closeTo(half, 6)]);
    expect(createWordGuesser([{ language: 'en', ranks: new Map([['the', 0]]) }, { language: 'sw', ranks: new Map([['ya', 0]]) }])(['ya', 'the', 'ya'])).toBe('sw');
    const long = Array.from({ length: 40 }, () => 'lake').join(' ');
    const [vectors] = await encoder.encodeDocuments([long]);
    expect((vectors?.length ?? 0) / 2).toBe(encoder.windowSpans(long).length);
    expect(encoder.windowSpans(long).at(1)).toEqual({ start: 0, end: 32 * 5 - 1 });
  });

  it('is the same after a folder, and a flipped bit is noticed', async () => {
    using place = temporaryFolder();
    const folder = join(place.path, 'model');
    await writeWordsModelFolder(folder, model);
    const encoder = await openEncoder(folder);
    expect(encoder.languages.map(({ tag }) => tag)).toEqual(['en', 'sw']);
    expect(await encoder.encode(['the lake', 'ziwa'], 'sentence')).toEqual(await createWordsEncoder(model, '').encode(['the lake', 'ziwa'], 'sentence'));
    expect((await openUntrainedEncoder(folder)).width).toBe(2);
    await writeFile(join(folder, 'words.json'), '[]');
    await expect(openEncoder(folder)).rejects.toMatchObject({ code: 'model.damaged' });
  });
});
