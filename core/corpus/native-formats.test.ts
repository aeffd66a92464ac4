/** Are the published retrieval sets read as they are: Mr. TyDi, castorini/mr-tydi, MIRACL, MS MARCO, DPR, BUCC? Small files in exactly their forms. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { readBitextSet } from './bitext-set.ts';
import { namesIn } from './folder-names.ts';
import { readTexts } from './sources.ts';
import { collect } from './records.ts';
import { findRetrievalFiles } from './retrieval-layouts.ts';
import { readRetrievalPairs } from './retrieval-pairs.ts';
import { readRetrievalSet } from './retrieval-set.ts';

const never = new AbortController().signal;

function written(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), name.endsWith('.gz') ? gzipSync(content) : content);
  }
  return folder;
}
const setOf = async (folder: string, split?: 'train' | 'dev' | 'test') => readRetrievalSet(await findRetrievalFiles(folder, split), never);

describe('Mr. TyDi', () => {
  const archive = {
    'collection/docs.jsonl.gz': '{"id": "26569#0", "contents": "Akiolojia\\n\\nAkiolojia ni somo linalohusu mabaki."}\n{"id": "26569#1", "contents": "Akiolojia\\n\\nUsanifu wa majengo."}\n',
    'topic.test.tsv': '7\tJe,akiolojia ni nini?\n8\tUsanifu ni nini?\n',
    'qrels.test.txt': '7 Q0 26569#0 1\n8 Q0 26569#1 1\n',
    'topic.dev.tsv': '1\tDev?\n',
    'qrels.dev.txt': '1 Q0 26569#0 1\n',
  };

  test('its archive: topics, TREC qrels, passages with their title before an empty line', async () => {
    using folder = written(archive);
    const { queries, documents, judgements, problems } = await setOf(folder.path);
    expect(queries.map(({ id, text }) => [id, text])).toEqual([['7', 'Je,akiolojia ni nini?'], ['8', 'Usanifu ni nini?']]);
    expect(documents[0]).toMatchObject({ id: '26569#0', title: 'Akiolojia', text: 'Akiolojia ni somo linalohusu mabaki.' });
    expect(judgements).toHaveLength(2);
    expect(problems).toEqual([]);
    expect((await setOf(folder.path, 'dev')).queries).toHaveLength(1);
    await expect(setOf(folder.path, 'train')).rejects.toMatchObject({ code: 'corpus.missing-file' });
  });

  test('topics and qrels in ir-format-data, and the passages as text without a translation', async () => {
    using folder = written({ 'corpus.jsonl.gz': '{"docid": "1#0", "title": "T", "text": "Eka."}\n{"docid": "1#1", "title": "T", "text": "Toka."}\n', 'ir-format-data/topics.test.txt': '3\tMikä?\n', 'ir-format-data/qrels.test.txt': '3\tQ0\t1#1\t1\n' });
    expect((await setOf(folder.path)).judgements).toEqual([{ queryId: '3', documentId: '1#1', relevance: 1, line: 1 }]);
    const texts: string[] = [];
    for await (const readings of readTexts({ paths: [join(folder.path, 'corpus.jsonl.gz')], format: 'beir-collection' }, never)) for (const one of readings) if (one.kind === 'record') texts.push(`${one.value.document} ${one.value.text}`);
    expect(texts).toEqual(['0 Eka.', '1 Toka.']);
  });

  test('castorini/mr-tydi: one file a part, questions with their passages', async () => {
    const line = (id: string, query: string, ids: readonly string[]): string => JSON.stringify({ query_id: id, query, positive_passages: ids.map((docid) => ({ docid, title: 'T', text: `text ${docid}` })), negative_passages: [] });
    using folder = written({ 'corpus.jsonl.gz': ['a', 'b', 'c'].map((id) => JSON.stringify({ docid: id, title: 'T', text: `text ${id}` })).join('\n'), 'test.jsonl.gz': [line('1', 'one?', ['a', 'b']), line('2', 'two?', ['c'])].join('\n'), 'train.jsonl.gz': line('9', 'nine?', ['b']) });
    const { queries, judgements } = await setOf(folder.path);
    expect(queries.map(({ text }) => text)).toEqual(['one?', 'two?']);
    expect(judgements.map(({ queryId, documentId }) => `${queryId} ${documentId}`)).toEqual(['1 a', '1 b', '2 c']);
    expect((await collect(readRetrievalPairs(folder.path, never))).records).toMatchObject([{ query: 'nine?', passage: 'text b' }]);
  });
});

test.each([['beside the corpus', ''], ['as its two repositories unpack', 'miracl/miracl-v1.0-sw/']])('MIRACL: topics and qrels in folders of their own %s, the corpus in numbered parts, in the order of their numbers', async (_, below) => {
  using folder = written({
    [`${below}topics/topics.miracl-v1.0-sw-dev.tsv`]: '0\tMji mkuu?\n',
    [`${below}qrels/qrels.miracl-v1.0-sw-dev.tsv`]: '0\tQ0\t5#0\t1\n0\tQ0\t6#0\t0\n',
    'miracl-corpus-v1.0-sw/docs-0.jsonl.gz': '{"docid": "5#0", "title": "Dodoma", "text": "Dodoma ni mji mkuu."}\n',
    'miracl-corpus-v1.0-sw/docs-10.jsonl.gz': '{"docid": "7#0", "title": "X", "text": "Kumi."}\n',
    'miracl-corpus-v1.0-sw/docs-2.jsonl.gz': '{"docid": "6#0", "title": "Mwanza", "text": "Mwanza."}\n',
  });
  const { queries, documents, judgements } = await setOf(folder.path);
  expect(queries).toHaveLength(1);
  expect(documents.map(({ id }) => id)).toEqual(['5#0', '6#0', '7#0']);
  expect(judgements.map(({ relevance }) => relevance)).toEqual([1, 0]);
});

test('fault 15: a folder of more files than any corpus has is refused', async () => {
  using folder = written({ 'a.txt': 'x', 'b/c.txt': 'x', 'b/d/e.txt': 'x' });
  expect(await namesIn(folder.path)).toEqual(['a.txt', 'b']);
  expect(await namesIn(folder.path, 1)).toEqual(['a.txt', 'b/c.txt', 'b/d']);
  await expect(namesIn(folder.path, 2, 2)).rejects.toMatchObject({ family: 'input', code: 'corpus.too-many-files' });
});

describe('MS MARCO', () => {
  const files = {
    'collection.tsv': '0\tThe presence of communication.\n1\tThe Manhattan Project.\n2\tEssay on it.\n',
    'queries.dev.small.tsv': '2\tandrogen receptor define\n',
    'queries.dev.tsv': '2\tandrogen receptor define\n3\tanother\n',
    'qrels.dev.small.tsv': '2\t0\t1\t1\n',
    'qrels.dev.tsv': '2\t0\t1\t1\n3\t0\t2\t1\n',
    'queries.train.tsv': '10\twhat is it\n11\twho was it\n',
    'qrels.train.tsv': '10\t0\t0\t1\n11\t0\t1\t1\n',
  };

  test('passages, questions and judgements are tables; the small set is what is measured', async () => {
    using folder = written(files);
    const { queries, documents, judgements } = await setOf(folder.path, 'dev');
    expect([queries.length, documents.length, judgements.length]).toEqual([1, 3, 1]);
    expect(documents[1]?.text).toBe('The Manhattan Project.');
    expect((await collect(readRetrievalPairs(folder.path, never))).records.map(({ query, passage }) => `${query}: ${passage}`)).toEqual(['what is it: The presence of communication.', 'who was it: The Manhattan Project.']);
  });

  test('triples of ids give questions with the passages that do not answer them', async () => {
    using folder = written({ ...files, 'qidpidtriples.train.full.2.tsv.gz': '10\t0\t1\n10\t0\t2\n11\t1\t0\n99\t1\t0\n11\t77\t0\n' });
    const { records, problems } = await collect(readRetrievalPairs(folder.path, never));
    expect(records).toMatchObject([
      { query: 'what is it', passage: 'The presence of communication.', negatives: ['The Manhattan Project.', 'Essay on it.'] },
      { query: 'who was it', passage: 'The Manhattan Project.', negatives: ['The presence of communication.'] },
    ]);
    expect(problems.map(({ code, id }) => `${code} ${id ?? ''}`)).toEqual(['corpus.unknown-id 99', 'corpus.unknown-id 77']);
  });
});

test("DPR's Wikipedia: id, text in quotes, title, below a header", async () => {
  using folder = written({ 'psgs_w100.tsv.gz': 'id\ttext\ttitle\n1\t"Aaron or; ""Ahärôn"" is a prophet"\tAaron\n2\t"God at Sinai"\tAaron\n', 'queries.test.tsv': 'q\twho is Aaron\n', 'qrels.test.tsv': 'q 0 1 1\n' });
  const { documents, problems } = await setOf(folder.path);
  expect(documents).toMatchObject([{ id: '1', title: 'Aaron', text: 'Aaron or; "Ahärôn" is a prophet' }, { id: '2', text: 'God at Sinai' }]);
  expect(problems).toEqual([]);
});

test('BUCC 2018: sentences with ids of their language, gold pairs of ids, under the names of its archives', async () => {
  using folder = written({ 'de-en.training.de': 'de-000000001\tEin Satz.\nde-000000002\tNoch einer.\n', 'de-en.training.en': 'en-000000001\tAnother one.\nen-000000002\tA sentence.\n', 'de-en.training.gold': 'de-000000001\ten-000000002\n' });
  const file = (end: string): string => join(folder.path, `de-en.training.${end}`);
  const { sources, targets, gold, problems } = await readBitextSet({ sourcePath: file('de'), targetPath: file('en'), goldPath: file('gold') }, never);
  expect([sources.length, targets.length]).toEqual([2, 2]);
  expect(gold).toEqual([{ source: 0, target: 1 }]);
  expect(problems).toEqual([]);
});
