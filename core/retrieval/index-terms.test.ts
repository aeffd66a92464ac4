/** Do the terms of a model travel with the index that it makes? */
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { strictestTerms } from '../corpus/terms.ts';
import { readModelTerms } from '../encoding/model-terms.ts';
import { inheritTerms, readIndexTerms } from './index-terms.ts';

describe('terms', () => {
  test('go from the manifest of a model into its index, and come back equal', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-terms-'));
    const [modelFolder, indexFolder] = [join(folder.path, 'model'), join(folder.path, 'index')];
    for (const one of [modelFolder, indexFolder]) await mkdir(one);
    const terms = strictestTerms([{ name: 'a.tsv', source: 'ELAR', licence: 'CC BY-NC 4.0', consent: 'given', access: 'community' }]);
    await writeFile(join(modelFolder, 'model.json'), JSON.stringify({ training: { seed: 1, terms } }));
    expect(await readModelTerms(modelFolder)).toEqual(terms);
    expect(await inheritTerms({ indexFolder, modelFolder })).toEqual(terms);
    expect(await readIndexTerms(indexFolder)).toEqual(terms);
  });

  test('a model that says none leaves none, and damaged terms are named', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-terms-'));
    await writeFile(join(folder.path, 'model.json'), JSON.stringify({ training: { seed: 1 } }));
    expect(await inheritTerms({ indexFolder: folder.path, modelFolder: folder.path })).toBeNull();
    expect(await readIndexTerms(folder.path)).toBeNull();
    await writeFile(join(folder.path, 'terms.json'), '{"licence": 7}');
    await expect(readIndexTerms(folder.path)).rejects.toMatchObject({ code: 'index.damaged-terms' });
  });
});
