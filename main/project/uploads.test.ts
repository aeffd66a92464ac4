/** Facts about dropped files. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UPLOAD_LIMIT_BYTES } from '../contract/limits.ts';
import { receivePiece, safeFileName } from './uploads.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'isogloss-uploads-')), 'incoming');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const piece = (text: string, offset: number, totalBytes: number, name = 'a.tsv') => receivePiece({ folder, upload: 'u-1', name, offset, totalBytes, bytes: Buffer.from(text) });

describe('a dropped file', () => {
  it('is whole when its last piece has come, and not seen before', async () => {
    expect(await piece('abc', 0, 6)).toEqual({ status: 'receiving', receivedBytes: 3 });
    expect((await readdir(folder)).filter((name) => !name.startsWith('.'))).toEqual([]);
    expect(await piece('def', 3, 6)).toEqual({ status: 'complete', path: join(folder, 'a.tsv'), sizeBytes: 6 });
    expect(await readFile(join(folder, 'a.tsv'), 'utf8')).toBe('abcdef');
    expect(await readdir(folder)).toEqual(['a.tsv']);
  });

  it('does not overwrite one of the same name', async () => {
    await piece('one', 0, 3, 'x.en-sw.tsv');
    expect(await piece('two', 0, 3, 'x.en-sw.tsv')).toMatchObject({ path: join(folder, 'x-2.en-sw.tsv') });
    expect(await readFile(join(folder, 'x.en-sw.tsv'), 'utf8')).toBe('one');
  });

  it('with a lost piece is refused and leaves nothing behind', async () => {
    await piece('abc', 0, 9);
    await expect(piece('ghi', 6, 9)).rejects.toMatchObject({ code: 'upload.out-of-order' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('that is empty is a file too', async () => {
    expect(await piece('', 0, 0)).toMatchObject({ status: 'complete', sizeBytes: 0 });
  });

  it('that is too large is refused before anything is written', async () => {
    await expect(piece('a', 0, UPLOAD_LIMIT_BYTES + 1)).rejects.toMatchObject({ code: 'upload.too-large' });
    await expect(piece('abc', 0, 2)).rejects.toMatchObject({ code: 'upload.too-large' });
    await expect(readdir(folder)).rejects.toThrow();
  });
});

describe('its name', () => {
  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\windows\\a.tsv', 'a.tsv'],
    ['.hidden', 'hidden'],
    ['a\u202Egnp.tsv', 'a_gnp.tsv'],
    ['a\nb:c?.tsv', 'a_b_c_.tsv'],
    ['ภาษา.txt', 'ภาษา.txt'],
    ['trailing. ', 'trailing'],
  ])('%j becomes %j', (given, expected) => {
    expect(safeFileName(given)).toBe(expected);
  });

  it.each(['', '/', '...', 'CON', 'nul.txt', 'a/..'])('%j is refused', (given) => {
    expect(() => safeFileName(given)).toThrow(/works on every computer/);
  });
});
