/** Facts about the lock of a project folder. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOCK_FILE, takeLock } from './lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const here = { host: 'here', pid: 100, isAlive: (pid: number) => pid === 100 || pid === 200 };

describe('a lock', () => {
  it('is held by one at a time, and free again when given back', async () => {
    const lock = await takeLock(folder, here);
    await expect(takeLock(folder, { ...here, pid: 200 })).rejects.toMatchObject({ code: 'project.open-elsewhere' });
    await lock.release();
    await (await takeLock(folder, { ...here, pid: 200 })).release();
  });

  it('says who holds it and what to do', async () => {
    await takeLock(folder, { ...here, host: 'ship' });
    await expect(takeLock(folder, here)).rejects.toThrow(/computer "ship" since \d{4}-.*delete the file project\.lock/);
  });

  it('of a process that has died on this machine is taken over', async () => {
    await takeLock(folder, { ...here, pid: 300, isAlive: () => true });
    const lock = await takeLock(folder, here);
    expect(await readFile(join(folder, LOCK_FILE), 'utf8')).toContain('"pid":100');
    await lock.release();
  });

  it('of another machine is never taken over, even where its process number is free here', async () => {
    await takeLock(folder, { ...here, host: 'ship', pid: 300 });
    await expect(takeLock(folder, here)).rejects.toMatchObject({ code: 'project.open-elsewhere' });
  });

  it('that is half-written is taken over', async () => {
    await writeFile(join(folder, LOCK_FILE), '{"pid": 1');
    await expect(takeLock(folder, here)).resolves.toBeDefined();
  });

  it('given back late does not remove the lock of a successor', async () => {
    const first = await takeLock(folder, { ...here, pid: 300, isAlive: () => true });
    await takeLock(folder, here);
    await first.release();
    expect(await readFile(join(folder, LOCK_FILE), 'utf8')).toContain('"pid":100');
  });
});
