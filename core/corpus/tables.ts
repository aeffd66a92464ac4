/** Which pairs or sentences does a table hold (CSV, TSV, WikiMatrix, or the rows of a spreadsheet)? */
import { InputError } from '../base/errors.ts';
import type { CorpusOptions, CorpusProposal } from './corpus-options.ts';
import { checkedText } from './line-records.ts';
import { pairOf, readParallelTsvBatches } from './parallel-tsv.ts';
import { problem, record } from './records.ts';
import type { ParallelPair, Reading, Sentence } from './records.ts';
import { proposeColumns, resolveColumns } from './table-columns.ts';
import type { TableColumns } from './table-columns.ts';
import { guessTableForm, readTableRows } from './table-rows.ts';
import type { TableRow } from './table-rows.ts';

const HEAD_ROWS = 50;

type Rows = (signal: AbortSignal) => AsyncGenerator<Reading<TableRow>[]>;

/**
 * Streams the pairs of a table. Columns are chosen by name or number, or guessed. A row with more or fewer cells than the others
 * ('corpus.column-count'), without text on a side ('corpus.empty-text') or with a score that is no number ('corpus.not-a-number')
 * is a problem; rows below the least score are left out.
 * @throws InputError 'corpus.missing-column', 'corpus.only-header', 'corpus.no-pairs' (one column of text); what readLineBatches throws.
 */
export async function* readTablePairs(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  const head = await readHead(path, signal, options);
  const { columns } = head;
  const isPlain = head.rows.length === 0 || (columns.source === 0 && columns.target === 1 && columns.count === 2 && !columns.hasHeader && columns.score === null && head.form.delimiter === '\t' && !head.form.hasQuotes);
  // without a readable row every line is told as a problem
  if (isPlain) return yield* readParallelTsvBatches(path, signal, options);
  yield* pairsOfRows(path, (again) => readTableRows(path, again, options, head.form), { columns, signal, options });
}

/** As readTablePairs, of one column of sentences. */
export async function* readTableSentences(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<Sentence>[]> {
  const { columns, form } = await readHead(path, signal, options);
  yield* sentencesOfRows(path, (again) => readTableRows(path, again, options, form), { columns, signal });
}

/** What the columns of a table are, by its first rows. */
export async function proposeTable(path: string, signal: AbortSignal, options: CorpusOptions): Promise<CorpusProposal> {
  return proposeColumns((await readHead(path, signal, { ...options, mapping: {}, languages: null })).rows);
}

/** The first rows of a table, how it is cut, and which columns would be read. @throws as resolveColumns and readLineBatches. */
export async function readHead(path: string, signal: AbortSignal, options: CorpusOptions) {
  const silent = options.encoding === undefined ? {} : { encoding: options.encoding };
  const lines: string[] = [];
  for await (const readings of readTableRows(path, signal, silent, { delimiter: '\n', hasQuotes: false })) {
    for (const reading of readings) if (reading.kind === 'record' && lines.length < HEAD_ROWS) lines.push(reading.value.cells[0] ?? '');
    if (lines.length >= HEAD_ROWS) break;
  }
  const form = guessTableForm(lines);
  const rows: (readonly string[])[] = [];
  for await (const readings of readTableRows(path, signal, silent, form)) {
    for (const reading of readings) if (reading.kind === 'record' && rows.length < HEAD_ROWS) rows.push(reading.value.cells);
    if (rows.length >= HEAD_ROWS) break;
  }
  return { rows, form, columns: resolveColumns(rows, options, path) };
}

/** The pairs of rows from anywhere, for tables and spreadsheets alike. */
export async function* pairsOfRows(path: string, open: Rows, { columns, signal, options }: { readonly columns: TableColumns; readonly signal: AbortSignal; readonly options: CorpusOptions }): AsyncGenerator<Reading<ParallelPair>[]> {
  const { source, target } = columns;
  if (source === null || target === null) throw new InputError('corpus.no-pairs', `${path}: expected two columns of text, found one. Choose the columns, or use it as a text in one language.`, { data: { path } });
  yield* recordsOfRows<ParallelPair>({ path, open, columns, signal }, ({ cells, line }) => {
    const whole = cells.join(' | ');
    if (columns.score !== null) {
      const score = (cells[columns.score] ?? '').trim().replace(',', '.');
      if (score === '' || !Number.isFinite(Number(score))) return problem('not-a-number', { path, line, expected: 'a score', found: score });
      if (Number(score) < columns.minimumScore) {
        options.onLeftOut?.('below-score');
        return null;
      }
    }
    return pairOf(cells[source] ?? '', cells[target] ?? '', { path, line, whole });
  });
}

export async function* sentencesOfRows(path: string, open: Rows, { columns, signal }: { readonly columns: TableColumns; readonly signal: AbortSignal }): AsyncGenerator<Reading<Sentence>[]> {
  const column = columns.text ?? columns.source ?? 0;
  yield* recordsOfRows<Sentence>({ path, open, columns, signal }, ({ cells, line }) => {
    const checked = checkedText(cells[column] ?? '', { path, line, what: 'a sentence', whole: cells.join(' | ') });
    return typeof checked === 'string' ? record({ text: checked, document: 0, line }) : checked;
  });
}

async function* recordsOfRows<T>({ path, open, columns, signal }: { readonly path: string; readonly open: Rows; readonly columns: TableColumns; readonly signal: AbortSignal }, read: (row: TableRow) => Reading<T> | null): AsyncGenerator<Reading<T>[]> {
  let isFirst = true;
  let rows = 0;
  for await (const batch of open(signal)) {
    const readings: Reading<T>[] = [];
    for (const reading of batch) {
      if (reading.kind === 'problem') {
        readings.push(reading);
        continue;
      }
      const { cells, line } = reading.value;
      if (isFirst && columns.hasHeader) {
        isFirst = false;
        readings.push(...headerProblems(path, reading.value));
        continue;
      }
      isFirst = false;
      rows += 1;
      if (cells.length !== columns.count) {
        readings.push(problem('column-count', { path, line, expected: `${columns.count} columns`, found: `${cells.length} in "${cells.join(' | ')}"` }));
        continue;
      }
      const found = read(reading.value);
      if (found !== null) readings.push(found);
    }
    yield readings;
  }
  if (rows === 0 && columns.hasHeader) throw new InputError('corpus.only-header', `${path}: expected rows below the names of the columns, found none. Choose a file with rows in it.`, { data: { path } });
}

function headerProblems(path: string, { cells, line }: TableRow): { readonly kind: 'problem'; readonly problem: ReturnType<typeof problem>['problem'] }[] {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const repeated = [...new Set(names.filter((name, i) => name !== '' && names.indexOf(name) !== i))];
  return repeated.map((name) => problem('repeated-column', { path, line, expected: 'each column name once', found: `"${name}" again: the first is used` }));
}
