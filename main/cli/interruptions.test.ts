/** Facts about what gets in the way of a command: full and read-only disks, kills, another model. What was there before stays whole, and going on finishes. */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../core/base/hashing.ts';
import { readOnlyFolder, smallDisk, temporaryFolder, type TestFolder } from '../../core/base/test-disks.ts';
import { expectRefusal, PROGRAM, resultOf, run, runHere, runUntil, SAMPLE_PAIRS, startProcess, writeCorpora, writeRecipe } from './test-program.ts';

const KILLED = { code: null, stdout: '' };
const DISK_BYTES = 2 ** 20;
const PAGE_BYTES = 4096;
const NO_DISK = 'no right to mount a small disk here';
/** Enough windows for several batches of an index. */
const MANY = { files: 48, copies: 60 }; // several batches

let temporary: TestFolder;
const at = (...names: string[]): string => join(temporary.path, ...names);

const train = (recipe: string, out: string, ...more: string[]): readonly string[] => ['train', '--recipe', at(recipe), '--out', out, '--threads', '1', ...more, '--json'];
const index = (target: string, documents = at('documents'), model = at('model')): readonly string[] => ['index', '--model', model, '--documents', documents, '--index', target, '--json'];

/** How well a model finds the sample's translations: the same numbers, the same model. */
async function measure(model: string): Promise<unknown> {
  const result = resultOf(await runHere(['evaluate', '--task', 'pairs', '--model', model, '--source', at('a.en'), '--target', at('a.sw'), '--json']));
  expect(result).toMatchObject({ pairs: SAMPLE_PAIRS.length });
  return result;
}

/** The paths of the first hits. */
async function search(target: string, query: string): Promise<readonly string[]> {
  const hits = resultOf(await runHere(['search', '--index', target, '--query', query, '--k', '3', '--json'])) as { readonly path: string }[];
  expect(hits.length).toBeGreaterThan(0);
  return hits.map(({ path }) => path);
}

/** Leaves less than `bytes` free on the disk. */
function fill(disk: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - bytes));
}

/** The hash of each file. */
const bytesOf = (folder: string): Readonly<Record<string, string>> => Object.fromEntries(readdirSync(folder).sort().map((name) => [name, sha256(readFileSync(join(folder, name)))]));
/** Of a model without the description, which says when it was made. */
const numbersOf = (model: string): Readonly<Record<string, string>> => {
  const { 'model.json': description, ...numbers } = bytesOf(model);
  expect([description, numbers['token-table.f16']]).toEqual([expect.any(String), expect.any(String)]);
  return numbers;
};
const leftovers = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('.'));

beforeAll(async () => {
  temporary = temporaryFolder();
  writeCorpora(temporary.path);
  writeFileSync(at('a.en'), SAMPLE_PAIRS.map(([english]) => `${english}\n`).join(''));
  writeFileSync(at('a.sw'), SAMPLE_PAIRS.map(([, swahili]) => `${swahili}\n`).join(''));
  writeRecipe(temporary.path, 'recipe.json');
  writeRecipe(temporary.path, 'other.json', { seed: 2 });
  writeRecipe(temporary.path, 'longer.json', { budget: { steps: 400 } });
  mkdirSync(at('documents'));
  SAMPLE_PAIRS.slice(0, 6).forEach(([english], i) => writeFileSync(at('documents', `${i}.txt`), `${english}\n`));
  writeFileSync(at('documents', 'ferry.txt'), 'the ferry carries honey\n');
  resultOf(await runHere(train('recipe.json', at('model'))));
  resultOf(await runHere(index(at('index'))));
});
afterAll(() => temporary[Symbol.dispose]());

describe('a full disk', () => {
  it('keeps the older model, names the folder, and a later run finishes', async (context) => {
    using disk = smallDisk(DISK_BYTES);
    if (disk === null) return context.skip(NO_DISK);
    const model = join(disk.path, 'model');
    cpSync(at('model'), model, { recursive: true });
    fill(disk.path, 4 * PAGE_BYTES);
    const end = await run(train('other.json', model));
    expectRefusal(end, 1, [/model: the disk is full; nothing that was there before is lost\. Free some space/]);
    expect(end.stderr).toMatch(/The state could not be saved at step 4: .*model\.training.*: the disk is full.*Training goes on/);
    expect(bytesOf(model)).toEqual(bytesOf(at('model')));
    expect(leftovers(disk.path)).toEqual([]);
    rmSync(join(disk.path, 'filler'));
    expect(resultOf(await runHere(train('other.json', model, '--resume')))).toMatchObject({ steps: 4 });
    expect(numbersOf(model)).not.toEqual(numbersOf(at('model')));
    expect(readdirSync(disk.path)).toEqual(['model']);
  });

  it('keeps an index that is searched, names the folder, and indexing again has everything', async (context) => {
    using disk = smallDisk(DISK_BYTES);
    if (disk === null) return context.skip(NO_DISK);
    const [documents, target] = [at('more-documents'), join(disk.path, 'index')];
    cpSync(at('documents'), documents, { recursive: true });
    resultOf(await runHere(index(target, documents)));
    writeFileSync(join(documents, 'pairs.tsv'), readFileSync(at('pairs.tsv')));
    writeFileSync(join(documents, 'owl.txt'), 'the owl sleeps in the tower\n');
    fill(disk.path, 2 * PAGE_BYTES);
    expectRefusal(await run(index(target, documents)), 1, [/index.*: the disk is full; nothing that was there before is lost/]);
    expect(await search(target, 'ferry with honey')).toContain('ferry.txt');
    rmSync(join(disk.path, 'filler'));
    expect(resultOf(await runHere(index(target, documents)))).toMatchObject({ files: 9, added: 2, unchanged: 7 });
    expect((await search(target, 'owl in the tower'))[0]).toBe('owl.txt');
    expect((await search(target, 'ferry with honey'))[0]).toBe('ferry.txt');
  });
});

describe('a read-only folder', () => {
  it('is named, and what is in it works on', async (context) => {
    using closed = readOnlyFolder((path) => {
      for (const name of ['model', 'index']) cpSync(at(name), join(path, name), { recursive: true });
      if (process.getuid?.() !== 0) chmodSync(join(path, 'index'), 0o555);
    });
    if (closed === null) return context.skip('no way to make a folder read-only here');
    const sentence = new RegExp(`${closed.path}.*: Isogloss may not write or read here \\(E[A-Z]+\\)\\. Choose another folder`);
    writeFileSync(at('documents', 'late.txt'), 'a late arrival\n');
    try {
      for (const args of [train('other.json', join(closed.path, 'model')), train('other.json', join(closed.path, 'new', 'model')), index(join(closed.path, 'new'))]) expectRefusal(await run(args), 1, [sentence]);
      expectRefusal(await run(index(join(closed.path, 'index'))), 1, [new RegExp(`${closed.path}/index.*: Isogloss may not write or read here`)]);
    } finally {
      rmSync(at('documents', 'late.txt'));
      if (process.getuid?.() !== 0) chmodSync(join(closed.path, 'index'), 0o755);
    }
    expect(await measure(join(closed.path, 'model'))).toEqual(await measure(at('model')));
    expect(await search(join(closed.path, 'index'), 'ferry with honey')).toContain('ferry.txt');
  });
});

describe('a kill', () => {
  it('of training before anything was saved loses nothing: the older model stays, and --resume begins again and finishes', async () => {
    const model = at('killed-early');
    cpSync(at('model'), model, { recursive: true });
    expect(await runUntil(train('longer.json', model), 'training: ', 'SIGKILL')).toMatchObject(KILLED);
    expect(bytesOf(model)).toEqual(bytesOf(at('model')));
    const end = await runHere(train('longer.json', model, '--resume'));
    expect(resultOf(end)).toMatchObject({ steps: 400 });
    expect(end.stderr).toMatch(/There is no saved state of this recipe and these files; training starts at the beginning/);
  });

  it('of training after its state was saved loses nothing: --resume ends with the same bytes as a run without a kill', async () => {
    const model = at('killed-late');
    expect(await runUntil(train('longer.json', model), 'finishing: ', 'SIGKILL')).toMatchObject(KILLED);
    expect(existsSync(model)).toBe(false);
    expect(readdirSync(`${model}.training`)).toEqual(['step-000000400']);
    const end = await runHere(train('longer.json', model, '--resume'));
    expect(resultOf(end)).toMatchObject({ steps: 400 });
    expect(end.stderr).not.toMatch(/no saved state/);
    expect(numbersOf(model)).toEqual(numbersOf(at('killed-early')));
    expect(readdirSync(temporary.path).filter((name) => name.includes('killed-late'))).toEqual(['killed-late']);
  });

  it('of indexing leaves an index that is searched, and indexing again has every document once', async () => {
    const [documents, target] = [at('many'), at('killed-index')];
    cpSync(at('documents'), documents, { recursive: true });
    resultOf(await runHere(index(target, documents)));
    const lines = readFileSync(at('a.en'), 'utf8');
    for (let file = 0; file < MANY.files; file += 1) writeFileSync(join(documents, `many-${file}.txt`), `document ${file}\n\n${lines.repeat(MANY.copies)}`);
    writeFileSync(join(documents, 'zebra.txt'), 'the zebra drinks at noon\n');
    const journal = join(target, 'journal.jsonl');
    const before = statSync(journal).size;
    const running = startProcess([...PROGRAM, ...index(target, documents)]);
    while (!running.hasEnded() && statSync(journal).size === before) await wait(1); // a batch more is in
    running.kill('SIGKILL');
    expect(await running.end).toMatchObject(KILLED);
    expect(await search(target, 'ferry with honey')).toContain('ferry.txt');
    const files = readdirSync(documents).length;
    const built = resultOf(await runHere(index(target, documents))) as Record<string, number>;
    expect(built).toMatchObject({ files, failed: [], repaired: 0 });
    expect(built['unchanged']).toBeGreaterThan(7); // what was in before, and the batch before the kill
    expect(built['added']).toBeGreaterThan(0);
    expect((await search(target, 'zebra at noon'))[0]).toBe('zebra.txt');
    expect((await search(target, 'ferry with honey'))[0]).toBe('ferry.txt');
  });

  it('by Ctrl-C cancels indexing: exit 130, and what was there is searched', async () => {
    const target = at('cancelled-index');
    cpSync(at('index'), target, { recursive: true });
    const end = await runUntil(index(target, at('many')), 'indexing: ', 'SIGINT');
    expectRefusal(end, 130, [/Cancelled\.\n$/]);
    expect(await search(target, 'ferry with honey')).toContain('ferry.txt');
  });
});

describe('a reader', () => {
  const searching = [...PROGRAM, 'search', '--query', 'ferry with honey', '--json', '--index'];

  it.skipIf(process.platform === 'win32')('that leaves early is no fault, and training goes on when nobody reads its progress', async () => {
    const early = await startProcess(['sh', '-c', '"$@" | true', 'sh', ...searching, at('index')]).end;
    expect(early).toEqual({ code: 0, stdout: '', stderr: '' });
    const model = at('unwatched');
    await startProcess(['sh', '-c', '"$@" 2>&1 >/dev/null | true', 'sh', ...PROGRAM, ...train('recipe.json', model)]).end;
    expect(numbersOf(model)).toEqual(numbersOf(at('model')));
  });

  it.skipIf(!existsSync('/dev/full'))('on a full disk is told in a sentence', async () => {
    expectRefusal(await startProcess(['sh', '-c', '"$@" >/dev/full', 'sh', ...searching, at('index')]).end, 1, [/^standard output: the disk is full/]);
  });
});

describe('another model', () => {
  it('than the one that made an index is told, names both and the way out; nothing changes until --rebuild is said', async () => {
    const [model, target] = [at('replaced'), at('index-of-replaced')];
    cpSync(at('model'), model, { recursive: true });
    resultOf(await runHere(index(target, at('documents'), model)));
    const before = bytesOf(join(target, 'lance', 'chunks.lance', 'data'));
    resultOf(await runHere(train('other.json', model))); // the model of this index is no more
    const sentence = /index-of-replaced: this index was made by model .*replaced.*, expected model .* --rebuild/;
    expectRefusal(await runHere(['search', '--index', target, '--query', 'ferry', '--json']), 2, [sentence]);
    expectRefusal(await runHere(index(target, at('documents'), model)), 2, [sentence]);
    expect(bytesOf(join(target, 'lance', 'chunks.lance', 'data'))).toEqual(before);
    renameSync(model, at('moved'));
    expectRefusal(await runHere(['search', '--index', target, '--query', 'ferry', '--json']), 2, [/index-of-replaced: expected the model that made this index at .*replaced, found none\. Name its new place with --model/]);
    renameSync(at('moved'), model);
    expect(resultOf(await runHere([...index(target, at('documents'), model), '--rebuild']))).toMatchObject({ files: 7, added: 7 });
    expect((await search(target, 'ferry with honey'))[0]).toBe('ferry.txt');
  });
});
