/** Are sentence pairs read from TSV, Moses and TMX as they stand, and is every fault named with its place? */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../base/errors.ts';
import { readParallelMoses } from './parallel-moses.ts';
import { baseLanguage, readParallelTmx, readTmxLanguages } from './parallel-tmx.ts';
import { readParallelTsv } from './parallel-tsv.ts';
import { readAllPairs } from './parallel.ts';
import { collect } from './records.ts';
import type { CorpusProblem, ParallelPair } from './records.ts';

const never = new AbortController().signal;
const temporaryFolder = () => mkdtempDisposable(join(tmpdir(), 'isogloss-parallel-'));
const codes = (problems: readonly CorpusProblem[]): string[] => problems.map(({ code, line }) => `${code} ${line}`);
const sides = (pairs: readonly ParallelPair[]): string[][] => pairs.map(({ source, target }) => [source, target]);

async function inFile<T>(content: string | Uint8Array, use: (path: string) => Promise<T>, name = 'en-sw.tsv'): Promise<T> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, name);
  await writeFile(path, content);
  return await use(path);
}

describe('two columns', () => {
  const read = (content: string | Uint8Array, columns?: { source: number; target: number }) => inFile(content, (path) => collect(readParallelTsv(path, never, columns === undefined ? {} : { columns })));

  test('pairs are trimmed and keep their line; blank lines are nothing', async () => {
    const { records, problems } = await read('Good morning\tHabari za asubuhi\n\n  Water \t maji \r\n');
    expect(records).toEqual([{ source: 'Good morning', target: 'Habari za asubuhi', line: 1 }, { source: 'Water', target: 'maji', line: 3 }]);
    expect(problems).toEqual([]);
  });

  test('a bad line is a problem with its line and text, and the rest is used', async () => {
    const { records, problems } = await read('one\tmoja\nno tab\nthree\tcolumns\there\n\tleft empty\nright empty\t \ntwo\tmbili\n');
    expect(sides(records)).toEqual([['one', 'moja'], ['two', 'mbili']]);
    expect(codes(problems)).toEqual(['corpus.column-count 2', 'corpus.column-count 3', 'corpus.empty-text 4', 'corpus.empty-text 5']);
    expect(problems[0]?.message).toMatch(/en-sw\.tsv: line 2: expected 2 columns separated by a tab, found 1 in "no tab"\./);
  });

  test('chosen columns are read from wider tables', async () => {
    const { records, problems } = await read('1.07\tone\tmoja\n1.06\ttwo\n', { source: 1, target: 2 });
    expect(sides(records)).toEqual([['one', 'moja']]);
    expect(codes(problems)).toEqual(['corpus.column-count 2']);
  });

  test('what is found is cut to 200 characters', async () => {
    const { problems } = await read(`a\tb\n${'x'.repeat(5000)}\n`);
    expect(problems[0]?.found.length).toBe(200);
  });

  test('any table of clean cells comes back', async () => {
    const cell = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replace(/[\t\r\n\0\uFEFF]/g, '').trim()).filter((text) => text !== '');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 }), async (rows) => {
        const { records, problems } = await read(`\uFEFF${rows.map((row) => row.join('\t')).join('\n')}`);
        expect(problems).toEqual([]);
        expect(sides(records)).toEqual(rows);
      }),
      { numRuns: 50 },
    );
  });
});

describe('two files (Moses)', () => {
  async function read(source: string | Uint8Array, target: string | Uint8Array): ReturnType<typeof collect<ParallelPair>> {
    await using folder = await temporaryFolder();
    const [sourcePath, targetPath] = [join(folder.path, 'news.en'), join(folder.path, 'news.sw')];
    await writeFile(sourcePath, source);
    await writeFile(targetPath, target);
    return await collect(readParallelMoses({ sourcePath, targetPath }, never));
  }

  test('line i of one goes with line i of the other, across many pieces, plain with gzip', async () => {
    const count = 30_000;
    const numbers = Array.from({ length: count }, (_, i) => i);
    const { records, problems } = await read(numbers.map((i) => `sentence number ${i}\n`).join(''), gzipSync(numbers.map((i) => `sentensi ya ${i}, ndefu zaidi kidogo\r\n`).join('')));
    expect(problems).toEqual([]);
    expect(records.length).toBe(count);
    expect(records.every(({ source, target, line }, i) => source === `sentence number ${i}` && target === `sentensi ya ${i}, ndefu zaidi kidogo` && line === i + 1)).toBe(true);
  });

  test('files of different length are refused with both numbers', async () => {
    for (const [source, target, sourceLines, targetLines] of [['a\nb\nc\n', 'x\ny\n', 3, 2], ['a\nb', 'x\ny\nz', 2, 3]] as const) {
      const reading = read(source, target);
      await expect(reading).rejects.toMatchObject({ family: 'input', code: 'corpus.moses-length', data: { sourceLines, targetLines } });
      await expect(reading).rejects.toThrow(new RegExp(`news\\.en has ${sourceLines} lines, .*news\\.sw has ${targetLines}`));
    }
  });

  test('blank in both is nothing, blank in one is a problem, and what follows stays aligned', async () => {
    const { records, problems } = await read('a\n\n\nd\n', 'x\n\nz\nw\n');
    expect(sides(records)).toEqual([['a', 'x'], ['d', 'w']]);
    expect(codes(problems)).toEqual(['corpus.empty-text 3']);
    expect(problems[0]?.path).toMatch(/news\.en$/);
  });

  test('bad bytes in one file cost one pair', async () => {
    const { records, problems } = await read(Buffer.from('a\nb\xff\nc\n', 'latin1'), 'x\ny\nz\n');
    expect(sides(records)).toEqual([['a', 'x'], ['c', 'z']]);
    expect(codes(problems)).toEqual(['corpus.invalid-bytes 2']);
  });
});

describe('TMX', () => {
  const tmx = (body: string, head = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'): string => `${head}<tmx version="1.4"><header srclang="en"/><body>\n${body}\n</body></tmx>\n`;
  const unit = (...variants: readonly (readonly [string, string])[]): string => `<tu>${variants.map(([language, text]) => `<tuv xml:lang="${language}"><seg>${text}</seg></tuv>`).join('')}</tu>\n`;
  const read = (content: string | Uint8Array, source = 'en', target = 'es') => inFile(content, (path) => collect(readParallelTmx(path, never, { source, target })), 'memory.tmx');

  test('pairs are found by base language, whatever the spelling of the tag', async () => {
    const { records, problems } = await read(tmx(unit(['EN-US', 'one'], ['es_es', 'uno']) + unit(['en', 'two'], ['spa', 'dos']) + unit(['es-419', 'tres'], ['en-gb', 'three'])));
    expect(problems).toEqual([]);
    expect(sides(records)).toEqual([['one', 'uno'], ['two', 'dos'], ['three', 'tres']]);
    expect(baseLanguage('es_es')).toBe('es');
    expect(baseLanguage('qaa-x-ours')).toBe('qaa');
    expect(baseLanguage('x-ours')).toBe('x-ours');
  });

  test('inline markup is taken out, highlighted words and entities stay', async () => {
    const { records } = await read(tmx(unit(['en', 'The <bpt i="1">&lt;b&gt;</bpt>big<ept i="1">&lt;/b&gt;</ept>\n <hi type="x">black</hi> <ph x="1">code <sub>more</sub></ph>cat &amp; <![CDATA[dog]]>'], ['es', 'a'])));
    expect(records[0]?.source).toBe('The big black cat & dog');
  });

  test('a unit without one of the languages, or with one twice, is a problem with unit number and line', async () => {
    const { records, problems } = await read(tmx(unit(['en', 'one'], ['es', 'uno']) + unit(['en', 'two'], ['fr', 'deux']) + unit(['en', 'three']) + unit(['en', 'four'], ['en-GB', 'fower'], ['es-ES', 'a'], ['es-MX', 'b']) + unit(['en', 'five'], ['es', 'cinco'], ['fr', 'cinq'])));
    expect(sides(records)).toEqual([['one', 'uno'], ['five', 'cinco']]);
    expect(problems.map(({ code, unit: number, line }) => [code, number, line])).toEqual([['corpus.missing-language', 2, 5], ['corpus.missing-language', 3, 6], ['corpus.repeated-language', 4, 7]]);
    expect(problems[0]?.message).toMatch(/memory\.tmx: translation unit 2 \(line 5\): expected a text in "es", found en, fr\./);
  });

  test('an exact tag goes before an equal base language', async () => {
    const content = tmx(unit(['pt-PT', 'autocarro'], ['en', 'bus'], ['pt-BR', 'ônibus']));
    expect(sides((await read(content, 'en', 'pt-BR')).records)).toEqual([['bus', 'ônibus']]);
    expect(sides((await read(content, 'en', 'pt-PT')).records)).toEqual([['bus', 'autocarro']]);
    expect(codes((await read(content, 'en', 'pt')).problems)).toEqual(['corpus.repeated-language 4']);
  });

  test('UTF-16 with and without a byte order mark, windows-1252 by its declaration', async () => {
    const utf16 = tmx(unit(['en', 'year'], ['es', 'año']), '<?xml version="1.0" encoding="UTF-16"?>');
    for (const content of [Buffer.from(`\uFEFF${utf16}`, 'utf16le'), Buffer.from(`\uFEFF${utf16}`, 'utf16le').swap16(), Buffer.from(utf16, 'utf16le'), Buffer.from(utf16, 'utf16le').swap16(), Buffer.from(tmx(unit(['en', 'year'], ['es', 'año']), '<?xml version="1.0" encoding="windows-1252"?>'), 'latin1'), gzipSync(tmx(unit(['en', 'year'], ['es', 'año'])))]) {
      expect(sides((await read(content)).records)).toEqual([['year', 'año']]);
    }
  });

  test('bytes that are not text cost one unit', async () => {
    const good = unit(['en', 'fine'], ['es', 'bien']);
    const { records, problems } = await read(Buffer.concat([Buffer.from(`${tmx('').split('</body>')[0] ?? ''}${good}`), Buffer.from(unit(['en', 'bad'], ['es', 'a\xf1o']), 'latin1'), Buffer.from(`${good}</body></tmx>`)]));
    expect(sides(records)).toEqual([['fine', 'bien'], ['fine', 'bien']]);
    expect(problems.map(({ code, unit: number }) => [code, number])).toEqual([['corpus.invalid-bytes', 2]]);
  });

  test('broken XML costs the unit it is in', async () => {
    const { records, problems } = await read(tmx(unit(['en', 'one'], ['es', 'uno']) + unit(['en', 'Q & A'], ['es', 'P y R']) + unit(['en', 'two'], ['es', 'dos'])));
    expect(sides(records)).toEqual([['one', 'uno'], ['two', 'dos']]);
    expect(problems.map(({ code, unit: number }) => [code, number])).toEqual([['corpus.not-well-formed', 2]]);
  });

  test('a file that stops in the middle gives its whole units and a problem', async () => {
    const { records, problems } = await read(tmx(unit(['en', 'one'], ['es', 'uno']) + unit(['en', 'two'], ['es', 'dos'])).slice(0, -50));
    expect(sides(records)).toEqual([['one', 'uno']]);
    expect(problems.map(({ code }) => code)).toEqual(['corpus.not-well-formed']);
  });

  test('a DOCTYPE with definitions is refused: nothing is expanded, nothing is fetched', async () => {
    for (const doctype of ['<!DOCTYPE tmx [<!ENTITY a "b">]>', '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]>', '<!DOCTYPE tmx SYSTEM "x" [<!ENTITY % p SYSTEM "http://127.0.0.1/x">%p;]>']) {
      await expect(read(tmx(unit(['en', '&a;'], ['es', 'b']), doctype))).rejects.toMatchObject({ family: 'input', code: 'corpus.xml-entities' });
    }
  });

  test('another file called .tmx, one without units, and one too deep are refused', async () => {
    await expect(read('<html><body>no</body></html>')).rejects.toMatchObject({ code: 'corpus.not-tmx' });
    await expect(read('not XML at all')).rejects.toMatchObject({ code: 'corpus.not-tmx' });
    await expect(read(tmx(''))).rejects.toMatchObject({ code: 'corpus.no-units' });
    await expect(read(tmx('<a>'.repeat(300)))).rejects.toMatchObject({ code: 'corpus.xml-too-deep' });
    await expect(read(tmx(`<tu><tuv xml:lang="en"><seg>${'x'.repeat(17 * 1024 * 1024)}`))).rejects.toMatchObject({ code: 'corpus.record-too-long' });
  });

  test('its languages are listed, most frequent first', async () => {
    const content = tmx(unit(['fr', 'a'], ['en-US', 'b']) + unit(['EN', 'c'], ['es', 'd']));
    expect(await inFile(content, (path) => readTmxLanguages(path, never))).toEqual(['en-US', 'fr', 'es']);
  });

  test('damaged XML of any kind gives readings or an input error', async () => {
    const whole = tmx(unit(['en', 'one &amp; more'], ['es', 'uno <ph>x</ph>']) + unit(['en', 'two'], ['es', 'dos']));
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), fc.nat(8), fc.string({ unit: 'binary', maxLength: 8 }), async (at, cut, put) => {
        try {
          expect((await read(whole.slice(0, at) + put + whole.slice(at + cut))).records.length).toBeLessThanOrEqual(3);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 150 },
    );
  });
});

test('readAllPairs tells the format by content and names what it cannot read', async () => {
  const languages = { source: 'en', target: 'es' };
  const pairs = async (content: string): Promise<unknown> => sides((await inFile(content, (path) => readAllPairs({ path, ...languages }, never), 'data.txt')).pairs);
  expect(await pairs('one\tuno\n')).toEqual([['one', 'uno']]);
  expect(await pairs('<tmx><body><tu><tuv lang="en"><seg>one</seg></tuv><tuv lang="es"><seg>uno</seg></tuv></tu></body></tmx>')).toEqual([['one', 'uno']]);
  await expect(pairs('just a sentence\n')).rejects.toMatchObject({ code: 'corpus.no-pairs' });
});
