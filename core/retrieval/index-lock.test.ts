/** Are two runs on one index kept apart, and is a run that died no obstacle? */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InputError } from '../base/errors.ts';
import { buildIndex } from './build-index.ts';
import { createHashEncoder } from './hash-encoder.ts';
import { lockIndex } from './index-lock.ts';

/** Above what any system gives to a process. */
const NO_PROCESS = 2 ** 30;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-index-lock-'));
  await mkdir(join(folder, 'documents'));
  await writeFile(join(folder, 'documents', 'a.txt'), 'The boat brings books to the island.\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const index = () => buildIndex({ encoder: createHashEncoder({ width: 32 }), documentsFolder: join(folder, 'documents'), indexFolder: join(folder, 'index'), signal: new AbortController().signal });

describe('an index that is brought up to date', () => {
  it('is refused to another run, which is told who is at it, and free again afterwards', async () => {
    const lock = await lockIndex(join(folder, 'index'));
    const refused: unknown = await index().catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(InputError);
    expect(refused).toMatchObject({ code: 'index.already-running' });
    expect(String(refused)).toContain(`process ${process.pid}`);
    expect(await readdir(folder)).not.toContain('index');
    await lock[Symbol.asyncDispose]();
    expect(await index()).toMatchObject({ files: 1 });
    expect((await readdir(folder)).filter((name) => name.includes('lock'))).toEqual([]);
  });

  it('lets exactly one of two runs at a time through', async () => {
    const ends = await Promise.allSettled([index(), index()]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await index()).toMatchObject({ files: 1, unchanged: 1 });
  });

  it('is taken over from a process that has died', async () => {
    await writeFile(join(folder, '.index.lock'), `${JSON.stringify({ pid: NO_PROCESS, host: hostname(), since: Date.now() })}\n`);
    expect(await index()).toMatchObject({ files: 1 });
  });
});
