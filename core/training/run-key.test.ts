/** Does a saved state belong to settings and content, and to nothing else? */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { runKeyOf } from './run-key.ts';
import { SAMPLE_FOLDER, smallRecipe, STARTER_FOLDER } from './test-recipes.ts';

it('a run is known by its settings and what is read, not by where its files lie or whose they are', async () => {
  using folder = temporaryFolder();
  const pairs = { path: join(SAMPLE_FOLDER, 'parallel.en-sw.tsv'), source: 'en', target: 'sw' };
  const keyOf = async (changes: Readonly<Record<string, unknown>>): Promise<string> => runKeyOf(await smallRecipe(folder.path, changes), STARTER_FOLDER);
  const key = await keyOf({});
  cpSync(pairs.path, join(folder.path, 'moved.tsv'));
  expect(await keyOf({ parallel: [{ ...pairs, path: 'moved.tsv' }] })).toBe(key);
  expect(await keyOf({ parallel: [{ ...pairs, terms: { source: 'a teacher', licence: 'CC0-1.0', consent: null, access: null } }] })).toBe(key);
  const others = [
    { seed: 4 }, { pairsPerLanguage: 50 }, { sentencesPerLanguage: 50 }, { losses: { language: { weight: 0.2 } } }, { parallel: [{ ...pairs, target: 'rw' }] },
    { parallel: [{ ...pairs, mapping: { columns: { source: 2, target: 1 } } }] }, { monolingual: [] }, { distillation: { teacher: 'starter' } },
  ];
  const keys = await Promise.all(others.map(keyOf));
  expect(new Set([key, ...keys]).size).toBe(others.length + 1);
});
