/** Does the training of a transformer fit into this machine? Weights, gradients and moments by count; what stands between layers by the tokens of a slice. */
import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import { EnvironmentError } from '../../base/errors.ts';
import type { TransformerShape } from '../../modules/transformer-shape.ts';
import { TOKEN_TABLE } from './token-table.ts';

const FLOAT_BYTES = 4;
const BYTES_PER_MB = 2 ** 20;
/** Values, gradient and two moments of what is trained; values alone of what is frozen. */
const ARRAYS_OF_TRAINED = 4;
/**
 * Numbers that a layer keeps for the way back, per token: in widths, in feed-forward widths, and per head and token of the text. Measured
 * 2026-11-20: L6 H256 F1024, about 7,000 tokens at once, grew the process by 450 MB (62 KB a token); this says 90 KB.
 */
const WIDTHS_KEPT = 6;
const FEED_FORWARDS_KEPT = 2;
const ATTENTIONS_KEPT = 1;
/** The program, ONNX Runtime's sessions and the corpora: the same run with 512 tokens at once took 717 MB in all. */
const BASE_BYTES = 600 * BYTES_PER_MB;

export type MemoryEstimate = {
  /** All together, in bytes. */
  readonly bytes: number;
  readonly weightBytes: number;
  readonly optimizerBytes: number;
  readonly activationBytes: number;
};

/**
 * What a training takes at its peak.
 * @param sizes numbers of each parameter, by name; @param trained those that are trained; @param encoders 1, or 2 with one for queries.
 * @param sliceTokens tokens in the encoder at once; @param longestText tokens of the longest text.
 */
export function estimateMemory(options: {
  readonly shape: TransformerShape;
  readonly sizes: ReadonlyMap<string, number>;
  readonly trained: ReadonlySet<string>;
  readonly encoders: 1 | 2;
  readonly sliceTokens: number;
  readonly longestText: number;
}): MemoryEstimate {
  const { shape, sizes, trained, encoders, sliceTokens, longestText } = options;
  const { width, layers, heads, feedForwardWidth } = shape;
  let all = 0;
  let learned = 0;
  for (const [name, length] of sizes) {
    all += length;
    if (trained.has(name)) learned += (name === TOKEN_TABLE ? ARRAYS_OF_TRAINED - 1 : ARRAYS_OF_TRAINED) * length - length;
  }
  const weightBytes = encoders * all * FLOAT_BYTES;
  const optimizerBytes = encoders * learned * FLOAT_BYTES;
  const perToken = layers * (WIDTHS_KEPT * width + FEED_FORWARDS_KEPT * feedForwardWidth + ATTENTIONS_KEPT * heads * longestText);
  const activationBytes = Math.max(sliceTokens, longestText) * perToken * FLOAT_BYTES;
  return { bytes: BASE_BYTES + weightBytes + optimizerBytes + activationBytes, weightBytes, optimizerBytes, activationBytes };
}

/** The memory that this process may have: of the machine, or of the group that it is kept in. */
export function machineMemoryBytes(): number {
  const constrained = constrainedMemory();
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
}

/** @throws EnvironmentError 'memory.too-little' with what it would take, what there is, and what takes less. */
export function expectMemory(estimate: MemoryEstimate, available = machineMemoryBytes()): void {
  if (estimate.bytes <= available) return;
  const mb = (bytes: number): string => `${Math.ceil(bytes / BYTES_PER_MB).toLocaleString('en')} MB`;
  throw new EnvironmentError(
    'memory.too-little',
    `This training would take about ${mb(estimate.bytes)} of memory (weights ${mb(estimate.weightBytes)}, gradients and moments ${mb(estimate.optimizerBytes)}, texts in the encoder ${mb(estimate.activationBytes)}); this machine has ${mb(available)}. ` +
      'A smaller backbone, "trimVocabulary", "freeze", "lora" or fewer "sliceTokens" take less. Nothing was started.',
    { data: { neededBytes: estimate.bytes, availableBytes: available } },
  );
}
