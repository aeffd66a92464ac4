/** Small backbones for tests: the folders of test/reference/backbones, and a way to spoil a copy of one. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Each in the layout of the model it is named after. */
export const layouts = ['bert', 'roberta', 'xlm-roberta', 'distilbert', 'labse', 'multilingual-e5', 'minilm'] as const;

export function fixtureFolder(name: (typeof layouts)[number]): string {
  return fileURLToPath(new URL(`../../../test/reference/backbones/${name}`, import.meta.url));
}

/** A folder for one test; gone afterwards. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'isogloss-backbone-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A copy of a fixture, in a folder of its own inside `into`. */
export async function copyOf(name: (typeof layouts)[number], into: string): Promise<string> {
  const folder = join(into, name);
  await cp(fixtureFolder(name), folder, { recursive: true });
  return folder;
}

/** Changes a JSON file of a folder. */
export async function changeJson(path: string, change: Readonly<Record<string, unknown>>): Promise<void> {
  const before: unknown = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...(before as object), ...change }));
}
