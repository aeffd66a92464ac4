/** Faults of reliability.md, section 4, that a store must stand: each named by its number there. */
import { cp, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testModel } from '../encoding/test-models.ts';
import { createStaticEncoder } from '../encoding/static-encoder.ts';
import { buildIndex } from './build-index.ts';
import { createHashEncoder } from './hash-encoder.ts';
import { openIndex } from './open-index.ts';
import { segmentsFolder } from './segments/segment-folder.ts';
import { damagedFiles } from './store/seal.ts';
import { retryConflicts } from './store/retry-conflicts.ts';

const hash = createHashEncoder({ width: 16 });
const signal = new AbortController().signal;
let root = '';
let documentsFolder = '';
let indexFolder = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'isogloss-faults-'));
  documentsFolder = join(root, 'documents');
  indexFolder = join(root, 'index');
  await mkdir(documentsFolder);
  for (let i = 0; i < 12; i += 1) await writeFile(join(documentsFolder, `text${i}.txt`), `the river number${i} is wide after the rain\n\nthey carry clean water from the well\n`);
});

afterEach(() => rm(root, { recursive: true, force: true }));

const build = (over: Partial<Parameters<typeof buildIndex>[0]> = {}) => buildIndex({ encoder: hash, documentsFolder, indexFolder, signal, ...over });

async function find(query: string, encoder = hash): Promise<{ readonly paths: readonly string[]; readonly notices: readonly string[] }> {
  const index = await openIndex(indexFolder, encoder);
  try {
    return { paths: (await index.search({ query, method: 'bm25' })).hits.map(({ path }) => path), notices: index.notices.map(({ kind }) => kind) };
  } finally {
    index.dispose();
  }
}

const onlyFile = async (folder: string): Promise<string> => {
  const [name] = await readdir(folder);
  if (name === undefined) throw new Error(`${folder} is empty`);
  return join(folder, name);
};

/** Turns over the bits of one byte. */
async function flip(path: string, at: number): Promise<void> {
  await using file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 0xff;
  await file.write(byte, 0, 1, at);
}

describe('38: search files (segments)', () => {
  it.each(['removed', 'cut off', 'emptied', 'zero-filled'])('that are %s are made again in memory, which is told, and on the disk by the next build', async (harm) => {
    await build();
    const path = await onlyFile(segmentsFolder(indexFolder));
    const bytes = await readFile(path);
    if (harm === 'removed') await rm(path);
    else await writeFile(path, harm === 'cut off' ? bytes.subarray(0, bytes.length / 2) : Buffer.alloc(harm === 'emptied' ? 0 : bytes.length));
    expect(await find('number7')).toEqual({ paths: ['text7.txt'], notices: ['search-files-rebuilt'] });
    expect(await build()).toMatchObject({ unchanged: 12 });
    expect(await find('number7')).toEqual({ paths: ['text7.txt'], notices: [] });
  });

  it('with a byte turned over anywhere never answer wrongly: the damage is mended at opening, or said and mended by the next build', async () => {
    await build();
    const path = await onlyFile(segmentsFolder(indexFolder));
    const { size } = await stat(path);
    const whole = await readFile(path);
    let told = 0;
    for (let k = 0; k < 40; k += 1) {
      await writeFile(path, whole);
      await flip(path, Math.floor((k * size) / 40));
      const found = await find('number7').catch((thrown: { code?: string }) => thrown.code);
      if (typeof found === 'string') expect(found).toBe('index.damaged-segment');
      else expect(found?.paths).toEqual(['text7.txt']);
      if (typeof found === 'string' || (found?.notices.length ?? 0) > 0) told += 1;
    }
    expect(told).toBeGreaterThan(10);
    await build({ check: 'thorough' });
    expect(await find('number7')).toEqual({ paths: ['text7.txt'], notices: [] });
  });
});

describe('38: data files of LanceDB', () => {
  it('with a turned byte are found by their sums, and a thorough build makes everything again', async () => {
    await build();
    expect(await damagedFiles(indexFolder)).toEqual([]);
    const path = await onlyFile(join(indexFolder, 'lance', 'chunks.lance', 'data'));
    await flip(path, 40);
    expect(await damagedFiles(indexFolder)).toHaveLength(1);
    expect(await build({ check: 'thorough' })).toMatchObject({ added: 12 });
    expect(await damagedFiles(indexFolder)).toEqual([]);
    expect((await find('number3')).paths).toEqual(['text3.txt']);
  });
});

describe('39: an index of vectors that is gone', () => {
  it('is done without, and made again by the next build', async () => {
    for (let i = 0; i < 60; i += 1) await writeFile(join(documentsFolder, `more${i}.txt`), Array.from({ length: 100 }, (_, p) => `document${i} paragraph${p} ${'filler '.repeat(110)}`).join('\n\n'));
    expect((await build()).vectors).toBeGreaterThan(5000);
    const indexes = join(indexFolder, 'lance', 'vectors.lance', '_indices');
    expect((await readdir(indexes)).length).toBeGreaterThan(0);
    for (const name of await readdir(indexes)) await rm(join(indexes, name), { recursive: true });
    const search = async (exactNumbers: number): Promise<string | undefined> => {
      const index = await openIndex(indexFolder, hash, { exactNumbers });
      try {
        return (await index.search({ query: 'document41 paragraph7', method: 'dense', k: 1 })).hits[0]?.score.toFixed(2);
      } finally {
        index.dispose();
      }
    };
    const exact = await search(Infinity);
    expect(exact).toBeDefined();
    expect(await search(1)).toBe(exact);
    await build();
    expect((await readdir(indexes)).length).toBeGreaterThan(0);
    expect(await search(1)).toBe(exact);
  });
});

describe('43: a conflict of two writers', () => {
  it('is tried again, five times at most', async () => {
    const waits: number[] = [];
    const wait = (ms: number): Promise<void> => {
      waits.push(ms);
      return Promise.resolve();
    };
    let calls = 0;
    const failing = (times: number) => (): Promise<string> => {
      calls += 1;
      return calls <= times ? Promise.reject(new Error('Retryable commit conflict for version 7: preempted by concurrent transaction')) : Promise.resolve('done');
    };
    expect(await retryConflicts(failing(3), wait)).toBe('done');
    expect(waits.map((ms, i) => ms > (waits[i - 1] ?? 0))).toEqual([true, true, true]);
    calls = 0;
    await expect(retryConflicts(failing(9), wait)).rejects.toThrow('conflict');
    expect(calls).toBe(5);
    calls = 0;
    await expect(retryConflicts(() => Promise.reject(new Error('disk on fire')), wait)).rejects.toThrow('fire');
  });
});

describe('44: keys', () => {
  it('are unique, also for files of one content', async () => {
    await writeFile(join(documentsFolder, 'copy.txt'), await readFile(join(documentsFolder, 'text1.txt')));
    await build();
    const index = await openIndex(indexFolder, hash);
    const { hits } = await index.search({ query: 'river', k: 100, method: 'bm25' });
    index.dispose();
    expect(hits).toHaveLength(13);
    expect(new Set(hits.map(({ chunkId }) => chunkId)).size).toBe(13);
  });
});

describe('45: an index of an older version', () => {
  it('is not searched, but made anew from the documents, and kept aside until then', async () => {
    await build();
    const manifest = join(indexFolder, 'index.json');
    await writeFile(manifest, JSON.stringify({ ...(JSON.parse(await readFile(manifest, 'utf8')) as object), version: 1 }));
    await expect(openIndex(indexFolder, hash)).rejects.toMatchObject({ family: 'input', code: 'index.older-version' });
    const controller = new AbortController();
    await expect(build({ signal: controller.signal, report: ({ phase }) => { if (phase === 'indexing') controller.abort(); } })).rejects.toThrow();
    expect(await readdir(join(indexFolder, 'older-version'))).toEqual(expect.arrayContaining(['journal.jsonl', 'lance']));
    expect(await build()).toMatchObject({ added: 12 });
    expect(await readdir(indexFolder)).not.toContain('older-version');
    expect((await find('number3')).paths).toEqual(['text3.txt']);
  });
});

describe('46: a disk that goes away while the library is open', () => {
  it('is said', async () => {
    await build();
    const index = await openIndex(indexFolder, hash);
    await rename(indexFolder, join(root, 'elsewhere'));
    await expect(index.search({ query: 'river' })).rejects.toMatchObject({ family: 'environment' });
    index.dispose();
  });
});

describe('an encoder whose vectors are sums over tokens', () => {
  it('keeps no vectors, finds what the vectors would find, and survives the loss of its search files', async () => {
    const encoder = createStaticEncoder(await testModel(), 'static');
    expect((await build({ encoder })).vectors).toBeGreaterThan(12); // windows too
    expect(await readdir(join(indexFolder, 'lance', 'vectors.lance'))).not.toContain('data');
    const dense = async (): Promise<readonly (readonly [string, number])[]> => {
      const index = await openIndex(indexFolder, encoder);
      try {
        return (await index.search({ query: 'they carry clean water', method: 'dense', k: 20 })).hits.map(({ path, score }) => [path, score] as const);
      } finally {
        index.dispose();
      }
    };
    const found = await dense();
    const query = await encoder.encode(['they carry clean water'], 'query');
    for (const [path, score] of found) {
      const [rows = new Float32Array(0)] = await encoder.encodeDocuments([(await readFile(join(documentsFolder, path), 'utf8')).trim()]);
      const cosines = Array.from({ length: rows.length / 16 }, (_, r) => query.reduce((sum, value, k) => sum + value * (rows[16 * r + k] ?? 0), 0));
      expect(score).toBeCloseTo(Math.max(...cosines), 4);
    }
    expect(found).toHaveLength(12);
    await cp(segmentsFolder(indexFolder), join(root, 'kept'), { recursive: true });
    await rm(segmentsFolder(indexFolder), { recursive: true });
    expect((await dense()).map(([, score]) => score.toFixed(4))).toEqual(found.map(([, score]) => score.toFixed(4)));
  });
});
