import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { checkOutputFolder, reserveOutputFolder } from './output-folder.ts';

const UUID = '0a1b2c3d-0000-4000-8000-00000000000a';

describe('the output folder', () => {
  it('may be missing, empty or an older model, and nothing else', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'new', 'model');
    await checkOutputFolder(path);
    await mkdir(path);
    await checkOutputFolder(path);
    await writeFile(join(path, 'notes.txt'), 'mine');
    await expect(checkOutputFolder(path)).rejects.toMatchObject({ code: 'training.output-not-a-model' });
    await expect(reserveOutputFolder(path)).rejects.toMatchObject({ code: 'training.output-not-a-model' });
    expect(await readdir(join(folder.path, 'new'))).toEqual(['model']); // no lock is left behind
    await writeFile(join(path, 'model.json'), '{}');
    await checkOutputFolder(path);
  });

  it('is kept for one run, which puts back an old model that a crash moved aside; a look at it touches nothing', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'model');
    await mkdir(path);
    await writeFile(join(path, 'model.json'), '{}');
    await rename(path, join(folder.path, `.model.${UUID}.old`));
    await mkdir(join(folder.path, `.model.${UUID}.tmp`));
    await checkOutputFolder(path);
    expect(await readdir(folder.path)).toHaveLength(2);
    {
      await using place = await reserveOutputFolder(path);
      expect(place).toBeDefined();
      expect(await readdir(path)).toEqual(['model.json']);
      await expect(reserveOutputFolder(path)).rejects.toMatchObject({ code: 'training.already-running' });
    }
    expect(await readdir(folder.path)).toEqual(['model']);
  });
});
