/** Facts about judgements as training data. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect } from '../../core/corpus/records.ts';
import { readQuestionPairs } from '../../core/corpus/question-pairs.ts';
import { writeJudgedQuestions } from './judged-questions.ts';
import { appendMark, type Mark } from './judgements.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-judged-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const LOCATION = { line: 1, row: null, heading: null, paragraph: null, page: null, verse: null, timeMs: null, speaker: null, tier: null, sheet: null, slide: null, start: 0, end: 4 };
const mark = (query: string, text: string, verdict: Mark['verdict'], title = ''): Promise<void> =>
  appendMark(folder, { at: 1, query, queryLanguage: 'sw', passage: { path: 'a.txt', title, language: 'en', text, location: LOCATION }, verdict, method: 'hybrid' });

describe('judged questions', () => {
  it('are none while nothing is marked as right', async () => {
    expect(await writeJudgedQuestions(folder, { keep: false })).toBeNull();
    await mark('maji', 'a boat', 'wrong');
    expect(await writeJudgedQuestions(folder, { keep: false })).toBeNull();
  });

  it('are what the reader of question pairs takes: each right passage, with the wrong ones as its negatives, all behind their titles', async () => {
    await mark('maji', 'clean water', 'right', 'Wells');
    await mark('maji', 'dry land', 'wrong', 'Deserts');
    const path = await writeJudgedQuestions(folder, { keep: false });
    expect(path).toBe(join(folder, 'judgements', 'training.jsonl'));
    const { records, problems } = await collect(readQuestionPairs(path ?? '', new AbortController().signal));
    expect(problems).toEqual([]);
    expect(records).toEqual([{ query: 'maji', passage: 'clean water', title: 'Wells', negatives: ['a boat', 'Deserts\ndry land'] }]);
  });

  it('stay as they were for a run that can be resumed, and go when all is taken back', async () => {
    const path = join(folder, 'judgements', 'training.jsonl');
    const before = await readFile(path, 'utf8');
    await mark('maji', 'more water', 'right');
    expect(await writeJudgedQuestions(folder, { keep: true })).toBe(path);
    expect(await readFile(path, 'utf8')).toBe(before);
    await writeJudgedQuestions(folder, { keep: false });
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(3);
    await mark('maji', 'more water', null);
    await mark('maji', 'clean water', null, 'Wells');
    expect(await writeJudgedQuestions(folder, { keep: false })).toBeNull();
    expect(await writeJudgedQuestions(folder, { keep: true })).toBeNull();
  });
});
