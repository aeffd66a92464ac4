/** How is a model calibrated from a project's corpora, and the calibrated one measured like any other? */
import { calibrateByCorpora } from '../../core/training/calibrate-by-corpora.ts';
import { recipeSchemaFor } from '../../core/training/recipe-schema.ts';
import type { IndexEvent } from '../contract/index.ts';
import type { CalibrateTask, CallOutput } from './messages.ts';
import { writeReport } from './write-report.ts';

export type CalibrateWishes = { readonly signal: AbortSignal; readonly report: (event: IndexEvent) => void };

/** @throws what `calibrateByCorpora` and `writeReport` throw. */
export async function runCalibrateTask({ modelFolder, outputFolder, corpora, steps, threads, questions }: CalibrateTask, { signal, report }: CalibrateWishes): Promise<CallOutput<'calibrate'>> {
  const { pivot, languages, heldOut } = await calibrateByCorpora({ modelFolder, outputFolder, steps, corpora: recipeSchemaFor(corpora).parse(corpora), threads, signal, report });
  await writeReport({ modelFolder: outputFolder, questions, signal, onRow: (done, total) => report({ kind: 'progress', phase: 'finishing', done, total, unit: 'comparisons', leftMs: null }) });
  return { pivot, languages: [...languages], heldOut: [...heldOut] };
}
