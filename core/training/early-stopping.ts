/** When has a run learned what it can? After so many looks at held-back data without a gain; what was best is kept. */
import { join } from 'node:path';
import { toIsoglossError } from '../base/errors.ts';
import { readNewestCheckpoint, writeCheckpoint, type Arrays, type CheckpointState } from './checkpoint.ts';
import type { ReportTraining } from './events.ts';
import type { LookResult } from './look.ts';

/** `pairs`: mean accuracy of finding translations over the languages; `questions`: MRR@100. `patience`: looks in a row without a gain. */
export type EarlyStoppingSettings = { readonly metric: 'pairs' | 'questions'; readonly patience: number };

/** Beside the checkpoints: the values of the best look, and nothing else. */
const BEST_FOLDER = 'best';

/** What a look says about the metric, 0 to 1; null when there is nothing held back to measure it on. */
export function metricOf({ pairAccuracy, retrievalMRR }: LookResult, metric: EarlyStoppingSettings['metric']): number | null {
  if (metric === 'questions') return retrievalMRR;
  const accuracies = Object.values(pairAccuracy);
  return accuracies.length === 0 ? null : accuracies.reduce((sum, value) => sum + value, 0) / accuracies.length;
}

export type EarlyStopping = {
  /** The state with the best look so far; a new best has its values saved. */
  readonly afterLook: (state: CheckpointState, look: LookResult) => Promise<CheckpointState>;
  readonly isOver: (state: CheckpointState) => boolean;
  /** At the end: brings the best values back. */
  readonly keepBest: (state: CheckpointState) => Promise<CheckpointState>;
};

/**
 * All that it knows stands in the state, so a resumed run stops where an uninterrupted one does; the saved values are those of
 * `state.best`, or of a later look that the resumed run will reach and save again.
 * @param folder where checkpoints are; null keeps no values: the last ones stay.
 */
export function createEarlyStopping(options: { readonly settings: EarlyStoppingSettings; readonly folder: string | null; readonly runKey: string; readonly values: Arrays; readonly report: ReportTraining }): EarlyStopping {
  const { settings, runKey, values, report } = options;
  const folder = options.folder === null ? null : join(options.folder, BEST_FOLDER);
  return {
    afterLook: async (state, look) => {
      const value = metricOf(look, settings.metric);
      if (value === null) return state;
      const { best } = state;
      if (best !== undefined && value <= best.value) return { ...state, best: { ...best, looksSince: best.looksSince + 1 } };
      const found = { ...state, best: { step: state.step, value, looksSince: 0 } };
      if (folder !== null) {
        try {
          await writeCheckpoint(folder, found, values);
        } catch (thrown) {
          const error = toIsoglossError(thrown);
          if (error.family !== 'environment' && error.family !== 'input') throw error;
          report({ kind: 'message', code: 'training.checkpoint-failed', message: `The best state so far, of step ${state.step}, could not be saved: ${error.message} Training goes on.` });
        }
      }
      return found;
    },
    isOver: ({ best }) => best !== undefined && best.looksSince >= settings.patience,
    keepBest: async (state) => {
      const { best } = state;
      if (best === undefined || folder === null || best.step === state.step) return state;
      const found = await readNewestCheckpoint(folder, runKey, values);
      const kept = found?.state.best; // a later best than the state knows is one that a killed run saw: it is better still
      if (found === null || kept === undefined || kept.step < best.step) {
        report({ kind: 'message', code: 'training.best-lost', message: `The state of step ${best.step}, which was best, could not be read again; the model is that of step ${state.step}.` });
        return state;
      }
      report({ kind: 'message', code: 'training.kept-best', message: `Held-back data was found best at step ${kept.step} (${kept.value.toFixed(3)}); the model is of that step, not of step ${state.step}.` });
      return { ...state, losses: found.state.losses };
    },
  };
}
