/** Which documents and queries do the JSONL files of a BEIR-style folder hold? */
import { readJsonLines, type JsonLine } from './json-lines.ts';
import type { ReadOptions } from './line-records.ts';
import type { DocumentRecord, QueryRecord, Reading } from './records.ts';

export const ID_FIELDS = ['_id', 'id', 'docid', 'qid'] as const;

/**
 * Streams `{"_id", "title"?, "text"}` lines: corpus.jsonl, collection.jsonl, distractors.jsonl, plain or gzip. A missing title is ''.
 * @see Thakur et al. 2021 (BEIR), arXiv:2104.08663. @throws what readLineBatches throws.
 */
export function readDocumentRecords(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<DocumentRecord>> {
  return readJsonLines(path, signal, (line) => ({ id: line.text(...ID_FIELDS), ...titledText(line), line: line.line }), options);
}

/** Anserini's form has one field, "contents": the title, an empty line, the text. */
function titledText(line: JsonLine): Pick<DocumentRecord, 'title' | 'text'> {
  const title = line.optionalText('title');
  const text = line.text('text', 'contents', 'passage');
  const cut = text.indexOf('\n\n');
  if (title !== undefined || cut < 0 || line.optionalText('text') !== undefined) return { title: title ?? '', text };
  return { title: text.slice(0, cut).trim(), text: text.slice(cut).trim() };
}

/** Streams `{"_id", "text"}` lines: queries.jsonl, plain or gzip. @throws what readLineBatches throws. */
export function readQueryRecords(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<QueryRecord>> {
  return readJsonLines(path, signal, (line) => ({ id: line.text(...ID_FIELDS), text: line.text('text', 'query', 'question'), line: line.line }), options);
}
