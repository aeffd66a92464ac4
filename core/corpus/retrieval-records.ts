/** How are documents, questions and judgements read, in whichever published form they are: JSON lines, tab-separated, or questions with their passages? */
import { readDocumentRecords, readQueryRecords } from './beir-records.ts';
import { checkedText, readLineRecords } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { readQrels } from './qrels.ts';
import { readPassageLines } from './question-sets.ts';
import { problem, record } from './records.ts';
import type { DocumentRecord, Judgement, QueryRecord, QuestionPair, Reading } from './records.ts';
import { partsOfCollection } from './retrieval-layouts.ts';

const isTable = (path: string): boolean => /\.(?:tsv|txt)(?:\.gz)?$/.test(path);
/** castorini/mr-tydi keeps questions, passages and, by them, judgements in one file a part. */
const isPassageLines = (path: string): boolean => /(?:^|[\\/])(?:train|dev|test)\.jsonl(?:\.gz)?$/.test(path);

const TITLE_COLUMNS = 3;

/**
 * The documents of a collection: a file or a folder of numbered parts, JSON lines as `readDocumentRecords` has them, or tab-separated
 * (MS MARCO: id, passage; DPR: id, text, title, with a header).
 * @throws what readLineBatches throws.
 */
export async function* readCollection(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<DocumentRecord>> {
  for (const part of await partsOfCollection(path)) yield* isTable(part) ? readLineRecords(part, signal, (text, line) => parseDocument(text, { path: part, line }), options) : readDocumentRecords(part, signal, options);
}

/** The questions: JSON lines, `id<tab>question` (Mr. TyDi, MIRACL, MS MARCO), or questions with their passages. @throws as readCollection. */
export async function* readQueries(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<QueryRecord>> {
  if (isTable(path)) yield* readLineRecords(path, signal, (text, line) => parseQuery(text, { path, line }), options);
  else if (isPassageLines(path)) yield* questionsOf(path, signal, options);
  else yield* readQueryRecords(path, signal, options);
}

/** The judgements: qrels as `readQrels` has them, or a 1 for each passage that a question is given with. @throws as readQrels. */
export async function* readJudgements(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<Judgement>> {
  if (isPassageLines(path)) yield* judgementsOf(path, signal, options);
  else yield* readQrels(path, signal, options);
}

function parseDocument(text: string, { path, line }: { readonly path: string; readonly line: number }): Reading<DocumentRecord> | null {
  const cells = text.split('\t');
  const [id = '', ...rest] = cells.map((cell) => cell.trim());
  if (line === 1 && id === 'id') return null; // DPR's header
  if (id === '' || rest.length === 0 || rest.length >= TITLE_COLUMNS) return problem('column-count', { path, line, expected: 'id<tab>text, or id<tab>text<tab>title', found: text });
  const checked = checkedText(unquoted(rest[0] ?? ''), { path, line, what: 'a text', whole: text });
  return typeof checked === 'string' ? record({ id, title: unquoted(rest[1] ?? ''), text: checked, line }) : checked;
}

/** DPR writes its texts as CSV cells. */
function unquoted(cell: string): string {
  return cell.length > 1 && cell.startsWith('"') && cell.endsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

function parseQuery(text: string, { path, line }: { readonly path: string; readonly line: number }): Reading<QueryRecord> {
  const tab = text.indexOf('\t');
  const id = text.slice(0, Math.max(0, tab)).trim();
  if (id === '') return problem('column-count', { path, line, expected: 'id<tab>question', found: text });
  const checked = checkedText(text.slice(tab + 1), { path, line, what: 'a question', whole: text });
  return typeof checked === 'string' ? record({ id, text: checked, line }) : checked;
}

async function* passageLines(path: string, signal: AbortSignal, options: ReadOptions): AsyncGenerator<Reading<QuestionPair>> {
  for await (const readings of readPassageLines(path, signal, options)) yield* readings;
}

async function* questionsOf(path: string, signal: AbortSignal, options: ReadOptions): AsyncGenerator<Reading<QueryRecord>> {
  const seen = new Set<string>();
  for await (const reading of passageLines(path, signal, options)) {
    if (reading.kind === 'problem') yield reading;
    else {
      const { query, queryId = '' } = reading.value;
      if (queryId === '' || seen.has(queryId)) continue;
      seen.add(queryId);
      yield record({ id: queryId, text: query, line: seen.size });
    }
  }
}

async function* judgementsOf(path: string, signal: AbortSignal, options: ReadOptions): AsyncGenerator<Reading<Judgement>> {
  let line = 0;
  for await (const reading of passageLines(path, signal, options)) {
    if (reading.kind === 'problem') continue; // told with the questions
    line += 1;
    const { queryId = '', documentId = '' } = reading.value;
    if (queryId !== '' && documentId !== '') yield record({ queryId, documentId, relevance: 1, line });
  }
}
