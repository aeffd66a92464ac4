/** Is what somebody drops recognised, shown, counted and, when it is nothing we know, refused with a reason? */
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Progress } from '../base/progress.ts';
import { countStatistics, scriptOfLetter } from './corpus-statistics.ts';
import { corpusFormats } from './formats.ts';
import { inspectCorpus } from './inspect.ts';
import type { CorpusInspection } from './inspect.ts';
import { guessLanguages } from './probe.ts';

const never = new AbortController().signal;

async function inspect(files: Readonly<Record<string, string | Uint8Array>>, dropped: readonly string[] = Object.keys(files)): Promise<CorpusInspection> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-inspect-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), content);
  }
  return await inspectCorpus(dropped.map((name) => join(folder.path, name)), never);
}

const tmx = '<?xml version="1.0" encoding="UTF-16"?>\n<tmx version="1.4"><body>\n<tu><tuv xml:lang="en"><seg>one</seg></tuv><tuv xml:lang="es"><seg>uno</seg></tuv></tu></body></tmx>';

/** One example per format of the table: what is dropped, and its first shown row. */
const examples: { readonly [Name in keyof typeof corpusFormats]: { readonly files: Readonly<Record<string, string | Uint8Array>>; readonly dropped?: readonly string[]; readonly row: readonly string[] } } = {
  'beir-folder': { files: { 'set/corpus.jsonl': '{"_id":"d","text":"passage"}\n', 'set/queries.jsonl': '{"_id":"q","text":"question"}\n', 'set/qrels.tsv': 'q 0 d 1\n' }, dropped: ['set'], row: ['question', '', 'passage'] },
  moses: { files: { 'news.en': 'one\n', 'news.sw': 'moja\n' }, row: ['one', 'moja'] },
  tmx: { files: { 'memory.xml': Buffer.from(tmx, 'utf16le') }, row: ['one', 'uno'] },
  'question-jsonl': { files: { 'a.jsonl.gz': gzipSync('{"question":"why?","passage":"because"}\n') }, row: ['why?', '', 'because'] },
  'beir-collection': { files: { 'a.jsonl': '{"_id":"d","title":"T","text":"passage"}\n' }, row: ['d', 'T', 'passage'] },
  'beir-queries': { files: { 'a.jsonl': '{"_id":"q","text":"question"}\n' }, row: ['q', 'question'] },
  qrels: { files: { 'a.tsv': 'query-id\tcorpus-id\tscore\nq\td\t1\n' }, row: ['q', 'd', '1'] },
  tsv: { files: { 'a.txt': 'one\tmoja\n' }, row: ['one', 'moja'] },
  sentences: { files: { 'a.tsv': 'one sentence\nanother\n' }, row: ['one sentence', '1'] },
};

describe('inspectCorpus', () => {
  test.each(Object.entries(examples))('recognises %s by content and shows its rows', async (name, { files, dropped, row }) => {
    const found = await inspect(files, dropped);
    expect(found.format).toBe(name);
    expect(found.rows[0]).toEqual(row);
    expect(found.rows[0]?.length).toBe(found.columns.length);
    expect(found.count).toBe(found.statistics.records);
    expect(found.problemCount).toBe(0);
  });

  test('shows 20 rows and 20 problems, counts all, and cuts long cells', async () => {
    const { rows, count, problems, problemCount, statistics } = await inspect({ 'a.tsv': `${'x'.repeat(2000)}\ty\n${'one\tmoja\nbad\n'.repeat(50)}` });
    expect([rows.length, count, problems.length, problemCount]).toEqual([20, 51, 20, 50]);
    expect(rows[0]?.[0]?.length).toBe(500);
    expect(statistics.duplicates).toBe(49);
  });

  test('refuses what it does not know, with the first line, and too many files', async () => {
    await expect(inspect({ 'a.jsonl': '{"colour": "red"}\n' })).rejects.toMatchObject({ code: 'corpus.unknown-format' });
    await expect(inspect({ 'a.html': '<!DOCTYPE html><p>x' })).rejects.toThrow(/found a first line that fits none: <!DOCTYPE html>/);
    await expect(inspect({ a: 'a\n', b: 'b\n', c: 'c\n' })).rejects.toMatchObject({ code: 'corpus.too-many-files' });
    await expect(inspect({ a: '{"query":"q","passage":"p"}\n', b: 'b\n' })).rejects.toMatchObject({ code: 'corpus.unknown-format' });
    await expect(inspect({ 'a.tsv': '' })).rejects.toMatchObject({ code: 'corpus.empty-file' });
    await expect(inspect({ 'a.tsv': '%PDF-1.4' })).rejects.toMatchObject({ code: 'corpus.binary-file' });
  });

  test('an encoding can be chosen where none is sure, and progress ends at the size of the file', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-inspect-'));
    const path = join(folder.path, 'a.tsv');
    const content = Buffer.from('one\tmoja\n'.repeat(50_000), 'utf16le');
    await writeFile(path, content);
    await expect(inspectCorpus([path], never)).rejects.toMatchObject({ code: 'corpus.utf-16-without-bom' });
    const seen: Progress[] = [];
    const found = await inspectCorpus([path], never, null, { encoding: 'utf-16le', report: (progress) => seen.push(progress) });
    expect([found.format, found.count]).toEqual(['tsv', 50_000]);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toEqual({ phase: 'reading', done: content.length, total: content.length, unit: 'bytes' });
  });

  test('languages come from the file, else from its name', async () => {
    expect((await inspect(examples.tmx.files)).languages).toEqual(['en', 'es']);
    expect((await inspect(examples.moses.files)).languages).toEqual(['en', 'sw']);
    expect(guessLanguages(['tico.en-lg.tsv'])).toEqual(['en', 'lg']);
    expect(guessLanguages(['ebible.en-es.tsv.gz'])).toEqual(['en', 'es']);
    expect(guessLanguages(['es.quijote.txt'])).toEqual(['es']);
    expect(guessLanguages(['notes.txt'])).toEqual([]);
  });
});

describe('statistics', () => {
  test('lengths, duplicates and scripts of a small corpus are as counted by hand', () => {
    const counter = countStatistics(['source', 'target']);
    for (const cells of [['abc', 'नमस्ते'], ['ab😀', 'x'], ['abc', 'नमस्ते'], ['a', 'абв']]) counter.add(cells);
    const { records, duplicates, cells } = counter.result();
    expect([records, duplicates]).toEqual([4, 1]);
    expect(cells[0]).toEqual({ name: 'source', characters: 10, shortest: 1, longest: 3, meanLength: 2.5, medianLength: 3, scripts: [{ script: 'Latin', share: 1 }] });
    expect(cells[1]?.scripts).toEqual([{ script: 'Devanagari', share: 8 / 12 }, { script: 'Cyrillic', share: 3 / 12 }, { script: 'Latin', share: 1 / 12 }]);
  });

  test('nothing counted is all zero', () => {
    expect(countStatistics(['text']).result()).toEqual({ records: 0, duplicates: 0, cells: [{ name: 'text', characters: 0, shortest: 0, longest: 0, meanLength: 0, medianLength: 0, scripts: [] }] });
  });

  test('letters have a script, other characters none', () => {
    expect(['a', 'ߒ', '𞤀', '漢', '1', ' ', '𐀀'].map(scriptOfLetter)).toEqual(['Latin', 'Nko', 'Adlam', 'Han', null, null, 'Other']);
  });
});
