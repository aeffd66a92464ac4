/** Which questions, documents and judgements does a retrieval task of an experiment name? */
import { stat } from 'node:fs/promises';
import { findCollection, findQuestionFiles, findRetrievalFiles, type RetrievalPaths } from '../../../core/corpus/retrieval-layouts.ts';
import { readQueries } from '../../../core/corpus/retrieval-records.ts';
import { readRetrievalSet } from '../../../core/corpus/retrieval-set.ts';
import { readDevelopmentSet } from '../../../core/evaluation/baselines/development-set.ts';
import type { Experiment } from '../../../core/evaluation/experiments/experiment-file.ts';
import type { TaskOf } from '../../../core/evaluation/experiments/tasks.ts';
import { qrelsOf, type TaskDocument, type TaskQuery } from '../../../core/evaluation/retrieval-task.ts';
import type { Qrels } from '../../../core/metrics/ranking.ts';

export type ReadTask = { readonly documents: readonly TaskDocument[]; readonly queries: readonly TaskQuery[]; readonly qrels: Qrels };

/** The task's files; distractors count only where it names them. @throws as findRetrievalFiles and readRetrievalSet. */
export async function readRetrievalTask(task: TaskOf<'retrieval'>, signal: AbortSignal): Promise<ReadTask> {
  const { documents, distractors, queries, judgements } = await readRetrievalSet(await pathsOf(task), signal);
  return { documents: [...documents, ...distractors], queries, qrels: qrelsOf(judgements) };
}

/**
 * A development task: as above, or a file of questions with their passages. Questions that a test task of the experiment asks too are left out.
 * @throws as readRetrievalTask and readDevelopmentSet.
 */
export async function readDevelopmentTask(task: TaskOf<'retrieval'>, { tasks }: Experiment, signal: AbortSignal): Promise<ReadTask> {
  const tests = tasks.filter((one) => one.kind === 'retrieval');
  const testQueries: string[] = [];
  for (const test of tests) for await (const reading of readQueries((await findQuestionFiles(test.data, test.split)).queriesPath, signal)) if (reading.kind === 'record') testQueries.push(reading.value.text);
  if (await isFile(task.data)) return readDevelopmentSet(task.data, { testQueries, signal });
  const { documents, queries, qrels } = await readRetrievalTask({ ...task, split: task.split ?? 'dev' }, signal);
  const asked = new Set(testQueries);
  return { documents, qrels, queries: queries.filter(({ text }) => !asked.has(text)) };
}

async function pathsOf({ data, split, collection, distractors }: TaskOf<'retrieval'>): Promise<RetrievalPaths> {
  const more = distractors === undefined ? {} : { distractorsPath: distractors };
  if (collection === undefined) {
    const { queriesPath, qrelsPath, collectionPath } = await findRetrievalFiles(data, split);
    return { queriesPath, qrelsPath, collectionPath, ...more };
  }
  return { ...(await findQuestionFiles(data, split)), collectionPath: (await isFile(collection)) ? collection : await findCollection(collection), ...more };
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true;
}
