/** Under which terms may this model be used? Under the strictest of the corpora it learned from, as its manifest says. */
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../base/atomic-files.ts';
import { inheritedTermsSchema, type InheritedTerms } from '../corpus/terms.ts';
import { MANIFEST_FILE } from './model-folder.ts';

/** The manifest of any kind of model. */
const withTerms = z.object({ training: z.object({ terms: inheritedTermsSchema.nullable() }) });

/** The terms in a model folder; null: made before models had any, or of no corpora. @throws InputError 'file.missing', 'file.not-json'. */
export async function readModelTerms(modelFolder: string): Promise<InheritedTerms | null> {
  const parsed = withTerms.safeParse(await readJson(join(modelFolder, MANIFEST_FILE)));
  return parsed.success ? parsed.data.training.terms : null;
}
