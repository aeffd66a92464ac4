/** Which rows does a CSV or TSV table have? One block per row, so that a hit points at its row. */
import Papa from 'papaparse';
import { printable } from '../base/text-files.ts';
import type { FileProblem } from '../base/text-files.ts';
import { makeBlock } from './parsed-document.ts';
import type { Block, DocumentContent } from './parsed-document.ts';

const CELL_GAP = ' | ';
const NO_QUOTE = '\u0000'; // texts with NUL never come this far, so nothing is quoted by it

/** Rows of tab-separated text without quoting: a quotation mark is a character like any other. */
export function parseTsv(text: string): DocumentContent {
  return { blocks: text.split('\n').flatMap((line, i) => rowBlock(line.split('\t'), i + 1, i + 1)) };
}

/**
 * Rows of CSV with quoting (RFC 4180); comma, semicolon, tab or bar, whichever fits. A quotation mark that is never closed is
 * a problem at the row where it opens; from there on rows are read without quoting, so one slip does not swallow the file.
 */
export function parseCsv(text: string, path: string): DocumentContent {
  const blocks: Block[] = [];
  const problems: FileProblem[] = [];
  let row = 0;
  let line = 1;
  let at = 0;
  let unclosedAt: number | null = null;
  const delimiter = guessDelimiter(text);
  const read = (part: string, quoteChar: string): void => {
    const offset = at;
    Papa.parse<string[]>(part, {
      delimiter,
      quoteChar,
      newline: '\n',
      step: ({ data, errors, meta }, parser) => {
        if (errors.some(({ code }) => code === 'MissingQuotes')) {
          unclosedAt = at;
          parser.abort();
          return;
        }
        row += 1;
        blocks.push(...rowBlock(data, row, line));
        const next = offset + meta.cursor;
        line += countLineEnds(text, at, next);
        at = next;
      },
    });
  };
  read(text, '"');
  if (unclosedAt !== null) {
    const found = printable(text.slice(unclosedAt, text.indexOf('\n', unclosedAt) < 0 ? undefined : text.indexOf('\n', unclosedAt)));
    const expected = 'a quotation mark that is closed again';
    problems.push({ code: 'documents.unclosed-quote', path, line, found, expected, message: `${path}: line ${line}: expected ${expected}, found one that stays open: ${found}. From here on rows are read without quoting.` });
    at = unclosedAt;
    read(text.slice(unclosedAt), NO_QUOTE);
  }
  return { blocks, problems };
}

function rowBlock(cells: readonly string[], row: number, line: number): Block[] {
  const text = cells.map((cell) => cell.trim()).filter((cell) => cell !== '').join(CELL_GAP);
  return makeBlock('row', text, { line, row, headings: [] });
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

const DELIMITERS = [',', ';', '\t', '|'];
const DELIMITER_LINES = 20;

/** The delimiter that is in most of the first lines; in a tie, the one used more often, then the order above. */
function guessDelimiter(text: string): string {
  const head = text.split('\n', DELIMITER_LINES).filter((line) => line.trim() !== '');
  const scored = DELIMITERS.map((delimiter) => ({
    delimiter,
    lines: head.filter((line) => line.includes(delimiter)).length,
    uses: head.reduce((sum, line) => sum + line.split(delimiter).length - 1, 0),
  }));
  return scored.sort((a, b) => b.lines - a.lines || b.uses - a.uses)[0]?.delimiter ?? ',';
}
