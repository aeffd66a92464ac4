/** Which queries, documents and judgements make up a retrieval test or training set? Three files that must know each other. */
import { InputError } from '../base/errors.ts';
import { readCollection, readJudgements, readQueries } from './retrieval-records.ts';
import type { RetrievalPaths } from './retrieval-layouts.ts';
import { collect, problem } from './records.ts';
import type { CorpusProblem, DocumentRecord, Judgement, QueryRecord, Reading } from './records.ts';

/** Judgements name only queries and documents that are there; ids are unique. */
export type RetrievalSet = {
  readonly queries: readonly QueryRecord[];
  readonly documents: readonly DocumentRecord[];
  readonly distractors: readonly DocumentRecord[];
  readonly judgements: readonly Judgement[];
  readonly problems: readonly CorpusProblem[];
};

/**
 * Reads the files into memory and checks them against each other. Problems besides those of the readers: a repeated id
 * ('corpus.repeated-id', the first stays), a judgement that names an unknown query or document ('corpus.unknown-id', with
 * line and id), the same pair judged twice ('corpus.repeated-judgement', the first stays).
 *
 * @throws InputError 'corpus.nothing-usable' for a file without usable queries or documents, 'corpus.no-judgements' when no
 *   judgement is left; what the readers throw.
 */
export async function readRetrievalSet(paths: RetrievalPaths, signal: AbortSignal): Promise<RetrievalSet> {
  const { collectionPath, queriesPath, qrelsPath, distractorsPath } = paths;
  const problems: CorpusProblem[] = [];
  const documents = uniqueById(await keep(readCollection(collectionPath, signal), problems), collectionPath, new Set(), problems);
  requireSome(documents, collectionPath, 'documents', problems);
  const documentIds = new Set(documents.map(({ id }) => id));
  const distractors = distractorsPath === undefined ? [] : uniqueById(await keep(readCollection(distractorsPath, signal), problems), distractorsPath, documentIds, problems);
  const queries = uniqueById(await keep(readQueries(queriesPath, signal), problems), queriesPath, new Set(), problems);
  requireSome(queries, queriesPath, 'queries', problems);
  const queryIds = new Set(queries.map(({ id }) => id));
  const seen = new Set<string>();
  const judgements: Judgement[] = [];
  for (const judgement of await keep(readJudgements(qrelsPath, signal), problems)) {
    const { queryId, documentId, line } = judgement;
    const key = JSON.stringify([queryId, documentId]);
    if (!queryIds.has(queryId)) problems.push(problem('unknown-id', { path: qrelsPath, line, id: queryId, expected: `a query id of ${queriesPath}`, found: queryId }).problem);
    else if (!documentIds.has(documentId)) problems.push(problem('unknown-id', { path: qrelsPath, line, id: documentId, expected: `a document id of ${collectionPath}`, found: documentId }).problem);
    else if (seen.has(key)) problems.push(problem('repeated-judgement', { path: qrelsPath, line, id: queryId, expected: 'each query and document judged once', found: `${queryId} and ${documentId} again` }).problem);
    else {
      seen.add(key);
      judgements.push(judgement);
    }
  }
  if (judgements.length === 0) {
    throw new InputError('corpus.no-judgements', `${qrelsPath}: expected judgements that name queries of ${queriesPath} and documents of ${collectionPath}, found none${problems[0] === undefined ? '' : `; the first problem: ${problems[0].message}`}`, { data: { path: qrelsPath } });
  }
  return { queries, documents, distractors, judgements, problems };
}

function requireSome(records: readonly unknown[], path: string, what: string, problems: readonly CorpusProblem[]): void {
  if (records.length > 0) return;
  const first = problems.find((found) => found.path === path);
  throw new InputError('corpus.nothing-usable', `${path}: expected ${what}, found none that can be used${first === undefined ? '.' : `; the first problem: ${first.message}`}`, { data: { path } });
}

async function keep<T>(readings: AsyncIterable<Reading<T>>, problems: CorpusProblem[]): Promise<readonly T[]> {
  const read = await collect(readings);
  for (const found of read.problems) problems.push(found);
  return read.records;
}

function uniqueById<T extends { readonly id: string; readonly line: number }>(records: readonly T[], path: string, taken: ReadonlySet<string>, problems: CorpusProblem[]): readonly T[] {
  const seen = new Set(taken);
  return records.filter(({ id, line }) => {
    if (!seen.has(id)) {
      seen.add(id);
      return true;
    }
    problems.push(problem('repeated-id', { path, line, id, expected: 'each id once', found: `${id} again` }).problem);
    return false;
  });
}
