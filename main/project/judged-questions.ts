/** Which judgements does training learn from? judgements/training.jsonl: each right passage of a query, with the passages marked as wrong as its hard negatives. */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../core/base/atomic-files.ts';
import { jsonLines, trainingLines } from './judgement-export.ts';
import { readMarks } from './judgements.ts';

/**
 * Brings the file up to date with what is judged now. @param keep  true: leave it as it is, because a run that can be resumed was begun with it.
 * @returns its path; null when no passage is marked as right. @throws EnvironmentError 'disk.full', 'disk.no-permission'.
 */
export async function writeJudgedQuestions(folder: string, { keep }: { readonly keep: boolean }): Promise<string | null> {
  const path = join(folder, 'judgements', 'training.jsonl');
  if (keep) return stat(path).then(() => path, () => null);
  const lines = trainingLines(await readMarks(folder));
  if (lines.length === 0) {
    await rm(path, { force: true });
    return null;
  }
  await writeFileAtomic(path, jsonLines(lines));
  return path;
}
