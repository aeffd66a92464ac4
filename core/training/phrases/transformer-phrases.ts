/** How does a transformer learn phrases? The states of their tokens in slices of like length, the loss on them, and its gradients back through the slices. */
import { lengthBatches } from '../../encoding/transformer-vectors.ts';
import type { PhraseHead } from '../../encoding/phrase-reading.ts';
import type { DropoutRates, HeadPlacement, TransformerPooling, TransformerShape } from '../../modules/index.ts';
import type { AdamwSettings } from '../../optimizers/adamw.ts';
import { clippingScale } from '../../optimizers/clipping.ts';
import type { Device } from '../../runtime/session.ts';
import { lossesByName } from '../trainable-encoder.ts';
import { createTransformerEngine, TOKEN_TABLE, type DropoutDraw, type TokenSpan, type TransformerEngine } from '../transformer/engine.ts';
import { createTrainableParameters } from '../transformer/trainable-parameters.ts';
import { KEYS_PER_PART, LEAST_SLICE_TOKENS, seedOf } from '../transformer/transformer-trainable.ts';
import { createSlowCopy } from './momentum.ts';
import type { PhrasePart } from './phrase-batches.ts';
import type { PhraseObjective } from './phrase-objective.ts';
import { addGradients, createPhraseSide, type PhraseTrainable } from './phrase-trainable.ts';

export type TransformerPhrasesOptions = {
  readonly shape: TransformerShape;
  /** Whose states: `layers` counts. */
  readonly pooling: TransformerPooling;
  /** Gives the weights where training starts; called again for a restart. */
  readonly start: () => Promise<ReadonlyMap<string, Float32Array>>;
  readonly trained: ReadonlySet<string>;
  readonly decays: (name: string) => boolean;
  readonly dropout: DropoutRates | null;
  readonly objective: PhraseObjective;
  readonly placement: HeadPlacement;
  readonly sizes: Pick<PhraseHead, 'width' | 'hidden' | 'out'> | null;
  readonly momentum: number | null;
  readonly queue: number;
  readonly optimizer: AdamwSettings & { readonly clipping: number; readonly sliceTokens: number };
  readonly seed: number;
  readonly threads: number;
  readonly device: Device;
};

/** Parameters lie in arrays on every device (the momentum copy and the head are there). @throws EnvironmentError 'memory.too-little'. */
export async function createTransformerPhrases(options: TransformerPhrasesOptions): Promise<PhraseTrainable> {
  const { shape, pooling, start, trained, decays, dropout, objective, optimizer, momentum, seed, threads, device } = options;
  const parameters = createTrainableParameters({ start: await start(), trained, decays, settings: optimizer, width: shape.width, padTokenId: shape.padTokenId, table: TOKEN_TABLE });
  const { memory, kernels, all } = parameters;
  const shared = { shape, pooling, lowRank: null, memory, kernels, threads, device, reads: 'tokens' as const };
  const slow = momentum === null ? null : createSlowCopy(parameters.values, momentum);
  const engine = createTransformerEngine({ ...shared, parameters: all, trainable: trained, dropout });
  /** No gradient is ever asked of it: nothing of it is trainable. */
  const slowEngine = slow === null ? null : createTransformerEngine({ ...shared, parameters: new Map([...all, ...slow.arrays]), trainable: new Set(), dropout: null });
  const side = createPhraseSide({ ...options, encoderValues: parameters.values, encoderSlow: slow });
  const { headParameters } = side;
  let sliceTokens = optimizer.sliceTokens;
  let longestSlice = 0;

  const slicesOf = (texts: readonly Uint32Array[], spans: readonly TokenSpan[]): readonly Slice[] => {
    const starts = startsOf(spans);
    return lengthBatches(texts, sliceTokens).map((places) => {
      longestSlice = Math.max(longestSlice, places.reduce((sum, place) => sum + (texts[place]?.length ?? 0), 0));
      return { places, texts: places.map((place) => texts[place] ?? NO_TOKENS), spans: places.map((place) => spans[place] ?? NO_SPAN), starts: places.map((place) => starts[place] ?? 0) };
    });
  };

  const statesBy = async (by: Pick<TransformerEngine, 'encode' | 'width'>, slices: readonly Slice[], rows: number, draw: Draw | null): Promise<Float32Array> => {
    const { width } = by;
    const states = new Float32Array(rows * width);
    for (const slice of slices) {
      const found = await by.encode(slice.texts, drawOf(slice, draw), slice.spans);
      eachSpan(slice, (from, to, length) => states.set(found.subarray(from * width, (from + length) * width), to * width));
    }
    return states;
  };

  const runPart = async (part: PhrasePart, draw: Draw, headGradients: Map<string, Float32Array>): Promise<number> => {
    const slices = slicesOf(part.texts, part.spans);
    const rows = part.spans.reduce((sum, { from, to }) => sum + to - from, 0);
    const tokens = await statesBy(engine, slices, rows, draw);
    const found = await side.lossOf(part, tokens, () => (slowEngine === null ? Promise.resolve(tokens) : statesBy(slowEngine, slices, rows, null)));
    if (!Number.isFinite(found.loss)) return found.loss;
    addGradients(headGradients, found.headGradients);
    const { width } = engine;
    for (const slice of slices) {
      const own = new Float32Array(slice.spans.reduce((sum, { from, to }) => sum + to - from, 0) * width);
      eachSpan(slice, (from, to, length) => own.set(found.tokenGradients.subarray(to * width, (to + length) * width), from * width));
      await engine.gradients(slice.texts, own, drawOf(slice, draw), slice.spans);
    }
    return found.loss;
  };

  return {
    head: side.head,
    parameterCount: [...side.values.values()].reduce((sum, { length }) => sum + length, 0),
    values: side.values,
    arrays: new Map([...parameters.arrays, ...side.arrays]),
    weights: () => all,
    vectors: async ({ texts, spans, counts }, head) => objective.vectors({ spans, counts }, await statesBy(engine, slicesOf(texts, spans), spans.reduce((sum, { from, to }) => sum + to - from, 0), null), head),
    step: async ({ parts, step, learningRate }) => {
      engine.begin(parts.flatMap(({ texts }) => texts));
      const headGradients = new Map<string, Float32Array>();
      const losses: number[] = [];
      for (const [place, part] of parts.entries()) losses.push(await runPart(part, { seed: seedOf(seed, step), firstKey: place * KEYS_PER_PART }, headGradients));
      const own = { dense: engine.denseGradients, tokens: engine.tokenGradients() };
      const heads = { dense: headGradients, tokens: null };
      const gradientNorm = Math.sqrt(parameters.squaredNorm(own) + (headParameters?.squaredNorm(heads) ?? 0));
      const isFinite = Number.isFinite(gradientNorm) && losses.every((loss) => Number.isFinite(loss));
      if (isFinite) {
        const scale = clippingScale({ norm: gradientNorm, maximum: optimizer.clipping });
        parameters.apply(own, { learningRate, scale });
        headParameters?.apply(heads, { learningRate, scale });
        side.afterStep();
      } else side.forget();
      return { losses: lossesByName(parts, losses), gradientNorm, isFinite };
    },
    areFinite: () => parameters.areFinite() && (headParameters?.areFinite() ?? true),
    restart: async () => {
      parameters.restart(await start());
      side.restart();
    },
    shrink: () => {
      const smaller = Math.floor(Math.min(sliceTokens, Math.max(longestSlice, LEAST_SLICE_TOKENS)) / 2);
      if (smaller < LEAST_SLICE_TOKENS) return false;
      sliceTokens = smaller;
      longestSlice = 0;
      return true;
    },
    [Symbol.asyncDispose]: async () => {
      await engine[Symbol.asyncDispose]();
      await slowEngine?.[Symbol.asyncDispose]();
    },
  };
}

type Draw = { readonly seed: number; readonly firstKey: number };
type Slice = { readonly places: readonly number[]; readonly texts: readonly Uint32Array[]; readonly spans: readonly TokenSpan[]; /** At which row of the whole each span begins. */ readonly starts: readonly number[] };

const NO_TOKENS = new Uint32Array(0);
const NO_SPAN: TokenSpan = { from: 0, to: 0 };

function startsOf(spans: readonly TokenSpan[]): Int32Array {
  const starts = new Int32Array(spans.length);
  for (let i = 1; i < spans.length; i += 1) starts[i] = (starts[i - 1] ?? 0) + (spans[i - 1]?.to ?? 0) - (spans[i - 1]?.from ?? 0);
  return starts;
}

/** For each span: its first row in the slice, its first row in the whole, its length. */
function eachSpan({ spans, starts }: Slice, work: (inSlice: number, inWhole: number, length: number) => void): void {
  let at = 0;
  spans.forEach(({ from, to }, i) => {
    work(at, starts[i] ?? 0, to - from);
    at += to - from;
  });
}

function drawOf({ places }: Slice, draw: Draw | null): DropoutDraw | null {
  return draw === null ? null : { seed: draw.seed, keys: Int32Array.from(places, (place) => draw.firstKey + place) };
}
