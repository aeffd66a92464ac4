/** Which questions, documents and judgements does a retrieval task of an experiment name? */
import { stat } from 'node:fs/promises';
import { findRetrievalFiles, readRetrievalSet, type RetrievalSet } from '../../../core/corpus/retrieval-set.ts';
import type { TaskOf } from '../../../core/evaluation/experiments/tasks.ts';

/** @throws as findRetrievalFiles and readRetrievalSet. */
export async function readRetrievalTask({ data, split, collection, distractors }: TaskOf<'retrieval'>, signal: AbortSignal): Promise<RetrievalSet> {
  if (collection === undefined) {
    const { queriesPath, qrelsPath, collectionPath } = await findRetrievalFiles(data, split); // distractors count only where a task asks for them
    return readRetrievalSet({ queriesPath, qrelsPath, collectionPath, ...(distractors === undefined ? {} : { distractorsPath: distractors }) }, signal);
  }
  const isFolder = (await stat(collection)).isDirectory();
  const { queriesPath, qrelsPath } = await findRetrievalFiles(data, split);
  const collectionPath = isFolder ? (await findRetrievalFiles(collection)).collectionPath : collection;
  return readRetrievalSet({ queriesPath, qrelsPath, collectionPath, ...(distractors === undefined ? {} : { distractorsPath: distractors }) }, signal);
}
