/** Under which terms may this index be shared? Under those of the model that made its vectors; they travel with it as terms.json. */
import { join } from 'node:path';
import { readJson, writeJsonAtomic } from '../base/atomic-files.ts';
import { InputError } from '../base/errors.ts';
import { inheritedTermsSchema, type InheritedTerms } from '../corpus/terms.ts';
import { readModelTerms } from '../encoding/model-terms.ts';

const TERMS_NAME = 'terms.json';

/** Writes the model's terms into the index folder. @returns them; null when the model says none, and nothing is written. @throws as `readModelTerms`; EnvironmentError of the disk. */
export async function inheritTerms({ indexFolder, modelFolder }: { readonly indexFolder: string; readonly modelFolder: string }): Promise<InheritedTerms | null> {
  const terms = await readModelTerms(modelFolder);
  if (terms !== null) await writeJsonAtomic(join(indexFolder, TERMS_NAME), terms);
  return terms;
}

/** The terms of an index; null: it says none. @throws InputError 'index.damaged-terms'. */
export async function readIndexTerms(indexFolder: string): Promise<InheritedTerms | null> {
  const path = join(indexFolder, TERMS_NAME);
  const found = await readJson(path).catch((thrown: unknown) => {
    if (thrown instanceof InputError && thrown.code === 'file.missing') return null;
    throw thrown;
  });
  if (found === null) return null;
  const parsed = inheritedTermsSchema.safeParse(found);
  if (parsed.success) return parsed.data;
  throw new InputError('index.damaged-terms', `${path}: expected the terms of an index, found something else. Index the documents again.`, { data: { path } });
}
