/** Facts about the encoder and its file: the same ids as @huggingface/tokenizers, and no trust in foreign files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Tokenizer as ReferenceTokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputError } from '../base/errors.ts';
import { smallCorpus, smallSentences } from './test-texts.ts';
import { createTokenizer, readTokenizer, writeTokenizer } from './tokenizer.ts';
import { trainUnigram, UNKNOWN_PIECE } from './unigram-trainer.ts';

const SEED = 20261120;
const model = await trainUnigram({ texts: smallCorpus(), vocabularySize: 800 });
const file = JSON.stringify(writeTokenizer(model));
const ours = readTokenizer(file);
const reference = new ReferenceTokenizer(JSON.parse(file), { clean_up_tokenization_spaces: false });

const expectSame = (text: string): void => {
  expect([...ours.encode(text)], JSON.stringify(text)).toEqual(reference.encode(text).ids);
  expect(ours.encodePart(text)).toEqual(ours.encode(text));
};

describe('Tokenizer', () => {
  it('encodes as @huggingface/tokenizers: sentences of fifteen scripts', () => {
    for (const sentence of smallSentences) {
      expect(ours.encode(sentence).length).toBeGreaterThan(3);
      for (const text of [sentence, sentence.normalize('NFD'), sentence.toUpperCase(), sentence.replaceAll(' ', '  \t'), sentence.replaceAll(' ', '')]) expectSame(text);
    }
  });
  it('encodes as @huggingface/tokenizers: edges', () => {
    for (const text of ['', ' ', '▁', '▁▁a ▁', 'a▁b', '☃☃ ☃', 'x☃☃y', '😀👨‍👩‍👧', '\uD800', 'a\uDC00b', '\uFFFD', '<UNK>', '<unk>', '</s>', 'İSTANBUL', 'ΟΔΟΣ', 'Straße', 'Ꭰꭰ', '\u0301a', "''", '\u200B', 'a\u00ADb', 'ﬁ ① ㎏ ｶﾞ', 'n'.repeat(3000)]) expectSame(text);
    expect([...ours.encode('☃☃ ☃')].filter((id) => id === ours.unknownId)).toHaveLength(2);
  });
  it('encodes as @huggingface/tokenizers: random Unicode', () => {
    const known = fc.string({ unit: fc.constantFrom(...smallSentences.join(' ')), maxLength: 60 });
    const any = fc.string({ unit: 'binary', maxLength: 30 });
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes));
    fc.assert(fc.property(fc.oneof(known, any, units, fc.tuple(known, any).map((parts) => parts.join(''))), expectSame), { numRuns: 3000, seed: SEED });
  });
  it('decodes to the normalised text, as the reference does', () => {
    for (const sentence of smallSentences) {
      const ids = ours.encode(sentence);
      expect(ours.decode(ids)).toBe(ours.normalise(sentence));
      expect(reference.decode([...ids])).toBe(ours.decode(ids));
    }
    expect(ours.decode([])).toBe('');
  });
  it('cuts a word the same way alone, in a sentence, and again', () => {
    const alone = [...ours.encode('watoto')];
    const sentence = [...ours.encode('watoto wanasoma watoto')];
    expect(sentence.slice(0, alone.length)).toEqual(alone);
    expect(sentence.slice(-alone.length)).toEqual(alone);
    expect(ours.encode('watoto')).toEqual(ours.encode(' Watoto '));
  });
  it('of equal cuttings takes the one whose last piece is longest, with scores by hand', () => {
    const tied = createTokenizer({ pieces: [UNKNOWN_PIECE, '▁', 'a', 'b', 'ab', '▁a'], scores: [0, -1, -1, -1, -2, -2], unknownId: 0 });
    expect([...tied.encode('ab')].map((id) => tied.pieces[id])).toEqual(['▁', 'ab']);
    const better = createTokenizer({ pieces: [UNKNOWN_PIECE, '▁', 'a', 'b', 'ab', '▁a'], scores: [0, -1, -1, -1, -2, -1.5], unknownId: 0 });
    expect([...better.encode('ab')].map((id) => better.pieces[id])).toEqual(['▁a', 'b']);
  });
  it('encodes foreign models with ▁ inside pieces or unrounded scores as the reference does', () => {
    const foreign = { pieces: ['<unk>', '▁', 'a', 'b', '▁a▁b', 'b▁', '▁b', 'ab'], scores: [0, -2.1, -3.3, -3.7, -5.55, -4.4, -4.123456, -5.05], unknownId: 0 };
    const json = JSON.stringify(writeTokenizer(foreign));
    const [mine, theirs] = [readTokenizer(json), new ReferenceTokenizer(JSON.parse(json), {})];
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'c'), maxLength: 12 }), (text) => {
      expect([...mine.encode(text)], text).toEqual(theirs.encode(text).ids);
    }), { numRuns: 500, seed: SEED });
    expect([...mine.encode('a b')]).toEqual([4]);
  });
});

describe('readTokenizer', () => {
  const changed = (change: (json: ReturnType<typeof JSON.parse>) => void): string => {
    const json = JSON.parse(file);
    change(json);
    return JSON.stringify(json);
  };
  it('gives the model back that was written', () => {
    expect(ours.pieces).toEqual(model.pieces);
    expect(ours.scores).toEqual(model.scores);
    expect(readTokenizer(JSON.parse(file)).pieces).toEqual(model.pieces);
  });
  it('reads plain normalisers of other programs', () => {
    const plain = readTokenizer(changed((json) => { json.normalizer = { type: 'Sequence', normalizers: [{ type: 'NFC' }, { type: 'Replace', pattern: { String: '-' }, content: ' ' }, { type: 'Strip', strip_left: true, strip_right: true }] }; }));
    expect(plain.normalise(' Maji-Moto ')).toBe('Maji Moto');
    expect(readTokenizer(changed((json) => { json.normalizer = null; })).normalise(' A')).toBe(' A');
    const reordered = readTokenizer(changed((json) => { json.normalizer = { type: 'Sequence', normalizers: [...json.normalizer.normalizers, { type: 'NFC' }] }; }));
    for (const sentence of smallSentences) expect([...reordered.encode(`${sentence}\t\u0000 x`)]).toEqual([...ours.encode(`${sentence}\t\u0000 x`)]);
  });
  it('refuses, with place and finding, what it cannot trust or read', () => {
    const bad: readonly (readonly [string, RegExp])[] = [
      ['', /JSON/],
      ['[]', /object/],
      ['{"model":null}', /model/],
      [changed((json) => { json.model.type = 'BPE'; }), /Unigram/],
      [changed((json) => { json.model.vocab[5] = json.model.vocab[4]; }), /repeated/],
      [changed((json) => { json.model.vocab[5] = ['a', 'b']; }), /vocab\[5\]/],
      [changed((json) => { json.model.vocab[5][1] = null; }), /vocab\[5\]/],
      [changed((json) => { json.model.unk_id = 800; }), /unknown id/],
      [changed((json) => { json.model.byte_fallback = true; }), /byte_fallback/],
      [changed((json) => { json.model.vocab = Array.from({ length: 1_000_001 }, () => 0); }), /1000000/],
      [changed((json) => { json.pre_tokenizer = { type: 'ByteLevel' }; }), /Metaspace/],
      [changed((json) => { json.normalizer = { type: 'Replace', pattern: { Regex: '(a+)+$' }, content: '' }; }), /expression/],
      [changed((json) => { json.normalizer = { type: 'Precompiled', precompiled_charsmap: 'AAAA' }; }), /normalizer/],
      [file.replace('"truncation"', '"__proto__":{"polluted":1},"truncation"'), /__proto__/],
      [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, /nesting/],
      [`{"a":"${'x'.repeat(65 * 2 ** 20)}"}`, /64 MB/],
    ];
    for (const [json, message] of bad) {
      expect(() => readTokenizer(json)).toThrow(InputError);
      expect(() => readTokenizer(json)).toThrow(message);
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

const sharedFolder = new URL('../../../shared/data/parallel/', import.meta.url);
describe.skipIf(!existsSync(sharedFolder))('on real sentences', () => {
  it('encodes as @huggingface/tokenizers in every language of the parallel data', async () => {
    const lines = readdirSync(sharedFolder).filter((name) => name.endsWith('.tsv')).flatMap((name) => readFileSync(new URL(name, sharedFolder), 'utf8').split('\n').slice(0, 60).flatMap((line) => line.split('\t')));
    expect(lines.length).toBeGreaterThan(1000);
    const trained = await trainUnigram({ texts: lines.map((text) => ({ text, weight: 1 })), vocabularySize: 4000 });
    const json = JSON.stringify(writeTokenizer(trained));
    const [mine, theirs] = [readTokenizer(json), new ReferenceTokenizer(JSON.parse(json), {})];
    for (const line of lines) expect([...mine.encode(line)]).toEqual(theirs.encode(line).ids);
  });
});
