/** Are the texts of a project still those that its model learned from? */
import { sha256 } from '../../core/base/hashing.ts';
import type { CorpusEntry, ProjectFile } from './project-file.ts';

/** What a training reads of the corpora: which contents, in which order, read how. Names, places and licences change nothing of it. */
export function textsMark(corpora: readonly CorpusEntry[]): string {
  return sha256(JSON.stringify(corpora.map(({ role, format, languages, mapping, encoding, fingerprints }) => [role, format, languages, mapping ?? null, encoding ?? null, fingerprints.map((file) => file.sha256)])));
}

/** Whether texts were added, taken away or read otherwise since; false where nobody knows what the model learned from. */
export function textsHaveChanged({ model, trainedOn, corpora }: Pick<ProjectFile, 'model' | 'trainedOn' | 'corpora'>): boolean {
  return model !== null && trainedOn !== null && trainedOn !== textsMark(corpora);
}
