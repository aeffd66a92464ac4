/** Which documents are relevant to which queries? Judgements in BEIR form (with header) or TREC form (without). */
import { InputError } from '../base/errors.ts';
import { printable } from '../base/text-files.ts';
import { readLineRecords } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { problem, record } from './records.ts';
import type { Judgement, Reading } from './records.ts';

const BEIR_HEADER = 'query-id';
const BEIR_COLUMNS = 3;
const TREC_COLUMNS = 4;
const SHORTENED = 80;

type Form = 'beir' | 'trec';

/**
 * Streams judgements. BEIR: `query-id<tab>corpus-id<tab>score`, one header line. TREC: `query-id 0 document-id grade`,
 * separated by tabs or spaces, no header. The first line decides. Grades are integers, 0 = not relevant.
 *
 * @returns one Reading per line but the header and blank lines; `line` counts from 1, header included.
 * @throws InputError 'corpus.missing-header' when the first line is neither; what readLineBatches throws.
 * @see Thakur et al. 2021 (BEIR), arXiv:2104.08663; trec_eval's qrels format.
 */
export function readQrels(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<Judgement>> {
  let form: Form | null = null;
  const parse = (text: string, line: number): Reading<Judgement> | null => {
    if (form !== null) return parseJudgement(text, { path, line, form });
    form = qrelsForm(text);
    if (form === null) {
      throw new InputError(
        'corpus.missing-header',
        `${path}: line ${line}: expected the header "query-id<tab>corpus-id<tab>score" (BEIR) or four columns "query 0 document grade" (TREC), found "${printable(text, SHORTENED)}".`,
        { data: { path, line } },
      );
    }
    return form === 'beir' ? null : parseJudgement(text, { path, line, form });
  };
  return readLineRecords(path, signal, parse, options);
}

/** Which form a file has whose first line is this; null for neither. */
export function qrelsForm(firstLine: string): Form | null {
  if (firstLine.split('\t')[0] === BEIR_HEADER) return 'beir';
  return columnsOf(firstLine, 'trec').length === TREC_COLUMNS && isGrade(columnsOf(firstLine, 'trec')[TREC_COLUMNS - 1]) ? 'trec' : null;
}

function columnsOf(text: string, form: Form): string[] {
  return form === 'beir' || text.includes('\t') ? text.trimEnd().split('\t') : text.trim().split(/ +/);
}

const isGrade = (text: string | undefined): boolean => text !== undefined && /^-?\d{1,9}$/.test(text);

function parseJudgement(text: string, { path, line, form }: { readonly path: string; readonly line: number; readonly form: Form }): Reading<Judgement> {
  const columns = columnsOf(text, form);
  const expectedColumns = form === 'beir' ? BEIR_COLUMNS : TREC_COLUMNS;
  const [queryId, documentId, grade] = form === 'beir' ? columns : [columns[0], columns[2], columns[TREC_COLUMNS - 1]];
  if (queryId === undefined || documentId === undefined || grade === undefined || columns.length !== expectedColumns) {
    return problem('column-count', { path, line, expected: `${expectedColumns} columns`, found: `${columns.length} in "${text}"` });
  }
  if (queryId === '' || documentId === '') return problem('empty-text', { path, line, expected: 'a query id and a document id', found: text });
  if (!isGrade(grade)) return problem('not-an-integer', { path, line, expected: 'an integer grade', found: grade });
  return record({ queryId, documentId, relevance: Number(grade), line });
}
