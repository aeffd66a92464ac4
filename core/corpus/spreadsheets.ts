/** Which rows does a spreadsheet hold (XLSX)? One sheet of it, read as a table. */
import { InputError } from '../base/errors.ts';
import { openXlsx } from '../formats/xlsx.ts';
import { openZip } from '../formats/zip.ts';
import type { CorpusField, CorpusMapping, CorpusOptions, CorpusProposal } from './corpus-options.ts';
import { record } from './records.ts';
import type { ParallelPair, Reading, Sentence } from './records.ts';
import { proposeColumns, resolveColumns } from './table-columns.ts';
import type { TableColumns } from './table-columns.ts';
import type { TableRow } from './table-rows.ts';
import { pairsOfRows, sentencesOfRows } from './tables.ts';

const HEAD_ROWS = 50;
const BATCH_ROWS = 500;

type Sheet = { readonly name: string; readonly fields: readonly CorpusField[]; readonly head: readonly (readonly string[])[]; readonly rows: (count: number) => AsyncGenerator<Reading<TableRow>[]> };

/** Opens the sheet that was named, else the first that has rows. @throws InputError 'corpus.missing-sheet', 'corpus.empty-file'; what openZip and openXlsx throw. */
async function withSheet<T>(path: string, signal: AbortSignal, mapping: CorpusMapping, use: (sheet: Sheet) => AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const zip = await openZip(path, signal, { area: 'corpus' });
  async function* run(): AsyncGenerator<T> {
    try {
      const workbook = await openXlsx({ path, area: 'corpus', zip });
      const named = mapping.sheet === undefined ? workbook.sheets : workbook.sheets.filter(({ name }) => name === mapping.sheet);
      if (named.length === 0) throw new InputError('corpus.missing-sheet', `${path}: expected a sheet "${mapping.sheet ?? ''}", found ${workbook.sheets.map(({ name }) => `"${name}"`).join(', ') || 'none'}.`, { data: { path } });
      for (const sheet of named) {
        const head: (readonly string[])[] = [];
        for await (const { cells } of workbook.rows(sheet)) {
          head.push(widened(cells, 0));
          if (head.length >= HEAD_ROWS) break;
        }
        if (head.length === 0) continue;
        async function* rows(count: number): AsyncGenerator<Reading<TableRow>[]> {
          let batch: Reading<TableRow>[] = [];
          for await (const { row, cells } of workbook.rows(sheet)) {
            batch.push(record({ cells: widened(cells, count), line: row }));
            if (batch.length < BATCH_ROWS) continue;
            yield batch;
            batch = [];
          }
          yield batch;
        }
        yield* use({ name: sheet.name, fields: workbook.sheets.map(({ name }) => ({ kind: 'sheet', name, type: '', count: 0, example: '' })), head: squared(head), rows });
        return;
      }
      throw new InputError('corpus.empty-file', `${path}: expected a sheet with rows, found none.`, { data: { path } });
    } finally {
      zip.close();
    }
  }
  return run();
}

/** The cells of a row in their columns; at least `count` of them. */
function widened(cells: readonly { readonly column: number; readonly text: string }[], count: number): string[] {
  const row = new Array<string>(Math.max(count, cells.at(-1)?.column ?? 0)).fill('');
  for (const { column, text } of cells) row[column - 1] = text;
  return row;
}

/** Rows of a spreadsheet end at their last cell: all are as wide as the widest. */
function squared(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const width = Math.max(...rows.map((row) => row.length));
  return rows.map((row) => [...row, ...new Array<string>(width - row.length).fill('')]);
}

const columnsOf = ({ head }: Sheet, path: string, options: CorpusOptions): TableColumns => resolveColumns(head, options, path);

export async function* readSheetPairs(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  yield* await withSheet(path, signal, options.mapping ?? {}, (sheet) => {
    const columns = columnsOf(sheet, path, options);
    return pairsOfRows(path, () => sheet.rows(columns.count), { columns, signal, options });
  });
}

export async function* readSheetSentences(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<Sentence>[]> {
  yield* await withSheet(path, signal, options.mapping ?? {}, (sheet) => {
    const columns = columnsOf(sheet, path, options);
    return sentencesOfRows(path, () => sheet.rows(columns.count), { columns, signal });
  });
}

export async function proposeSheet(path: string, signal: AbortSignal, options: CorpusOptions): Promise<CorpusProposal> {
  const sheets = await withSheet(path, signal, options.mapping?.sheet === undefined ? {} : { sheet: options.mapping.sheet }, async function* (sheet) {
    await Promise.resolve();
    const proposal = proposeColumns(sheet.head);
    yield { ...proposal, fields: [...proposal.fields, ...sheet.fields], mapping: { ...proposal.mapping, sheet: sheet.name } };
  });
  for await (const proposal of sheets) return proposal;
  return { fields: [], mapping: {}, languages: [], hasPairs: false };
}
