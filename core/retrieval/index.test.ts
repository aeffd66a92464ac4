import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shownName } from '../base/file-names.ts';
import { openTranslationTable, trainTranslationTable } from '../alignment/translation-table.ts';
import { buildIndex } from './build-index.ts';
import { createHashEncoder } from './hash-encoder.ts';
import { openIndex } from './open-index.ts';

const encoder = createHashEncoder({ width: 16 });
const never = new AbortController().signal;
let root = '';
let documentsFolder = '';
let indexFolder = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'isogloss-index-'));
  documentsFolder = join(root, 'documents');
  indexFolder = join(root, 'index');
  await mkdir(join(documentsFolder, 'inner'), { recursive: true });
  await writeFile(join(documentsFolder, 'river.txt'), 'The river bank was steep.\n');
  await writeFile(join(documentsFolder, 'inner', 'money.md'), '# Money\n\nThe savings bank closed at noon.\n');
  await writeFile(join(documentsFolder, 'list.csv'), 'word,meaning\nmaji,water\nmoto,fire\n');
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Whether this process may mount a memory disk (some containers forbid it even to root). */
function canMountHere(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'isogloss-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false; // those tests count as skipped
  } finally {
    rmSync(place, { recursive: true });
  }
}

const build = (over: Partial<Parameters<typeof buildIndex>[0]> = {}) => buildIndex({ encoder, documentsFolder, indexFolder, signal: never, ...over });

async function searchPaths(query: string, method: 'bm25' | 'bm25-char' | 'dense' | 'hybrid' = 'hybrid'): Promise<string[]> {
  const index = await openIndex(indexFolder, encoder);
  try {
    return (await index.search({ query, method })).hits.map(({ path }) => path);
  } finally {
    index.dispose();
  }
}

describe('buildIndex and openIndex', () => {
  it('counts passages of which the model knows nothing, keeps no vector of zeros, and finds them by letters', async () => {
    const blind = { ...encoder, encodeDocuments: async (texts: readonly string[]) => (await encoder.encodeDocuments(texts)).map((vectors, i) => (texts[i]?.includes('steep') === true ? new Float32Array(vectors.length) : vectors)) };
    const summary = await build({ encoder: blind });
    expect(summary.failed).toEqual([]);
    expect(summary.problems).toMatchObject([{ code: 'documents.no-vector', path: 'river.txt', line: 1 }]);
    expect(summary.vectors).toBe((await build({ indexFolder: join(root, 'other') })).vectors - 1);
    expect(await searchPaths('river bank', 'dense')).not.toContain('river.txt');
    expect((await searchPaths('river bank', 'bm25'))[0]).toBe('river.txt');
  });

  it.skipIf(process.platform !== 'linux')('reads a file whose name is not UTF-8, in a folder of such a name too, and finds it again unchanged', async () => {
    const folder = Buffer.concat([Buffer.from(`${documentsFolder}/r`), Buffer.of(0xe9), Buffer.from('cits')]);
    await mkdir(folder);
    await writeFile(Buffer.concat([folder, Buffer.from('/caf'), Buffer.of(0xe9), Buffer.from('.txt')]), 'Heron feathers float on the pond.\n');
    expect(await build()).toMatchObject({ files: 4, added: 4, failed: [] });
    expect((await searchPaths('heron feathers', 'bm25')).map(shownName)[0]).toBe('r\\xE9cits/caf\\xE9.txt');
    expect(await build()).toMatchObject({ files: 4, added: 0, unchanged: 4, removed: 0 });
  });

  it('finds documents with file, place, text, highlights and reasons', async () => {
    expect(await build()).toMatchObject({ files: 3, added: 3, changed: 0, unchanged: 0, removed: 0, failed: [] });
    const index = await openIndex(indexFolder, encoder);
    const { hits } = await index.search({ query: 'savings bank', k: 2 });
    index.dispose();
    expect(hits[0]).toMatchObject({ path: 'inner/money.md', title: 'Money', location: { line: 1, row: null }, direction: 'ltr' });
    const [hit] = hits;
    expect(hit?.highlights.filter(({ kind }) => kind === 'same-word').map(({ start, end }) => hit.text.slice(start, end))).toEqual(['savings', 'bank']);
    expect(hit?.reasons).toContainEqual({ kind: 'same-words', words: ['savings', 'bank'] });
    expect(hit?.reasons.some(({ kind }) => kind === 'similar-meaning')).toBe(true);
  });

  it('gives the row of a table', async () => {
    await build();
    const index = await openIndex(indexFolder, encoder);
    const { hits } = await index.search({ query: 'maji', method: 'bm25' });
    index.dispose();
    expect(hits).toHaveLength(1);
    expect(hits[0]?.location.row).not.toBeNull();
    expect(hits[0]?.text).toContain('maji');
  });

  it('embeds again only what changed, forgets what is gone', async () => {
    await build();
    await writeFile(join(documentsFolder, 'river.txt'), 'The lake shore was flat.\n');
    await writeFile(join(documentsFolder, 'new.txt'), 'A new mountain.\n');
    await rm(join(documentsFolder, 'list.csv'));
    let encoded = 0;
    const counting = { ...encoder, encodeDocuments: (texts: readonly string[]) => { encoded += texts.length; return encoder.encodeDocuments(texts); } };
    expect(await build({ encoder: counting })).toMatchObject({ files: 3, added: 1, changed: 1, unchanged: 1, removed: 1 });
    expect(encoded).toBe(2);
    expect(await searchPaths('steep', 'bm25')).toEqual([]);
    expect(await searchPaths('flat', 'bm25')).toEqual(['river.txt']);
    expect(await searchPaths('maji', 'bm25')).toEqual([]);
    expect(await build()).toMatchObject({ added: 0, changed: 0, unchanged: 3, removed: 0 });
  });

  it('answers empty, huge and punctuation queries', async () => {
    await build();
    const index = await openIndex(indexFolder, encoder);
    for (const query of ['', '   ', '?!… *"([', '\0', '\u{1F600}']) {
      for (const method of ['bm25', 'bm25-char', 'dense', 'hybrid'] as const) expect((await index.search({ query, method })).hits).toEqual([]);
    }
    expect((await index.search({ query: "'; DROP TABLE chunks; --", method: 'bm25' })).hits).toEqual([]);
    expect((await index.search({ query: 'bank '.repeat(20_000) })).hits[0]?.text).toContain('bank');
    index.dispose();
  });

  it('stands on a folder without documents', async () => {
    await rm(documentsFolder, { recursive: true });
    await mkdir(documentsFolder);
    expect(await build()).toMatchObject({ files: 0, chunks: 0 });
    expect(await searchPaths('bank')).toEqual([]);
  });

  it('names files that cannot be read and indexes the rest', async () => {
    await writeFile(join(documentsFolder, 'broken.txt'), Buffer.from('%PDF-1.7 \0\0\0 binary'));
    const { failed, files } = await build();
    expect(failed.map(({ path }) => path)).toEqual(['broken.txt']);
    expect(files).toBe(3);
  });

  it('splits a long file over batches and has all of it', async () => {
    const paragraphs = Array.from({ length: 900 }, (_, i) => `${'word '.repeat(190)}number${i}`);
    await writeFile(join(documentsFolder, 'long.txt'), paragraphs.join('\n\n'));
    const { vectors } = await build();
    expect(vectors).toBeGreaterThan(5000);
    expect(await searchPaths('number0 number450 number899', 'bm25')).toEqual(['long.txt', 'long.txt', 'long.txt']);
    const index = await openIndex(indexFolder, encoder);
    expect((await index.search({ query: 'number899', method: 'dense', k: 1 })).hits[0]?.text).toContain('number899');
    index.dispose();
    expect(await build()).toMatchObject({ unchanged: 4 });
  });
});

describe('an index of another model', () => {
  it('is recognised, both models named, and nothing changed', async () => {
    await build();
    const other = createHashEncoder({ width: 16, modelId: 'other-model' });
    await expect(openIndex(indexFolder, other)).rejects.toMatchObject({ code: 'index.other-model', message: expect.stringMatching(/hash-16[^]*other-model/) });
    await expect(build({ encoder: other })).rejects.toMatchObject({ family: 'input', code: 'index.other-model' });
    expect(await searchPaths('river', 'bm25')).toEqual(['river.txt']);
  });

  it('is made anew when asked', async () => {
    await build();
    const other = createHashEncoder({ width: 24, modelId: 'other-model' });
    expect(await build({ encoder: other, ifOtherModel: 'rebuild' })).toMatchObject({ added: 3 });
    const index = await openIndex(indexFolder, other);
    expect((await index.search({ query: 'river bank' })).hits[0]?.path).toBe('river.txt');
    index.dispose();
  });
});

describe('folders that are no index', () => {
  it('are refused and left as they are', async () => {
    await mkdir(indexFolder);
    await writeFile(join(indexFolder, 'thesis.docx'), 'precious');
    await expect(build()).rejects.toMatchObject({ code: 'index.not-an-index' });
    expect(await readdir(indexFolder)).toEqual(['thesis.docx']);
    await expect(openIndex(indexFolder, encoder)).rejects.toMatchObject({ code: 'index.missing' });
    await expect(openIndex(join(root, 'nowhere'), encoder)).rejects.toMatchObject({ code: 'index.missing' });
    await writeFile(join(indexFolder, 'index.json'), '{"format":"other"}');
    await expect(openIndex(indexFolder, encoder)).rejects.toMatchObject({ code: 'index.not-an-index' });
  });

  it('of a newer version are refused', async () => {
    await build();
    const path = join(indexFolder, 'index.json');
    await writeFile(path, JSON.stringify({ ...(JSON.parse(await readFile(path, 'utf8')) as object), version: 99 }));
    await expect(openIndex(indexFolder, encoder)).rejects.toMatchObject({ code: 'index.newer-version' });
  });

  it('a missing documents folder makes no index', async () => {
    await expect(build({ documentsFolder: join(root, 'nowhere') })).rejects.toMatchObject({ family: 'input' });
    expect(await readdir(root)).not.toContain('index');
  });
});

describe('damage', () => {
  const newestManifest = async (table: string): Promise<string> => {
    const folder = join(indexFolder, 'lance', `${table}.lance`, '_versions');
    const [newest] = (await readdir(folder)).filter((name) => name.endsWith('.manifest')).sort();
    return join(folder, newest ?? 'none');
  };

  it.each(['chunks', 'vectors'])('a zero-filled, cut or emptied newest manifest of %s loses nothing after the next build', async (table) => {
    for (const harm of [async (path: string) => writeFile(path, Buffer.alloc((await readFile(path)).length)), (path: string) => truncate(path, 10), (path: string) => truncate(path, 0)]) {
      await rm(indexFolder, { recursive: true, force: true });
      await build();
      await harm(await newestManifest(table));
      const index = await openIndex(indexFolder, encoder); // opens; what was lost is named or still there
      const { hits } = await index.search({ query: 'river', method: 'bm25' });
      expect(hits.length + index.missing.length).toBeGreaterThan(0);
      index.dispose();
      await build();
      expect(await searchPaths('river', 'bm25')).toEqual(['river.txt']);
      expect(await build()).toMatchObject({ unchanged: 3 });
    }
  });

  it('data files that are cut are told and made again', async () => {
    await build();
    const data = join(indexFolder, 'lance', 'chunks.lance', 'data');
    for (const name of await readdir(data)) await truncate(join(data, name), 20);
    await expect(openIndex(indexFolder, encoder)).rejects.toMatchObject({ family: 'environment', code: 'index.damaged' });
    await build();
    expect(await searchPaths('river', 'bm25')).toEqual(['river.txt']);
  });

  it('a torn journal line costs its batch only, which is indexed again', async () => {
    await build();
    const journal = join(indexFolder, 'journal.jsonl');
    await writeFile(journal, (await readFile(journal, 'utf8')).slice(0, -200));
    await build();
    expect(await searchPaths('river', 'bm25')).toEqual(['river.txt']);
    expect((await searchPaths('savings', 'bm25'))).toEqual(['inner/money.md']);
  });

  it('a lost table folder is made again', async () => {
    await build();
    await rename(join(indexFolder, 'lance', 'vectors.lance'), join(root, 'aside'));
    await build();
    expect(await searchPaths('river', 'dense')).toContain('river.txt');
  });
});

describe('vectors that are wrong', () => {
  it.each([['too few numbers', new Float32Array(10)], ['a number that is not finite', new Float32Array(16).fill(Number.NaN)]])('%s are refused before they are stored, the document is named, the others are found', async (_, vectors) => {
    const bad = { ...encoder, encodeDocuments: async (texts: readonly string[]) => (await encoder.encodeDocuments(texts)).map((good, i) => (texts[i]?.includes('river') === true ? vectors : good)) };
    const { failed, files } = await build({ encoder: bad });
    expect(failed).toMatchObject([{ path: 'river.txt', error: { code: 'index.bad-vector', family: 'input' } }]);
    expect(files).toBe(2);
    expect(await searchPaths('river', 'bm25')).toEqual([]);
    expect(await searchPaths('savings')).toContain('inner/money.md');
  });
});

describe('cancelling', () => {
  it('keeps what was there, and the next build goes on', async () => {
    await build();
    await writeFile(join(documentsFolder, 'new.txt'), 'A new mountain.\n');
    const controller = new AbortController();
    await expect(build({ signal: controller.signal, report: ({ phase }) => { if (phase === 'indexing') controller.abort(); } })).rejects.toThrow();
    expect(await searchPaths('river', 'bm25')).toEqual(['river.txt']);
    expect(await build()).toMatchObject({ files: 4 });
  });
});

describe('SIGKILL while indexing', () => {
  it('leaves an index that opens, and the next build has every document once', async () => {
    for (let i = 0; i < 60; i += 1) await writeFile(join(documentsFolder, `many${i}.txt`), Array.from({ length: 40 }, (_, p) => `document${i} paragraph${p} ${'filler '.repeat(150)}`).join('\n\n'));
    const script = `
      import { buildIndex } from ${JSON.stringify(new URL('./build-index.ts', import.meta.url).href)};
      import { createHashEncoder } from ${JSON.stringify(new URL('./hash-encoder.ts', import.meta.url).href)};
      await buildIndex({ encoder: createHashEncoder({ width: 16 }), documentsFolder: ${JSON.stringify(documentsFolder)}, indexFolder: ${JSON.stringify(indexFolder)}, signal: new AbortController().signal, report: ({ phase, done }) => process.stdout.write(phase + ' ' + done + '\\n') });
      process.stdout.write('built 0\\n');`;
    const killedAt: string[] = [];
    for (const moment of ['indexing 25', 'indexing 45', 'finishing 0']) {
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (bytes: Buffer) => {
          said += bytes.toString();
          if (said.includes(`${moment}\n`)) child.kill('SIGKILL');
        });
        child.on('exit', () => resolve());
      });
      if (!said.includes('built')) killedAt.push(moment);
      const index = await openIndex(indexFolder, encoder);
      expect(index.missing).toEqual([]);
      index.dispose();
    }
    expect(killedAt.length).toBeGreaterThan(0);
    const summary = await build();
    expect(summary.files).toBe(63);
    expect(summary.unchanged).toBeGreaterThan(0); // batches from before the kills were kept
    const index = await openIndex(indexFolder, encoder);
    for (const i of [0, 30, 59]) expect((await index.search({ query: `document${i} paragraph7`, method: 'bm25', k: 1 })).hits[0]?.path).toBe(`many${i}.txt`);
    expect(index.chunks).toBe(summary.chunks);
    index.dispose();
  });
});

describe('places where one cannot write', () => {
  const canMount = process.platform === 'linux' && process.getuid?.() === 0 && canMountHere();

  it.skipIf(!canMount)('a full disk is told, what was indexed stays, and once there is space the build goes on', async () => {
    const disk = join(root, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]);
    try {
      indexFolder = join(disk, 'index');
      await build();
      for (let i = 0; i < 40; i += 1) await writeFile(join(documentsFolder, `many${i}.txt`), Array.from({ length: 200 }, (_, p) => `document${i} paragraph${p} ${'filler '.repeat(120)}`).join('\n\n'));
      await expect(build()).rejects.toMatchObject({ family: 'environment', code: 'disk.full' });
      expect(await searchPaths('river', 'bm25')).toEqual(['river.txt']);
      execFileSync('mount', ['-o', 'remount,size=64m', disk]);
      expect(await build()).toMatchObject({ files: 43 });
      expect((await searchPaths('document39 paragraph5', 'bm25'))[0]).toBe('many39.txt');
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it.skipIf(!canMount)('a read-only index still searches; building into it says that it is read-only', async () => {
    const disk = join(root, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]);
    try {
      indexFolder = join(disk, 'index');
      await build();
      execFileSync('mount', ['-o', 'remount,ro', disk]);
      expect(await searchPaths('river', 'hybrid')).toContain('river.txt');
      await writeFile(join(documentsFolder, 'new.txt'), 'A new mountain.');
      await expect(build()).rejects.toMatchObject({ family: 'environment', code: 'disk.no-permission' });
      await expect(build({ indexFolder: join(disk, 'other') })).rejects.toMatchObject({ family: 'environment', code: 'disk.no-permission' });
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it('a copy of an index works in another place', async () => {
    await build();
    await cp(indexFolder, join(root, 'copy'), { recursive: true });
    await rm(indexFolder, { recursive: true });
    indexFolder = join(root, 'copy');
    expect(await searchPaths('river', 'bm25')).toEqual(['river.txt']);
  });
});

describe('search across languages', () => {
  it('finds by translated words, says which, and marks them', async () => {
    const pairs = [['maji ya mto', 'water of river'], ['moto mkali', 'fierce fire'], ['maji safi', 'clean water'], ['moto wa mto', 'fire of river'], ['maji mkali', 'fierce water']].map(([source = '', target = '']) => ({ source, target, weight: 1 }));
    const table = openTranslationTable(await trainTranslationTable({ pairs, sourceLanguage: 'sw', targetLanguage: 'en' }));
    const back = openTranslationTable(await trainTranslationTable({ pairs: pairs.map(({ source, target, weight }) => ({ source: target, target: source, weight })), sourceLanguage: 'en', targetLanguage: 'sw' }));
    const bilingual = createHashEncoder({ width: 16, languages: [{ tag: 'en', pairs: 0, sentences: 0 }, { tag: 'sw', pairs: 5, sentences: 0 }], tables: [table, back] });
    await rm(documentsFolder, { recursive: true });
    await mkdir(documentsFolder);
    await writeFile(join(documentsFolder, 'a.txt'), 'clean water');
    await writeFile(join(documentsFolder, 'b.txt'), 'fierce fire');
    await build({ encoder: bilingual });
    const index = await openIndex(indexFolder, bilingual);
    const { hits, queryLanguage } = await index.search({ query: 'maji', method: 'translated' });
    expect(queryLanguage).toBe('sw');
    expect(hits[0]?.path).toBe('a.txt');
    expect(hits[0]?.reasons).toContainEqual({ kind: 'translated-words', words: expect.arrayContaining([{ query: 'maji', document: 'water' }]) });
    expect(hits[0]?.highlights).toContainEqual({ start: 6, end: 11, kind: 'translated-word' });
    expect((await index.search({ query: 'moto', method: 'translated' })).hits[0]?.path).toBe('b.txt');
    index.dispose();
  });
});
