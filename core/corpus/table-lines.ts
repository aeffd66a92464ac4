/** Which pairs do two columns of tables give, line by line, where each side names its file and its column ("tico.en-es.tsv#2")? */
import { InputError } from '../base/errors.ts';
import { readLineBatches } from '../base/text-lines.ts';
import { corpusText } from './line-records.ts';

const COLUMN = /^(.*)#(\d+)$/s;

/** The file of such a name, and its column from 1; null: no column is named. */
export function columnNamed(name: string): { readonly path: string; readonly column: number } | null {
  const [, path = '', column = ''] = COLUMN.exec(name) ?? [];
  return path === '' || Number(column) < 1 ? null : { path, column: Number(column) };
}

/**
 * Pairs of line n of one column and line n of the other, tab-separated; lines of which either side is empty are left out.
 * @throws InputError 'corpus.no-column' when a line has fewer columns, 'corpus.unequal-files' when the files have different numbers of lines, the problem of a line that cannot be decoded; what readLineBatches throws.
 */
export async function readColumnPairs({ source, target }: { readonly source: string; readonly target: string }, signal: AbortSignal): Promise<readonly { readonly source: string; readonly target: string }[]> {
  const [sources, targets] = [await columnOf(source, signal), await columnOf(target, signal)];
  if (sources.length !== targets.length) throw new InputError('corpus.unequal-files', `${source} and ${target}: expected as many lines, found ${sources.length} and ${targets.length}.`);
  return sources.flatMap((text, line) => (text === '' || targets[line] === '' ? [] : [{ source: text, target: targets[line] ?? '' }]));
}

async function columnOf(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const { path, column } = columnNamed(name) ?? { path: name, column: 1 };
  const cells: string[] = [];
  for await (const { lines } of readLineBatches(path, signal, corpusText({}))) {
    for (const line of lines) {
      if (typeof line !== 'string') throw new InputError(line.code, line.message, { data: { path, line: line.line } }); // a line left out would move all that follow
      const cell = line.split('\t')[column - 1];
      if (cell === undefined) throw new InputError('corpus.no-column', `${path}: line ${cells.length + 1}: expected ${column} columns between tabs, found fewer.`, { data: { path } });
      cells.push(cell.trim());
    }
  }
  return cells;
}
