/** Which rows does a table of text have (CSV, TSV)? With quotation marks or without, streamed. */
import { readLineBatches } from '../base/text-lines.ts';
import { corpusText } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { problem, record } from './records.ts';
import type { Reading } from './records.ts';

/** One row; `line` is where it begins, from 1. */
export type TableRow = { readonly cells: readonly string[]; readonly line: number };

export type TableForm = { readonly delimiter: string; readonly hasQuotes: boolean };

const DELIMITERS = ['\t', ',', ';', '|'];
/** A cell in quotation marks may hold line ends; one that holds more lines than this was never closed. */
const CELL_LINES = 1000;
const CELL_CHARACTERS = 1_000_000;

/** The delimiter that cuts the first lines most evenly, and whether cells are quoted. CSV is (RFC 4180); of tables with tabs only those that show it. */
export function guessTableForm(head: readonly string[]): TableForm {
  const scored = DELIMITERS.map((delimiter) => {
    const counts = head.map((line) => {
      const cells = delimiter === '\t' ? null : splitQuoted(line, delimiter);
      return cells === null || cells === 'broken' ? line.split(delimiter).length : cells.length;
    });
    const usual = mostCommon(counts);
    return { delimiter, usual, even: counts.filter((count) => count === usual && count > 1).length, uses: counts.reduce((sum, count) => sum + count - 1, 0) };
  });
  const delimiter = scored.sort((a, b) => b.even - a.even || b.uses - a.uses)[0]?.delimiter ?? '\t';
  return { delimiter, hasQuotes: delimiter !== '\t' || showsQuotes(head, delimiter) };
}

/** How many columns most of the first rows have. */
export function usualColumns(rows: readonly (readonly string[])[]): number {
  return mostCommon(rows.map((cells) => cells.length));
}

function mostCommon(counts: readonly number[]): number {
  const seen = new Map<number, number>();
  for (const count of counts) seen.set(count, (seen.get(count) ?? 0) + 1);
  return [...seen].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
}

function showsQuotes(head: readonly string[], delimiter: string): boolean {
  const quoted = head.flatMap((line) => line.split(delimiter)).filter((cell) => cell.startsWith('"'));
  return quoted.some((cell) => cell.length > 1 && cell.endsWith('"') && cell.slice(1, -1).includes('""')) && quoted.every((cell) => (cell.split('"').length - 1) % 2 === 0);
}

/**
 * The rows of a table, blank lines left out. A quotation mark that is never closed, or that text follows, is a problem
 * ('corpus.unclosed-quote') at the line where it opens; that line is read without quoting, and reading goes on behind it.
 * @throws what readLineBatches throws.
 */
export async function* readTableRows(path: string, signal: AbortSignal, options: ReadOptions, form: TableForm): AsyncGenerator<Reading<TableRow>[]> {
  const rows = new RowJoiner(path, form);
  for await (const { firstLine, lines, notes } of readLineBatches(path, signal, corpusText(options))) {
    const readings: Reading<TableRow>[] = notes.map((note) => ({ kind: 'problem', problem: note }));
    lines.forEach((text, i) => {
      if (typeof text !== 'string') {
        rows.flush(readings);
        readings.push({ kind: 'problem', problem: text });
      } else rows.push(text, firstLine + i, readings);
    });
    yield readings;
  }
  const last: Reading<TableRow>[] = [];
  rows.flush(last);
  yield last;
}

/** Joins lines into rows where a quoted cell holds line ends. */
class RowJoiner {
  private readonly path: string;
  private readonly form: TableForm;
  private waiting: { readonly text: string; readonly line: number }[] = [];
  private characters = 0;

  constructor(path: string, form: TableForm) {
    this.path = path;
    this.form = form;
  }

  push(text: string, line: number, into: Reading<TableRow>[]): void {
    const { delimiter, hasQuotes } = this.form;
    if (this.waiting.length === 0) {
      if (text.trim() === '') return;
      if (!hasQuotes || !text.includes('"')) {
        into.push(record({ cells: text.split(delimiter), line }));
        return;
      }
    }
    this.waiting.push({ text, line });
    this.characters += text.length;
    const whole = this.waiting.length === 1 ? text : this.waiting.map((one) => one.text).join('\n');
    const found = this.waiting.length > 1 && !text.includes('"') ? null : splitQuoted(whole, delimiter);
    if (found !== null && found !== 'broken') {
      into.push(record({ cells: found, line: this.waiting[0]?.line ?? line }));
      this.clear();
    } else if (found === 'broken' || this.waiting.length > CELL_LINES || this.characters > CELL_CHARACTERS) this.flush(into);
  }

  /** What waits for a closing mark that does not come: its first line without quoting, the rest as if it were new. */
  flush(into: Reading<TableRow>[]): void {
    const [first, ...rest] = this.waiting;
    this.clear();
    if (first === undefined) return;
    into.push(problem('unclosed-quote', { path: this.path, line: first.line, expected: 'a quotation mark that is closed at the end of its cell', found: first.text }));
    for (const { text, line } of rest) this.push(text, line, into);
    if (this.waiting.length > 0 && rest.length > 0) this.flush(into);
  }

  private clear(): void {
    this.waiting = [];
    this.characters = 0;
  }
}

/** The cells of a row; null when a quoted cell is still open at the end, 'broken' when text follows a closing mark. */
function splitQuoted(text: string, delimiter: string): string[] | 'broken' | null {
  const cells: string[] = [];
  let at = 0;
  while (true) {
    if (text[at] !== '"') {
      const end = text.indexOf(delimiter, at);
      if (end < 0) return [...cells, text.slice(at)];
      cells.push(text.slice(at, end));
      at = end + 1;
      continue;
    }
    let close = text.indexOf('"', at + 1);
    while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
    if (close < 0) return null;
    cells.push(text.slice(at + 1, close).replaceAll('""', '"'));
    const next = text[close + 1];
    if (next === undefined) return cells;
    if (next !== delimiter) return /^[ \t]*$/.test(text.slice(close + 1)) ? cells : 'broken';
    at = close + 2;
  }
}
