/** Which questions with passages does a folder of questions, documents and judgements hold, for training? Documents are read past, not kept. */
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../base/errors.ts';
import { readLineRecords } from './line-records.ts';
import { problem, record, withTitle } from './records.ts';
import type { CorpusProblem, DocumentRecord, QuestionPair, Reading } from './records.ts';
import { findCollection, findRetrievalFiles, type RetrievalSplit } from './retrieval-layouts.ts';
import { readCollection, readJudgements, readQueries } from './retrieval-records.ts';

/** MS MARCO: `question id<tab>id of the passage that answers<tab>id of one that does not`. */
const TRIPLES = /^qidpidtriples\.train(?:\.full)?(?:\.\d)?\.tsv(?:\.gz)?$/;
const TRIPLE_COLUMNS = 3;
/** Of one question and passage so many negatives are kept, the first ones. */
const MOST_NEGATIVES = 8;

type Wanted = { readonly queryId: string; readonly documentId: string; readonly negatives: string[] };

/**
 * One pair for each judgement above 0, or for each question and passage of MS MARCO's triples where the folder has them, with the passages
 * that do not answer. Without `split`: train, else dev, else test. Only documents that a pair names are kept.
 * Judgements of questions or documents that are not there are problems ('corpus.unknown-id').
 * @throws InputError 'corpus.no-judgements' when no pair is left; as findRetrievalFiles; what the readers throw.
 */
export async function* readRetrievalPairs(folder: string, signal: AbortSignal, split?: RetrievalSplit): AsyncGenerator<Reading<QuestionPair>> {
  const triples = (await readdir(folder).catch(() => [])).find((name) => TRIPLES.test(name)); // a missing folder is told below
  const { collectionPath, queriesPath, qrelsPath } = triples === undefined ? await filesFor(folder, split) : { collectionPath: await findCollection(folder), queriesPath: await trainQueries(folder), qrelsPath: join(folder, triples) };
  const first: CorpusProblem[] = []; // at most one: kept for the sentence when nothing is left
  const told = (reading: ReturnType<typeof problem>): ReturnType<typeof problem> => {
    if (first.length === 0) first.push(reading.problem);
    return reading;
  };
  const queries = new Map<string, string>();
  for await (const reading of readQueries(queriesPath, signal)) {
    if (reading.kind === 'problem') yield told(reading);
    else if (!queries.has(reading.value.id)) queries.set(reading.value.id, reading.value.text);
    else yield told(problem('repeated-id', { path: queriesPath, line: reading.value.line, id: reading.value.id, expected: 'each id once', found: `${reading.value.id} again` }));
  }
  const wanted = new Map<string, Wanted>();
  for await (const reading of triples === undefined ? judged(qrelsPath, signal) : tripled(qrelsPath, signal)) {
    if (reading.kind === 'problem') {
      yield told(reading);
      continue;
    }
    const { queryId, documentId, negative, line } = reading.value;
    if (!queries.has(queryId)) {
      yield told(problem('unknown-id', { path: qrelsPath, line, id: queryId, expected: `a query id of ${queriesPath}`, found: queryId }));
      continue;
    }
    const key = `${queryId}\t${documentId}`;
    const known = wanted.get(key) ?? { queryId, documentId, negatives: [] };
    wanted.set(key, known);
    if (negative !== null && known.negatives.length < MOST_NEGATIVES) known.negatives.push(negative);
  }
  const needed = new Set([...wanted.values()].flatMap(({ documentId, negatives }) => [documentId, ...negatives]));
  const documents = new Map<string, DocumentRecord>();
  for await (const reading of readCollection(collectionPath, signal)) {
    if (reading.kind === 'problem') yield told(reading);
    else if (needed.has(reading.value.id) && !documents.has(reading.value.id)) documents.set(reading.value.id, reading.value);
  }
  let pairs = 0;
  for (const { queryId, documentId, negatives } of wanted.values()) {
    const document = documents.get(documentId);
    if (document === undefined) {
      yield told(problem('unknown-id', { path: qrelsPath, line: 0, id: documentId, expected: `a document id of ${collectionPath}`, found: documentId }));
      continue;
    }
    const wrong = negatives.flatMap((id) => documents.get(id) ?? []).map(({ text, title }) => withTitle(text, title));
    pairs += 1;
    yield record({ query: queries.get(queryId) ?? '', passage: document.text, queryId, documentId, ...(document.title === '' ? {} : { title: document.title }), ...(wrong.length === 0 ? {} : { negatives: wrong }) });
  }
  if (pairs === 0) throw new InputError('corpus.no-judgements', `${qrelsPath}: expected judgements that name queries of ${queriesPath} and documents of ${collectionPath}, found none${first[0] === undefined ? '.' : `; the first problem: ${first[0].message}`}`, { data: { path: qrelsPath } });
}

type Relation = { readonly queryId: string; readonly documentId: string; readonly negative: string | null; readonly line: number };

async function* judged(path: string, signal: AbortSignal): AsyncGenerator<Reading<Relation>> {
  for await (const reading of readJudgements(path, signal)) {
    if (reading.kind === 'problem') yield reading;
    else if (reading.value.relevance > 0) yield record({ ...reading.value, negative: null });
  }
}

function tripled(path: string, signal: AbortSignal): AsyncGenerator<Reading<Relation>> {
  return readLineRecords(path, signal, (text, line) => {
    const cells = text.trim().split(/[\t ]+/);
    const [queryId = '', documentId = '', negative = ''] = cells;
    if (cells.length !== TRIPLE_COLUMNS || negative === '') return problem('column-count', { path, line, expected: 'question id<tab>passage id<tab>passage id', found: text });
    return record({ queryId, documentId, negative, line });
  });
}

/** The part for training first. */
async function filesFor(folder: string, split: RetrievalSplit | undefined): Promise<{ readonly collectionPath: string; readonly queriesPath: string; readonly qrelsPath: string }> {
  if (split !== undefined) return findRetrievalFiles(folder, split);
  for (const part of ['train', 'dev'] as const) {
    const found = await findRetrievalFiles(folder, part).catch((thrown: unknown) => {
      if (thrown instanceof InputError && thrown.code === 'corpus.missing-file') return null; // the next part
      throw thrown;
    });
    if (found !== null) return found;
  }
  return findRetrievalFiles(folder);
}

async function trainQueries(folder: string): Promise<string> {
  for (const name of ['queries.train.tsv', 'queries.train.tsv.gz']) if (await access(join(folder, name)).then(() => true, () => false)) return join(folder, name);
  throw new InputError('corpus.missing-file', `${folder}: expected queries.train.tsv beside the triples, found none.`, { data: { path: folder, missing: ['queries.train.tsv'] } });
}
