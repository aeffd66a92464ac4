import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { seededRandom } from '../base/random.ts';
import { readStarterFolder, writeStarterFolder, type Starter } from './starter-folder.ts';
import { testVocabulary } from './test-models.ts';

async function starter(): Promise<Starter> {
  const vocabulary = await testVocabulary();
  const random = seededRandom(1, 'starter test');
  const width = 24;
  const rows = Float32Array.from({ length: vocabulary.pieces.length * width }, () => random.normal());
  rows.fill(0, 5 * width, 6 * width); // a row of zeros
  return {
    language: 'en', width, vocabulary, rows,
    weights: Float32Array.from(vocabulary.pieces, () => random.next()),
    mean: Float32Array.from({ length: width }, () => random.normal()),
    scale: Float32Array.from({ length: width }, () => random.next()),
  };
}

const write = (folder: string, value: Starter): Promise<void> => writeStarterFolder(folder, value, { training: { seed: 1 }, readme: '# A starter\n' });

describe('a starter folder', () => {
  it('gives back the starter, its rows within half a 127th of the largest number of each', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'starter');
    const value = await starter();
    await write(path, value);
    const { rows, ...rest } = await readStarterFolder(path);
    const { rows: original, ...expected } = value;
    expect(rest).toEqual(expected);
    for (let r = 0; r < value.vocabulary.pieces.length; r += 1) {
      const row = original.subarray(r * value.width, (r + 1) * value.width);
      const bound = (Math.max(...row.map(Math.abs)) / 127 / 2) * 1.0001;
      row.forEach((number, i) => { expect(Math.abs((rows[r * value.width + i] ?? Number.NaN) - number)).toBeLessThanOrEqual(bound); });
    }
    expect(await readFile(join(path, 'README.md'), 'utf8')).toBe('# A starter\n');
    expect((await readFile(join(path, 'rows.i8'))).length).toBe(original.length);
  });

  it('of a narrower width is the leading columns', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'starter');
    await write(path, await starter());
    const whole = await readStarterFolder(path);
    const narrow = await readStarterFolder(path, 7);
    expect(narrow.width).toBe(7);
    for (let r = 0; r < whole.vocabulary.pieces.length; r += 1) expect(narrow.rows.subarray(r * 7, (r + 1) * 7)).toEqual(whole.rows.subarray(r * 24, r * 24 + 7));
    expect([narrow.mean, narrow.scale, narrow.weights]).toEqual([whole.mean.subarray(0, 7), whole.scale.subarray(0, 7), whole.weights]);
  });

  it('is refused when it is too narrow, damaged, incomplete, missing or something else', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'starter');
    await write(path, await starter());
    await expect(readStarterFolder(path, 25)).rejects.toMatchObject({ code: 'starter.too-narrow', message: expect.stringContaining('width 24, the recipe asks for 25') });
    const files = (await readdir(path)).filter((name) => !['starter.json', 'README.md'].includes(name));
    expect(files).toHaveLength(5);
    for (const name of files) {
      const bytes = await readFile(join(path, name));
      await writeFile(join(path, name), Uint8Array.from(bytes, (byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte)));
      await expect(readStarterFolder(path)).rejects.toMatchObject({ code: 'starter.damaged', message: expect.stringContaining(name) });
      await writeFile(join(path, name), bytes);
    }
    await rm(join(path, 'rows.i8'));
    await expect(readStarterFolder(path)).rejects.toMatchObject({ code: 'file.missing' });
    await writeFile(join(path, 'starter.json'), '{}');
    await expect(readStarterFolder(path)).rejects.toMatchObject({ code: 'starter.not-a-starter' });
    await expect(readStarterFolder(join(folder.path, 'none'))).rejects.toMatchObject({ code: 'file.missing' });
  });
});

describe('the shipped starter', () => {
  it('is whole, English, of width 1,024, and at most 15 MB', async () => {
    const path = join(import.meta.dirname, '..', 'training', 'starter');
    const shipped = await readStarterFolder(path);
    expect([shipped.language, shipped.width]).toEqual(['en', 1024]);
    expect(shipped.vocabulary.pieces.length).toBeGreaterThan(10_000);
    expect(shipped.rows.every(Number.isFinite)).toBe(true);
    expect(shipped.weights.every((weight) => weight > 0)).toBe(true);
    let sizeBytes = 0;
    for (const name of await readdir(path)) sizeBytes += (await readFile(join(path, name))).length;
    expect(sizeBytes).toBeLessThan(15e6);
  });
});
