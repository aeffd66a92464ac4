/** A row of kind "clse": to be filled by its owner (see core/evaluation/experiments/rows.ts). */
import { InputError } from '../../../core/base/errors.ts';
import type { RowOf } from '../../../core/evaluation/experiments/rows.ts';
import type { System } from '../system.ts';

export function openClseSystem(row: RowOf<'clse'>): Promise<System> {
  return Promise.reject(new InputError('experiment.no-such-row', `"${row.name}": rows of kind "clse" are not there yet.`));
}
