/** Are questions, running text, BEIR folders and judgements read as they stand, and is every fault named with its place? */
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../base/errors.ts';
import { readQrels } from './qrels.ts';
import { readQuestionPairs } from './question-pairs.ts';
import { collect } from './records.ts';
import type { CorpusProblem } from './records.ts';
import { findRetrievalFiles } from './retrieval-layouts.ts';
import { readRetrievalPairs } from './retrieval-pairs.ts';
import { readRetrievalSet } from './retrieval-set.ts';
import { readSentences } from './sentences.ts';

const never = new AbortController().signal;
const codes = (problems: readonly CorpusProblem[]): string[] => problems.map(({ code, line }) => `${code} ${line}`);

/** Writes files into a folder that goes away, and uses it. */
async function inFolder<T>(files: Readonly<Record<string, string | Uint8Array>>, use: (folder: string) => Promise<T>): Promise<T> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-corpus-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), content);
  }
  return await use(folder.path);
}

describe('question-passage pairs', () => {
  const read = (content: string | Uint8Array) => inFolder({ 'train.jsonl': content }, (folder) => collect(readQuestionPairs(join(folder, 'train.jsonl'), never)));

  test('both spellings of the fields are read, plain and gzip, and numbers serve as ids', async () => {
    const content = '{"qid": "q1", "query": " why? ", "positive": "because", "docid": 7, "title": ""}\n{"question": "who?", "answer": "she", "title": "People"}\n';
    for (const bytes of [content, gzipSync(content)]) {
      const { records, problems } = await read(bytes);
      expect(problems).toEqual([]);
      expect(records).toEqual([{ query: 'why?', passage: 'because', queryId: 'q1', documentId: '7' }, { query: 'who?', passage: 'she', title: 'People' }]);
    }
  });

  test('each kind of bad line is a problem with its line, and the rest is used', async () => {
    const { records, problems } = await read('{"query": "a"\n[1]\n"text"\n{"query": "a", "passage": ""}\n{"query": {"x": 1}, "passage": "b"}\n{"query": "\\ud800", "passage": "b"}\n{"__proto__": {"query": "x"}, "passage": "b"}\n{"query": "a", "passage": "b"}\n');
    expect(records).toEqual([{ query: '\uFFFD', passage: 'b' }, { query: 'a', passage: 'b' }]); // half a character is replaced and counted, the line kept
    expect(codes(problems)).toEqual(['corpus.not-json 1', 'corpus.not-an-object 2', 'corpus.not-an-object 3', 'corpus.missing-field 4', 'corpus.wrong-type 5', 'corpus.half-character 6', 'corpus.missing-field 7']);
    expect(problems[3]?.message).toMatch(/train\.jsonl: line 4: expected text in the field "positive" or "passage" or "answer", found the fields "query", "passage"\./);
  });

  test('lines of any JSON and of any text never throw', async () => {
    const line = fc.oneof(fc.json(), fc.string({ unit: 'binary' }), fc.record({ query: fc.json(), passage: fc.string() }).map((value) => JSON.stringify(value)));
    await fc.assert(
      fc.asyncProperty(fc.array(line.map((value) => value.replace(/[\r\n\0]/g, ' ')), { minLength: 1 }), async (lines) => {
        try {
          const { records, problems } = await read(`{"query":"a","passage":"b"}\n${lines.join('\n')}\n`);
          expect(records.length + problems.filter(({ code }) => code !== 'corpus.half-character').length).toBe(1 + lines.filter((value) => value.trim() !== '').length);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('running text', () => {
  const read = (content: string | Uint8Array) => inFolder({ 'a.txt': content }, (folder) => collect(readSentences(join(folder, 'a.txt'), never)));

  test('blank lines, however many, end a document once', async () => {
    const { records } = await read('\n\none\ntwo \r\n\n \n\nthree\n\n');
    expect(records).toEqual([{ text: 'one', document: 0, line: 3 }, { text: 'two', document: 0, line: 4 }, { text: 'three', document: 1, line: 8 }]);
  });

  test('documents are counted on across many pieces', async () => {
    const { records } = await read('a sentence of some words\nand another one\n\n'.repeat(20_000));
    expect(records.length).toBe(40_000);
    expect(records.at(-1)).toEqual({ text: 'and another one', document: 19_999, line: 59_999 });
  });
});

describe('judgements', () => {
  const read = (content: string) => inFolder({ 'qrels.tsv': content }, (folder) => collect(readQrels(join(folder, 'qrels.tsv'), never)));

  test('BEIR form with header and TREC form without give the same judgements', async () => {
    const expected = [{ queryId: 'q1', documentId: 'd1', relevance: 1 }, { queryId: 'q 2', documentId: 'd2', relevance: 0 }];
    expect((await read('query-id\tcorpus-id\tscore\nq1\td1\t1\nq 2\td2\t0\n')).records).toEqual(expected.map((value, i) => ({ ...value, line: i + 2 })));
    expect((await read('q1\t0\td1\t1\nq 2\t0\td2\t0\n')).records).toEqual(expected.map((value, i) => ({ ...value, line: i + 1 })));
    expect((await read('q1 0  d1 1\n')).records).toEqual([{ ...expected[0], line: 1 }]);
  });

  test('a first line in neither form is refused', async () => {
    await expect(read('q1\td1\t1\n')).rejects.toMatchObject({ code: 'corpus.missing-header' });
    await expect(read('some text\n')).rejects.toThrow(/qrels\.tsv: line 1: expected the header.*found "some text"/);
  });

  test('a wrong number of columns and a grade that is no integer are problems', async () => {
    const { records, problems } = await read('query-id\tcorpus-id\tscore\nq1\td1\nq1\td1\t0.5\nq1\t\t1\nq1\td1\t2\n');
    expect(records.length).toBe(1);
    expect(codes(problems)).toEqual(['corpus.column-count 2', 'corpus.not-an-integer 3', 'corpus.empty-text 4']);
  });
});

describe('BEIR-style folders', () => {
  const files = {
    'corpus.jsonl': '{"_id": "d1", "title": "T", "text": "first"}\n{"_id": "d2", "text": "second"}\n',
    'queries.jsonl': '{"_id": "q1", "text": "one?"}\n{"_id": "q2", "text": "two?"}\n',
    'qrels.tsv': 'q1\t0\td1\t1\nq2\t0\td2\t0\n',
  };
  const read = (changed: Readonly<Record<string, string | Uint8Array>>) => inFolder({ ...files, ...changed }, async (folder) => await readRetrievalSet(await findRetrievalFiles(folder), never));

  test('queries, documents and judgements are read together', async () => {
    const set = await read({ 'distractors.jsonl.gz': gzipSync('{"_id": "x1", "text": "other"}\n') });
    expect(set).toEqual({
      queries: [{ id: 'q1', text: 'one?', line: 1 }, { id: 'q2', text: 'two?', line: 2 }],
      documents: [{ id: 'd1', title: 'T', text: 'first', line: 1 }, { id: 'd2', title: '', text: 'second', line: 2 }],
      distractors: [{ id: 'x1', title: '', text: 'other', line: 1 }],
      judgements: [{ queryId: 'q1', documentId: 'd1', relevance: 1, line: 1 }, { queryId: 'q2', documentId: 'd2', relevance: 0, line: 2 }],
      problems: [],
    });
  });

  test('judgements that name unknown ids are problems with line and id, and the rest is used', async () => {
    const { judgements, problems } = await read({ 'qrels.tsv': 'q1\t0\td1\t1\nq9\t0\td1\t1\nq1\t0\td9\t1\nq1\t0\td1\t1\n' });
    expect(judgements.length).toBe(1);
    expect(problems.map(({ code, line, id }) => [code, line, id])).toEqual([['corpus.unknown-id', 2, 'q9'], ['corpus.unknown-id', 3, 'd9'], ['corpus.repeated-judgement', 4, 'q1']]);
    expect(problems[1]?.message).toMatch(/qrels\.tsv: line 3: expected a document id of .*corpus\.jsonl, found d9\./);
  });

  test('judgements that all name unknown ids are refused', async () => {
    await expect(read({ 'qrels.tsv': 'q9\t0\td1\t1\n' })).rejects.toMatchObject({ code: 'corpus.no-judgements' });
  });

  test('a repeated id is a problem and the first stays', async () => {
    const { documents, problems } = await read({ 'corpus.jsonl': '{"_id": "d1", "text": "first"}\n{"_id": "d1", "text": "again"}\n{"_id": "d2", "text": "second"}\n' });
    expect(documents.map(({ text }) => text)).toEqual(['first', 'second']);
    expect(codes(problems)).toEqual(['corpus.repeated-id 2']);
  });

  test('everything that is missing is named at once', async () => {
    await expect(inFolder({ 'queries.jsonl': 'x' }, (folder) => findRetrievalFiles(folder))).rejects.toThrow(/expected corpus\.jsonl \(or collection\.jsonl\) and qrels\.tsv .* found queries\.jsonl/);
    await expect(findRetrievalFiles(join(tmpdir(), 'isogloss-nowhere'))).rejects.toMatchObject({ code: 'file.missing' });
  });

  test('a split is read from the qrels folder, that for training where none is named', async () => {
    const all = { 'corpus.jsonl': files['corpus.jsonl'], 'queries.jsonl': files['queries.jsonl'], 'qrels/train.tsv': 'query-id\tcorpus-id\tscore\nq1\td1\t1\n', 'qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq2\td2\t2\n' };
    const queriesOf = (split?: 'test') => inFolder(all, async (folder) => (await collect(readRetrievalPairs(folder, never, split))).records);
    expect(await queriesOf()).toEqual([{ query: 'one?', passage: 'first', title: 'T', queryId: 'q1', documentId: 'd1' }]);
    expect(await queriesOf('test')).toEqual([{ query: 'two?', passage: 'second', queryId: 'q2', documentId: 'd2' }]);
  });

  test('only judgements above 0 become training pairs', async () => {
    const { records } = await inFolder(files, (folder) => collect(readRetrievalPairs(folder, never)));
    expect(records.map(({ queryId }) => queryId)).toEqual(['q1']);
  });
});
