/** What does the training loop need of an encoder? One update from the parts of a step, the arrays of a checkpoint, vectors for looks. */
import type { GraphBuilder, Value } from '../graph/builder.ts';
import type { DType } from '../tensor/dtype.ts';
import type { Shape } from '../tensor/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Arrays } from './checkpoint.ts';
import type { Losses } from './events.ts';

/** Who reads a text: the encoder of queries or that of documents (one and the same where they are shared). */
export type TextRole = 'query' | 'document';

export type LossAndGradient = {
  /** Unweighted, in nats: for the curve. */
  readonly loss: number;
  /** float32 [texts, H], of the weighted loss. */
  readonly gradient: Float32Array;
};

/** A loss as a function of vectors inside the encoder's graph. */
export type FusedPart = {
  readonly loss: {
    /** Equal names share a graph. */
    readonly name: string;
    readonly inputs: Readonly<Record<string, { readonly shape: Shape; readonly dtype?: DType }>>;
    readonly build: (g: GraphBuilder, vectors: Value, inputs: Readonly<Record<string, Value>>) => Value;
  };
  readonly feeds: Readonly<Record<string, Tensor>>;
  /** By which the graph's loss is divided for the curve. */
  readonly weight: number;
};

/**
 * What a loss learns beside the encoder, a projection head say. Parts that share it name the same object; nothing of it changes before
 * `apply`, which the encoder calls once a step, after its own update.
 */
export type PartParameters = {
  /** Starts a step: gradients, and what an earlier attempt at this step left, are forgotten. */
  readonly begin: () => void;
  /** Sum of the squares of its gradients of this step: they count in the clipping and in whether the step is finite. */
  readonly squaredNorm: () => number;
  /** One update. @param scale the factor of the clipping. */
  readonly apply: (step: { readonly learningRate: number; readonly scale: number }) => void;
};

/** What the parts of a step learn beside the encoder, each once. */
export function ownParameters(parts: readonly StepPart[]): readonly PartParameters[] {
  return [...new Set(parts.flatMap((part) => (part.kind === 'vectors' && part.own !== undefined ? [part.own] : [])))];
}

/** A loss of vectors of texts. */
export type VectorPart = {
  readonly kind: 'vectors';
  readonly name: keyof Losses;
  /** Token ids, as `tokens` of the encoder gives them. */
  readonly texts: readonly Uint32Array[];
  /** The first so many texts are read by the query encoder, the rest by the document encoder. */
  readonly queries: number;
  /** vectors float32 [texts, H], in the order of `texts`, of any length. */
  readonly evaluate: (vectors: Float32Array) => Promise<LossAndGradient>;
  /** The same loss for one graph with the encoder, which saves a forward pass where the whole part fits into one slice. */
  readonly fused?: FusedPart | undefined;
  /** What the loss learns itself; `evaluate` adds to its gradients. */
  readonly own?: PartParameters | undefined;
};

/** The loss of guessing hidden tokens (masked language modelling). */
export type MaskedPart = {
  readonly kind: 'masked';
  readonly name: keyof Losses;
  /** Token ids, some of them replaced. */
  readonly texts: readonly Uint32Array[];
  /** For each text, the places (rising) whose tokens are to be guessed, and what stood there. */
  readonly places: readonly Int32Array[];
  readonly labels: readonly Int32Array[];
  readonly weight: number;
};

export type StepPart = VectorPart | MaskedPart;

export type StepResult = { readonly losses: Losses; readonly gradientNorm: number; readonly isFinite: boolean };

/** For an encoder that lives on a device: its arrays are copies, brought up to date and handed over when asked. */
export type Residence = {
  /** Copies what the device holds into `arrays`: before they are read. */
  readonly bringBack: () => Promise<void>;
  /** Copies `arrays` to the device: after something was loaded into them. */
  readonly send: () => Promise<void>;
};

/** What the loop itself asks of whatever is trained, step by step, from parts of some kind. */
export type TrainedInSteps<Part> = {
  /** What is learned, by name: what a finished model is made of. */
  readonly values: Arrays;
  /** All that an update reads, values and moments, by name: loading a checkpoint fills these very arrays. */
  readonly arrays: Arrays;
  /** Absent: updates happen in the arrays themselves. */
  readonly residence?: Residence | undefined;
  /**
   * One update from several losses, computed one after the other with their gradients accumulated (Hu et al. 2023, section 4).
   * Nothing is changed when a loss or the gradient is not finite, or when it throws. `step` seeds whatever chance there is.
   */
  readonly step: (options: { readonly parts: readonly Part[]; readonly step: number; readonly learningRate: number }) => Promise<StepResult>;
  /** Are all values finite numbers? */
  readonly areFinite: () => boolean;
  /** Puts everything back to where step 0 starts. */
  readonly restart: () => Promise<void>;
  /** Takes less memory from now on, with the same updates; false when it cannot take less. */
  readonly shrink: () => boolean;
};

export type TrainableEncoder = AsyncDisposable & TrainedInSteps<StepPart> & {
  /** H: the width of its vectors. */
  readonly width: number;
  readonly parameterCount: number;
  /** Token ids of a text for its reader. */
  readonly tokens: (text: string, role: TextRole) => Uint32Array;
  /** Vectors of length 1, float32 [texts, H], without chance; changes nothing. */
  readonly vectors: (texts: readonly Uint32Array[], role: TextRole) => Promise<Float32Array>;
};

/** No loss yet. */
export const NO_LOSSES: Losses = { retrieval: 0, semantic: 0, language: 0 };

/** The mean of each loss over the parts of its name; losses without a part are 0. */
export function lossesByName(parts: readonly Pick<StepPart, 'name'>[], values: readonly number[]): Losses {
  const counts = new Map<keyof Losses, number>();
  const losses: { -readonly [Name in keyof Losses]: Losses[Name] } = { ...NO_LOSSES };
  parts.forEach(({ name }, i) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    losses[name] = (losses[name] ?? 0) + ((values[i] ?? 0) - (losses[name] ?? 0)) / count;
  });
  return losses;
}
