/** Is XOR-Retrieve measured as its official script measures it? Files in its formats, worked by hand. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { collect, type Reading } from '../corpus/records.ts';
import { collectXorQuestions, readXorPredictions, readXorQuestions } from '../corpus/xor-questions.ts';
import { prepareCollection } from './retrieval-task.ts';
import { evaluateXor, searchXor } from './xor-task.ts';

const never = new AbortController().signal;
const FILLER = 'one two three four five six seven eight nine ten '.repeat(150); // 1,500 tokens

const QUESTIONS = [
  { id: 'ja1', question: 'ビクトリア湖の深さは？', lang: 'ja', answers: ['81 m'], split: 'dev' },
  { id: 'ja2', question: 'これは本当ですか？', lang: 'ja', answers: ['yes'], split: 'dev' },
  { id: 'ja3', question: 'どの湖？', lang: 'ja', answers: ['no', 'Lake Victoria'], split: 'dev' },
  { id: 'te1', question: 'ఎంత పొడవు?', lang: 'te', answers: ['6,650 km', '6650 km'], split: 'dev' },
  { id: 'te2', question: 'ఎవరు?', lang: 'te', answers: ['Speke'], split: 'dev' },
];

const PREDICTIONS = [
  { id: 'ja1', lang: 'ja', ctxs: [FILLER, `${'x '.repeat(498)}81 m deep.`] }, // tokens 1,999 and 2,000: just inside
  { id: 'ja2', lang: 'ja', ctxs: ['yes'] },
  { id: 'ja3', lang: 'ja', ctxs: [FILLER, `${'x '.repeat(499)}Lake Victoria.`] }, // ends with token 2,001
  { id: 'te1', lang: 'te', ctxs: ['It is (about) 6,650 km long.', 'More.'] },
  { id: 'unknown', lang: 'te', ctxs: ['Speke'] },
];

async function files(folder: string, { questions = QUESTIONS.map((one) => JSON.stringify(one)).join('\n'), predictions = JSON.stringify(PREDICTIONS) } = {}) {
  const paths = { questions: join(folder, 'xor_dev_retrieve_eng_span.jsonl'), predictions: join(folder, 'predictions.json') };
  await writeFile(paths.questions, `${questions}\n`);
  await writeFile(paths.predictions, predictions);
  return paths;
}

describe('XOR-Retrieve', () => {
  it('counts the first 2,000 and 5,000 tokens, leaves out yes and no and what was not asked, and averages over languages', async () => {
    using folder = temporaryFolder();
    const paths = await files(folder.path);
    const { questions, problems } = await collectXorQuestions(paths.questions, never);
    expect(problems).toEqual([]);
    const { records } = await collectBatches(readXorPredictions(paths.predictions, never));
    const found = new Map(records.map(({ id, passages }) => [id, passages]));
    const result = evaluateXor({ questions, found: (id) => found.get(id) ?? null });
    expect(result.questions).toBe(3);
    expect(result.languages).toEqual({ ja: { 'R@2kt': 0.5, 'R@5kt': 1, questions: 2 }, te: { 'R@2kt': 1, 'R@5kt': 1, questions: 1 } });
    expect(result['R@2kt']).toBe(0.75);
    expect(result['R@5kt']).toBe(1);
    expect(result.found['R@2kt']).toEqual([1, 0, 1]);
  });

  it('says which lines it could not use, and refuses when nothing can be counted', async () => {
    using folder = temporaryFolder();
    const paths = await files(folder.path, { questions: '{"id": "a", "question": "?", "lang": "fi", "answers": ["x"]}\n{cut\n{"id": "b", "lang": "fi"}\n{"id": "a", "question": "again", "lang": "fi", "answers": []}', predictions: '[{"id": "a", "lang": "fi", "ctxs": [{"title": "T", "text": "an x"}]}, {"id": 3, "lang": "fi"}]' });
    const { questions, problems } = await collectXorQuestions(paths.questions, never);
    expect(questions.map(({ id }) => id)).toEqual(['a']);
    expect(problems.map(({ code, line }) => [code, line])).toEqual([['corpus.not-json', 2], ['corpus.missing-field', 3], ['corpus.repeated-id', 4]]);
    const { records, problems: others } = await collectBatches(readXorPredictions(paths.predictions, never));
    expect(records).toEqual([{ id: 'a', language: 'fi', passages: ['an x'] }]);
    expect(others.map(({ code }) => code)).toEqual(['corpus.missing-field']);
    expect(() => evaluateXor({ questions, found: () => null })).toThrow(/found none/);
    await writeFile(paths.questions, '{"id": "a"}\n');
    await expect(collectXorQuestions(paths.questions, never)).rejects.toMatchObject({ code: 'corpus.nothing-usable' });
    await expect(collect(flat(readXorQuestions(join(folder.path, 'none'), never)))).rejects.toMatchObject({ code: 'file.missing' });
  });

  it('asks each question in its language of the collection, and reads the texts of what is found, not the titles', async () => {
    const documents = [{ id: '1', title: 'Nile', text: 'The Nile is long.' }, { id: '2', title: 'Lake', text: 'Deep water lies here.' }];
    const collection = await prepareCollection({ documents, encoder: null });
    const found = await searchXor({ questions: [{ id: 'q', question: 'how long is the nile', language: 'en', answers: ['long'] }, { id: 'r', question: 'is it', language: 'en', answers: ['yes'] }], documents, collection, method: 'bm25', documentLanguage: 'en' });
    expect([...found.keys()]).toEqual(['q']);
    expect(found.get('q')?.[0]).toBe('The Nile is long.');
  });
});

async function* flat<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}

function collectBatches<T>(batches: AsyncIterable<readonly Reading<T>[]>) {
  return collect(flat(batches));
}
