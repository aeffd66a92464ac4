/** Is WikiXPR read as its authors read it? Small files in exactly their layout. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { readPhraseFiles, readWikiXpr } from './wikixpr.ts';

const { signal } = new AbortController();

async function dataSet(folder: string): Promise<void> {
  for (const part of ['train', 'dev', 'test', 'sentences']) await mkdir(join(folder, part), { recursive: true });
  await writeFile(join(folder, 'train', 'train-en-fr-32-entity.txt'), 'Red Cross\tCroix-Rouge \nSoviet Union\tUnion soviétique\n');
  await writeFile(join(folder, 'dev', 'dev-en-fr-32-entity.txt'), 'Nobel Prize\tprix Nobel\n');
  await writeFile(join(folder, 'test', 'test-en-fr-32-entity.txt'), 'World War II\tSeconde Guerre mondiale\nno tab here\nunknown phrase\tinconnue\n');
  await writeFile(join(folder, 'sentences', 'en-fr-entity-sentences.32.tsv'), [
    'World War II\t2\tAfter World War II the city grew.\tworld war ii ended in 1945.',
    'red cross\t1\tan older line of the same phrase',
    'Red Cross\t2\tThe Red Cross came.\tShe led the Red Cross there.', // as in a dict of Python, the later line counts
    'Soviet Union\t1\tHe left the Soviet Union.',
    'Nobel Prize\t32\tShe won the Nobel Prize.', // the number is not read
    'not asked\t1\tsomething else',
    'empty\t0',
  ].join('\n'));
  await writeFile(join(folder, 'sentences', 'fr-entity-sentences.32.tsv'), [
    'Seconde Guerre mondiale\t1\tLa Seconde Guerre mondiale commence.',
    'croix-rouge\t1\tLa Croix-Rouge arrive.',
    'Union soviétique\t1\tIl quitte l\'Union soviétique.',
    'prix Nobel\t1\tElle reçoit le prix Nobel.\t',
  ].join('\n'));
}

describe('readWikiXpr', () => {
  it('reads the pairs of a split with their sentences, found whatever the case; of two lines the later counts', async () => {
    using place = temporaryFolder();
    await dataSet(place.path);
    const set = await readWikiXpr({ folder: place.path, language: 'fr', split: 'train' }, signal);
    expect(set.sources).toEqual([{ phrase: 'Red Cross', sentences: ['The Red Cross came.', 'She led the Red Cross there.'] }, { phrase: 'Soviet Union', sentences: ['He left the Soviet Union.'] }]);
    expect(set.targets).toEqual([{ phrase: 'Croix-Rouge', sentences: ['La Croix-Rouge arrive.'] }, { phrase: 'Union soviétique', sentences: ['Il quitte l\'Union soviétique.'] }]);
    expect((await readWikiXpr({ folder: place.path, language: 'fr', split: 'dev' }, signal)).targets).toEqual([{ phrase: 'prix Nobel', sentences: ['Elle reçoit le prix Nobel.'] }]);
  });

  it('tells what is wrong, leaves out pairs without sentences as the authors do, and goes on', async () => {
    using place = temporaryFolder();
    await dataSet(place.path);
    const { sources, problems } = await readWikiXpr({ folder: place.path, language: 'fr', split: 'test' }, signal);
    expect(sources).toEqual([{ phrase: 'World War II', sentences: ['After World War II the city grew.', 'world war ii ended in 1945.'] }]);
    expect(problems.map(({ code, line }) => [code, line])).toEqual([['corpus.column-count', 2], ['corpus.empty-text', 7], ['corpus.no-sentences', 3]]);
  });

  it('is known by its names where the files are given one by one; other files need their numbers right', async () => {
    using place = temporaryFolder();
    await dataSet(place.path);
    const sentences = (name: string): string => join(place.path, 'sentences', name);
    const files = { pairsPath: join(place.path, 'dev', 'dev-en-fr-32-entity.txt'), sourcePath: sentences('en-fr-entity-sentences.32.tsv'), targetPath: sentences('fr-entity-sentences.32.tsv') };
    expect(await readPhraseFiles(files, signal)).toEqual(await readWikiXpr({ folder: place.path, language: 'fr', split: 'dev' }, signal));
    await writeFile(join(place.path, 'pairs.tsv'), 'Nobel Prize\tprix Nobel\n');
    expect((await readPhraseFiles({ ...files, pairsPath: join(place.path, 'pairs.tsv') }, signal)).sources).toEqual([{ phrase: 'Nobel Prize', sentences: [] }]); // 32 said, 1 there
  });

  it('is found under "data" too, and names the file that is missing', async () => {
    using place = temporaryFolder();
    await dataSet(join(place.path, 'data'));
    expect((await readWikiXpr({ folder: place.path, language: 'fr', split: 'dev' }, signal)).sources).toHaveLength(1);
    await expect(readWikiXpr({ folder: place.path, language: 'ja', split: 'test' }, signal)).rejects.toMatchObject({ code: 'file.missing', message: expect.stringContaining('test-en-ja-32-entity.txt') });
  });
});
