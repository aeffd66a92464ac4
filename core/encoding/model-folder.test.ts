import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOnlyFolder, smallDisk, temporaryFolder } from '../base/test-disks.ts';
import { MANIFEST_FILE, readManifest, readModelFolder, writeModelFolder } from './model-folder.ts';
import { testModel } from './test-models.ts';

async function changeManifest(folder: string, change: (manifest: Record<string, unknown>) => void): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, MANIFEST_FILE), 'utf8')) as Record<string, unknown>;
  change(manifest);
  await writeFile(join(folder, MANIFEST_FILE), JSON.stringify(manifest));
}

describe('a model folder', () => {
  it('gives back the model that was written, and the files that were put beside it', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    const model = await testModel();
    const manifest = await writeModelFolder(path, model, { 'held-out.json': '{"pairs":[]}' });
    const read = await readModelFolder(path);
    expect(read.model).toEqual(model);
    expect(read.manifest).toEqual(manifest);
    expect(await readFile(join(path, 'held-out.json'), 'utf8')).toBe('{"pairs":[]}');
    expect(Object.keys(manifest.files).sort()).toEqual((await readdir(path)).filter((name) => name !== MANIFEST_FILE).sort());
  });

  it('stores token rows in 16 bits: within 2^-11 of each number', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    const model = await testModel();
    const table = model.table.map((value) => value * 1.00037);
    await writeModelFolder(path, { ...model, table });
    const read = await readModelFolder(path);
    read.model.table.forEach((value, i) => { expect(Math.abs(value - (table[i] ?? 0))).toBeLessThanOrEqual(Math.abs(table[i] ?? 0) * 2 ** -11 + 2 ** -25); });
  });

  it('names the damaged file when a single bit of any file has flipped', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    await writeModelFolder(path, await testModel());
    const names = (await readdir(path)).filter((name) => name !== MANIFEST_FILE);
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      const bytes = await readFile(join(path, name));
      const damaged = Uint8Array.from(bytes);
      const middle = Math.floor(bytes.length / 2);
      damaged[middle] = (damaged[middle] ?? 0) ^ 1;
      await writeFile(join(path, name), damaged);
      await expect(readModelFolder(path)).rejects.toMatchObject({ code: 'model.damaged', family: 'environment', data: { path: join(path, name) } });
      await writeFile(join(path, name), bytes);
    }
    await expect(readModelFolder(path)).resolves.toBeDefined();
  });

  it('names the missing file', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    await writeModelFolder(path, await testModel());
    await rm(join(path, 'whitening.f32'));
    await expect(readModelFolder(path)).rejects.toMatchObject({ code: 'file.missing', message: expect.stringContaining('whitening.f32') });
  });

  it('says that there is none, that it is none, or that a newer Isogloss made it', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    await expect(readManifest(path)).rejects.toMatchObject({ code: 'model.missing', message: expect.stringMatching(/expected a model folder.*Train a model first/) });
    await writeModelFolder(path, await testModel());
    await changeManifest(path, (manifest) => { manifest['version'] = 6; });
    await expect(readManifest(path)).rejects.toMatchObject({ code: 'model.newer-version', message: expect.stringContaining('format version 6; this Isogloss reads up to 5') });
    await changeManifest(path, (manifest) => { Object.assign(manifest, { version: 1, format: 'something-else' }); });
    await expect(readManifest(path)).rejects.toMatchObject({ code: 'model.not-a-model', family: 'input' });
    await writeFile(join(path, MANIFEST_FILE), 'null');
    await expect(readManifest(path)).rejects.toMatchObject({ code: 'model.not-a-model' });
    await writeFile(join(path, MANIFEST_FILE), '{');
    await expect(readManifest(path)).rejects.toMatchObject({ code: 'file.not-json' });
  });

  it('refuses a manifest whose sizes are not those of the files, and names that lead elsewhere', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    await writeModelFolder(path, await testModel());
    await changeManifest(path, (manifest) => { manifest['encoder'] = { kind: 'static', width: 8, vocabularySize: 90 }; });
    await expect(readModelFolder(path)).rejects.toMatchObject({ code: 'model.shape-mismatch' });
    await changeManifest(path, (manifest) => { manifest['translations'] = [{ source: 'sw', target: 'en', name: '../../secret' }]; });
    await expect(readModelFolder(path)).rejects.toMatchObject({ code: 'model.not-a-model' });
    await writeModelFolder(path, await testModel());
    for (const name of ['../outside.txt', '/etc/passwd', 'a/../../b', 'c:\\d', '']) {
      await changeManifest(path, (manifest) => { manifest['files'] = { ...(manifest['files'] as object), [name]: 'a'.repeat(64) }; });
      await expect(readManifest(path)).rejects.toMatchObject({ code: 'model.not-a-model', message: expect.stringContaining(JSON.stringify(name)) });
      await writeModelFolder(path, await testModel());
    }
  });

  it('keeps the older model when the disk is full', async (context) => {
    using disk = smallDisk(64 * 1024);
    if (disk === null) return context.skip();
    const path = join(disk.path, 'model');
    const model = await testModel();
    await writeModelFolder(path, model);
    await expect(writeModelFolder(path, await testModel({ width: 512 }))).rejects.toMatchObject({ code: 'disk.full' });
    expect((await readModelFolder(path)).model).toEqual(model);
    expect(await readdir(disk.path)).toEqual(['model']);
  });

  it('is not written into a read-only folder', async (context) => {
    using folder = readOnlyFolder();
    if (folder === null) return context.skip();
    await expect(writeModelFolder(join(folder.path, 'model'), await testModel())).rejects.toMatchObject({ code: 'disk.no-permission' });
  });
});
