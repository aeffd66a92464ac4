import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeProcessLock } from './process-lock.ts';
import { smallDisk, temporaryFolder } from './test-disks.ts';

const busy = { code: 'training.already-running', message: 'Somebody is at it.' };

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--eval', '0']);
  await new Promise((resolve) => child.on('exit', resolve));
  return child.pid ?? 0;
}

describe('takeProcessLock', () => {
  it('is refused to a second one until the first is done', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'lock');
    {
      await using first = await takeProcessLock(path, busy);
      expect(first).toBeDefined();
      await expect(takeProcessLock(path, busy)).rejects.toMatchObject({ code: busy.code, family: 'input' });
      await expect(takeProcessLock(path, busy)).rejects.toThrow(new RegExp(`Somebody is at it.*process ${process.pid}.*delete `));
    }
    expect(await readdir(folder.path)).toEqual([]);
    await using second = await takeProcessLock(path, busy);
    expect(second).toBeDefined();
  });

  it('leaves no empty lock on a full disk', async (context) => {
    using disk = smallDisk(64 * 1024);
    if (disk === null) return context.skip('no right to mount a small disk here');
    await expect(writeFile(join(disk.path, 'filler'), Buffer.alloc(2 ** 20))).rejects.toThrow(/no space/i);
    await expect(takeProcessLock(join(disk.path, 'lock'), busy)).rejects.toMatchObject({ code: 'disk.full', message: expect.stringContaining(`${disk.path}: `) as string });
    expect(await readdir(disk.path)).toEqual(['filler']);
  });

  it('takes over from a process that died, one of before the last start, and a half-written file', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'lock');
    const left = [JSON.stringify({ pid: await deadProcess(), host: hostname(), since: Date.now() }), JSON.stringify({ pid: process.pid, host: hostname(), since: 0 }), '{"pid":', ''];
    for (const text of left) {
      await writeFile(path, text);
      await using lock = await takeProcessLock(path, busy);
      expect(lock).toBeDefined();
      expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid });
    }
  });

  it('goes to exactly one of several that come at once, also over a dead one', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'lock');
    const dead = JSON.stringify({ pid: await deadProcess(), host: hostname(), since: Date.now() });
    for (const left of [null, dead]) {
      if (left !== null) await writeFile(path, left);
      const ends = await Promise.allSettled(Array.from({ length: 4 }, () => takeProcessLock(path, busy)));
      const locks = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
      expect(locks).toHaveLength(1);
      for (const lock of locks) await lock[Symbol.asyncDispose]();
    }
  });

  it('does not take over from another computer, whose processes cannot be seen', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'lock');
    await writeFile(path, JSON.stringify({ pid: await deadProcess(), host: 'another-computer', since: Date.now() }));
    await expect(takeProcessLock(path, busy)).rejects.toThrow(/on another-computer/);
  });
});
