/** What does the training of each row take, beside that of others? The table of batches, steps and compute. */
import { recipeOf, type Experiment } from './experiment-file.ts';

/** Of one row: CPU-minutes of a seed, null where it was not run. */
export type RowCost = { readonly row: string; readonly cpuMinutes: number | null };

type Compute = { readonly batch: number; readonly steps: number };

/**
 * Batch size, training steps and their product, relative to the first row that is trained here (Hu et al. 2023, Table 1: 2,048 x 200,000 against
 * 48 x 24,540 is 347 times as much).
 */
export function costTable(experiment: Experiment, costs: readonly RowCost[]): string[] {
  const rows = experiment.rows.flatMap((row) => {
    const compute = row.kind === 'reported' ? (row.compute ?? null) : row.kind === 'recipe' ? computeOf(recipeOf(experiment, { row, seed: 0 })) : null;
    return compute === null ? [] : [{ row, compute }];
  });
  const own = rows.find(({ row }) => row.kind === 'recipe') ?? rows[0];
  const unit = own === undefined ? 1 : own.compute.batch * own.compute.steps;
  return [
    '| | batch size | training steps | training compute | CPU-minutes here |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(({ row, compute }) => {
      const minutes = costs.find((cost) => cost.row === row.name)?.cpuMinutes ?? null;
      return `| ${row.label ?? row.name} | ${compute.batch.toLocaleString('en')} | ${compute.steps.toLocaleString('en')} | ${timesOf((compute.batch * compute.steps) / unit)} | ${minutes === null ? '–' : minutes.toFixed(1)} |`;
    }),
  ];
}

function timesOf(ratio: number): string {
  return `${ratio >= 2 ? Math.floor(ratio).toLocaleString('en') : ratio.toFixed(ratio === 1 ? 0 : 2)}x`;
}

/** What a recipe says of its batches and steps; null where it says neither. */
function computeOf(recipe: Readonly<Record<string, unknown>>): Compute | null {
  const at = (value: unknown, key: string): unknown => (typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(key) : undefined);
  const batch = at(recipe['optimizer'], 'parallelBatch') ?? at(recipe['optimizer'], 'retrievalBatch');
  const steps = at(recipe['budget'], 'steps');
  return typeof batch === 'number' && typeof steps === 'number' ? { batch, steps } : null;
}
