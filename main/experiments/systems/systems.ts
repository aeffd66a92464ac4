/** How does each kind of row become a system? One line a kind. */
import { InvariantError } from '../../../core/base/errors.ts';
import { openAsItIs } from '../../../core/encoding/open-as-it-is.ts';
import { openEncoder } from '../../../core/encoding/open-encoder.ts';
import { openUntrainedEncoder } from '../../../core/encoding/untrained-encoder.ts';
import type { ExperimentRow } from '../../../core/evaluation/experiments/experiment-file.ts';
import type { RowKind, RowOf } from '../../../core/evaluation/experiments/rows.ts';
import { oneEncoder, type System, type SystemContext } from '../system.ts';
import { openBackboneSystem } from './backbone.ts';
import { openBm25System } from './bm25.ts';
import { openCalibratedSystem } from './calibrated.ts';
import { openClseSystem } from './clse.ts';
import { openClweSystem } from './clwe.ts';
import { openPhrasesSystem } from './phrases.ts';

type OpenSystem<Kind extends RowKind> = (row: RowOf<Kind>, context: SystemContext) => Promise<System>;

const openers: { readonly [Kind in RowKind]: OpenSystem<Kind> } = {
  recipe: async ({ name, method }, { modelFolderOf, threads }) => oneEncoder(await openEncoder(await modelFolderOf(name), { threads }), method),
  search: async ({ of, method, pooling }, { modelFolderOf, threads }) => oneEncoder(await openAsItIs(await modelFolderOf(of), { threads, ...(pooling === undefined ? {} : { pooling }) }), method),
  untrained: async ({ of, method }, { modelFolderOf }) => oneEncoder(await openUntrainedEncoder(await modelFolderOf(of)), method),
  bm25: openBm25System,
  backbone: openBackboneSystem,
  calibrated: openCalibratedSystem,
  clwe: openClweSystem,
  clse: openClseSystem,
  phrases: openPhrasesSystem,
  reported: () => Promise.reject(new InvariantError('experiment.reported', 'A reported row is not run.')),
};

/** Makes a row ready. @throws what its kind throws: InputError for what is missing, EnvironmentError. */
export function openSystem(row: ExperimentRow, context: SystemContext): Promise<System> {
  const open = openers[row.kind] as OpenSystem<RowKind>; // the table pairs each kind with its own row
  return open(row, context);
}
