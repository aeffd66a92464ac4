/** Which run does a checkpoint belong to? The recipe's settings and the content of its files, whatever their names. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256, sha256OfFile } from '../base/hashing.ts';
import { recipeFiles } from './recipe.ts';
import { isBackbone, usesStarter, type Recipe } from './recipe-schema.ts';
import { STARTER_TEACHER } from './teacher.ts';

/** The recipe's settings, the content of its files (whatever their names) and the starter: what a checkpoint belongs to. */
export async function runKeyOf(recipe: Recipe, starterFolder: string): Promise<string> {
  const hashes: string[] = [];
  const files = [...recipeFiles(recipe), ...(usesStarter(recipe) || recipe.distillation?.teacher === STARTER_TEACHER ? [starterFolder] : [])];
  for (const file of files) hashes.push(...(await hashesBelow(file)));
  const { encoder, losses, optimizer, budget, seed, parallel, monolingual, hardNegatives, earlyStopping, pairsPerLanguage, sentencesPerLanguage, connections, distillation } = recipe;
  const known = isBackbone(recipe) ? { ...recipe.encoder, path: null } : encoder; // a backbone is known by its files
  const settings = { encoder: known, losses, optimizer, budget, seed, hardNegatives, earlyStopping, pairsPerLanguage, sentencesPerLanguage, connections, distillation: distillation === undefined ? undefined : { ...distillation, teacher: null } };
  return sha256(JSON.stringify({ settings, languages: [parallel.map(({ source, target }) => [source, target]), monolingual.map(({ language, documents }) => (documents === undefined ? language : [language, documents]))], hashes }));
}

/** The hash of a file, or those of all files in a folder. */
export async function hashesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => null); // not a folder
  if (entries === null) return [await sha256OfFile(path)];
  const hashes: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) if (entry.isFile() || entry.isDirectory()) hashes.push(...(await hashesBelow(join(path, entry.name))));
  return hashes;
}

