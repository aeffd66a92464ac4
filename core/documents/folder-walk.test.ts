/** Does a walk find every document once, in a fixed order, and end on any folder? */
import { chmod, mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDocument } from './read-document.ts';
import { walkFolder } from './folder-walk.ts';
import type { FolderEntry, WalkLimits } from './folder-walk.ts';

const never = new AbortController().signal;

async function walk(names: readonly string[], prepare: (folder: string) => Promise<void> = async () => undefined, limits: Partial<WalkLimits> = {}): Promise<readonly FolderEntry[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-walk-'));
  for (const name of names) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), 'text');
  }
  await prepare(folder.path);
  return await Array.fromAsync(walkFolder(folder.path, never, limits));
}

const found = (entries: readonly FolderEntry[]): string[] => entries.map((entry) => (entry.kind === 'document' ? entry.relativePath : `${entry.relativePath}: ${entry.reason}`));

describe('walkFolder', () => {
  test('finds documents in code unit order, and names what it leaves out', async () => {
    const entries = await walk(['b.txt', 'a.md', 'B/z.html', 'B/a/1.csv', 'é.txt', 'picture.png', '.hidden.txt', '.git/x.md', '__MACOSX/a.txt', 'Thumbs.db', '~$a.txt', 'c.tsv.gz'], (folder) => writeFile(join(folder, 'empty.txt'), ''));
    expect(found(entries)).toEqual(['B/a/1.csv', 'B/z.html', 'a.md', 'b.txt', 'c.tsv.gz', 'empty.txt: empty', 'picture.png: format', 'é.txt']);
    expect(entries[2]).toMatchObject({ kind: 'document', sizeBytes: 4 });
  });

  test('links are followed, each folder once; loops and broken links end', async () => {
    const entries = await walk(['a/1.txt', 'b/2.txt'], async (folder) => {
      await symlink('..', join(folder, 'a', 'up'));
      await symlink('../a', join(folder, 'b', 'side'));
      await symlink('self', join(folder, 'self'));
      await symlink('nothing.txt', join(folder, 'gone.txt'));
      await symlink('a/1.txt', join(folder, 'link.txt'));
    });
    expect(found(entries)).toEqual(['a/1.txt', 'a/up: link-loop', 'b/2.txt', 'b/side: link-loop', 'gone.txt: gone', 'link.txt', 'self: link-loop']);
  });

  test('depth, folder size and total are bounded', async () => {
    const deep = `${Array.from({ length: 100 }, () => 'd').join('/')}/x.txt`;
    const tooDeep = await walk(['a.txt', deep]);
    expect(tooDeep.map((entry) => (entry.kind === 'skipped' ? entry.reason : entry.relativePath))).toEqual(['a.txt', 'too-deep']);
    expect(found(await walk(['1.txt', '2.txt', '3.txt'], undefined, { entries: 2 }))).toEqual(['1.txt', '2.txt', '3.txt: too-many']);
    expect((await walk(['1.txt', '2.txt', '3.txt'], undefined, { entriesPerFolder: 2 })).map(({ kind }) => kind)).toEqual(['skipped', 'document', 'document']);
  });

  test.skipIf(process.platform === 'win32')('names are shown with control and direction characters escaped', async () => {
    const [entry] = await walk(['a\u202Egpj.txt', 'b\n.txt']);
    expect(entry?.shown).toBe('a\\u202egpj.txt');
    expect(entry?.relativePath).toBe('a\u202Egpj.txt');
  });

  test.skipIf(process.platform !== 'linux')('fault 16: names that other systems forbid, and the longest ones, are names like any other: walked and read', async () => {
    const names = ['CON.txt', ' a .txt', 'dots...txt', 'n\newline.txt', '😀.txt', `${'x'.repeat(251)}.txt`, '"quoted" <b>.txt', '%2e%2e.txt'];
    await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-walk-'));
    for (const name of names) await writeFile(join(folder.path, name), 'text');
    const entries = await Array.fromAsync(walkFolder(folder.path, never));
    expect(entries.map(({ relativePath }) => relativePath)).toEqual([...names].sort());
    for (const entry of entries) {
      const { title, blocks } = await readDocument(join(folder.path, entry.relativePath), never);
      expect([blocks.map(({ text }) => text), /\p{Cc}/u.test(title), /\p{Cc}/u.test(entry.shown)]).toEqual([['text'], false, false]);
    }
  });

  test.skipIf(process.platform !== 'linux')('a name that is not UTF-8 goes by its bytes: shown with them, and read', async () => {
    const entries = await walk(['a.txt'], (folder) => writeFile(Buffer.concat([Buffer.from(`${folder}/b`), Buffer.from([0xff]), Buffer.from('.txt')]), 'x'));
    expect(entries.map(({ kind, shown }) => `${kind} ${shown}`)).toEqual(['document a.txt', 'document b\\xFF.txt']);
  });

  test.skipIf(process.getuid?.() === 0)('a folder without permission is left out', async () => {
    const entries = await walk(['a.txt', 'locked/b.txt'], (folder) => chmod(join(folder, 'locked'), 0));
    expect(found(entries)).toEqual(['a.txt', 'locked: no-permission']);
  });

  test('a root that is missing or a file is an input error; an aborted walk ends', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-walk-'));
    await writeFile(join(folder.path, 'a.txt'), 'x');
    await expect(Array.fromAsync(walkFolder(join(folder.path, 'b'), never))).rejects.toMatchObject({ code: 'file.missing' });
    await expect(Array.fromAsync(walkFolder(join(folder.path, 'a.txt'), never))).rejects.toMatchObject({ code: 'documents.not-a-folder' });
    await expect(Array.fromAsync(walkFolder(folder.path, AbortSignal.abort(new Error('enough'))))).rejects.toThrow('enough');
  });
});
