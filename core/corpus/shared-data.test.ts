/** Do the readers find in the real files what their list says is there? Runs only where the data folder lies beside the checkout. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDocumentRecords, readQueryRecords } from './beir-records.ts';
import { inspectCorpus } from './inspect.ts';
import { readAllPairs } from './parallel.ts';
import { readQrels } from './qrels.ts';
import { readQuestionPairs } from './question-pairs.ts';
import { collect } from './records.ts';
import { findRetrievalFiles } from './retrieval-layouts.ts';
import { readRetrievalSet } from './retrieval-set.ts';
import { readSentences } from './sentences.ts';

const folder = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const list = join(folder, 'SOURCES.md');
const isHere = existsSync(list);
const never = new AbortController().signal;

/** `| file | 617 pairs ... | bytes |` rows of the list. */
const listed = (isHere ? readFileSync(list, 'utf8') : '')
  .split('\n')
  .map((line) => /^\| (\S+) \| (\d+) (\w+)/.exec(line))
  .flatMap((match) => (match?.[1] === undefined ? [] : [{ file: match[1], path: join(folder, match[1]), count: Number(match[2]) }]))
  .filter(({ path }) => existsSync(path));
const below = (start: string): typeof listed => listed.filter(({ file }) => file.startsWith(start));

describe.skipIf(!isHere)('the shared data', () => {
  test('is listed', () => {
    expect([below('parallel/').length, below('monolingual/').length, below('ir/').length, below('ir-eval/').length].map((count) => count > 4)).toEqual([true, true, true, true]);
  });

  test('every parallel file has as many pairs as listed, and no problem', async () => {
    for (const { file, path, count } of below('parallel/')) {
      const language = /\.en-(\w+)\./.exec(file)?.[1] ?? '';
      if (file.endsWith(`.${language}`)) continue; // the second file of a Moses pair
      const languages = { source: 'en', target: language };
      const { pairs, problems } = await readAllPairs(file.endsWith('.en') ? { sourcePath: path, targetPath: path.replace(/en$/, language), ...languages } : { path, ...languages }, never);
      expect([file, pairs.length, problems.length]).toEqual([file, count, 0]);
    }
  });

  test('the TMX and the TSV of one corpus hold the same pairs', async () => {
    const languages = { source: 'en', target: 'lg' };
    const [fromTmx, fromTsv] = await Promise.all(['tico.en-lg.tmx', 'tico.en-lg.tsv'].map((name) => readAllPairs({ path: join(folder, 'parallel', name), ...languages }, never)));
    const sides = (read: typeof fromTmx): string[] => (read?.pairs ?? []).map(({ source, target }) => `${source}\t${target}`.replace(/\s+/g, ' '));
    expect(sides(fromTmx).length).toBe(1535);
    expect(sides(fromTmx)).toEqual(sides(fromTsv));
  });

  test('every text has as many documents as listed', async () => {
    for (const { file, path, count } of below('monolingual/')) {
      const { records, problems } = await collect(readSentences(path, never));
      expect([file, new Set(records.map(({ document }) => document)).size, records.at(-1)?.document, problems.length]).toEqual([file, count, count - 1, 0]);
    }
  });

  test('every file of questions, passages and judgements has as many records as listed', async () => {
    for (const { file, path, count } of [...below('ir/'), ...below('ir-eval/')]) {
      const readings = /collection|distractors/.test(file) ? readDocumentRecords(path, never) : file.endsWith('queries.jsonl') ? readQueryRecords(path, never) : file.endsWith('qrels.tsv') ? readQrels(path, never) : readQuestionPairs(path, never);
      const { records, problems } = await collect<unknown>(readings);
      expect([file, records.length, problems.length]).toEqual([file, count, 0]);
    }
  });

  test('every evaluation folder reads as a whole without a problem', async () => {
    const folders = new Set(below('ir-eval/').map(({ path }) => dirname(path)));
    expect(folders.size).toBeGreaterThan(10);
    for (const one of folders) expect((await readRetrievalSet(await findRetrievalFiles(one), never)).problems).toEqual([]);
  });

  test('files of other programs: TMX of three makers', async () => {
    for (const [name, languages, count] of [['ImportTest2A.tmx', ['en-us', 'fr-ca'], 7], ['my_memory.tmx', ['EN-GB', 'RU-RU'], 113], ['test-level2.tmx', ['en', 'be'], 4]] as const) {
      const path = join(folder, 'formats/tmx', name);
      if (!existsSync(path)) continue;
      const found = await inspectCorpus({ paths: [path] }, never);
      expect([name, found.format, found.languages, found.count, found.problemCount]).toEqual([name, 'tmx', languages, count, 0]);
    }
  });
});
