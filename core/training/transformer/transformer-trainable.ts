/** How does a transformer take part in the training loop? Vectors in slices of like length, losses on them, and their gradients back through the slices. */
import type { OnnxEncoder } from '../../encoding/onnx-embeddings.ts';
import { lengthBatches } from '../../encoding/transformer-vectors.ts';
import type { DropoutRates, TransformerPooling, TransformerShape } from '../../modules/index.ts';
import type { AdamwSettings } from '../../optimizers/adamw.ts';
import { clippingScale } from '../../optimizers/clipping.ts';
import type { Device } from '../../runtime/session.ts';
import type { Arrays } from '../checkpoint.ts';
import { lossesByName, ownParameters, type Residence, type StepPart, type TextRole, type TrainableEncoder, type VectorPart } from '../trainable-encoder.ts';
import { createDeviceEngine } from './device-engine.ts';
import { createTransformerEngine, TOKEN_TABLE, type TransformerEngine } from './engine.ts';
import { createMaskedLanguageModel, type MaskedLanguageModel } from './masked-language-model.ts';
import { createOnnxEngine } from './onnx-engine.ts';
import { createSliceSize } from './slice-size.ts';
import { createTrainableParameters, type StepGradients, type TrainableParameters } from './trainable-parameters.ts';

/** Sequences of one part; names them apart within a step. */
export const KEYS_PER_PART = 2 ** 20;

/** One set of weights, and what of it is trained. */
export type EncoderStart = {
  /** Gives the weights where training starts, thin matrices among them; called again for a restart. */
  readonly start: () => Promise<ReadonlyMap<string, Float32Array>>;
  readonly trained: ReadonlySet<string>;
};

export type TransformerTrainableOptions = {
  readonly shape: TransformerShape;
  readonly pooling: TransformerPooling;
  readonly lowRank: { readonly rank: number; readonly alpha: number } | null;
  readonly dropout: DropoutRates | null;
  /** Left out: a transformer of `shape`. Else this graph, on the CPU; of `shape` only the width counts. */
  readonly onnx?: (OnnxEncoder & { readonly padId: number }) | undefined;
  /** One encoder for queries and documents, or one for each. */
  readonly encoders: { readonly document: EncoderStart; readonly query: EncoderStart | null };
  readonly tokens: (text: string, role: TextRole) => Uint32Array;
  readonly optimizer: AdamwSettings & { readonly clipping: number; readonly sliceTokens: number };
  /** Whether hidden tokens are guessed; the parameters then hold the head (`mlm.*`). */
  readonly guesses: boolean;
  readonly decays: (name: string) => boolean;
  readonly seed: number;
  readonly threads: number;
  readonly device: Device;
};

/** One encoder of the pair: its parameters, its engine, and the head that guesses hidden tokens where it has one. */
type Side = {
  readonly encoder: EncoderStart;
  readonly prefix: string;
  readonly parameters: TrainableParameters;
  readonly engine: Pick<TransformerEngine, 'width' | 'begin' | 'encode' | 'gradients'> & Partial<Pick<TransformerEngine, 'lossGradients'>> & AsyncDisposable;
  readonly guesser: MaskedLanguageModel | null;
  /** The update from the gradients of a step, wherever they are. */
  readonly update: () => SideUpdate;
  /** null: parameters live in the arrays. */
  readonly residence: Residence | null;
};

type SideUpdate = { readonly squaredNorm: () => Promise<number>; readonly apply: (step: { readonly learningRate: number; readonly scale: number }) => Promise<void> };

export type TransformerTrainable = TrainableEncoder & {
  /** The weights of an encoder as they are now, by name, thin matrices among them. */
  readonly weightsOf: (role: TextRole) => ReadonlyMap<string, Float32Array>;
};

/** @throws EnvironmentError 'memory.too-little'; what sessions throw when they are first needed. */
export async function createTransformerTrainable(options: TransformerTrainableOptions): Promise<TransformerTrainable> {
  const { encoders, optimizer, seed } = options;
  const document = await openSide(options, encoders.document, encoders.query === null ? '' : 'document.');
  const query = encoders.query === null ? document : await openSide(options, encoders.query, 'query.');
  const sides = query === document ? [document] : [document, query];
  const sideOf = (role: TextRole): Side => (role === 'query' ? query : document);
  const slice = createSliceSize(optimizer.sliceTokens);

  const encodePart = async (part: VectorPart, draw: Draw): Promise<{ readonly vectors: Float32Array; readonly slices: readonly Slice[] }> => {
    const width = document.engine.width;
    const vectors = new Float32Array(part.texts.length * width);
    const slices = [...slicesOf(part, query, 0, part.queries, slice.tokens()), ...slicesOf(part, document, part.queries, part.texts.length, slice.tokens())];
    for (const { side, places } of slices) {
      slice.saw(places.reduce((sum, place) => sum + (part.texts[place]?.length ?? 0), 0));
      const found = await side.engine.encode(textsAt(part, places), { seed: draw.seed, keys: keysAt(places, draw) });
      places.forEach((place, i) => { vectors.set(found.subarray(i * width, (i + 1) * width), place * width); });
    }
    return { vectors, slices };
  };

  const runPart = async (part: StepPart, draw: Draw): Promise<number> => {
    if (part.kind === 'masked') return document.guesser === null ? 0 : document.guesser.gradients(part, { sliceTokens: slice.tokens(), ...draw });
    const whole = wholeIn(part, { query, document, sliceTokens: slice.tokens() });
    if (whole !== null && part.fused !== undefined) {
      slice.saw(tokensOf(part.texts));
      const { loss, feeds, weight } = part.fused;
      const keys = Int32Array.from(part.texts, (_, place) => draw.firstKey + place);
      return (await whole(part.texts, loss, feeds, { seed: draw.seed, keys })) / weight;
    }
    const width = document.engine.width;
    const { vectors, slices } = await encodePart(part, draw);
    const { loss, gradient } = await part.evaluate(vectors);
    if (!Number.isFinite(loss)) return loss;
    for (const { side, places } of slices) {
      const own = new Float32Array(places.length * width);
      places.forEach((place, i) => { own.set(gradient.subarray(place * width, (place + 1) * width), i * width); });
      await side.engine.gradients(textsAt(part, places), own, { seed: draw.seed, keys: keysAt(places, draw) });
    }
    return loss;
  };

  return {
    width: document.engine.width,
    parameterCount: sides.reduce((sum, { parameters }) => sum + [...parameters.all.values()].reduce((all, { length }) => all + length, 0), 0),
    values: prefixed(sides, ({ values }) => values),
    arrays: prefixed(sides, ({ arrays }) => arrays),
    residence: residenceOf(sides),
    tokens: options.tokens,
    step: async ({ parts, step, learningRate }) => {
      const asked = sides.filter((side) => {
        const texts = parts.flatMap((part) => textsOf(part, side, { query, document }));
        side.engine.begin(texts);
        side.guesser?.begin(parts.some(({ kind }) => kind === 'masked'));
        return texts.length > 0; // an encoder that reads nothing in this step keeps still: no decay, no momentum
      });
      const own = ownParameters(parts);
      for (const learned of own) learned.begin();
      const losses: number[] = [];
      for (const kind of ['vectors', 'masked'] as const) { // hidden tokens last: their gradients are added to what the engine has
        for (const [place, part] of parts.entries()) if (part.kind === kind) losses[place] = await runPart(part, { seed: seedOf(seed, step), firstKey: place * KEYS_PER_PART });
      }
      const updates = asked.map((side) => side.update());
      let squares = own.reduce((sum, learned) => sum + learned.squaredNorm(), 0);
      for (const update of updates) squares += await update.squaredNorm();
      const gradientNorm = Math.sqrt(squares);
      const isFinite = Number.isFinite(gradientNorm) && losses.every((loss) => Number.isFinite(loss));
      if (isFinite) {
        const scale = clippingScale({ norm: gradientNorm, maximum: optimizer.clipping });
        for (const update of updates) await update.apply({ learningRate, scale });
        for (const learned of own) learned.apply({ learningRate, scale });
      }
      return { losses: lossesByName(parts, losses), gradientNorm, isFinite };
    },
    vectors: async (texts, role) => {
      const { engine } = sideOf(role);
      const vectors = new Float32Array(texts.length * engine.width);
      for (const places of lengthBatches(texts, slice.tokens())) {
        const found = await engine.encode(places.map((place) => texts[place] ?? new Uint32Array(0)));
        places.forEach((place, i) => { vectors.set(found.subarray(i * engine.width, (i + 1) * engine.width), place * engine.width); });
      }
      normaliseRows(vectors, engine.width);
      return vectors;
    },
    areFinite: () => sides.every(({ parameters }) => parameters.areFinite()),
    restart: async () => {
      for (const { encoder, parameters, residence } of sides) {
        parameters.restart(await encoder.start());
        await residence?.send();
      }
    },
    shrink: slice.shrink,
    weightsOf: (role) => sideOf(role).parameters.all,
    [Symbol.asyncDispose]: async () => {
      for (const { engine, guesser } of sides) {
        await engine[Symbol.asyncDispose]();
        await guesser?.[Symbol.asyncDispose]();
      }
    },
  };
}

/** The fused form of the encoder that reads all of a part, when that fits into one slice; null: in slices, by way of the vectors. */
function wholeIn(part: VectorPart, { query, document, sliceTokens }: { readonly query: Side; readonly document: Side; readonly sliceTokens: number }): TransformerEngine['lossGradients'] | null {
  if (tokensOf(part.texts) > sliceTokens) return null;
  if (query === document || part.queries === 0) return document.engine.lossGradients ?? null;
  return part.queries === part.texts.length ? (query.engine.lossGradients ?? null) : null;
}

function tokensOf(texts: readonly Uint32Array[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

type Draw = { readonly seed: number; readonly firstKey: number };
type Slice = { readonly side: Side; readonly places: readonly number[] };

async function openSide(options: TransformerTrainableOptions, encoder: EncoderStart, prefix: string): Promise<Side> {
  const { shape, pooling, lowRank, dropout, decays, optimizer, threads, device } = options;
  const parameters = createTrainableParameters({ start: await encoder.start(), trained: encoder.trained, decays, settings: optimizer, width: shape.width, padTokenId: shape.padTokenId, table: options.onnx === undefined ? TOKEN_TABLE : null });
  const { memory, kernels, all } = parameters;
  const trainable = new Set([...encoder.trained].filter((name) => !name.startsWith('mlm.')));
  const shared = { shape, pooling, parameters: all, trainable, dropout, lowRank, threads, device };
  if (options.onnx !== undefined) {
    const { padId, ...graph } = options.onnx;
    const engine = createOnnxEngine({ encoder: graph, padId, parameters: all, trainable, memory, kernels, threads, device: 'cpu' });
    return { encoder, prefix, parameters, engine, guesser: null, update: () => updateOf(parameters, gradientsOf({ engine, guesser: null })), residence: null };
  }
  if (device === 'webgpu' && !options.guesses) {
    // The head that guesses tokens works on gradients in arrays; all else stays on the card.
    const resident = await createDeviceEngine({ ...shared, states: parameters.states, settings: optimizer, decays });
    const update = (): SideUpdate => ({ squaredNorm: resident.squaredNorm, apply: resident.apply });
    return { encoder, prefix, parameters, engine: resident, guesser: null, update, residence: resident };
  }
  const engine = createTransformerEngine({ ...shared, memory, kernels });
  const guesser = options.guesses ? createMaskedLanguageModel({ shape, parameters: all, trained: encoder.trained, dropout, engine, kernels, memory, threads, device }) : null;
  return { encoder, prefix, parameters, engine, guesser, update: () => updateOf(parameters, gradientsOf({ engine, guesser })), residence: null };
}

function updateOf(parameters: TrainableParameters, own: StepGradients): SideUpdate {
  return {
    squaredNorm: () => Promise.resolve(parameters.squaredNorm(own)),
    apply: (step) => Promise.resolve(parameters.apply(own, step)),
  };
}

function residenceOf(sides: readonly Side[]): Residence | undefined {
  const residences = sides.flatMap(({ residence }) => (residence === null ? [] : [residence]));
  if (residences.length === 0) return undefined;
  return {
    bringBack: async () => {
      for (const residence of residences) await residence.bringBack();
    },
    send: async () => {
      for (const residence of residences) await residence.send();
    },
  };
}

/** Gradients of a step: those of the engine, with those of the guessing head. */
function gradientsOf({ engine, guesser }: { readonly engine: Pick<TransformerEngine, 'denseGradients' | 'tokenGradients'>; readonly guesser: MaskedLanguageModel | null }): StepGradients {
  const own = { dense: engine.denseGradients, tokens: engine.tokenGradients() };
  return guesser === null ? own : guesser.joined(own);
}

/** Texts of a part between two places, sorted by length and cut into slices. */
function slicesOf(part: VectorPart, side: Side, from: number, to: number, mostTokens: number): readonly Slice[] {
  return lengthBatches(part.texts.slice(from, to), mostTokens).map((places) => ({ side, places: places.map((place) => from + place) }));
}

function textsAt(part: VectorPart, places: readonly number[]): readonly Uint32Array[] {
  return places.map((place) => part.texts[place] ?? new Uint32Array(0));
}

function keysAt(places: readonly number[], { firstKey }: Draw): Int32Array {
  return Int32Array.from(places, (place) => firstKey + place);
}

/** What of a part an encoder reads. */
function textsOf(part: StepPart, side: Side, { query, document }: { readonly query: Side; readonly document: Side }): readonly Uint32Array[] {
  if (part.kind === 'masked') return side === document ? part.texts : [];
  if (query === document) return part.texts;
  return side === query ? part.texts.slice(0, part.queries) : part.texts.slice(part.queries);
}

function prefixed(sides: readonly Side[], arraysOf: (parameters: TrainableParameters) => Arrays): Arrays {
  return new Map(sides.flatMap(({ prefix, parameters }) => [...arraysOf(parameters)].map(([name, array]) => [`${prefix}${name}`, array] as const)));
}

/** Steps of runs with other seeds leave out other elements. */
export function seedOf(seed: number, step: number): number {
  return (Math.imul(seed | 0, 0x9e3779b1) ^ step) >>> 0;
}

function normaliseRows(vectors: Float32Array, width: number): void {
  for (let start = 0; start < vectors.length; start += width) {
    let squares = 0;
    for (let i = start; i < start + width; i += 1) squares += (vectors[i] ?? 0) ** 2;
    if (squares === 0) continue;
    const factor = 1 / Math.sqrt(squares);
    for (let i = start; i < start + width; i += 1) vectors[i] = (vectors[i] ?? 0) * factor;
  }
}
