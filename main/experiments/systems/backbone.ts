/** Pretrained weights as they came, as a row. */
import { openAsItIs } from '../../../core/encoding/open-as-it-is.ts';
import type { RowOf } from '../../../core/evaluation/experiments/rows.ts';
import { oneEncoder, type System, type SystemContext } from '../system.ts';

/** @throws as openAsItIs. */
export async function openBackboneSystem({ path, pooling }: RowOf<'backbone'>, { threads }: SystemContext): Promise<System> {
  return oneEncoder(await openAsItIs(path, { threads, pooling }), 'dense');
}
