/** How is the `parallel` entry of a recipe read, whichever format it is in? */
import type { CorpusProblem, ParallelPair, Reading } from './records.ts';
import { readPairs } from './sources.ts';

export type ParallelFiles = ({ readonly path: string } | { readonly sourcePath: string; readonly targetPath: string }) & {
  /** Language tags; they choose the languages of a TMX file. */
  readonly source: string;
  readonly target: string;
};

/**
 * Streams the pairs of a file of any format that holds some, or of two files or translations that belong together.
 * @throws as readPairs.
 */
export function readParallelBatches(files: ParallelFiles, signal: AbortSignal): AsyncGenerator<Reading<ParallelPair>[]> {
  const languages = { source: files.source, target: files.target };
  return readPairs({ paths: 'sourcePath' in files ? [files.sourcePath, files.targetPath] : [files.path], languages }, signal);
}

const PROBLEMS_KEPT = 1000;

/** All pairs of such files, the first 1,000 problems and the number of all: the fast way for training. @throws as readParallelBatches. */
export async function readAllPairs(files: ParallelFiles, signal: AbortSignal): Promise<{ readonly pairs: readonly ParallelPair[]; readonly problems: readonly CorpusProblem[]; readonly problemCount: number }> {
  const pairs: ParallelPair[] = [];
  const problems: CorpusProblem[] = [];
  let problemCount = 0;
  for await (const readings of readParallelBatches(files, signal)) {
    for (const reading of readings) {
      if (reading.kind === 'record') pairs.push(reading.value);
      else {
        problemCount += 1;
        if (problems.length < PROBLEMS_KEPT) problems.push(reading.problem);
      }
    }
  }
  return { pairs, problems, problemCount };
}
