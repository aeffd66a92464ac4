/** Which documents and queries do the JSONL files of a BEIR-style folder hold? */
import { readJsonLines } from './json-lines.ts';
import type { ReadOptions } from './line-records.ts';
import type { DocumentRecord, QueryRecord, Reading } from './records.ts';

export const ID_FIELDS = ['_id', 'id', 'docid', 'qid'] as const;

/**
 * Streams `{"_id", "title"?, "text"}` lines: corpus.jsonl, collection.jsonl, distractors.jsonl, plain or gzip. A missing title is ''.
 * @see Thakur et al. 2021 (BEIR), arXiv:2104.08663. @throws what readLineBatches throws.
 */
export function readDocumentRecords(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<DocumentRecord>> {
  return readJsonLines(path, signal, (line) => ({ id: line.text(...ID_FIELDS), title: line.optionalText('title') ?? '', text: line.text('text', 'contents', 'passage'), line: line.line }), options);
}

/** Streams `{"_id", "text"}` lines: queries.jsonl, plain or gzip. @throws what readLineBatches throws. */
export function readQueryRecords(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<QueryRecord>> {
  return readJsonLines(path, signal, (line) => ({ id: line.text(...ID_FIELDS), text: line.text('text', 'query', 'question'), line: line.line }), options);
}
