/** Facts about bad input on the command line: wholly bad files are refused with their place, files with some bad lines are used without them. */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder, type TestFolder } from '../../core/base/test-disks.ts';
import { asTsv, expectRefusal, PROGRAM, resultOf, runHere, SAMPLE_PAIRS, startProcess, writeCorpora, writeRecipe } from './test-program.ts';

const MEGABYTE = 2 ** 20;
const LONG_LINE_BYTES = 200 * MEGABYTE;
const ELF = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1'), Buffer.alloc(4096, 7)]);
const TSV = asTsv(SAMPLE_PAIRS);
const QUERIES = '{"_id":"q1","text":"boat with books"}\n{"_id":"q2","text":"salt from the lake"}\n';
const COLLECTION = '{"_id":"d1","title":"","text":"a boat brings books to the island"}\n{"_id":"d2","title":"","text":"how salt is made at the lake"}\n';
const QRELS = 'query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n';

let temporary: TestFolder;
const at = (...names: string[]): string => join(temporary.path, ...names);
const write = (name: string, content: string | Uint8Array): void => writeFileSync(at(name), content);

const utf16 = (text: string, { mark, isBig }: { mark: boolean; isBig: boolean }): Uint8Array => {
  const bytes = Buffer.from(`${mark ? '\uFEFF' : ''}${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

/** A TMX file of the sample pairs; `lacking` gives the numbers of units, from 1, that have French in place of Swahili. */
const tmx = (lacking: (unit: number) => boolean): string =>
  `<?xml version="1.0"?>\n<tmx version="1.4"><header srclang="en"/><body>\n${SAMPLE_PAIRS.map(([english, swahili], i) => `<tu><tuv xml:lang="en"><seg>${english}</seg></tuv><tuv xml:lang="${lacking(i + 1) ? 'fr' : 'sw'}"><seg>${swahili}</seg></tuv></tu>\n`).join('')}</body></tmx>\n`;

function writeLongLine(name: string, before: string, after: string): void {
  const file = openSync(at(name), 'w');
  writeSync(file, before);
  for (let written = 0; written < LONG_LINE_BYTES; written += MEGABYTE) writeSync(file, Buffer.alloc(MEGABYTE, 'x'));
  writeSync(file, after);
  closeSync(file);
}

/** `train` on one parallel corpus; x is where nothing must be made. */
const trainOn = (source: Readonly<Record<string, string>>, out = 'x'): readonly string[] => {
  const name = Object.values(source).join('+');
  return ['train', '--recipe', writeRecipe(temporary.path, `${name}.json`, { parallel: [{ ...source, source: 'en', target: 'sw' }] }), '--out', at(out), '--threads', '1'];
};
const retrieval = (files: { queries?: string; collection?: string; qrels?: string }): readonly string[] => {
  const { queries = 'queries.jsonl', collection = 'collection.jsonl', qrels = 'qrels.tsv' } = files;
  return ['evaluate', '--task', 'retrieval', '--method', 'bm25', '--queries', at(queries), '--collection', at(collection), '--qrels', at(qrels)];
};
const pairs = (source: string, target: string, model = 'model'): readonly string[] => ['evaluate', '--task', 'pairs', '--model', at(model), '--source', at(source), '--target', at(target)];
const index = (documents: string, target: string, model = 'model'): readonly string[] => ['index', '--model', at(model), '--documents', at(documents), '--index', at(target)];

beforeAll(async () => {
  temporary = temporaryFolder();
  writeCorpora(temporary.path);
  write('empty.tsv', '');
  write('binary.tsv', ELF);
  write('utf16le.tsv', utf16(TSV, { mark: true, isBig: false }));
  write('utf16be.tsv', utf16(TSV, { mark: true, isBig: true }));
  write('utf16le-bare.tsv', utf16(TSV, { mark: false, isBig: false }));
  write('utf16be-bare.tsv', utf16(TSV, { mark: false, isBig: true }));
  const lines = TSV.split('\n');
  write('invalid.tsv', Buffer.concat([Buffer.from(`${lines.slice(0, 6).join('\n')}\n`), Buffer.from('caf\xe9 \xff\tnjema\n', 'latin1'), Buffer.from(lines.slice(7).join('\n'))]));
  write('latin1.tsv', Buffer.from(SAMPLE_PAIRS.map((_, i) => `año ${i}\tmañana ${i}\n`).join(''), 'latin1'));
  writeLongLine('long.tsv', asTsv(SAMPLE_PAIRS.slice(0, 5)), `\n${asTsv(SAMPLE_PAIRS.slice(5))}`);
  writeLongLine('only-long.tsv', '', '\n');
  write('a.en', `${SAMPLE_PAIRS.map(([english]) => english).join('\n')}\n`);
  write('a.sw', `${SAMPLE_PAIRS.map(([, swahili]) => swahili).join('\n')}\n`);
  write('short.sw', `${SAMPLE_PAIRS.slice(1).map(([, swahili]) => swahili).join('\n')}\n`);
  write('french.tmx', tmx(() => true));
  write('part-french.tmx', tmx((unit) => unit === 3));
  write('cut.tmx', tmx(() => false).slice(0, 3000));
  write('queries.jsonl', QUERIES);
  write('collection.jsonl', COLLECTION);
  write('qrels.tsv', QRELS);
  write('qrels-unknown.tsv', 'query-id\tcorpus-id\tscore\nq8\td1\t1\nq1\td9\t1\n');
  write('qrels-part.tsv', `${QRELS}q9\td1\t1\nq1\td9\t1\n`);
  write('wrong.json', '{\n "encoder": {"kind": "static", "width": "wide"},\n "paralel": [],\n "parallel": [{"path": "missing.tsv", "source": "en", "target": "sw"}]\n}');
  write('broken.json', '{\n "seed": 1,\n "parallel": [}\n');
  write('invalid.json', Buffer.from('{\n "parallel": [{"path": "a\xf1o.tsv", "source": "en", "target": "sw"}]}', 'latin1'));
  mkdirSync(at('folder'));
  write('folder/notes.txt', 'not an index, not a model');
  mkdirSync(at('set-unknown'));
  for (const [name, content] of Object.entries({ 'queries.jsonl': QUERIES, 'corpus.jsonl': COLLECTION, 'qrels.tsv': readFileSync(at('qrels-unknown.tsv')) })) write(`set-unknown/${name}`, content);
  resultOf(await runHere(['train', '--recipe', writeRecipe(temporary.path, 'recipe.json'), '--out', at('model'), '--threads', '1', '--json']));
  await cp(at('model'), at('cut-model'), { recursive: true });
  truncateSync(at('cut-model', 'token-table.f16'), 100);
});
afterAll(() => temporary[Symbol.dispose]());

type Case = readonly [name: string, args: () => readonly string[], ...sentences: RegExp[]];

describe('wholly bad input is refused', () => {
  const cases: readonly Case[] = [
    ['an empty file', () => trainOn({ path: 'empty.tsv' }), /empty\.tsv: expected text, found no bytes\. Choose/],
    ['a program named .tsv', () => trainOn({ path: 'binary.tsv' }), /binary\.tsv: expected text, found a Linux program\. Export/],
    ['UTF-16LE without a byte order mark', () => trainOn({ path: 'utf16le-bare.tsv' }), /utf16le-bare\.tsv: expected UTF-8, found .*UTF-16 without a byte order mark: utf-16le probably/],
    ['UTF-16BE without a byte order mark', () => trainOn({ path: 'utf16be-bare.tsv' }), /utf16be-bare\.tsv: expected UTF-8, found .*UTF-16 without a byte order mark: utf-16be probably/],
    ['another encoding in every line', () => trainOn({ path: 'latin1.tsv' }), /latin1\.tsv: line 1, byte 1: expected text in utf-8, found bytes f1/, /left out: 50 more; 60 in all/, /latin1\.tsv: expected sentence pairs, found none that can be used/],
    ['nothing but a line of 200 MB', () => trainOn({ path: 'only-long.tsv' }), /only-long\.tsv: line 1, byte 0: expected at most 16777216 bytes in a line, found a line of 20971520\d bytes/, /only-long\.tsv: expected sentence pairs, found none/],
    ['Moses files of different length', () => trainOn({ sourcePath: 'a.en', targetPath: 'short.sw' }), /a\.en has 60 lines, .*short\.sw has 59: expected as many in both/],
    ['a TMX file without the language', () => trainOn({ path: 'french.tmx' }), /french\.tmx: translation unit 1 \(line 3\): expected a text in "sw", found en, fr/, /french\.tmx: expected sentence pairs, found none/],
    ['a training set whose qrels name unknown ids', () => ['train', '--recipe', writeRecipe(temporary.path, 'unknown.json', { retrieval: [{ folder: 'set-unknown' }] }), '--out', at('x')], /qrels\.tsv: expected judgements .* found none; the first problem: .*qrels\.tsv: line 2: expected a query id of .*queries\.jsonl, found q8/],
    ['a recipe with three mistakes', () => ['train', '--recipe', at('wrong.json'), '--out', at('x')], /wrong\.json: line 2: "encoder\/width": expected .*, found "wide"/, /wrong\.json: line 3: "paralel": expected a known key/, /wrong\.json: line 4: "parallel\/0\/path": expected a file, found nothing there \(missing\.tsv\)/, /Nothing was started\. Mend these 3 places/],
    ['a recipe that is not JSON', () => ['train', '--recipe', at('broken.json'), '--out', at('x')], /broken\.json: line 3: expected JSON/],
    ['a recipe in another encoding', () => ['train', '--recipe', at('invalid.json'), '--out', at('x')], /invalid\.json: line 2: expected text in UTF-8, found bytes that are not/],
    ['an empty recipe', () => ['train', '--recipe', at('empty.tsv'), '--out', at('x')], /empty\.tsv: expected text, found no bytes/],
    ['a folder for a recipe', () => ['train', '--recipe', at('folder'), '--out', at('x')], /folder: expected a file, found a folder/],
    ['no recipe', () => ['train', '--out', at('x')], /--recipe: expected the path of a recipe .* found nothing/],
    ['a folder of other files as the output', () => ['train', '--recipe', at('recipe.json'), '--out', at('folder')], /folder: expected a new or empty folder, or an older model.*found other files \(notes\.txt\)\. They are left alone/],
    ['no threads', () => ['train', '--recipe', at('recipe.json'), '--out', at('x'), '--threads', '0'], /--threads: expected a whole number from 1 to 256, found "0"/],
    ['qrels that name unknown ids only', () => retrieval({ qrels: 'qrels-unknown.tsv' }), /qrels-unknown\.tsv: expected judgements .* found none; the first problem: .*line 2: expected a query id of .*queries\.jsonl, found q8/],
    ['qrels in UTF-16 without a mark', () => retrieval({ qrels: 'utf16le-bare.tsv' }), /utf16le-bare\.tsv: expected UTF-8/],
    ['an empty collection', () => retrieval({ collection: 'empty.tsv' }), /empty\.tsv: expected text, found no bytes/],
    ['a program for queries', () => retrieval({ queries: 'binary.tsv' }), /binary\.tsv: expected text, found a Linux program/],
    ['queries that are of another kind', () => retrieval({ queries: 'pairs.tsv' }), /qrels\.tsv: expected judgements that name queries of .*pairs\.tsv .*found none; the first problem: .*line 2: expected a query id of .*pairs\.tsv, found q1/],
    ['texts of different length', () => pairs('a.en', 'short.sw'), /a\.en has 60 lines, .*short\.sw has 59/],
    ['an empty text', () => pairs('empty.tsv', 'a.sw'), /empty\.tsv: expected text, found no bytes/],
    ['a folder that is no model', () => pairs('a.en', 'a.sw', 'folder'), /folder: expected a model folder \(with model\.json\), found none/],
    ['a file for a model', () => pairs('a.en', 'a.sw', 'pairs.tsv'), /pairs\.tsv.*: expected a folder, found a file in its place/],
    ['a model that is missing, for an index', () => index('folder', 'x', 'none'), /none: expected a model folder/],
    ['documents that are missing', () => index('none', 'x'), /none: expected a folder of documents, found nothing there/],
    ['a file for the documents', () => index('pairs.tsv', 'x'), /pairs\.tsv: expected a folder, found a file/],
    ['a file for the index', () => index('folder', 'pairs.tsv'), /pairs\.tsv: expected a folder for the index, found a file/],
    ['a folder of other files as the index', () => index('folder', 'folder'), /folder: expected an empty folder or an index .* found notes\.txt\. Nothing was changed/],
    ['a folder that is no index', () => ['search', '--index', at('folder'), '--query', 'boat'], /folder: expected an index folder \(with index\.json\), found none/],
    ['an empty query', () => ['search', '--index', at('x'), '--query', ''], /--query: expected the text to search for, found nothing/],
    ['a query of spaces', () => ['search', '--index', at('x'), '--query', '  '], /--query: expected the text to search for, found nothing/],
    ['no hits asked for', () => ['search', '--index', at('x'), '--query', 'boat', '--k', '0'], /--k: expected a whole number from 1 to 1000, found "0"/],
  ];

  for (const [name, args, ...sentences] of cases) {
    it(`${name}: exit 2 with the place, nothing on stdout, nothing left behind`, async () => {
      expectRefusal(await runHere([...args(), '--json']), 2, sentences);
      expect(readdirSync(temporary.path).filter((found) => /^\.?x(\.|$)/.test(found))).toEqual([]);
      expect(readFileSync(at('folder', 'notes.txt'), 'utf8')).toBe('not an index, not a model');
    });
  }

  it('a model whose file was cut: exit 1 with the file', async () => {
    expectRefusal(await runHere([...pairs('a.en', 'a.sw', 'cut-model'), '--json']), 1, [/cut-model.*: the file is not what was written .*Copy the model again or train it once more/]);
  });

  it.skipIf(process.platform === 'win32')('a path that is not UTF-8: not found, and said so', async () => {
    const words = [...PROGRAM, 'train', '--out', at('x'), '--json', '--recipe'];
    const end = await startProcess(['sh', '-c', `exec "$@" "$(printf 'caf\\351.json')"`, 'sh', ...words]).end;
    expectRefusal(end, 2, [/caf\uFFFD\.json: expected a file or folder here, found nothing/]);
  });
});

describe('input that is bad in part is used without that part', () => {
  const swahiliPairs = async (model: string): Promise<number> => {
    const { languages } = JSON.parse(await readFile(join(model, 'model.json'), 'utf8')) as { languages: { tag: string; pairs: number }[] };
    return languages.find(({ tag }) => tag === 'sw')?.pairs ?? 0;
  };

  const cases: readonly (readonly [name: string, file: string, lost: number | null, sentence: RegExp | null])[] = [
    ['UTF-16LE with a byte order mark', 'utf16le.tsv', 0, null],
    ['UTF-16BE with a byte order mark', 'utf16be.tsv', 0, null],
    ['one line of invalid UTF-8', 'invalid.tsv', 1, /left out: .*invalid\.tsv: line 7, byte \d+: expected text in utf-8, found bytes e9 20 ff/],
    ['one line of 200 MB', 'long.tsv', 0, /left out: .*long\.tsv: line 6, byte \d+: expected at most 16777216 bytes in a line, found a line of 20971520\d bytes/],
    ['a TMX unit without the language', 'part-french.tmx', 1, /left out: .*part-french\.tmx: translation unit 3 \(line 5\): expected a text in "sw", found en, fr/],
    ['a TMX file that was cut', 'cut.tmx', null, /left out: .*cut\.tmx: translation unit \d+ \(line \d+\): expected well-formed XML/],
  ];

  it.each(cases)('%s: all the rest is trained on', async (_name, file, lost, sentence) => {
    const end = await runHere([...trainOn({ path: file }, `${file}.model`), '--json']);
    expect(resultOf(end)).toMatchObject({ steps: 4 });
    if (sentence === null) expect(end.stderr).not.toMatch(/left out/);
    else expect(end.stderr).toMatch(sentence);
    const used = await swahiliPairs(at(`${file}.model`));
    if (lost === null) expect(used).toBeGreaterThan(0);
    else expect(used).toBe((await swahiliPairs(at('model'))) - lost);
  });

  it('qrels that name some unknown ids are measured on the rest', async () => {
    const end = await runHere([...retrieval({ qrels: 'qrels-part.tsv' }), '--json']);
    expect(resultOf(end)).toMatchObject({ queries: 2, 'MRR@10': 1 });
    expect(end.stderr).toMatch(/qrels-part\.tsv: line 4: expected a query id of .*, found q9/);
    expect(end.stderr).toMatch(/qrels-part\.tsv: line 5: expected a document id of .*, found d9/);
  });

  it('a pair of texts with one bad line is measured on the rest', async () => {
    const end = await runHere([...pairs('invalid.tsv', 'a.sw'), '--json']);
    expect(resultOf(end)).toMatchObject({ pairs: SAMPLE_PAIRS.length - 1 });
    expect(end.stderr).toMatch(/invalid\.tsv: line 7, byte/);
  });

  it.skipIf(process.platform !== 'linux')('a folder of documents is indexed, and every file that is not or not whole is named', async () => {
    mkdirSync(at('documents'));
    for (const name of ['empty.tsv', 'binary.tsv', 'utf16le.tsv', 'utf16le-bare.tsv', 'invalid.tsv']) await cp(at(name), at('documents', name));
    writeFileSync(Buffer.concat([Buffer.from(`${at('documents')}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]), 'a name in Latin-1');
    write('documents/boat.txt', 'the ferry carries honey\n');
    await cp(at('only-long.tsv'), at('documents', 'only-long.tsv'));
    const end = await runHere([...index('documents', 'index'), '--json']);
    rmSync(at('documents', 'only-long.tsv'));
    expect(resultOf(end)).toMatchObject({ files: 4, failed: [{ path: 'binary.tsv' }, { path: 'only-long.tsv' }, { path: 'utf16le-bare.tsv' }] });
    for (const sentence of [
      /left out: .*binary\.tsv: expected text, found a Linux program/,
      /left out: .*utf16le-bare\.tsv: expected UTF-8, found .*UTF-16 without a byte order mark/,
      /left out: .*only-long\.tsv: expected at most 134217728 bytes of text, found more/,
      /left out: .*empty\.tsv: expected text, found no bytes/,
      /indexed all the same: .*invalid\.tsv: line 7: expected text in its encoding, found 2 places/,
    ]) expect(end.stderr).toMatch(sentence);
    const hits = resultOf(await runHere(['search', '--index', at('index'), '--query', 'ferry with honey', '--k', '1', '--json']));
    expect(hits).toMatchObject([{ path: 'boat.txt' }]); // a name that is not UTF-8 is no fault any more: that file is among the four
  });
});
