/** Is an archive whole or not there, are its sums true, and is nothing overwritten? */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallDisk, temporaryFolder } from '../base/test-disks.ts';
import { createZipWriter } from './zip-writer.ts';
import { openZip } from './zip.ts';

const calm = new AbortController().signal;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('an archive being written', () => {
  it('gives back its files, with their sums, as it is read by others', async () => {
    using place = temporaryFolder();
    const [path, source] = [join(place.path, 'a.isogloss'), join(place.path, 'table.f16')];
    const bytes = randomBytes(300_000);
    await writeFile(source, bytes);
    let heard = 0;
    {
      await using writer = await createZipWriter(path, calm);
      expect(await writer.addFile('model/table.f16', source, (count) => (heard += count))).toEqual({ sha256: sha256(bytes), sizeBytes: bytes.length });
      expect(await writer.addText('notes.md', 'Maji '.repeat(1000))).toEqual({ sha256: sha256(Buffer.from('Maji '.repeat(1000))), sizeBytes: 5000 });
      expect(await readdir(place.path)).not.toContain('a.isogloss');
      expect(await writer.finish()).toBe((await readFile(path)).length);
    }
    expect(heard).toBe(bytes.length);
    expect((await readdir(place.path)).sort()).toEqual(['a.isogloss', 'table.f16']);
    const archive = await openZip(path, calm, { area: 'share' });
    expect(archive.entries.map(({ name }) => name)).toEqual(['model/table.f16', 'notes.md']);
    expect(Buffer.from(await archive.read('model/table.f16')).equals(bytes)).toBe(true);
    archive.close();
    expect((await readFile(path)).length).toBeLessThan(302_000); // words are packed
  });

  it('never overwrites, also not what appears while it is written', async () => {
    using place = temporaryFolder();
    const path = join(place.path, 'a.isogloss');
    await writeFile(path, 'mine');
    await expect(createZipWriter(path, calm)).rejects.toMatchObject({ code: 'share.exists' });
    const later = join(place.path, 'b.isogloss');
    {
      await using writer = await createZipWriter(later, calm);
      await writer.addText('x', 'y');
      await writeFile(later, 'mine too');
      await expect(writer.finish()).rejects.toMatchObject({ code: 'share.exists' });
    }
    expect(await readFile(later, 'utf8')).toBe('mine too');
    expect((await readdir(place.path)).sort()).toEqual(['a.isogloss', 'b.isogloss']);
  });

  it('leaves nothing when it is cancelled, left, or its source is missing', async () => {
    using place = temporaryFolder();
    const abort = new AbortController();
    const source = join(place.path, 'table');
    await writeFile(source, randomBytes(2_000_000));
    {
      await using writer = await createZipWriter(join(place.path, 'a'), abort.signal);
      const adding = writer.addFile('table', source, () => abort.abort(new Error('stop')));
      await expect(adding).rejects.toMatchObject({ family: 'cancellation' });
    }
    {
      await using writer = await createZipWriter(join(place.path, 'b'), calm);
      await expect(writer.addFile('none', join(place.path, 'none'))).rejects.toMatchObject({ code: 'file.missing' });
    }
    expect(await readdir(place.path)).toEqual(['table']);
  });

  it('says that the disk is full, and leaves nothing', async ({ skip }) => {
    using disk = smallDisk(1024 * 1024);
    if (disk === null) return skip();
    using place = temporaryFolder();
    const source = join(place.path, 'table');
    await writeFile(source, randomBytes(4_000_000));
    {
      await using writer = await createZipWriter(join(disk.path, 'a'), calm);
      await expect(writer.addFile('table', source).then(() => writer.finish())).rejects.toMatchObject({ code: 'disk.full' });
    }
    expect(await readdir(disk.path)).toEqual([]);
  });
});
