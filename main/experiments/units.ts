/** Which measurements belong together? The rows that stand on one model, and a seed: one unit is run, kept and gone on with as a whole. */
import { modelRowOf, recipeOf, type Experiment, type ExperimentRow } from '../../core/evaluation/experiments/experiment-file.ts';
import { usedRow, type RowKind, type RowOf } from '../../core/evaluation/experiments/rows.ts';
import { sha256 } from '../../core/base/hashing.ts';
import { rowNamed } from './system.ts';

/** `root` trains (or is) the model, `rows` are measured with it, the root among them. */
export type Unit = { readonly root: ExperimentRow; readonly rows: readonly ExperimentRow[]; readonly seed: number };

/** Rows that chance has no part in are run with the first seed alone. */
const NEEDS_SEEDS: { readonly [Kind in RowKind]: boolean } = { recipe: true, untrained: true, search: true, bm25: false, backbone: false, calibrated: false, clwe: true, clse: false, phrases: true, reported: false };

const DRESS: ReadonlySet<string> = new Set(['label', 'group', 'x', 'series']);

/** Every row with the first seed, then with the next: what is stopped early has all rows. A model is there before another training begins from it. */
export function unitsOf(experiment: Experiment): readonly Unit[] {
  const { rows, seeds } = experiment;
  const roots = inOrder(experiment, rows.filter((row) => row.kind !== 'reported' && (modelRowOf(experiment, row) ?? row).name === row.name));
  return seeds.flatMap((seed, i) =>
    roots.flatMap((root) => {
      if (i > 0 && !NEEDS_SEEDS[root.kind]) return [];
      return [{ root, rows: rows.filter((row) => row.kind !== 'reported' && (modelRowOf(experiment, row) ?? row).name === root.name), seed }];
    }),
  );
}

/** The row whose model the training of a root begins from, if any. */
export function rootBefore(experiment: Experiment, root: ExperimentRow): ExperimentRow | null {
  const used = root.kind === 'recipe' || root.kind === 'phrases' ? usedRow(root) : null;
  if (used === null) return null;
  const row = rowNamed(experiment, used);
  return modelRowOf(experiment, row) ?? row;
}

function inOrder(experiment: Experiment, roots: readonly ExperimentRow[]): readonly ExperimentRow[] {
  const placed: ExperimentRow[] = [];
  const place = (root: ExperimentRow): void => {
    if (placed.includes(root)) return;
    const before = rootBefore(experiment, root);
    if (before !== null && roots.includes(before)) place(before);
    placed.push(root);
  };
  roots.forEach(place);
  return placed;
}

/** What the measurements of a unit depend on, as far as the experiment says it. */
export function keyOfUnit(experiment: Experiment, { root, rows, seed }: Unit): string {
  const { tasks, development } = experiment;
  const chooses = rows.some((row) => (row.kind === 'bm25' && row.tuned) || (row.kind === 'recipe' && row.variants !== undefined));
  return sha256(JSON.stringify({ model: modelKey(experiment, root, seed), seed, tasks, rows: rows.map(withoutDress), ...(chooses ? { development } : {}) }));
}

/** What a trained model depends on. */
export function modelKey(experiment: Experiment, root: ExperimentRow, seed: number): string {
  const before = rootBefore(experiment, root);
  return sha256(JSON.stringify({ recipe: root.kind === 'recipe' ? recipesOf(experiment, root, seed) : null, row: withoutDress(root), before: before === null ? null : modelKey(experiment, before, seed) }));
}

function recipesOf(experiment: Experiment, row: RowOf<'recipe'>, seed: number): readonly Record<string, unknown>[] {
  return row.variants === undefined ? [recipeOf(experiment, { row, seed })] : row.variants.map((_, variant) => recipeOf(experiment, { row, seed, variant }));
}

/** A row without what only changes how it is shown. */
function withoutDress(row: ExperimentRow): unknown {
  return Object.fromEntries(Object.entries(row).filter(([key]) => !DRESS.has(key)));
}
