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
import { zipOf } from './test-archives.ts';

const never = new AbortController().signal;

async function inspect(files: Readonly<Record<string, string | Uint8Array>>, dropped: readonly string[] = Object.keys(files)): Promise<CorpusInspection> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-inspect-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), content);
  }
  return await inspectCorpus({ paths: dropped.map((name) => join(folder.path, name)) }, never);
}

const tmx = '<?xml version="1.0" encoding="UTF-16"?>\n<tmx version="1.4"><body>\n<tu><tuv xml:lang="en"><seg>one</seg></tuv><tuv xml:lang="es"><seg>uno</seg></tuv></tu></body></tmx>';

const eaf = `<ANNOTATION_DOCUMENT FORMAT="3.0"><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="900"/></TIME_ORDER>
<TIER TIER_ID="tx" LINGUISTIC_TYPE_REF="utt"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2"><ANNOTATION_VALUE>habari</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="ft" PARENT_REF="tx" LINGUISTIC_TYPE_REF="free"><ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a2" ANNOTATION_REF="a1"><ANNOTATION_VALUE>news</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>`;
const flextext = '<document><interlinear-text><paragraphs><paragraph><phrases><phrase><words><word><item type="txt" lang="sw">habari</item></word><word><item type="txt" lang="sw">njema</item></word></words><item type="gls" lang="en">good news</item></phrase></phrases></paragraph></paragraphs></interlinear-text></document>';
const textgrid = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n<exists>\n2\n"IntervalTier"\n"utterance"\n0\n1\n1\n0\n1\n"habari"\n"IntervalTier"\n"translation"\n0\n1\n1\n0\n1\n"news"\n';
const usfm = (text: string): string => `\\id GEN\n\\c 1\n\\p\n\\v 1 ${text}\\f + \\ft note\\f*\n`;
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const workbook = {
  '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
  '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns:r="${relations}"><sheets><sheet name="Pairs" sheetId="1" r:id="r1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>English</t></is></c><c r="B1" t="inlineStr"><is><t>Swahili</t></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>one</t></is></c><c r="B2" t="inlineStr"><is><t>moja</t></is></c></row></sheetData></worksheet>',
};

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
  csv: { files: { 'a.csv': 'English;Kiswahili\none;moja\n"two; or more";mbili\n' }, row: ['one', 'moja'] },
  wikimatrix: { files: { 'a.tsv': '1.20\tone\tmoja\n1.03\tbad\tmbaya\n1.10\ttwo\tmbili\n' }, row: ['one', 'moja'] },
  triples: { files: { 'triples.train.tsv': 'why?\tbecause it is so\tsomething else\n' }, row: ['why?', '', 'because it is so'] },
  'dpr-json': { files: { 'nq.json': '[{"question":"why?","answers":["x"],"positive_ctxs":[{"title":"T","text":"because","passage_id":"1"}],"hard_negative_ctxs":[{"text":"no"}]}]' }, row: ['why?', 'T', 'because'] },
  'squad-json': { files: { 'xquad.json': '{"version":"1.1","data":[{"title":"A_B","paragraphs":[{"context":"because","qas":[{"id":"1","question":"why?","answers":[]}]}]}]}' }, row: ['why?', 'A B', 'because'] },
  'passage-jsonl': { files: { 'train.jsonl': '{"query_id":"1","query":"why?","positive_passages":[{"docid":"d","title":"T","text":"because"}],"negative_passages":[]}\n' }, row: ['why?', 'T', 'because'] },
  xliff: { files: { 'a.xlf': '<xliff version="1.2"><file source-language="en" target-language="sw"><body><trans-unit id="1"><source>one</source><target>moja</target></trans-unit></body></file></xliff>' }, row: ['one', 'moja'] },
  eaf: { files: { 'a.eaf': eaf }, row: ['habari', 'news'] },
  flextext: { files: { 'a.flextext': flextext }, row: ['habari njema', 'good news'] },
  lift: { files: { 'a.lift': '<lift version="0.13"><entry id="e"><lexical-unit><form lang="sw"><text>maji</text></form></lexical-unit><sense><gloss lang="en"><text>water</text></gloss></sense></entry></lift>' }, row: ['maji', 'water'] },
  textgrid: { files: { 'a.TextGrid': textgrid }, row: ['habari', 'news'] },
  sfm: { files: { 'a.txt': '\\_sh v3.0  400  Text\n\n\\ref 1\n\\tx habari\n\\ft news\n' }, row: ['habari', 'news'] },
  conllu: { files: { 'a.conllu': '# text = habari\n# text_en = news\n1\thabari\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n' }, row: ['habari', 'news'] },
  usfm: { files: { 'a.usfm': usfm('In the beginning'), 'b.usfm': usfm('Hapo mwanzo') }, row: ['In the beginning', 'Hapo mwanzo'] },
  'moses-zip': { files: { 'en-sw.zip': zipOf({ README: 'read me', 'GV.en-sw.en': 'one\ntwo\n', 'GV.en-sw.sw': 'moja\nmbili\n' }) }, row: ['one', 'moja'] },
  xlsx: { files: { 'a.xlsx': zipOf(workbook) }, row: ['one', 'moja'] },
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
    await expect(inspectCorpus({ paths: [path] }, never)).rejects.toMatchObject({ code: 'corpus.utf-16-without-bom' });
    const seen: Progress[] = [];
    const found = await inspectCorpus({ paths: [path], encoding: 'utf-16le' }, never, { report: (progress) => seen.push(progress) });
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
