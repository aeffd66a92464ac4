import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallDisk, temporaryFolder } from '../base/test-disks.ts';
import { readNewestCheckpoint, removeCheckpoints, writeCheckpoint, type CheckpointState } from './checkpoint.ts';

const stateAt = (step: number, runKey = 'this run'): CheckpointState => ({ version: 1, step, steps: 100, learningRateFactor: 0.5, rollbacks: 1, runKey, losses: { retrieval: 0.1, semantic: 0.25, language: 0 } });
const arraysOf = (value: number): Map<string, Float32Array | Int32Array> => new Map<string, Float32Array | Int32Array>([['table', new Float32Array(1000).fill(value)], ['steps', new Int32Array(10).fill(value)]]);
const name = (step: number): string => `step-${String(step).padStart(9, '0')}`;

describe('checkpoints', () => {
  it('give back state and arrays to the bit, signed zeros included', async () => {
    using folder = temporaryFolder();
    const written = new Map([['table', Float32Array.of(0.1, -0, Number.MIN_VALUE, 3e38)]]);
    await writeCheckpoint(folder.path, stateAt(3), written);
    const read = new Map([['table', new Float32Array(4)]]);
    expect(await readNewestCheckpoint(folder.path, 'this run', read)).toEqual({ state: stateAt(3), damaged: [] });
    expect(new Uint8Array(read.get('table')?.buffer ?? new ArrayBuffer(0))).toEqual(new Uint8Array(written.get('table')?.buffer ?? new ArrayBuffer(1)));
  });

  it('are two at most: the newest, and the one before', async () => {
    using folder = temporaryFolder();
    for (const step of [5, 10, 200, 1000]) await writeCheckpoint(folder.path, stateAt(step), arraysOf(step));
    expect((await readdir(folder.path)).sort()).toEqual([name(200), name(1000)]);
    const arrays = arraysOf(0);
    expect((await readNewestCheckpoint(folder.path, 'this run', arrays))?.state.step).toBe(1000);
    expect(arrays).toEqual(arraysOf(1000));
  });

  it.each(['table.bin', 'steps.bin', 'state.json', 'SHA256SUMS'])('with a damaged %s are named, and the one before is used', async (file) => {
    using folder = temporaryFolder();
    await writeCheckpoint(folder.path, stateAt(5), arraysOf(5));
    await writeCheckpoint(folder.path, stateAt(10), arraysOf(10));
    const path = join(folder.path, name(10), file);
    const bytes = await readFile(path);
    for (const damaged of [Uint8Array.from(bytes, (byte, i) => (i === 3 ? byte ^ 16 : byte)), bytes.subarray(0, bytes.length >> 1), new Uint8Array(0), new Uint8Array(bytes.length)]) {
      await writeFile(path, damaged);
      const arrays = arraysOf(0);
      expect(await readNewestCheckpoint(folder.path, 'this run', arrays)).toEqual({ state: stateAt(5), damaged: [name(10)] });
      expect(arrays).toEqual(arraysOf(5));
    }
    await rm(path);
    expect((await readNewestCheckpoint(folder.path, 'this run', arraysOf(0)))?.damaged).toEqual([name(10)]);
  });

  it('leave the arrays alone when all of them are damaged', async () => {
    using folder = temporaryFolder();
    await writeCheckpoint(folder.path, stateAt(5), arraysOf(5));
    await writeFile(join(folder.path, name(5), 'steps.bin'), 'x'); // read after the table
    const arrays = arraysOf(7);
    expect(await readNewestCheckpoint(folder.path, 'this run', arrays)).toBeNull();
    expect(arrays).toEqual(arraysOf(7));
  });

  it('of another run are not used, nor touched in the arrays', async () => {
    using folder = temporaryFolder();
    await writeCheckpoint(folder.path, stateAt(5, 'another run'), arraysOf(5));
    const arrays = arraysOf(0);
    expect(await readNewestCheckpoint(folder.path, 'this run', arrays)).toBeNull();
    expect(arrays).toEqual(arraysOf(0));
  });

  it('of a newer program are refused, and stay as they are', async () => {
    using folder = temporaryFolder();
    await writeCheckpoint(folder.path, { ...stateAt(5), version: 2 as 1 }, arraysOf(5)); // what a later version will write
    const before = await readFile(join(folder.path, name(5), 'state.json'));
    const arrays = arraysOf(0);
    await expect(readNewestCheckpoint(folder.path, 'this run', arrays)).rejects.toMatchObject({ family: 'input', code: 'training.newer-checkpoint' });
    expect([arrays, await readFile(join(folder.path, name(5), 'state.json'))]).toEqual([arraysOf(0), before]);
  });

  it('of other sizes are not used', async () => {
    using folder = temporaryFolder();
    await writeCheckpoint(folder.path, stateAt(5), arraysOf(5));
    expect(await readNewestCheckpoint(folder.path, 'this run', new Map([['table', new Float32Array(999)]]))).toBeNull();
  });

  it('that a crash left half made are not read, and go with the next one', async () => {
    using folder = temporaryFolder();
    const half = join(folder.path, `.${name(9)}.0a1b2c3d-0000-4000-8000-00000000000a.tmp`);
    await mkdir(half);
    await writeFile(join(half, 'table.bin'), 'half');
    expect(await readNewestCheckpoint(folder.path, 'this run', arraysOf(0))).toBeNull();
    await writeCheckpoint(folder.path, stateAt(10), arraysOf(10));
    expect(await readdir(folder.path)).toEqual([name(10)]);
  });

  it('that do not fit on the disk leave those before', async (context) => {
    using disk = smallDisk(64 * 1024);
    if (disk === null) return context.skip();
    await writeCheckpoint(disk.path, stateAt(5), arraysOf(5));
    await expect(writeCheckpoint(disk.path, stateAt(10), new Map([['table', new Float32Array(50_000)]]))).rejects.toMatchObject({ code: 'disk.full' });
    expect((await readNewestCheckpoint(disk.path, 'this run', arraysOf(0)))?.state.step).toBe(5);
    expect(await readdir(disk.path)).toEqual([name(5)]);
  });

  it('can be removed, also where there are none', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'checkpoints');
    await removeCheckpoints(path);
    await writeCheckpoint(path, stateAt(5), arraysOf(5));
    await removeCheckpoints(path);
    expect(await readdir(folder.path)).toEqual([]);
    expect(await readNewestCheckpoint(path, 'this run', arraysOf(0))).toBeNull();
  });
});
