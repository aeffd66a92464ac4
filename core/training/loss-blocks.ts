/** How is a contrastive loss of thousands of texts calculated in little memory? A block of rows at a time: loss and gradients add up. */
import { buildGradientModel, gradientName } from '../autodiff/gradient-model.ts';
import { InvariantError } from '../base/errors.ts';
import { contrastRowsLoss } from '../losses/contrast-rows.ts';
import type { Graph } from '../graph/graph.ts';
import type { Session } from '../runtime/session.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';

/** From this many similarities on (16 MB of them, and several times that for the gradient) a loss is calculated in blocks. */
export const MOST_SIMILARITIES_AT_ONCE = 2 ** 22;
const SIMILARITIES_PER_BLOCK = 2 ** 20;

/** The graph of a block; R and N are symbols. */
export function contrastBlockGraph(width: number, temperature: number): Graph {
  return buildGradientModel({
    name: 'contrast-block',
    inputs: { rows: { shape: ['R', width] }, candidates: { shape: ['N', width] }, positives: { shape: ['R'], dtype: 'int64' }, leaveOut: { shape: ['R', 'N'], dtype: 'bool' } },
    build: (g, values) => contrastRowsLoss(g, { ...values, temperature }),
    wrt: ['rows', 'candidates'],
  }).graph;
}

export type ContrastTask = {
  readonly session: Session;
  readonly width: number;
  /** float32 [M, H] and [N, H]; they may be the same array. */
  readonly rows: Float32Array;
  readonly candidates: Float32Array;
  /** The right candidate of a row. */
  readonly positiveOf: (row: number) => number;
  /** Marks with 1, in N zeros, the candidates that a row leaves out. */
  readonly leaveOut: (row: number, marks: Uint8Array) => void;
};

/** The mean over all M rows, and its gradients; where rows and candidates are one array, its gradient is the sum of both. */
export async function contrastInBlocks({ session, width, rows, candidates, positiveOf, leaveOut }: ContrastTask): Promise<{ readonly loss: number; readonly rowGradients: Float32Array; readonly candidateGradients: Float32Array }> {
  const [count, others] = [rows.length / width, candidates.length / width];
  const blockRows = Math.max(1, Math.floor(SIMILARITIES_PER_BLOCK / others));
  const rowGradients = new Float32Array(rows.length);
  const candidateGradients = new Float32Array(candidates.length);
  let loss = 0;
  for (let from = 0; from < count; from += blockRows) {
    const own = Math.min(blockRows, count - from);
    const marks = new Uint8Array(own * others);
    for (let row = 0; row < own; row += 1) leaveOut(from + row, marks.subarray(row * others, (row + 1) * others));
    const outputs = await session.run({
      rows: tensorOf('float32', [own, width], rows.subarray(from * width, (from + own) * width)),
      candidates: tensorOf('float32', [others, width], candidates),
      positives: tensorOf('int64', [own], BigInt64Array.from({ length: own }, (_, row) => BigInt(positiveOf(from + row)))),
      leaveOut: tensorOf('bool', [own, others], marks),
    });
    loss += (floats(outputs['loss'])[0] ?? Number.NaN) / count;
    floats(outputs[gradientName('rows')]).forEach((gradient, i) => { rowGradients[from * width + i] = gradient / count; });
    floats(outputs[gradientName('candidates')]).forEach((gradient, i) => { candidateGradients[i] = (candidateGradients[i] ?? 0) + gradient / count; });
  }
  return { loss, rowGradients, candidateGradients };
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (tensor?.dtype !== 'float32') throw new InvariantError('training.loss-output', 'The model of a block of the loss gave no float32 output.');
  return tensor.data;
}
