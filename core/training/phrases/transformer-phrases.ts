/** How does a transformer learn phrases? The states of their tokens in slices of like length, the loss on them, and its gradients back through the slices. */
import { lengthBatches } from '../../encoding/transformer-vectors.ts';
import type { PhraseHead } from '../../encoding/phrase-reading.ts';
import type { HeadPlacement } from '../../modules/index.ts';
import { clippingScale } from '../../optimizers/clipping.ts';
import { lossesByName } from '../trainable-encoder.ts';
import { createTransformerEngine, TOKEN_TABLE, type DropoutDraw, type TokenSpan } from '../transformer/engine.ts';
import { createOnnxEngine, type OnnxEngine } from '../transformer/onnx-engine.ts';
import { createSliceSize } from '../transformer/slice-size.ts';
import { createTrainableParameters, type TrainableParameters } from '../transformer/trainable-parameters.ts';
import { KEYS_PER_PART, seedOf, type EncoderStart, type TransformerTrainableOptions } from '../transformer/transformer-trainable.ts';
import { createSlowCopy } from './momentum.ts';
import type { PhrasePart } from './phrase-batches.ts';
import type { PhraseObjective } from './phrase-objective.ts';
import { addGradients, createPhraseSide, type PhraseTrainable } from './phrase-trainable.ts';

/** `pooling`: `layers` counts alone, whose states they are. */
export type TransformerPhrasesOptions = Pick<TransformerTrainableOptions, 'shape' | 'pooling' | 'lowRank' | 'dropout' | 'onnx' | 'decays' | 'optimizer' | 'seed' | 'threads' | 'device'> & EncoderStart & {
  readonly objective: PhraseObjective;
  readonly placement: HeadPlacement;
  readonly sizes: Pick<PhraseHead, 'width' | 'hidden' | 'out'> | null;
  readonly momentum: number | null;
  readonly queue: number;
};

/** Parameters lie in arrays on every device (the momentum copy and the head are there). @throws EnvironmentError 'memory.too-little'. */
export async function createTransformerPhrases(options: TransformerPhrasesOptions): Promise<PhraseTrainable> {
  const { shape, start, trained, decays, onnx, objective, optimizer, momentum, seed } = options;
  const parameters = createTrainableParameters({ start: await start(), trained, decays, settings: optimizer, width: shape.width, padTokenId: shape.padTokenId, table: onnx === undefined ? TOKEN_TABLE : null });
  const { all } = parameters;
  const slow = momentum === null ? null : createSlowCopy(parameters.values, momentum);
  const engine = engineFor(options, parameters, { parameters: all, trainable: trained });
  /** No gradient is ever asked of it: nothing of it is trainable. */
  const slowEngine = slow === null ? null : engineFor({ ...options, dropout: null }, parameters, { parameters: new Map([...all, ...slow.arrays]), trainable: new Set() });
  const side = createPhraseSide({ ...options, encoderValues: parameters.values, encoderSlow: slow });
  const { headParameters } = side;
  const sliceSize = createSliceSize(optimizer.sliceTokens);

  const slicesOf = (texts: readonly Uint32Array[], spans: readonly TokenSpan[]): readonly Slice[] => {
    const starts = startsOf(spans);
    return lengthBatches(texts, sliceSize.tokens()).map((places) => {
      sliceSize.saw(places.reduce((sum, place) => sum + (texts[place]?.length ?? 0), 0));
      return { places, texts: places.map((place) => texts[place] ?? NO_TOKENS), spans: places.map((place) => spans[place] ?? NO_SPAN), starts: places.map((place) => starts[place] ?? 0) };
    });
  };

  const statesBy = async (by: PhraseEngine, slices: readonly Slice[], rows: number, draw: Draw | null): Promise<Float32Array> => {
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
      side.begin();
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
      }
      return { losses: lossesByName(parts, losses), gradientNorm, isFinite };
    },
    areFinite: () => parameters.areFinite() && (headParameters?.areFinite() ?? true),
    restart: async () => {
      parameters.restart(await start());
      side.restart();
    },
    shrink: sliceSize.shrink,
    [Symbol.asyncDispose]: async () => {
      await engine[Symbol.asyncDispose]();
      await slowEngine?.[Symbol.asyncDispose]();
    },
  };
}

/** What phrases ask of an engine, whatever runs inside. */
type PhraseEngine = OnnxEngine;

/** The states of tokens, by a transformer or by a foreign graph (which leaves nothing out by chance, and runs on the CPU). */
function engineFor({ shape, pooling, lowRank, dropout, onnx, threads, device }: TransformerPhrasesOptions, { memory, kernels }: Pick<TrainableParameters, 'memory' | 'kernels'>, own: { readonly parameters: ReadonlyMap<string, Float32Array>; readonly trainable: ReadonlySet<string> }): PhraseEngine {
  const shared = { ...own, memory, kernels, threads, reads: 'tokens' as const };
  if (onnx === undefined) return createTransformerEngine({ ...shared, shape, pooling, lowRank, dropout, device });
  const { padId, ...encoder } = onnx;
  return createOnnxEngine({ ...shared, encoder, padId, device: 'cpu' });
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
