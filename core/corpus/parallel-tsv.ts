/** Which parallel pairs does a tab-separated file hold? One pair per line, no header, no quoting. */
import { checkedText, readLineRecordBatches } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { problem, record } from './records.ts';
import type { ParallelPair, Reading } from './records.ts';

export type TsvOptions = ReadOptions & {
  /** Which columns, from 0, hold source and target. Left out: a line must have exactly two columns. */
  readonly columns?: { readonly source: number; readonly target: number };
};

/**
 * Streams `source<tab>target` lines. A line with another number of columns ('corpus.column-count') or an empty side
 * ('corpus.empty-text') is yielded as a problem.
 *
 * @returns one Reading per non-blank line, in file order; `line` counts from 1.
 * @throws InputError 'corpus.empty-file', 'corpus.binary-file', 'corpus.utf-16-without-bom' ...; the signal's reason once aborted.
 */
export async function* readParallelTsv(path: string, signal: AbortSignal, options: TsvOptions = {}): AsyncGenerator<Reading<ParallelPair>> {
  for await (const readings of readParallelTsvBatches(path, signal, options)) yield* readings;
}

/** As readParallelTsv, a batch at a time: the fast way for whole corpora. */
export function readParallelTsvBatches(path: string, signal: AbortSignal, options: TsvOptions = {}): AsyncGenerator<Reading<ParallelPair>[]> {
  const { columns } = options;
  const parse = columns === undefined ? (text: string, line: number) => parseTwoColumns(text, line, path) : (text: string, line: number) => parseChosenColumns(text, line, path, columns);
  return readLineRecordBatches(path, signal, parse, options);
}

function parseTwoColumns(text: string, line: number, path: string): Reading<ParallelPair> {
  const tab = text.indexOf('\t');
  if (tab < 0 || text.includes('\t', tab + 1)) {
    const columns = text.split('\t').length;
    return problem('column-count', { path, line, expected: '2 columns separated by a tab', found: `${columns} in "${text}"` });
  }
  return pairOf(text.slice(0, tab), text.slice(tab + 1), { path, line, whole: text });
}

function parseChosenColumns(text: string, line: number, path: string, columns: { readonly source: number; readonly target: number }): Reading<ParallelPair> {
  const cells = text.split('\t');
  const source = cells[columns.source];
  const target = cells[columns.target];
  if (source === undefined || target === undefined) {
    return problem('column-count', { path, line, expected: `at least ${Math.max(columns.source, columns.target) + 1} columns separated by tabs`, found: `${cells.length} in "${text}"` });
  }
  return pairOf(source, target, { path, line, whole: text });
}

/** A pair of two sides, or the problem with one of them. */
export function pairOf(source: string, target: string, place: { readonly path: string; readonly line: number; readonly whole: string }): Reading<ParallelPair> {
  const left = checkedText(source, { ...place, what: 'a source sentence' });
  if (typeof left !== 'string') return left;
  const right = checkedText(target, { ...place, what: 'a target sentence' });
  if (typeof right !== 'string') return right;
  return record({ source: left, target: right, line: place.line });
}
