/** How is a transformer, or a table of token rows, trained to tell phrases apart? Tokens in, one update out; a momentum copy follows, a queue remembers. */
import { HEAD, headShapes, type PhraseHead } from '../../encoding/phrase-reading.ts';
import { seededRandom } from '../../base/random.ts';
import type { HeadPlacement } from '../../modules/index.ts';
import type { AdamwSettings } from '../../optimizers/adamw.ts';
import { createMemoryBank, type MemoryBank } from '../../sampling/memory-bank.ts';
import type { Arrays } from '../checkpoint.ts';
import type { TrainedInSteps } from '../trainable-encoder.ts';
import { createTrainableParameters, type TrainableParameters } from '../transformer/trainable-parameters.ts';
import { createSlowCopy, type SlowCopy } from './momentum.ts';
import type { PhrasePart } from './phrase-batches.ts';
import type { PhraseLoss, PhraseObjective } from './phrase-objective.ts';
import type { TokenSpan } from '../transformer/engine.ts';

export type PhraseTrainable = AsyncDisposable & TrainedInSteps<PhrasePart> & {
  readonly parameterCount: number;
  /** Vectors of the phrases in their sentences by the trained encoder, float32 [phrases, P] (without its head: [phrases, H]), of any length; changes nothing. */
  readonly vectors: (part: Pick<PhrasePart, 'texts' | 'spans' | 'counts'>, head: PhraseHead | null) => Promise<Float32Array>;
  /** The encoder's arrays by name, trained or not, as they are now. */
  readonly weights: () => ReadonlyMap<string, Float32Array>;
  readonly head: PhraseHead | null;
};

/** The states of the spans' tokens by one encoder. */
export type TokenStates = (texts: readonly Uint32Array[], spans: readonly TokenSpan[]) => Promise<Float32Array>;

/** What transformers and tables of rows share: the head, the slow side, the queues. */
export type PhraseSide = {
  readonly head: PhraseHead | null;
  readonly slowHead: PhraseHead | null;
  readonly headParameters: TrainableParameters | null;
  readonly values: Arrays;
  readonly arrays: Arrays;
  /** The loss of a part with its gradients, candidates by the momentum encoder; its vectors wait to be queued. */
  readonly lossOf: (part: PhrasePart, tokens: Float32Array, slowTokens: TokenStates) => Promise<PhraseLoss>;
  /** Before a step, also one that is tried again: nothing waits to be queued. */
  readonly begin: () => void;
  /** After an update that took place. */
  readonly afterStep: () => void;
  /** Head by chance, slow side equal to what is trained, queues empty. */
  readonly restart: () => void;
};

const SIDES = 2; // sources, targets

/** U(−1/√in, 1/√in) for weights and biases, as torch.nn.Linear: always the same for a seed. */
export function headByChance(sizes: Pick<PhraseHead, 'width' | 'hidden' | 'out'>, seed: number): ReadonlyMap<string, Float32Array> {
  return new Map(
    [...headShapes(sizes)].map(([name, shape]) => {
      const bound = 1 / Math.sqrt(name === HEAD.firstWeight || name === HEAD.firstBias ? sizes.width : sizes.hidden);
      const random = seededRandom(seed, `start ${name}`);
      return [name, Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, () => bound * (2 * random.next() - 1))];
    }),
  );
}

/** @param encoderValues  the trained arrays of the encoder; @param momentum null: no slow side. */
export function createPhraseSide(options: {
  readonly objective: PhraseObjective;
  readonly placement: HeadPlacement;
  readonly sizes: Pick<PhraseHead, 'width' | 'hidden' | 'out'> | null;
  readonly optimizer: AdamwSettings;
  readonly encoderValues: Arrays;
  readonly encoderSlow: SlowCopy | null;
  readonly momentum: number | null;
  readonly queue: number;
  readonly seed: number;
}): PhraseSide {
  const { objective, placement, sizes, optimizer, encoderValues, encoderSlow, momentum, seed } = options;
  const start = sizes === null ? null : headByChance(sizes, seed);
  const headParameters = start === null ? null : createTrainableParameters({ start, trained: new Set(start.keys()), decays: (name) => name.endsWith('.weight'), settings: optimizer, width: 1, padTokenId: 0, table: null });
  const headOf = (parameters: ReadonlyMap<string, Float32Array>): PhraseHead | null => (sizes === null || placement === 'none' ? null : { placement, ...sizes, parameters });
  const head = headParameters === null ? null : headOf(headParameters.all);
  const slowHeadCopy = momentum === null || headParameters === null ? null : createSlowCopy(headParameters.values, momentum);
  const slowHead = slowHeadCopy === null ? null : headOf(slowHeadCopy.arrays);
  const bank: MemoryBank | null = options.queue === 0 ? null : createMemoryBank({ capacities: Array.from({ length: SIDES }, () => options.queue), width: objective.width });
  const values: Arrays = new Map([...encoderValues, ...(headParameters?.values ?? [])]);
  const slowArrays = [...(encoderSlow?.arrays ?? []), ...(slowHeadCopy?.arrays ?? [])].map(([name, array]) => [`slow.${name}`, array] as const);
  let waiting: { readonly vectors: Float32Array; readonly pairs: number }[] = [];
  return {
    head,
    slowHead,
    headParameters,
    values,
    arrays: new Map<string, Float32Array | Int32Array>([...(headParameters?.arrays ?? []), ...slowArrays, ...(bank === null ? [] : [['queue', bank.rows] as const, ['queue-counts', bank.counts] as const])]),
    lossOf: async (part, tokens, slowTokens) => {
      const slow = momentum === null ? null : await objective.vectors(part, await slowTokens(part.texts, part.spans), slowHead);
      if (slow !== null && bank !== null) waiting.push({ vectors: slow, pairs: part.pairs });
      return objective.loss(part, { tokens, head, slow, queues: { sources: bank?.negatives(0).vectors ?? NO_ROWS, targets: bank?.negatives(1).vectors ?? NO_ROWS } });
    },
    begin: () => {
      waiting = [];
    },
    afterStep: () => {
      encoderSlow?.follow();
      slowHeadCopy?.follow();
      for (const { vectors, pairs } of waiting) {
        bank?.add(0, vectors.subarray(0, pairs * objective.width));
        bank?.add(1, vectors.subarray(pairs * objective.width));
      }
    },
    restart: () => {
      headParameters?.restart(start ?? new Map());
      encoderSlow?.catchUp();
      slowHeadCopy?.catchUp();
      bank?.rows.fill(0);
      bank?.counts.fill(0);
      waiting = [];
    },
  };
}

const NO_ROWS = new Float32Array(0);

/** Adds the gradients of a part to those of the step. */
export function addGradients(sum: Map<string, Float32Array>, part: ReadonlyMap<string, Float32Array>): void {
  for (const [name, gradient] of part) {
    const known = sum.get(name);
    if (known === undefined) sum.set(name, Float32Array.from(gradient));
    else for (let i = 0; i < known.length; i += 1) known[i] = (known[i] ?? 0) + (gradient[i] ?? 0);
  }
}
