/** How does a row of kind "phrases" become a system? The model of another row, or a backbone, trained on phrases (Zheng et al. 2022). */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openEncoder } from '../../../core/encoding/open-encoder.ts';
import { MANIFEST_FILE } from '../../../core/encoding/model-folder.ts';
import type { RowOf } from '../../../core/evaluation/experiments/rows.ts';
import { parsePhraseRecipe } from '../../../core/training/phrases/phrase-recipe.ts';
import { runPhraseTraining } from '../../../core/training/phrases/run-phrase-training.ts';
import { oneEncoder, type System, type SystemContext } from '../system.ts';

/** @throws InputError 'phrases.recipe' for settings that are none; what training throws. */
export async function openPhrasesSystem(row: RowOf<'phrases'>, { modelFolderOf, workFolder, seed, threads, device, signal, say }: SystemContext): Promise<System> {
  const start = row.of === undefined ? { backbone: row.backbone ?? '' } : { model: await modelFolderOf(row.of) };
  const recipe = parsePhraseRecipe({ ...row.settings, start, seed }, { file: `row "${row.name}"`, folder: workFolder });
  const outputFolder = join(workFolder, `${row.name}.${seed}.phrases`);
  if ((await stat(join(outputFolder, MANIFEST_FILE)).catch(() => null)) === null) {
    const summary = await runPhraseTraining({ recipe, outputFolder, threads, device, resume: true, signal, report: () => undefined });
    if (summary !== null) say(`${row.name}, seed ${seed}: ${summary.steps} steps in ${(summary.wallSeconds / 60).toFixed(1)} minutes`);
  }
  return oneEncoder(await openEncoder(outputFolder, { threads }), 'dense');
}
