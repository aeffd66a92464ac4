/** Which parallel pairs do two line-aligned files hold (Moses form)? Line i of one translates line i of the other. */
import { InputError } from '../base/errors.ts';
import { readLineBatches } from '../base/text-lines.ts';
import type { LineBatch } from '../base/text-lines.ts';
import { ignoreProgress } from '../base/progress.ts';
import type { FileProblem } from '../base/text-files.ts';
import { corpusText } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { pairOf } from './parallel-tsv.ts';
import type { ParallelPair, Reading } from './records.ts';

export type MosesPaths = { readonly sourcePath: string; readonly targetPath: string };

/**
 * Streams the pairs of two files. Both are counted before the first pair is yielded. A line blank in both files is nothing;
 * blank in one, it is a problem ('corpus.empty-text').
 *
 * @throws InputError 'corpus.moses-length' with both numbers of lines when they differ; what readLineBatches throws.
 */
export async function* readParallelMoses(paths: MosesPaths, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<ParallelPair>> {
  for await (const readings of readParallelMosesBatches(paths, signal, options)) yield* readings;
}

/** As readParallelMoses, a batch at a time: the fast way for whole corpora. */
export function readParallelMosesBatches({ sourcePath, targetPath }: MosesPaths, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<ParallelPair>[]> {
  const text = corpusText(options);
  const silent = { ...text, report: ignoreProgress };
  const lines = (path: string): LineSource => ({ path, open: (isReported) => readLineBatches(path, signal, isReported ? text : silent) });
  return pairLines(lines(sourcePath), lines(targetPath));
}

/** Lines that can be read again from their start. Progress is told of one reading only. */
export type LineSource = { readonly path: string; readonly open: (isReported: boolean) => AsyncGenerator<LineBatch> };

/** Line i of one with line i of the other, wherever the lines come from. @throws as readParallelMoses. */
export async function* pairLines(sources: LineSource, targets: LineSource): AsyncGenerator<Reading<ParallelPair>[]> {
  const [sourcePath, targetPath] = [sources.path, targets.path];
  const sourceLines = await countLines(sources);
  const targetLines = await countLines(targets);
  if (sourceLines !== targetLines) throw lengthsDiffer({ sourcePath, targetPath }, sourceLines, targetLines);
  const inTarget = targets.open(false);
  let waiting: readonly (string | FileProblem)[] = [];
  let used = 0;
  let line = 0;
  try {
    for await (const { lines, notes } of sources.open(true)) {
      const readings: Reading<ParallelPair>[] = notes.map((note) => ({ kind: 'problem', problem: note }));
      for (const source of lines) {
        line += 1;
        while (used === waiting.length) {
          const next = await inTarget.next();
          if (next.done === true) throw lengthsDiffer({ sourcePath, targetPath }, sourceLines, line - 1);
          waiting = next.value.lines;
          for (const note of next.value.notes) readings.push({ kind: 'problem', problem: note });
          used = 0;
        }
        const target = waiting[used] ?? '';
        used += 1;
        readings.push(...readPair(source, target, { sourcePath, targetPath, line }));
      }
      yield readings;
    }
    await inTarget.next(); // to its end, so that it too is checked for change
  } finally {
    await inTarget.return(undefined);
  }
}

async function countLines({ open }: LineSource): Promise<number> {
  let count = 0;
  for await (const { lines } of open(false)) count += lines.length;
  return count;
}

function readPair(source: string | FileProblem, target: string | FileProblem, { sourcePath, targetPath, line }: MosesPaths & { readonly line: number }): Reading<ParallelPair>[] {
  if (typeof source !== 'string') return [{ kind: 'problem', problem: source }];
  if (typeof target !== 'string') return [{ kind: 'problem', problem: target }];
  const isSourceBlank = source.trim() === '';
  if (isSourceBlank && target.trim() === '') return [];
  return [pairOf(source, target, isSourceBlank ? { path: sourcePath, line, whole: '' } : { path: targetPath, line, whole: target })];
}

function lengthsDiffer({ sourcePath, targetPath }: MosesPaths, sourceLines: number, targetLines: number): InputError {
  return new InputError(
    'corpus.moses-length',
    `${sourcePath} has ${sourceLines} lines, ${targetPath} has ${targetLines}: expected as many in both, because line i of one translates line i of the other. Nothing of them was used.`,
    { data: { path: targetPath, sourcePath, targetPath, sourceLines, targetLines } },
  );
}
