/** How is an experiment handed to main/experiments, and what is told of its progress? */
import { CancellationError } from '../../core/base/errors.ts';
import { readExperiment } from '../../core/evaluation/experiments/experiment-file.ts';
import type { IndexEvent } from '../contract/index.ts';
import { runExperiment } from '../experiments/run-experiment.ts';
import type { CallOutput, ExperimentTask } from './messages.ts';

export type ExperimentWishes = { readonly signal: AbortSignal; readonly report: (event: IndexEvent) => void };

/** What `runExperiment` says before each model: "3 of 12: row, seed 1". */
const BEGUN = /^(\d+) of (\d+): /;

/** Runs what was not measured yet; what was measured stays when it is cancelled. @throws as `readExperiment` and `runExperiment`. */
export async function runExperimentTask({ file, dataFolder, outputFolder, starterFolder, threads }: ExperimentTask, { signal, report }: ExperimentWishes): Promise<CallOutput<'experiment'>> {
  const experiment = await readExperiment(file, dataFolder);
  let begun = 0;
  let total: number | null = null;
  const say = (done: number): void => report({ kind: 'progress', phase: 'measuring', done, total, unit: 'runs', leftMs: null });
  say(0);
  try {
    const { cells } = await runExperiment({
      experiment,
      outputFolder,
      starterFolder,
      only: null,
      threads,
      device: 'cpu',
      keepModels: false,
      signal,
      say: (line) => {
        const found = BEGUN.exec(line);
        if (found === null) return;
        begun = Number(found[1]) - 1;
        total = Number(found[2]);
        say(begun);
      },
      reportTraining: (event) => {
        if (event.kind === 'step') say(begun + event.step / Math.max(1, event.steps + 1));
        if (event.kind === 'problem') report(event);
      },
    });
    return { rows: new Set(cells.map(({ row }) => row)).size };
  } catch (thrown) {
    if (signal.aborted) throw new CancellationError(undefined, { cause: thrown });
    throw thrown;
  }
}
