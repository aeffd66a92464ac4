/** Which question-passage pairs does a JSONL file hold? */
import { readJsonLines } from './json-lines.ts';
import type { ReadOptions } from './line-records.ts';
import type { QuestionPair, Reading } from './records.ts';

/** The names a field may have; the first that is there and not empty counts. */
export const QUESTION_FIELDS = {
  query: ['query', 'question'],
  passage: ['positive', 'passage', 'answer'],
  title: ['title'],
  queryId: ['qid', 'query_id', 'queryId', '_id', 'id'],
  documentId: ['docid', 'document_id', 'documentId', 'pid'],
  negatives: ['negatives', 'hard_negatives', 'negative'],
} as const;

/**
 * Streams `{"query"|"question", "positive"|"passage"|"answer", "title"?, "qid"?, "docid"?, "negatives"?}` lines, plain or gzip;
 * negatives are a list of passages (or one) that look like answers and are none.
 * @returns one Reading per non-blank line, in file order. @throws what readLineBatches throws.
 */
export function readQuestionPairs(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<QuestionPair>> {
  return readJsonLines(
    path,
    signal,
    (line) => {
      const title = line.optionalText(...QUESTION_FIELDS.title);
      const queryId = line.optionalText(...QUESTION_FIELDS.queryId);
      const documentId = line.optionalText(...QUESTION_FIELDS.documentId);
      const negatives = line.texts(...QUESTION_FIELDS.negatives);
      return {
        query: line.text(...QUESTION_FIELDS.query),
        passage: line.text(...QUESTION_FIELDS.passage),
        ...(title === undefined ? {} : { title }),
        ...(queryId === undefined ? {} : { queryId }),
        ...(documentId === undefined ? {} : { documentId }),
        ...(negatives.length === 0 ? {} : { negatives }),
      };
    },
    options,
  );
}
