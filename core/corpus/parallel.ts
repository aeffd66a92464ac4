/** How is the `parallel` entry of a recipe read, whichever format it is in? */
import { InputError } from '../base/errors.ts';
import { corpusFormats } from './formats.ts';
import { readParallelMosesBatches } from './parallel-moses.ts';
import { readParallelTmxBatches } from './parallel-tmx.ts';
import { readParallelTsvBatches } from './parallel-tsv.ts';
import { probeCorpus } from './probe.ts';
import type { CorpusProblem, ParallelPair, Reading } from './records.ts';

export type ParallelFiles = ({ readonly path: string } | { readonly sourcePath: string; readonly targetPath: string }) & {
  /** Language tags; they choose the languages of a TMX file. */
  readonly source: string;
  readonly target: string;
};

/**
 * Streams the pairs of a two-column file, a TMX file or two line-aligned files, a batch at a time.
 * @throws InputError 'corpus.unknown-format' when one path holds something else; what the readers throw.
 */
export async function* readParallelBatches(files: ParallelFiles, signal: AbortSignal): AsyncGenerator<Reading<ParallelPair>[]> {
  if ('sourcePath' in files) return yield* readParallelMosesBatches(files, signal);
  const probe = await probeCorpus([files.path], signal);
  if (corpusFormats.tmx.sniff(probe)) return yield* readParallelTmxBatches(files.path, signal, files);
  if (corpusFormats.tsv.sniff(probe)) return yield* readParallelTsvBatches(files.path, signal);
  throw new InputError('corpus.unknown-format', `${files.path}: expected sentence pairs (two columns separated by a tab, or TMX), found neither in its first lines. For two files that belong together name both.`, { data: { path: files.path } });
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
