/** Do our ids equal those of the Rust library `tokenizers`, and of SentencePiece, whatever the text? */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import reference from '../../../test/reference/pretrained-tokenizers.json' with { type: 'json' };
import { readPretrainedTokenizer, type PretrainedTokenizer } from './pretrained-tokenizer.ts';
import { fairseqTokenizer, readSentencePiece } from './sentencepiece-file.ts';
import { bertPieces, readVocabularyFile } from './vocabulary-files.ts';

const LONG = 1000;
const file = (name: string): Buffer => readFileSync(new URL(`../../../test/reference/tokenizers/${name}`, import.meta.url));
const json = (name: string): string => file(`${name}.tokenizer.json`).toString();
const bertOptions = (lowercase: boolean) => ({ pieces: bertPieces, options: { lowercase, stripAccents: null, splitsChinese: true } });

const cases: readonly (readonly [string, () => PretrainedTokenizer, Readonly<Record<string, readonly number[]>>])[] = [
  ['WordPiece, cased', () => readPretrainedTokenizer(json('bert-cased')), reference.cases['bert-cased']],
  ['WordPiece, uncased', () => readPretrainedTokenizer(json('bert-uncased')), reference.cases['bert-uncased']],
  ['WordPiece from vocab.txt, cased', () => readPretrainedTokenizer(readVocabularyFile(file('bert-cased.vocab.txt').toString(), bertOptions(false))), reference.cases['bert-cased']],
  ['WordPiece from vocab.txt, uncased', () => readPretrainedTokenizer(readVocabularyFile(file('bert-uncased.vocab.txt').toString(), bertOptions(true))), reference.cases['bert-uncased']],
  ['byte-level BPE', () => readPretrainedTokenizer(json('byte-level')), reference.cases['byte-level']],
  ['Unigram with a compiled table', () => readPretrainedTokenizer(json('unigram')), reference.cases.unigram],
  ['Unigram from sentencepiece.bpe.model', () => readPretrainedTokenizer(fairseqTokenizer(readSentencePiece(file('unigram.sentencepiece.bpe.model')))), reference.cases.unigram],
  ['SentencePiece BPE', () => readPretrainedTokenizer(fairseqTokenizer(readSentencePiece(file('bpe.sentencepiece.bpe.model')))), reference.cases['sentencepiece-bpe']],
];

describe.each(cases)('%s', (_, make, expected) => {
  const tokenizer = make();
  it('gives the ids of the reference for every text', () => {
    expect(Object.keys(expected).length).toBeGreaterThan(10);
    for (const [text, ids] of Object.entries(expected)) expect([...tokenizer.encode(text, LONG)], JSON.stringify(text)).toEqual(ids);
  });
  it('cuts a long text so that the closing id stays', () => {
    const [text, ids] = Object.entries(expected).find(([, some]) => some.length > 12) ?? ['', []];
    expect([...tokenizer.encode(text, 8)]).toEqual([...ids.slice(0, 7), ids.at(-1)]);
    expect(tokenizer.vocabularySize).toBeGreaterThan(Math.max(...Object.values(expected).flat()));
  });
});
