import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openOnnxFolder } from './backbones/import-onnx.ts';
import { openSafetensors, readTensor } from './backbones/safetensors.ts';
import { openTransformerFolder } from './backbones/open-backbone.ts';
import { fixtureFolder } from './backbones/test-backbones.ts';
import { createBackboneEncoder } from './backbone-encoder.ts';
import type { PhraseInUse } from './encoder.ts';
import { aroundPhrase, phraseVectors, tokensInUse, tokensOfSpan, tokenShares, type PhraseReader } from './phrase-vectors.ts';
import { createStaticEncoder } from './static-encoder.ts';
import { testModel } from './test-models.ts';
import { readTokenizer } from '../text/tokenizer.ts';

const unit = (row: readonly number[]): number[] => row.map((value) => value / Math.hypot(...row));
const meanOf = (rows: readonly (readonly number[])[]): number[] => (rows[0] ?? []).map((_, i) => rows.reduce((sum, row) => sum + (row[i] ?? 0), 0) / rows.length);
/** One token a letter, none for a space. */
const letters = (text: string): Uint32Array => Uint32Array.from(text.toLowerCase().replaceAll(' ', ''), (sign) => sign.charCodeAt(0));

const NONE = new Uint32Array(0);
const reader: PhraseReader = { tokens: letters, begin: NONE, end: NONE, maxTokens: 1000, isLowerCased: false, hasMarks: false, mostSentences: null };

describe('the tokens of a phrase', () => {
  it('are those between its borders', () => {
    const sentence = 'The Red House stands';
    expect(tokensOfSpan(sentence, { start: 4, end: 13 }, letters)).toEqual({ ids: letters(sentence), from: 3, to: 11 });
  });

  it('hold a token that crosses the border', () => {
    const pairs = (text: string): Uint32Array => Uint32Array.from(text.replaceAll(' ', '').match(/..?/g) ?? [], (piece) => piece.charCodeAt(0) * 1000 + (piece.codePointAt(1) ?? 0));
    expect(tokensOfSpan('abcdefgh', { start: 3, end: 5 }, pairs)).toMatchObject({ from: 1, to: 3 }); // cd, ef
  });

  it('come from every sentence that has it, and from the phrase itself when none has', () => {
    const phrase: PhraseInUse = { phrase: 'red house', sentences: ['A red house.', 'No such thing', 'RED HOUSE'] };
    expect(tokensInUse(phrase, reader).map(({ from, to }) => [from, to])).toEqual([[1, 9], [0, 8]]);
    expect(tokensInUse({ phrase: 'red house', sentences: ['nothing'] }, reader)).toEqual([{ ids: letters('red house'), from: 0, to: 8 }]);
  });

  it('stand between end marks that count, lower-cased, when a model reads so (as the code of cwszz/XPR)', () => {
    const signs = (text: string): Uint32Array => Uint32Array.from(text.replaceAll(' ', ''), (sign) => sign.charCodeAt(0));
    const marked: PhraseReader = { tokens: signs, begin: Uint32Array.of(0), end: Uint32Array.of(2), maxTokens: 1000, isLowerCased: true, hasMarks: true, mostSentences: null };
    const [found] = tokensInUse({ phrase: 'red house', sentences: ['The Red House stands'] }, marked);
    expect(found).toEqual({ ids: Uint32Array.of(0, ...signs('The'), 2, ...signs('redhouse'), 2, ...signs('stands'), 2), from: 4, to: 14 });
    expect(tokensInUse({ phrase: 'Red', sentences: [] }, marked)).toEqual([{ ids: Uint32Array.of(0, 2, ...signs('red'), 2, 2), from: 1, to: 6 }]);
    const [cut] = tokensInUse({ phrase: 'c', sentences: ['a b c d e f g h'] }, { ...marked, maxTokens: 7 });
    expect([...(cut?.ids ?? [])]).toHaveLength(7);
    expect([...(cut?.ids.subarray(cut.from, cut.to) ?? [])]).toEqual([2, 'c'.charCodeAt(0), 2]);
  });

  it('come from as many sentences as the model reads, of none from the phrase alone', () => {
    const phrase = { phrase: 'red', sentences: ['a red one', 'the red other', 'red'] };
    expect([null, 2, 0].map((mostSentences) => tokensInUse(phrase, { ...reader, mostSentences }).map(({ ids }) => ids.length))).toEqual([[7, 11, 3], [7, 11], [3]]);
  });

  it('count by sentence first, then by phrase', () => {
    const { phraseOf, weights } = tokenShares([[{ from: 2, to: 4 }, { from: 0, to: 1 }], [{ from: 5, to: 8 }]]);
    expect([...phraseOf]).toEqual([0, 0, 0, 1, 1, 1]);
    expect([...weights].map((weight) => Math.round(weight * 12))).toEqual([3, 3, 6, 4, 4, 4]);
  });

  it('stay when a sentence is cut to fit', () => {
    const ids = Uint32Array.from({ length: 50 }, (_, i) => i);
    for (const from of [0, 1, 20, 45, 48]) {
      const { ids: part, from: start, to } = aroundPhrase({ ids, from, to: from + 2 }, 10);
      expect(part).toHaveLength(10);
      expect([...part.subarray(start, to)]).toEqual([from, from + 1]);
    }
    const long = aroundPhrase({ ids, from: 5, to: 40 }, 10);
    expect([long.ids[long.from], long.to - long.from]).toEqual([5, 10]);
  });
});

describe('phrase vectors of a static model', () => {
  it('are the mean over sentences of the mean of the weighted rows of the tokens', async () => {
    const model = await testModel();
    const encoder = createStaticEncoder(model, 'test');
    const tokenizer = readTokenizer(model.tokenizer);
    const phrases: PhraseInUse[] = [
      { phrase: 'the river', sentences: ['The small boat crosses THE RIVER', 'maji', 'the river is wide after the rain'] },
      { phrase: 'maji safi', sentences: [] },
    ];
    const { vectors, width } = await phraseVectors(encoder, phrases);
    expect(width).toBe(model.width);
    phrases.forEach(({ phrase }, p) => {
      const rows = [...tokenizer.encode(phrase)].map((id) => [...model.table.subarray(id * width, (id + 1) * width)].map((value) => value * (model.weights[id] ?? 0)));
      expect(rows.length).toBeGreaterThan(1);
      unit(meanOf(rows)).forEach((value, i) => {
        expect(vectors[p * width + i]).toBeCloseTo(value, 5);
      });
    });
  });

  it('have no layers, and say so', async () => {
    const encoder = createStaticEncoder(await testModel(), 'test');
    await expect((async () => phraseVectors(encoder, [{ phrase: 'a', sentences: [] }], { layer: 1 }))()).rejects.toMatchObject({ code: 'phrases.no-such-layer' });
  });
});

describe('phrase vectors of a transformer', () => {
  const open = async (layer: number) => {
    const reference = await openSafetensors(`${fixtureFolder('bert')}.reference.safetensors`);
    const { start = 0, end = 0 } = reference.tensors.get('ids') ?? {};
    const ids = Array.from(new BigInt64Array(Uint8Array.from((await readFile(reference.path)).subarray(start, end)).buffer), Number);
    const hidden = await readTensor(reference, `hidden.${layer}`);
    const folder = await openTransformerFolder(fixtureFolder('bert'));
    const [cls = 0, w1 = 0, w2 = 0, w3 = 0, w4 = 0, sep = 0] = ids;
    const words = new Map([['one', w1], ['two', w2], ['three', w3], ['four', w4]]);
    const encode = (text: string): Uint32Array => Uint32Array.of(cls, ...text.split(/\s+/).filter((word) => word !== '').map((word) => words.get(word.toLowerCase()) ?? 7), sep);
    const backbone = { ...folder, tokenizer: { ...folder.tokenizer, encode, ids: { ...folder.tokenizer.ids, cls, sep } } };
    const encoder = createBackboneEncoder({ backbone, queryBackbone: null, pivot: 'en', languages: [], translations: [], training: {} }, { modelId: 'test', threads: 1 });
    const row = (token: number): number[] => Array.from(hidden.subarray(token * folder.shape.width, (token + 1) * folder.shape.width));
    return { encoder, row, layers: folder.shape.layers };
  };

  it('are the means of the hidden states that PyTorch calculates, of any layer', async () => {
    for (const layer of [0, 1, 2]) {
      const { encoder, row, layers } = await open(layer);
      expect(encoder.phrases?.layers).toBe(layers);
      const asked = [{ phrase: 'Two Three', sentences: ['one two three four'] }, { phrase: 'other', sentences: [] }, { phrase: 'four', sentences: ['one two three FOUR'] }];
      const { vectors, width } = await phraseVectors(encoder, asked, { layer });
      for (const [p, expected] of [[0, unit(meanOf([row(2), row(3)]))], [2, unit(row(4))]] as const) {
        expected.forEach((value, i) => {
          expect(vectors[p * width + i]).toBeCloseTo(value, 4);
        });
      }
      if (layer === layers) expect(await phraseVectors(encoder, asked)).toEqual({ vectors, width });
    }
  });

  it('of several sentences are the mean of those of each', async () => {
    const { encoder } = await open(2);
    const alone = async (sentence: string): Promise<Float32Array> => (await phraseVectors(encoder, [{ phrase: 'two', sentences: [sentence] }])).vectors;
    const sentences = ['one two', 'two three four', 'four four two one'];
    const { vectors } = await phraseVectors(encoder, [{ phrase: 'two', sentences }]);
    expect(Math.hypot(...vectors)).toBeCloseTo(1, 5);
    const parts = await Promise.all(sentences.map(alone));
    expect(parts.every((part) => part.some((value, i) => Math.abs(value - (vectors[i] ?? 0)) > 1e-3))).toBe(true); // context counts
    expect(await phraseVectors(encoder, [{ phrase: 'two', sentences: [...sentences].reverse() }]).then((other) => other.vectors.every((value, i) => Math.abs(value - (vectors[i] ?? 0)) < 1e-5))).toBe(true);
  });

  it('refuse a layer that is not there', async () => {
    const { encoder } = await open(2);
    await expect(phraseVectors(encoder, [{ phrase: 'two', sentences: [] }], { layer: 3 })).rejects.toMatchObject({ code: 'phrases.no-such-layer' });
  });
});

describe('phrase vectors of an ONNX encoder', () => {
  it('are means of the states that it gives, padded or not', async () => {
    const backbone = await openOnnxFolder(fileURLToPath(new URL('../../test/reference/onnx/bert-opset14', import.meta.url)));
    const encoder = createBackboneEncoder({ backbone, queryBackbone: null, pivot: 'en', languages: [], translations: [], training: {} }, { modelId: 'test', threads: 1 });
    expect(encoder.phrases).toMatchObject({ width: backbone.width, layers: null });
    const asked = [{ phrase: 'water', sentences: ['the women carried water from the river'] }, { phrase: 'river', sentences: [] }];
    const together = await phraseVectors(encoder, asked);
    expect(together.vectors).toHaveLength(2 * backbone.width);
    for (const [i, one] of asked.entries()) {
      const alone = await phraseVectors(encoder, [one]);
      alone.vectors.forEach((value, k) => {
        expect(together.vectors[i * backbone.width + k]).toBeCloseTo(value, 5);
      });
      expect(Math.hypot(...alone.vectors)).toBeCloseTo(1, 5);
    }
    // Every state of a text: the mean that pooling takes, special tokens left out of the phrase.
    const whole = await encoder.encode(['water'], 'sentence');
    expect(together.vectors.subarray(0, backbone.width)).not.toEqual(whole);
  });
});

describe('an encoder without vectors of tokens', () => {
  it('takes phrases as texts', async () => {
    const found = await phraseVectors({ width: 2, encode: (texts) => Promise.resolve(Float32Array.from(texts.flatMap(({ length }) => [length, 1]))) }, [{ phrase: 'abc', sentences: ['x'] }]);
    expect([...found.vectors]).toEqual([3, 1]);
  });
});
