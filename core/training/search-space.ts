/** Into which basis are trained rows turned, and how is search scaled? Principal axes of vectors of training text; rows rotate, lengths stay. */
import { createGraphBuilder } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { InvariantError } from '../base/errors.ts';
import { seededRandom } from '../base/random.ts';
import { principalAxes, whiteningScale } from '../encoding/soft-whitening.ts';
import { WINDOW_TOKENS } from '../encoding/windows.ts';
import type { KernelMemory } from '../optimizers/kernel-memory.ts';
import type { Kernels } from '../optimizers/kernels.ts';
import { createSession } from '../runtime/session.ts';
import { tensorOf } from '../tensor/tensor.ts';
import { unitVectors } from './static-trainable.ts';
import type { PreparedTraining } from './prepare.ts';
import type { StaticParameters } from './static-parameters.ts';

/** default-retriever.md: soft whitening S^-.45. */
const WHITENING_POWER = 0.45;
const SAMPLES_PER_SIDE = 3000;

export type SearchSpace = { readonly table: Float32Array; readonly mean: Float32Array; readonly scale: Float32Array };

/**
 * Fits principal axes on windows of passages (or pivot sentences) and on sentences of the other languages, in equal parts, and turns the
 * rows into that basis: row' = axes row. Cosines of unwhitened vectors stay as they were; whitening becomes a scale per column.
 */
export async function turnIntoSearchSpace(options: { readonly prepared: PreparedTraining; readonly kernels: Kernels; readonly memory: KernelMemory; readonly parameters: StaticParameters; readonly threads: number }): Promise<SearchSpace> {
  const { prepared, parameters, threads } = options;
  const { width, vocabularySize, table } = parameters;
  const mark = options.memory.mark();
  const axes = principalAxes(unitVectors(sampleBags(prepared), options), width);
  options.memory.release(mark);
  await using session = await createSession(rotationModel(width), { threads });
  const outputs = await session.run({ rows: tensorOf('float32', [vocabularySize, width], table), axes: tensorOf('float32', [width, width], axes.axes) });
  const rotated = outputs['rotated'];
  if (rotated?.dtype !== 'float32') throw new InvariantError('training.rotation', 'The rotation gave no float32 rows.');
  const mean = new Float32Array(width);
  for (let k = 0; k < width; k += 1) for (let i = 0; i < width; i += 1) mean[k] = (mean[k] ?? 0) + (axes.axes[k * width + i] ?? 0) * (axes.mean[i] ?? 0);
  return { table: rotated.data, mean, scale: whiteningScale(axes.variances, WHITENING_POWER) };
}

function rotationModel(width: number): Uint8Array {
  const g = createGraphBuilder('rotation');
  const rows = g.input('rows', 'float32', ['V', width]);
  const axes = g.input('axes', 'float32', [width, width]);
  return encodeModel(g.build({ rotated: g.gemm(rows, axes, { transB: true }) }));
}

function sampleBags(prepared: PreparedTraining): Uint32Array[] {
  const { retrieval, parallel, pivot, recipe } = prepared;
  const random = seededRandom(recipe.seed, 'whitening sample');
  const bags: Uint32Array[] = [];
  const pivotTexts = retrieval.passages.length > 0 ? retrieval.passages : parallel.flatMap(({ corpus, sources, targets }) => (corpus.source === pivot ? [...sources] : corpus.target === pivot ? [...targets] : []));
  for (let n = 0; n < SAMPLES_PER_SIDE && pivotTexts.length > 0; n += 1) {
    const ids = pivotTexts[random.integer(pivotTexts.length)] ?? new Uint32Array(0);
    const start = random.integer(Math.max(1, ids.length - WINDOW_TOKENS + 1));
    bags.push(ids.subarray(start, start + WINDOW_TOKENS));
  }
  const foreign = parallel.flatMap(({ corpus, sources, targets }) => [...(corpus.source === pivot ? [] : [sources]), ...(corpus.target === pivot ? [] : [targets])]).filter((list) => list.length > 0);
  for (let n = 0; n < SAMPLES_PER_SIDE && foreign.length > 0; n += 1) {
    const list = foreign[n % foreign.length] ?? [];
    bags.push(list[random.integer(list.length)] ?? new Uint32Array(0));
  }
  return bags.filter((ids) => ids.length > 0);
}
