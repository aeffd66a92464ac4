/** Which queries, documents and judgements make up a retrieval test or training set? Three files that must know each other. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, toIsoglossError } from '../base/errors.ts';
import { readDocumentRecords, readQueryRecords } from './beir-records.ts';
import { readQrels } from './qrels.ts';
import { collect, problem } from './records.ts';
import type { CorpusProblem, DocumentRecord, Judgement, QueryRecord, QuestionPair, Reading } from './records.ts';

export type RetrievalPaths = {
  readonly collectionPath: string;
  readonly queriesPath: string;
  readonly qrelsPath: string;
  /** Documents without judgements that make the search harder. */
  readonly distractorsPath?: string;
};

/** Judgements name only queries and documents that are there; ids are unique. */
export type RetrievalSet = {
  readonly queries: readonly QueryRecord[];
  readonly documents: readonly DocumentRecord[];
  readonly distractors: readonly DocumentRecord[];
  readonly judgements: readonly Judgement[];
  readonly problems: readonly CorpusProblem[];
};

const COLLECTION_NAMES = ['collection.jsonl', 'corpus.jsonl', 'collection.jsonl.gz', 'corpus.jsonl.gz'];
const QUERIES_NAMES = ['queries.jsonl', 'queries.jsonl.gz'];
const QRELS_NAMES = ['qrels.tsv', 'qrels.tsv.gz', 'qrels.txt'];
const DISTRACTORS_NAMES = ['distractors.jsonl', 'distractors.jsonl.gz'];
const QRELS_FOLDER = 'qrels';

/** Which part of a BEIR folder with qrels/train.tsv, qrels/dev.tsv, qrels/test.tsv. */
export type BeirSplit = 'train' | 'dev' | 'test';

/**
 * The files of a BEIR-style folder: corpus.jsonl or collection.jsonl, queries.jsonl, qrels.tsv or qrels/<split>.tsv
 * (without `split`: test, dev, train, the first that is there), distractors.jsonl if any; each plain or gzip.
 *
 * @throws InputError 'corpus.missing-file' naming everything that is missing at once; 'file.missing' for no folder.
 */
export async function findRetrievalFiles(folder: string, split?: BeirSplit): Promise<RetrievalPaths> {
  const names = await namesIn(folder);
  const pick = (candidates: readonly string[]): string | undefined => {
    const name = candidates.find((candidate) => names.has(candidate));
    return name === undefined ? undefined : join(folder, name);
  };
  const collectionPath = pick(COLLECTION_NAMES);
  const queriesPath = pick(QUERIES_NAMES);
  const qrelsPath = (split === undefined ? pick(QRELS_NAMES) : undefined) ?? (await splitPath(folder, names, split)) ?? pick(QRELS_NAMES);
  const distractorsPath = pick(DISTRACTORS_NAMES);
  if (collectionPath === undefined || queriesPath === undefined || qrelsPath === undefined) {
    const missing = [
      ...(collectionPath === undefined ? ['corpus.jsonl (or collection.jsonl)'] : []),
      ...(queriesPath === undefined ? ['queries.jsonl'] : []),
      ...(qrelsPath === undefined ? [`qrels.tsv (or ${QRELS_FOLDER}/${split ?? 'test'}.tsv)`] : []),
    ];
    throw new InputError('corpus.missing-file', `${folder}: expected ${missing.join(' and ')} in this folder, found ${names.size === 0 ? 'nothing' : [...names].slice(0, 10).join(', ')}.`, { data: { path: folder, missing } });
  }
  return { collectionPath, queriesPath, qrelsPath, ...(distractorsPath === undefined ? {} : { distractorsPath }) };
}

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
  const documents = uniqueById(await keep(readDocumentRecords(collectionPath, signal), problems), collectionPath, new Set(), problems);
  requireSome(documents, collectionPath, 'documents', problems);
  const documentIds = new Set(documents.map(({ id }) => id));
  const distractors = distractorsPath === undefined ? [] : uniqueById(await keep(readDocumentRecords(distractorsPath, signal), problems), distractorsPath, documentIds, problems);
  const queries = uniqueById(await keep(readQueryRecords(queriesPath, signal), problems), queriesPath, new Set(), problems);
  requireSome(queries, queriesPath, 'queries', problems);
  const queryIds = new Set(queries.map(({ id }) => id));
  const seen = new Set<string>();
  const judgements: Judgement[] = [];
  for (const judgement of await keep(readQrels(qrelsPath, signal), problems)) {
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

/** The question-passage pairs of a BEIR-style folder: one for each judgement above 0, in file order. @throws as readRetrievalSet. */
export async function* readRetrievalPairs(folder: string, signal: AbortSignal, split?: BeirSplit): AsyncGenerator<Reading<QuestionPair>> {
  const { collectionPath, queriesPath, qrelsPath } = await findRetrievalFiles(folder, split);
  const { queries, documents, judgements, problems } = await readRetrievalSet({ collectionPath, queriesPath, qrelsPath }, signal);
  for (const found of problems) yield { kind: 'problem', problem: found };
  const queryById = new Map(queries.map((query) => [query.id, query]));
  const documentById = new Map(documents.map((document) => [document.id, document]));
  for (const { queryId, documentId, relevance } of judgements) {
    const query = queryById.get(queryId);
    const document = documentById.get(documentId);
    if (relevance <= 0 || query === undefined || document === undefined) continue;
    yield { kind: 'record', value: { query: query.text, passage: document.text, queryId, documentId, ...(document.title === '' ? {} : { title: document.title }) } };
  }
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

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set((await readdir(folder)).sort());
  } catch (thrown) {
    throw toIsoglossError(thrown);
  }
}

async function splitPath(folder: string, names: ReadonlySet<string>, split: BeirSplit | undefined): Promise<string | undefined> {
  if (!names.has(QRELS_FOLDER)) return undefined;
  const inside = await namesIn(join(folder, QRELS_FOLDER));
  const wanted = split === undefined ? ['test', 'dev', 'train'] : [split];
  const name = wanted.flatMap((one) => [`${one}.tsv`, `${one}.tsv.gz`]).find((candidate) => inside.has(candidate));
  return name === undefined ? undefined : join(folder, QRELS_FOLDER, name);
}
