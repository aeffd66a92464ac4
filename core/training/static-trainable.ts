/** How does a static encoder take part in the training loop? Bags of tokens in kernels around the losses' graphs. */
import type { KernelMemory } from '../optimizers/kernel-memory.ts';
import type { Kernels } from '../optimizers/kernels.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { InvariantError } from '../base/errors.ts';
import { packBags, parameterArrays, staticStep, type LossPart, type StaticParameters } from './static-parameters.ts';
import { lossesByName, type StepPart, type TrainableEncoder } from './trainable-encoder.ts';

export type StaticTrainableOptions = {
  readonly kernels: Kernels;
  readonly memory: KernelMemory;
  readonly parameters: StaticParameters;
  readonly tokenizer: Pick<Tokenizer, 'encode'>;
  /** Rows that keep their values (1 = frozen), or null. */
  readonly frozen: Uint8Array | null;
  /** Fills zeroed rows and weights where training starts. */
  readonly fill: () => Promise<void>;
};

/** The static encoder as the loop sees it; it owns nothing that needs closing. */
export function createStaticTrainable(options: StaticTrainableOptions): TrainableEncoder {
  const { kernels, memory, parameters, tokenizer, frozen, fill } = options;
  const { width, table, logWeights } = parameters;
  const arrays = parameterArrays(parameters);
  return {
    width,
    parameterCount: table.length + logWeights.length,
    values: new Map([['table', table], ['log-weights', logWeights]]),
    arrays,
    tokens: (text) => tokenizer.encode(text),
    step: async ({ parts, learningRate }) => {
      const { losses, gradientNorm, isFinite } = await staticStep({ kernels, memory, parameters, parts: parts.map(bagsOf), learningRate, frozen });
      return { losses: lossesByName(parts, losses), gradientNorm, isFinite };
    },
    vectors: (texts) => {
      const mark = memory.mark();
      try {
        return Promise.resolve(unitVectors(texts, options).slice());
      } finally {
        memory.release(mark);
      }
    },
    areFinite: () => Number.isFinite(kernels.dot(table, table)) && Number.isFinite(kernels.dot(logWeights, logWeights)),
    restart: async () => {
      for (const array of arrays.values()) array.fill(0);
      await fill();
    },
    shrink: () => false, // what a step needs was set aside before the first one
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function bagsOf(part: StepPart): LossPart {
  if (part.kind === 'masked') throw new InvariantError('training.masked-static', 'A static encoder has no order of tokens to guess from; the recipe should have refused this.');
  return { bags: packBags(part.texts), evaluate: part.evaluate, own: part.own };
}

/** Vectors of length 1 in the kernel memory, float32 [bags, H]; the caller releases them. */
export function unitVectors(bags: readonly Uint32Array[], { kernels, memory, parameters }: Pick<StaticTrainableOptions, 'kernels' | 'memory' | 'parameters'>): Float32Array {
  const { width, vocabularySize, table, logWeights } = parameters;
  const pooled = memory.float32(bags.length * width);
  const mark = memory.mark();
  const weights = memory.float32(vocabularySize);
  for (let t = 0; t < vocabularySize; t += 1) weights[t] = Math.exp(logWeights[t] ?? 0);
  kernels.embeddingBagForward({ table, weights, ...packBags(bags), pooled, width });
  memory.release(mark);
  for (let b = 0; b < bags.length; b += 1) {
    const row = pooled.subarray(b * width, (b + 1) * width);
    const squares = kernels.dot(row, row);
    if (squares > 0) kernels.scale(row, 1 / Math.sqrt(squares));
  }
  return pooled;
}
