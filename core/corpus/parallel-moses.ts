/** Which parallel pairs do two line-aligned files hold (Moses form)? Line i of one translates line i of the other. */
import { InputError } from '../base/errors.ts';
import { countLines, readLineBatches } from '../base/text-lines.ts';
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
export async function* readParallelMosesBatches({ sourcePath, targetPath }: MosesPaths, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<ParallelPair>[]> {
  const text = corpusText(options);
  const sourceLines = await countLines(sourcePath, signal, text);
  const targetLines = await countLines(targetPath, signal, text);
  if (sourceLines !== targetLines) throw lengthsDiffer({ sourcePath, targetPath }, sourceLines, targetLines);
  const targets = readLineBatches(targetPath, signal, { ...text, report: ignoreProgress });
  let waiting: readonly (string | FileProblem)[] = [];
  let used = 0;
  let line = 0;
  try {
    for await (const { lines } of readLineBatches(sourcePath, signal, text)) {
      const readings: Reading<ParallelPair>[] = [];
      for (const source of lines) {
        line += 1;
        while (used === waiting.length) {
          const next = await targets.next();
          if (next.done === true) throw lengthsDiffer({ sourcePath, targetPath }, sourceLines, line - 1);
          waiting = next.value.lines;
          used = 0;
        }
        const target = waiting[used] ?? '';
        used += 1;
        readings.push(...readPair(source, target, { sourcePath, targetPath, line }));
      }
      yield readings;
    }
    await targets.next(); // to its end, so that it too is checked for change
  } finally {
    await targets.return(undefined);
  }
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
