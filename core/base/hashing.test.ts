import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256, sha256OfFile } from './hashing.ts';
import { temporaryFolder } from './test-disks.ts';

const OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'; // FIPS 180-4, example 1

describe('sha256', () => {
  it('has the value of the standard, for texts and bytes', () => {
    expect(sha256('abc')).toBe(OF_ABC);
    expect(sha256(Uint8Array.of(97, 98, 99))).toBe(OF_ABC);
    expect(sha256('ñ')).toBe(sha256(Uint8Array.of(0xc3, 0xb1))); // UTF-8
  });

  it('is the same of a file, also of one larger than a piece of the stream', async () => {
    using folder = temporaryFolder();
    const bytes = new Uint8Array(300_000).map((_, i) => i % 251);
    await writeFile(join(folder.path, 'large'), bytes);
    await writeFile(join(folder.path, 'abc'), 'abc');
    expect(await sha256OfFile(join(folder.path, 'abc'))).toBe(OF_ABC);
    expect(await sha256OfFile(join(folder.path, 'large'))).toBe(sha256(bytes));
  });

  it('stops when it is cancelled', async () => {
    using folder = temporaryFolder();
    await writeFile(join(folder.path, 'abc'), 'abc');
    await expect(sha256OfFile(join(folder.path, 'abc'), AbortSignal.abort())).rejects.toThrow(/abort/i);
  });
});
