/** A row of kind "clwe": to be filled by its owner (see core/evaluation/experiments/rows.ts). */
import { InputError } from '../../../core/base/errors.ts';
import type { RowOf } from '../../../core/evaluation/experiments/rows.ts';
import type { System } from '../system.ts';

export function openClweSystem(row: RowOf<'clwe'>): Promise<System> {
  return Promise.reject(new InputError('experiment.no-such-row', `"${row.name}": rows of kind "clwe" are not there yet.`));
}
