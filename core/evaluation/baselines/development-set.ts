/** On which questions may settings be chosen? On those of a development set, without the ones that the test asks too. */
import { stat } from 'node:fs/promises';
import { InputError } from '../../base/errors.ts';
import type { CorpusProblem, QuestionPair } from '../../corpus/records.ts';
import { findRetrievalFiles } from '../../corpus/retrieval-layouts.ts';
import { readRetrievalSet } from '../../corpus/retrieval-set.ts';
import { readQuestions } from '../../corpus/sources.ts';
import { qrelsOf, type TaskDocument, type TaskQuery } from '../retrieval-task.ts';
import type { Qrels } from '../../metrics/ranking.ts';
import { normaliseForModel } from '../../text/normalise.ts';

export type DevelopmentSet = {
  readonly documents: readonly TaskDocument[];
  readonly queries: readonly TaskQuery[];
  readonly qrels: Qrels;
  /** Questions that the test asks too. */
  readonly leftOut: number;
  readonly problems: readonly CorpusProblem[];
};

/**
 * Reads a folder (queries, collection, and qrels: of `qrels/dev.tsv` where there is one) or a file of questions with their passages, which
 * then are the collection. Questions that stand in `testQueries`, however they are written, are left out.
 * @throws InputError 'evaluation.development-is-test' when none is left; what the readers throw.
 */
export async function readDevelopmentSet(path: string, { testQueries, signal }: { readonly testQueries: readonly string[]; readonly signal: AbortSignal }): Promise<DevelopmentSet> {
  const isFile = (await stat(path).catch(() => null))?.isFile() === true;
  const { documents, queries, qrels, problems } = isFile ? await ofQuestions(path, signal) : await ofFolder(path, signal);
  const asked = new Set(testQueries.map(normaliseForModel));
  const kept = queries.filter(({ text }) => !asked.has(normaliseForModel(text)));
  const judged = kept.filter(({ id }) => qrels.has(id));
  if (judged.length === 0) throw new InputError('evaluation.development-is-test', `${path}: expected judged questions of a development set, found none that the test does not ask too. Name other data: a setting chosen on the test measures nothing.`, { data: { path } });
  return { documents, queries: judged, qrels, leftOut: queries.length - kept.length, problems };
}

async function ofFolder(path: string, signal: AbortSignal): Promise<Omit<DevelopmentSet, 'leftOut'>> {
  const { documents, distractors, queries, judgements, problems } = await readRetrievalSet(await findRetrievalFiles(path, 'dev'), signal);
  return { documents: [...documents, ...distractors], queries, qrels: qrelsOf(judgements), problems };
}

async function ofQuestions(path: string, signal: AbortSignal): Promise<Omit<DevelopmentSet, 'leftOut'>> {
  const problems: CorpusProblem[] = [];
  const idOf = new Map<string, string>();
  const documents: TaskDocument[] = [];
  const queries: TaskQuery[] = [];
  const qrels = new Map<string, Map<string, number>>();
  for await (const readings of readQuestions({ paths: [path] }, signal)) {
    for (const reading of readings) {
      if (reading.kind === 'problem') problems.push(reading.problem);
      else add(reading.value);
    }
  }
  return { documents, queries, qrels, problems };

  function add({ query, passage, title = '', documentId }: QuestionPair): void {
    const key = documentId ?? `${title}\n${passage}`;
    const known = idOf.get(key);
    const id = known ?? `passage-${documents.length + 1}`;
    if (known === undefined) {
      idOf.set(key, id);
      documents.push({ id, title, text: passage });
    }
    const queryId = `question-${queries.length + 1}`;
    queries.push({ id: queryId, text: query });
    qrels.set(queryId, new Map([[id, 1]]));
  }
}
