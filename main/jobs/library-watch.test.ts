/** Facts about watching folders: bursts, new folders in new folders, libraries that change or end. Real folders, short waits. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathOnDisk } from '../../core/base/file-names.ts';
import { createLibraryWatch, type LibraryWatch } from './library-watch.ts';

const QUIET_MS = 60;
const FAR_MS = 10_000_000;

let root: string;
let looks: string[];
let watch: LibraryWatch;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'isogloss-watch-'));
  await mkdir(join(root, 'inner'));
  looks = [];
  watch = createLibraryWatch({ look: (projectId) => Promise.resolve(void looks.push(projectId)), quietMs: QUIET_MS, mostQuietMs: FAR_MS, everyMs: FAR_MS });
});

afterEach(async () => {
  watch.close();
  await rm(root, { recursive: true, force: true });
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(QUIET_MS / 4);
}

async function follow(): Promise<void> {
  watch.follow({ projectId: 'p', folders: [{ name: '', path: root }] });
  await until(() => watch.stateOf('p') === 'events' && looks.length === 1); // what changed while nobody looked
  looks = [];
}

describe('a library that is watched', () => {
  it('is looked at once for a burst of changes, after it has become quiet', async () => {
    await follow();
    for (let n = 0; n < 20; n += 1) await writeFile(join(root, `file-${String(n)}.txt`), 'text');
    await until(() => looks.length > 0);
    await pause(3 * QUIET_MS);
    expect(looks.length).toBeLessThanOrEqual(2); // a slow machine may see the burst in two
  });

  it('is looked at for a change deep inside, also in folders that were made since', async () => {
    await follow();
    await writeFile(join(root, 'inner', 'a.txt'), 'text');
    await until(() => looks.length > 0);
    await mkdir(join(root, 'new', 'deep'), { recursive: true });
    await until(() => looks.length > 1);
    await pause(3 * QUIET_MS); // the new folders are found meanwhile
    looks = [];
    await writeFile(join(root, 'new', 'deep', 'b.txt'), 'text');
    await until(() => looks.length > 0);
  });

  it.skipIf(process.platform !== 'linux')('is followed by events, too, where a folder in it has a name that is not UTF-8', async () => {
    const odd = join(root, 'carpeta ni\uf7f1o');
    await mkdir(pathOnDisk(odd));
    await follow();
    await writeFile(pathOnDisk(join(odd, 'a.txt')), 'text');
    await until(() => looks.length > 0);
  });

  it('is not looked at any more when it is let go; asked for soon, it is without an event', async () => {
    await follow();
    watch.lookSoon('p');
    await until(() => looks.length === 1);
    watch.follow({ projectId: 'p', folders: [] });
    expect(watch.stateOf('p')).toBe('off');
    await writeFile(join(root, 'c.txt'), 'text');
    watch.lookSoon('p');
    await pause(3 * QUIET_MS);
    expect(looks).toHaveLength(1);
  });

  it('whose folder is not there is looked at now and then instead', async () => {
    watch.follow({ projectId: 'q', folders: [{ name: '', path: join(root, 'away') }] });
    await until(() => looks.includes('q'));
    expect(watch.stateOf('q')).toBe('looking');
  });

  it('is looked at in the end, however busy it is', async () => {
    watch.close();
    watch = createLibraryWatch({ look: (projectId) => Promise.resolve(void looks.push(projectId)), quietMs: QUIET_MS, mostQuietMs: 4 * QUIET_MS, everyMs: FAR_MS });
    watch.follow({ projectId: 'p', folders: [{ name: '', path: root }] });
    const timer = setInterval(() => watch.lookSoon('p'), QUIET_MS / 4);
    await until(() => looks.length > 1);
    clearInterval(timer);
  });
});
