/** How does a table of token rows learn phrases? A token's state is its weighted row; rows, weights and head move together, a momentum copy follows. */
import { createKernels } from '../../optimizers/create-kernels.ts';
import { createKernelMemory, kernelMemoryBytes } from '../../optimizers/kernel-memory.ts';
import type { HeadPlacement } from '../../modules/index.ts';
import type { PhraseHead } from '../../encoding/phrase-reading.ts';
import type { AdamwSettings } from '../../optimizers/adamw.ts';
import { createStaticParameters, packBags, parameterArrays, staticStep } from '../static-parameters.ts';
import { lossesByName } from '../trainable-encoder.ts';
import type { TokenSpan } from '../transformer/engine.ts';
import { createSlowCopy } from './momentum.ts';
import type { PhraseObjective } from './phrase-objective.ts';
import { addGradients, createPhraseSide, type PhraseTrainable } from './phrase-trainable.ts';

/** Room for the gradients and states of one step beside the tables. */
const STEP_MEMORY_BYTES = 400 * 2 ** 20;

export type StaticStart = { readonly table: Float32Array; readonly weights: Float32Array };

export type StaticPhrasesOptions = {
  readonly vocabularySize: number;
  readonly width: number;
  /** Rows and weights where training starts; called again for a restart. */
  readonly start: () => Promise<StaticStart>;
  readonly objective: PhraseObjective;
  readonly placement: HeadPlacement;
  readonly sizes: Pick<PhraseHead, 'width' | 'hidden' | 'out'> | null;
  readonly momentum: number | null;
  readonly queue: number;
  readonly optimizer: AdamwSettings;
  readonly seed: number;
};

export const STATIC_NAMES = { table: 'table', logWeights: 'log-weights' } as const;

/** @throws EnvironmentError 'memory.too-little' when the machine does not give the memory. */
export async function createStaticPhrases(options: StaticPhrasesOptions): Promise<PhraseTrainable> {
  const { vocabularySize, width, start, objective, momentum } = options;
  const size = vocabularySize * width;
  const memory = createKernelMemory(kernelMemoryBytes([size, size, size, size]) + STEP_MEMORY_BYTES);
  const kernels = createKernels(memory);
  const parameters = createStaticParameters({ vocabularySize, width, memory });
  const fill = async (): Promise<void> => {
    const { table, weights } = await start();
    parameters.table.set(table);
    for (let t = 0; t < vocabularySize; t += 1) parameters.logWeights[t] = Math.log(weights[t] ?? 1);
  };
  await fill();
  const encoderValues = new Map([[STATIC_NAMES.table, parameters.table], [STATIC_NAMES.logWeights, parameters.logWeights]]);
  const slow = momentum === null ? null : createSlowCopy(encoderValues, momentum);
  const side = createPhraseSide({ ...options, encoderValues, encoderSlow: slow });
  const { headParameters } = side;
  const statesOf = (arrays: ReadonlyMap<string, Float32Array>, texts: readonly Uint32Array[], spans: readonly TokenSpan[]): Float32Array => {
    const [table, logWeights] = [arrays.get(STATIC_NAMES.table), arrays.get(STATIC_NAMES.logWeights)];
    const ids = tokensOf(texts, spans);
    const states = new Float32Array(ids.length * width);
    ids.forEach((id, row) => {
      const weight = Math.exp(logWeights?.[id] ?? 0);
      for (let i = 0; i < width; i += 1) states[row * width + i] = weight * (table?.[id * width + i] ?? 0);
    });
    return states;
  };
  return {
    head: side.head,
    parameterCount: [...side.values.values()].reduce((sum, { length }) => sum + length, 0),
    values: side.values,
    arrays: new Map([...parameterArrays(parameters), ...side.arrays]),
    weights: () => encoderValues,
    vectors: ({ texts, spans, counts }, head) => objective.vectors({ spans, counts }, statesOf(encoderValues, texts, spans), head),
    step: async ({ parts, learningRate }) => {
      side.begin();
      const headGradients = new Map<string, Float32Array>();
      const { losses, gradientNorm, isFinite } = await staticStep({
        kernels, memory, parameters, learningRate, frozen: null,
        parts: parts.map((part) => ({
          bags: packBags(tokensOf(part.texts, part.spans).map((id) => Int32Array.of(id))), // one token a bag: its weighted row
          evaluate: async (pooled) => {
            const found = await side.lossOf(part, pooled.slice(), (texts, spans) => Promise.resolve(statesOf(slow?.arrays ?? encoderValues, texts, spans)));
            addGradients(headGradients, found.headGradients);
            return { loss: found.loss, gradient: found.tokenGradients };
          },
        })),
      });
      const heads = { dense: headGradients, tokens: null };
      const headNorm = headParameters?.squaredNorm(heads) ?? 0;
      if (isFinite && Number.isFinite(headNorm)) {
        headParameters?.apply(heads, { learningRate, scale: 1 });
        side.afterStep();
      }
      return { losses: lossesByName(parts, losses), gradientNorm: Math.sqrt(gradientNorm ** 2 + headNorm), isFinite: isFinite && Number.isFinite(headNorm) };
    },
    areFinite: () => Number.isFinite(kernels.dot(parameters.table, parameters.table)) && Number.isFinite(kernels.dot(parameters.logWeights, parameters.logWeights)) && (headParameters?.areFinite() ?? true),
    restart: async () => {
      for (const array of parameterArrays(parameters).values()) array.fill(0);
      await fill();
      side.restart();
    },
    shrink: () => false, // what a step needs was set aside before the first one
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** The tokens of the spans, one span after another. */
function tokensOf(texts: readonly Uint32Array[], spans: readonly TokenSpan[]): readonly number[] {
  return spans.flatMap(({ from, to }, i) => [...(texts[i]?.subarray(from, to) ?? [])]);
}
