/** Is every training remembered, and does a comparison of two say what really differs? */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { compareRunFiles } from './compare-runs.ts';
import { keepRun, listRuns, readRunFile, type RunFile } from './runs.ts';

type Ranks = readonly (number | null)[];
const questions = (ranks: Ranks, documents = 100): RunFile['questions'] => [
  { question: 'to-english', language: 'sw', queryLanguage: 'sw', documents, queries: ranks.map((hybrid, i) => ({ text: `swali ${String(i)}`, untrained: null, bm25: 2, dense: 3, hybrid })) },
];
const run = (ranks: Ranks, changes: Partial<RunFile> = {}): RunFile => ({ format: 'isogloss-run', version: 1, id: 'run-1', at: 1, model: 'models/model-1', preset: 'quick', keptEarly: false, steps: 120, minutes: 1, languages: ['en', 'sw'], recipe: { seed: 1, budget: { steps: 120 }, parallel: [{ path: 'a.tsv' }] }, corpora: [{ name: 'a.tsv', records: 400 }], report: null, questions: questions(ranks), ...changes });

describe('the comparison of two trainings', () => {
  it('counts questions, tests over reciprocal ranks, and says better only where it is sure', () => {
    const many = Array.from({ length: 60 }, (_, i) => i);
    const { rows, better, worse } = compareRunFiles(run(many.map(() => 5)), run(many.map((i) => (i < 50 ? 1 : i < 55 ? 5 : null))));
    expect(rows).toMatchObject([{ question: 'to-english', language: 'sw', shared: 60, alone: { a: 0, b: 0 }, first: { a: 0, b: 50 / 60 }, better: 50, worse: 5, equal: 5, verdict: 'better' }]);
    expect(rows[0]?.difference).toBeCloseTo((50 * 0.8 - 5 * 0.2) / 60, 12);
    expect(rows[0]?.interval.low).toBeGreaterThan(0);
    expect(better).toHaveLength(10);
    expect(worse).toHaveLength(5);
    expect(worse[0]).toMatchObject({ rankA: 5, rankB: null, queryLanguage: 'sw' });
    expect(compareRunFiles(run([1, 2, 3]), run([2, 1, 3])).rows[0]?.verdict).toBe('chance');
    expect(compareRunFiles(run(many.map(() => 1)), run(many.map(() => 9))).rows[0]?.verdict).toBe('worse');
  });

  it('compares only questions that both were asked, and says how many were not', () => {
    const other = run([1, 1]);
    const { rows } = compareRunFiles(run([2, 2, 2, 2]), { ...other, questions: questions([1, 1], 90)?.map((set) => ({ ...set, queries: [...set.queries, { text: 'another', untrained: null, bm25: null, dense: null, hybrid: 1 }] })) ?? null });
    expect(rows).toMatchObject([{ shared: 2, alone: { a: 2, b: 1 }, documents: { a: 100, b: 90 } }]);
    expect(compareRunFiles(run([1]), run([1], { questions: null })).rows).toEqual([]);
  });

  it('names settings and texts that differ, and those alone', () => {
    const { settings, corpora } = compareRunFiles(run([1]), run([1], { recipe: { seed: 2, budget: { steps: 120 }, losses: { semantic: { weight: 1 } }, parallel: [{ path: 'b.tsv' }] }, corpora: [{ name: 'a.tsv', records: 500 }, { name: 'b.tsv', records: 9 }] }));
    expect(settings).toEqual([{ path: 'losses.semantic.weight', a: null, b: '1' }, { path: 'seed', a: '1', b: '2' }]);
    expect(corpora).toEqual([{ name: 'a.tsv', a: 400, b: 500 }, { name: 'b.tsv', a: null, b: 9 }]);
    expect(compareRunFiles(run([1]), run([1]))).toMatchObject({ settings: [], corpora: [] });
  });
});

describe('the history of a project', () => {
  it('remembers each training from its model folder, newest first, and outlives the model', async () => {
    using place = temporaryFolder();
    const folder = place.path;
    for (const at of [100, 200]) {
      const model = join(folder, 'models', `model-${String(at)}`);
      await mkdir(join(folder, 'models'), { recursive: true });
      await writeModelFolder(model, await testModel({ training: { recipe: { seed: at, parallel: [{ path: '/media/me/a.tsv' }] }, steps: 3 } }));
      await writeFile(join(model, 'report-questions.json'), JSON.stringify({ sets: questions([1, null]) }));
      await keepRun({ folder, model: `models/model-${String(at)}`, preset: 'quick', keptEarly: false, corpora: [{ name: 'a.tsv', records: 4 }], at });
    }
    await rm(join(folder, 'models', 'model-100'), { recursive: true });
    await writeFile(join(folder, 'runs', 'run-150.json'), '{"cut'); // as a disk may leave it
    expect(await listRuns(folder, 'models/model-200')).toMatchObject([
      { id: 'run-200', isPresent: true, hasModel: true, isComparable: true, steps: 3, foundFirst: null },
      { id: 'run-100', isPresent: false, hasModel: false, isComparable: true },
    ]);
    expect((await readRunFile(folder, 'run-100')).recipe).toEqual({ seed: 100, parallel: [{ path: 'a.tsv' }] });
    expect((await readdir(join(folder, 'runs'))).sort()).toEqual(['run-100.json', 'run-150.json', 'run-200.json']);
    for (const id of ['run-150', 'run-7', '../project']) await expect(readRunFile(folder, id)).rejects.toMatchObject({ code: 'run.unknown' });
  });

  it('of a project that was never trained is empty', async () => {
    using place = temporaryFolder();
    expect(await listRuns(place.path, null)).toEqual([]);
  });
});
