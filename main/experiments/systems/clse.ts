/** Averaged hidden states of a layer, rotated or not (CLSE), as a row: of a backbone, or of the transformer that another row trained. */
import { InputError } from '../../../core/base/errors.ts';
import { clseSettingsSchema, openClse, readClseData, usualLayer } from '../../../core/evaluation/baselines/clse.ts';
import { parseSettings } from '../../../core/evaluation/baselines/settings.ts';
import type { RowOf } from '../../../core/evaluation/experiments/rows.ts';
import { layersOf, openAsItIs } from '../../../core/encoding/open-as-it-is.ts';
import type { System, SystemContext } from '../system.ts';

/** @throws InputError 'baseline.invalid', 'baseline.no-backbone'; as readClseData and openAsItIs. */
export async function openClseSystem({ name, of, settings }: RowOf<'clse'>, { workFolder, modelFolderOf, seed, threads, signal, say }: SystemContext): Promise<System> {
  const asked = parseSettings(clseSettingsSchema, settings, `row "${name}": settings`);
  const folder = of === undefined ? asked.backbone : await modelFolderOf(of);
  if (folder === undefined) throw new InputError('baseline.no-backbone', `row "${name}": expected "of" (a row with a transformer) or "backbone" in its settings, found neither.`);
  const data = await readClseData(asked, { folder: workFolder, signal, onProblem: ({ message }) => say(message) });
  const layer = asked.layer ?? usualLayer(await layersOf(folder));
  const base = await openAsItIs(folder, { threads, pooling: { mode: 'mean', layer } });
  const encoderFor = await openClse({ base, data, pivot: asked.pivot, seed, signal });
  return { method: 'dense', encoderFor, choices: () => [`layer ${layer}, map ${data.map}`] };
}
