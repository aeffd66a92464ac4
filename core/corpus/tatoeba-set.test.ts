/** Are Tatoeba's test sets read in LASER's layout, also between two languages neither of which is English? */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { readTatoebaPairs } from './tatoeba-set.ts';

const never = new AbortController().signal;

async function folderOf(path: string): Promise<void> {
  const files = {
    'tatoeba.swh-eng.swh': 'Habari.\nMaji ni baridi.\nNinakwenda.\n', 'tatoeba.swh-eng.eng': 'Hello.\nThe water is cold.\nI am going.\n',
    'tatoeba.spa-eng.spa': 'El agua está fría.\nHola.\nAdiós.\n', 'tatoeba.spa-eng.eng': 'The water is cold.\nHello.\nGoodbye.\n',
    'tatoeba.fra-eng.fra': 'Non.\n', 'tatoeba.fra-eng.eng': 'No.\n', 'readme.txt': 'x',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
}

describe('readTatoebaPairs', () => {
  it('reads both directions, by the codes of the files or by canonical tags', async () => {
    using folder = temporaryFolder();
    await folderOf(folder.path);
    const { pairs, through } = await readTatoebaPairs({ folder: folder.path, source: 'sw', target: 'en' }, never);
    expect(through).toBeNull();
    expect(pairs.map(({ source, target }) => [source, target])).toEqual([['Habari.', 'Hello.'], ['Maji ni baridi.', 'The water is cold.'], ['Ninakwenda.', 'I am going.']]);
    expect((await readTatoebaPairs({ folder: folder.path, source: 'eng', target: 'swh' }, never)).pairs[0]).toMatchObject({ source: 'Hello.', target: 'Habari.' });
  });

  it('joins two languages over their English sentences', async () => {
    using folder = temporaryFolder();
    await folderOf(folder.path);
    const { pairs, through } = await readTatoebaPairs({ folder: folder.path, source: 'sw', target: 'es' }, never);
    expect(through).toBe('en');
    expect(pairs).toEqual([{ source: 'Habari.', target: 'Hola.' }, { source: 'Maji ni baridi.', target: 'El agua está fría.' }]);
  });

  it('says what is missing', async () => {
    using folder = temporaryFolder();
    await folderOf(folder.path);
    await expect(readTatoebaPairs({ folder: folder.path, source: 'th', target: 'es' }, never)).rejects.toMatchObject({ code: 'corpus.missing-file', message: expect.stringMatching(/of th, found sets of .*es-en/) });
    await expect(readTatoebaPairs({ folder: folder.path, source: 'fr', target: 'es' }, never)).rejects.toMatchObject({ code: 'corpus.nothing-usable' });
    await expect(readTatoebaPairs({ folder: folder.path, source: 'sw', target: 'swh' }, never)).rejects.toMatchObject({ code: 'corpus.same-language' });
    await expect(readTatoebaPairs({ folder: join(folder.path, 'none'), source: 'sw', target: 'es' }, never)).rejects.toMatchObject({ family: 'input' });
  });
});
