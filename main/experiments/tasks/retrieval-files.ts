/** Which questions, documents and judgements does a retrieval task of an experiment name? */
import { stat } from 'node:fs/promises';
import { findCollection, findQuestionFiles, findRetrievalFiles, type RetrievalPaths } from '../../../core/corpus/retrieval-layouts.ts';
import { InputError } from '../../../core/base/errors.ts';
import { collect } from '../../../core/corpus/records.ts';
import { readCollection, readJudgements, readQueries } from '../../../core/corpus/retrieval-records.ts';
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

/** The questions at once, the documents as they are read. */
export type StreamedTask = { readonly queries: readonly TaskQuery[]; readonly documents: () => AsyncGenerator<readonly TaskDocument[]>; /** After all documents were read: judgements of documents that were there. */ readonly qrels: () => Qrels };

/** As readRetrievalTask, for collections that do not fit into memory. @throws as findRetrievalFiles; InputError 'corpus.no-judgements'; what the readers throw. */
export async function streamRetrievalTask(task: TaskOf<'retrieval'>, signal: AbortSignal): Promise<StreamedTask> {
  const { queriesPath, qrelsPath, collectionPath, distractorsPath } = await pathsOf(task);
  const judgements = (await collect(readJudgements(qrelsPath, signal))).records;
  const judged = new Set(judgements.map(({ queryId }) => queryId));
  const known = new Map<string, TaskQuery>();
  for (const { id, text } of (await collect(readQueries(queriesPath, signal))).records) if (judged.has(id) && !known.has(id)) known.set(id, { id, text });
  const wanted = new Set(judgements.map(({ documentId }) => documentId));
  const found = new Set<string>();
  return {
    queries: [...known.values()],
    documents: async function* () {
      for (const path of [collectionPath, ...(distractorsPath === undefined ? [] : [distractorsPath])]) {
        for await (const reading of readCollection(path, signal)) {
          if (reading.kind === 'problem') continue;
          if (wanted.has(reading.value.id)) found.add(reading.value.id);
          yield [reading.value];
        }
      }
    },
    qrels: () => {
      const usable = judgements.filter(({ queryId, documentId }) => known.has(queryId) && found.has(documentId));
      if (usable.length === 0) throw new InputError('corpus.no-judgements', `${qrelsPath}: expected judgements that name queries of ${queriesPath} and documents of ${collectionPath}, found none.`, { data: { path: qrelsPath } });
      return qrelsOf(usable);
    },
  };
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
