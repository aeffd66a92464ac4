/** Which phrase pairs does a dictionary in a table hold? Phrase, translations, example sentences; one entry a row (TSV, CSV). */
import type { CorpusOptions } from './corpus-options.ts';
import { pairOf } from './parallel-tsv.ts';
import { problem, record } from './records.ts';
import type { PhrasePair, Reading } from './records.ts';
import { readHead } from './tables.ts';
import { readTableRows } from './table-rows.ts';
import type { TableRow } from './table-rows.ts';

/** Several translations in one cell. */
const BETWEEN_TRANSLATIONS = /\s*[;|]\s*/;
const EXAMPLE_NAME = /example|sentence|usage|illustration/i;
const TRANSLATION_NAME = /transl|gloss|meaning|free/i;

type PhraseColumns = { readonly source: number; readonly target: number; /** Columns of example sentences, with those of their translations; 'rest': every column behind phrase and translations is an example. */ readonly examples: readonly { readonly source: number; readonly target: number | null }[] | 'rest' };

/**
 * Streams the phrase pairs of a table. Columns as chosen or as the header names them ("phrase", "translation", "example", "example
 * translation", or languages); without a header: phrase, translations (";" or "|" between them), then example sentences, any number.
 * A pair for each translation, the examples with the first.
 * @throws as readTablePairs.
 */
export async function* readTablePhrases(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<PhrasePair>[]> {
  const head = await readHead(path, signal, options);
  const columns = phraseColumns(head, options);
  let isFirst = true;
  for await (const batch of readTableRows(path, signal, options, head.form)) {
    const readings: Reading<PhrasePair>[] = [];
    for (const reading of batch) {
      const isHeader = isFirst && head.columns.hasHeader;
      isFirst = false;
      if (reading.kind === 'problem') readings.push(reading);
      else if (!isHeader) readings.push(...pairsOfRow(path, reading.value, columns));
    }
    yield readings;
  }
}

function phraseColumns({ rows, columns }: Awaited<ReturnType<typeof readHead>>, { mapping }: CorpusOptions): PhraseColumns {
  const isChosen = mapping?.columns?.source !== undefined && mapping.columns.target !== undefined;
  const [names = []] = rows;
  const { source, target } = columns;
  if (source === null || target === null || (!columns.hasHeader && !isChosen)) return { source: 0, target: 1, examples: 'rest' };
  if (!columns.hasHeader) return { source, target, examples: 'rest' };
  const named = names.flatMap((name, i) => (i !== source && i !== target && EXAMPLE_NAME.test(name) ? [{ i, isTranslation: TRANSLATION_NAME.test(name) }] : []));
  const translations = named.filter(({ isTranslation }) => isTranslation);
  return { source, target, examples: named.filter(({ isTranslation }) => !isTranslation).map(({ i }, k) => ({ source: i, target: translations[k]?.i ?? null })) };
}

function pairsOfRow(path: string, { cells, line }: TableRow, { source, target, examples }: PhraseColumns): readonly Reading<PhrasePair>[] {
  const whole = cells.join(' | ');
  if (cells.length <= Math.max(source, target)) return [problem('column-count', { path, line, expected: `at least ${Math.max(source, target) + 1} columns`, found: `${cells.length} in "${whole}"` })];
  const cell = (i: number): string => (cells[i] ?? '').trim();
  const shown = examples === 'rest' ? cells.slice(Math.max(source, target) + 1).map((text) => ({ source: text.trim(), target: null })) : examples.map((one) => ({ source: cell(one.source), target: one.target === null ? null : cell(one.target) || null }));
  const used = shown.filter((example) => example.source !== '' && example.source.isWellFormed() && (example.target?.isWellFormed() ?? true));
  const translations = cell(target).split(BETWEEN_TRANSLATIONS).filter((text) => text !== '');
  return (translations.length === 0 ? [''] : translations).map((translation, i) => {
    const reading = pairOf(cell(source), translation, { path, line, whole });
    return reading.kind === 'problem' ? reading : record({ ...reading.value, examples: i === 0 ? used : [] });
  });
}
