/** Which run does a checkpoint belong to? The recipe's settings and the content of its files, whatever their names. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256, sha256OfFile } from '../base/hashing.ts';
import { recipeFiles } from './recipe.ts';
import { isBackbone, usesStarter, type Recipe } from './recipe-schema.ts';
import { STARTER_TEACHER } from './teacher.ts';

/** What of a corpus says where it is and whose it is, and not what is read. */
const NO_CONTENT: ReadonlySet<string> = new Set(['path', 'pairs', 'folder', 'sourcePath', 'targetPath', 'sourceSentences', 'targetSentences', 'terms']);

/** How corpora are read, wherever they lie. */
export function readingsOf(sources: readonly object[]): unknown {
  return sources.map((source) => Object.entries(source).filter(([name]) => !NO_CONTENT.has(name)));
}

/** The recipe's settings (how its corpora are read among them), the content of its files (whatever their names) and the starter: what a checkpoint belongs to. */
export async function runKeyOf(recipe: Recipe, starterFolder: string): Promise<string> {
  const hashes: string[] = [];
  const files = [...recipeFiles(recipe), ...(usesStarter(recipe) || recipe.distillation?.teacher === STARTER_TEACHER ? [starterFolder] : [])];
  for (const file of files) hashes.push(...(await hashesBelow(file)));
  const { retrieval = [], parallel, monolingual, distillation, ...settings } = recipe;
  const encoder = isBackbone(recipe) ? { ...recipe.encoder, path: null } : recipe.encoder; // a backbone is known by its files
  const read = [retrieval, parallel, monolingual].map(readingsOf);
  return sha256(JSON.stringify({ ...settings, encoder, distillation: distillation === undefined ? null : { ...distillation, teacher: null }, read, hashes }));
}

/** The hash of a file, or those of all files in a folder. */
export async function hashesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => null); // not a folder
  if (entries === null) return [await sha256OfFile(path)];
  const hashes: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) if (entry.isFile() || entry.isDirectory()) hashes.push(...(await hashesBelow(join(path, entry.name))));
  return hashes;
}

