import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeFolder, readJson, restoreFolder, writeFileAtomic, writeFolderAtomic, writeJsonAtomic } from './atomic-files.ts';
import { EnvironmentError, InputError } from './errors.ts';
import { readOnlyFolder, smallDisk, temporaryFolder } from './test-disks.ts';

const UUID = '0a1b2c3d-0000-4000-8000-00000000000a';
const MODULE = pathToFileURL(join(import.meta.dirname, 'atomic-files.ts')).href;

/** Runs a module in a process of its own and kills it as soon as it writes "now". */
async function runAndKill(source: string): Promise<void> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', () => child.kill('SIGKILL'));
  const signal = await new Promise((resolve) => child.on('exit', (_code, by) => { resolve(by); }));
  expect(signal).toBe('SIGKILL'); // it was at work, and did not end by itself
}

describe('writeFileAtomic', () => {
  it('writes texts and bytes, and replaces what was there', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'a.txt');
    await writeFileAtomic(path, 'old');
    await writeFileAtomic(path, Uint8Array.of(110, 101, 119));
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readdir(folder.path)).toEqual(['a.txt']);
  });

  it('leaves the old file whole, and nothing else, when the new one cannot be finished', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'a.txt');
    await mkdir(path); // a folder of that name: the last step, the renaming, fails
    await writeFile(join(path, 'inside'), 'kept');
    await expect(writeFileAtomic(path, 'new')).rejects.toMatchObject({ code: 'file.is-folder' });
    expect(await readdir(folder.path)).toEqual(['a.txt']);
    expect(await readFile(join(path, 'inside'), 'utf8')).toBe('kept');
  });

  it('says that the disk is full, and keeps the old file', async (context) => {
    using disk = smallDisk(64 * 1024);
    if (disk === null) return context.skip();
    const path = join(disk.path, 'a.bin');
    await writeFileAtomic(path, new Uint8Array(30_000).fill(1));
    await expect(writeFileAtomic(path, new Uint8Array(60_000).fill(2))).rejects.toMatchObject({ code: 'disk.full' });
    expect(new Uint8Array(await readFile(path))).toEqual(new Uint8Array(30_000).fill(1));
    expect(await readdir(disk.path)).toEqual(['a.bin']);
    await writeFileAtomic(path, new Uint8Array(20_000).fill(3));
    expect((await readFile(path)).length).toBe(20_000);
  });

  it('says that a folder is read-only', async (context) => {
    using folder = readOnlyFolder();
    if (folder === null) return context.skip();
    await expect(writeFileAtomic(join(folder.path, 'a.txt'), 'new')).rejects.toMatchObject({ code: 'disk.no-permission', family: 'environment' });
  });

  it('leaves the old or the new file when the process is killed while it writes again and again', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'a.txt');
    await writeFileAtomic(path, 'x'.repeat(200_000));
    await runAndKill(`
      import { writeFileAtomic } from ${JSON.stringify(MODULE)};
      setTimeout(() => console.log('now'), 40);
      for (let i = 0; ; i += 1) await writeFileAtomic(${JSON.stringify(path)}, String(i % 10).repeat(200_000));
    `);
    const text = await readFile(path, 'utf8');
    expect(text).toHaveLength(200_000);
    expect(new Set(text).size).toBe(1);
    await restoreFolder(path);
    expect(await readdir(folder.path)).toEqual(['a.txt']);
  });
});

describe('readJson', () => {
  it('gives back what writeJsonAtomic wrote', async () => {
    using folder = temporaryFolder();
    const value = { name: 'Kiswahili', list: [1, 'שלום', null] };
    await writeJsonAtomic(join(folder.path, 'a.json'), value);
    expect(await readJson(join(folder.path, 'a.json'))).toEqual(value);
    expect((await readFile(join(folder.path, 'a.json'), 'utf8')).endsWith('}\n')).toBe(true);
  });

  it('says which file is missing or is not JSON', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'a.json');
    await expect(readJson(path)).rejects.toMatchObject({ code: 'file.missing', data: { path } });
    await writeFile(path, '{"a": ');
    const failure = readJson(path);
    await expect(failure).rejects.toBeInstanceOf(InputError);
    await expect(failure).rejects.toMatchObject({ code: 'file.not-json' });
  });
});

describe('writeFolderAtomic', () => {
  const fillWith = (text: string) => async (temporary: string): Promise<void> => {
    await mkdir(join(temporary, 'inner'));
    await writeFile(join(temporary, 'inner', 'a.txt'), text);
  };

  it('makes a folder, and replaces an older one whole', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    await writeFolderAtomic(path, async (temporary) => {
      await fillWith('old')(temporary);
      await writeFile(join(temporary, 'only-in-the-old'), '');
    });
    await writeFolderAtomic(path, fillWith('new'));
    expect(await readdir(path)).toEqual(['inner']);
    expect(await readFile(join(path, 'inner', 'a.txt'), 'utf8')).toBe('new');
    expect(await readdir(folder.path)).toEqual(['model']);
  });

  it('leaves the old folder, and nothing else, when filling fails', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    await writeFolderAtomic(path, fillWith('old'));
    const failure = writeFolderAtomic(path, async (temporary) => {
      await fillWith('new')(temporary);
      throw new EnvironmentError('disk.full', 'injected');
    });
    await expect(failure).rejects.toMatchObject({ code: 'disk.full', message: 'injected' });
    expect(await readFile(join(path, 'inner', 'a.txt'), 'utf8')).toBe('old');
    expect(await readdir(folder.path)).toEqual(['model']);
  });

  it('says that the disk is full, and keeps the old folder', async (context) => {
    using disk = smallDisk(256 * 1024);
    if (disk === null) return context.skip();
    const path = join(disk.path, 'model');
    await writeFolderAtomic(path, fillWith('old'));
    const failure = writeFolderAtomic(path, (temporary) => writeFile(join(temporary, 'large'), new Uint8Array(2 ** 20)));
    await expect(failure).rejects.toMatchObject({ code: 'disk.full' });
    expect(await readFile(join(path, 'inner', 'a.txt'), 'utf8')).toBe('old');
    expect(await readdir(disk.path)).toEqual(['model']);
  });

  it('leaves a whole folder when the process is killed while it writes again and again', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    await writeFolderAtomic(path, fillWith('0'));
    for (const delay of [5, 23, 47]) {
      await runAndKill(`
        import { mkdir, writeFile } from 'node:fs/promises';
        import { writeFolderAtomic } from ${JSON.stringify(MODULE)};
        setTimeout(() => console.log('now'), ${delay});
        for (let i = 0; ; i += 1) await writeFolderAtomic(${JSON.stringify(path)}, async (t) => { await mkdir(t + '/inner'); await writeFile(t + '/inner/a.txt', String(i)); });
      `);
      await restoreFolder(path);
      expect(await readdir(folder.path)).toEqual(['model']);
      expect(await readFile(join(path, 'inner', 'a.txt'), 'utf8')).toMatch(/^\d+$/);
    }
  });
});

describe('makeFolder', () => {
  it('makes the folders above it too, and is content with one that is there', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'a', 'b', 'c');
    await makeFolder(path);
    await makeFolder(path);
    expect(await readdir(join(folder.path, 'a', 'b'))).toEqual(['c']);
  });

  it('says that a file is in the way, or that the place is read-only', async (context) => {
    using folder = temporaryFolder();
    await writeFile(join(folder.path, 'file'), '');
    await expect(makeFolder(join(folder.path, 'file'))).rejects.toMatchObject({ code: 'file.not-a-folder' });
    await expect(makeFolder(join(folder.path, 'file', 'a', 'b'))).rejects.toMatchObject({ code: 'file.not-a-folder' });
    using closed = readOnlyFolder();
    if (closed === null) return context.skip();
    await expect(makeFolder(join(closed.path, 'a', 'b'))).rejects.toMatchObject({ code: 'disk.no-permission' });
  });
});

describe('restoreFolder', () => {
  it('puts the old folder back when the process died between the two renames', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    await mkdir(path);
    await writeFile(join(path, 'a.txt'), 'old');
    await rename(path, join(folder.path, `.model.${UUID}.old`));
    await mkdir(join(folder.path, `.model.${UUID}.tmp`));
    await restoreFolder(path);
    expect(await readFile(join(path, 'a.txt'), 'utf8')).toBe('old');
    expect(await readdir(folder.path)).toEqual(['model']);
  });

  it('keeps the new folder when the process died after them, and touches nobody else\'s files', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    for (const name of ['model', `.model.${UUID}.old`, `.model-2.${UUID}.old`, '.model.backup.old', '.model.tmp']) {
      await mkdir(join(folder.path, name));
      await writeFile(join(folder.path, name, 'a.txt'), name);
    }
    await restoreFolder(path);
    expect(await readFile(join(path, 'a.txt'), 'utf8')).toBe('model');
    expect((await readdir(folder.path)).sort()).toEqual([`.model-2.${UUID}.old`, '.model.backup.old', '.model.tmp', 'model']);
  });

  it('does nothing where nothing ever was', async () => {
    using folder = temporaryFolder();
    await restoreFolder(join(folder.path, 'none', 'model'));
    expect(existsSync(join(folder.path, 'none'))).toBe(false);
  });
});
