/** How well are the phrases of a batch told apart, and in which direction should tokens and head move? One graph for the loss, one for the slow side. */
import { buildGradientModel, gradientName, type InputSpec } from '../../autodiff/gradient-model.ts';
import { InvariantError } from '../../base/errors.ts';
import { createProjection, HEAD, headFeeds, headShapes, type PhraseHead } from '../../encoding/phrase-reading.ts';
import { tokenShares, weightedMeans } from '../../encoding/phrase-vectors.ts';
import type { Graph, GraphBuilder, Value } from '../../graph/builder.ts';
import { phraseContrastLoss } from '../../losses/phrase-contrast.ts';
import { phraseRepresentation, type HeadPlacement } from '../../modules/index.ts';
import { modelFor } from '../../runtime/device-session.ts';
import { createSession, type Device, type Session } from '../../runtime/session.ts';
import { tensorOf, type Tensor } from '../../tensor/tensor.ts';
import type { PhrasePart } from './phrase-batches.ts';

export type PhraseLoss = {
  /** In nats, without the part's share. */
  readonly loss: number;
  /** float32 [S, H], of the loss times the part's share. */
  readonly tokenGradients: Float32Array;
  /** By name, of the same. */
  readonly headGradients: ReadonlyMap<string, Float32Array>;
};

/** Earlier vectors of the momentum encoder: float32 [M, P] of sources, [K, P] of targets; both empty, or neither. */
export type PhraseQueues = { readonly sources: Float32Array; readonly targets: Float32Array };

export type PhraseObjective = AsyncDisposable & {
  /** P: the width in which phrases are compared. */
  readonly width: number;
  /** Vectors of the part's 2N phrases from their tokens, float32 [2N, P], of any length; without gradients. */
  readonly vectors: (part: Pick<PhrasePart, 'spans' | 'counts'>, tokens: Float32Array, head: PhraseHead | null) => Promise<Float32Array>;
  /**
   * L_XPCO of a part (core/losses/phrase-contrast.ts).
   * @param tokens  float32 [S, H]: the states of the spans' tokens, one span after another.
   * @param slow    float32 [2N, P]: the same phrases by the momentum encoder; null: candidates are the trained vectors themselves.
   */
  readonly loss: (part: PhrasePart, options: { readonly tokens: Float32Array; readonly head: PhraseHead | null; readonly slow: Float32Array | null; readonly queues: PhraseQueues }) => Promise<PhraseLoss>;
};

/** Opens its sessions when they are first needed. @throws what `createSession` and its runs throw. */
export function createPhraseObjective(options: { readonly tokenWidth: number; readonly placement: HeadPlacement; readonly sizes: Pick<PhraseHead, 'width' | 'hidden' | 'out'> | null; readonly temperature: number; readonly hasMomentum: boolean; readonly threads: number; readonly device: Device }): PhraseObjective {
  const { tokenWidth, placement, sizes, threads, device } = options;
  const width = sizes?.out ?? tokenWidth;
  const projection = createProjection({ threads });
  const sessions = new Map<string, Session>();
  const open = async (hasQueue: boolean): Promise<Session> => {
    const key = String(hasQueue);
    const known = sessions.get(key);
    if (known !== undefined) return known;
    const session = await createSession(modelFor(lossGraph({ ...options, width, hasQueue }), device), { threads, device });
    sessions.set(key, session);
    return session;
  };
  return {
    width,
    vectors: async ({ spans, counts }, tokens, head) => {
      const { phraseOf, weights } = tokenShares(byPhrase(spans, counts));
      const isFirst = head !== null && placement === 'token';
      const rows = isFirst ? await projection.project(tokens, head) : tokens;
      const means = weightedMeans(rows, { phraseOf, weights, phrases: counts.length, width: isFirst ? width : tokenWidth });
      return head !== null && placement === 'phrase' ? projection.project(means, head) : means;
    },
    loss: async ({ spans, counts, pairs, share }, { tokens, head, slow, queues }) => {
      const found = byPhrase(spans, counts);
      const sides = [found.slice(0, pairs), found.slice(pairs)].map(tokenShares);
      const sourceTokens = sides[0]?.phraseOf.length ?? 0;
      const hasQueue = queues.sources.length > 0;
      const candidates = slow ?? new Float32Array(2 * pairs * width); // zeros, added to what is trained
      const feeds: Record<string, Tensor> = {
        sourceTokens: matrix(tokens.subarray(0, sourceTokens * tokenWidth), tokenWidth),
        targetTokens: matrix(tokens.subarray(sourceTokens * tokenWidth), tokenWidth),
        slowSources: matrix(candidates.subarray(0, pairs * width), width),
        slowTargets: matrix(candidates.subarray(pairs * width), width),
        share: tensorOf('float32', [], Float32Array.of(share)),
        ...(hasQueue ? { sourceQueue: matrix(queues.sources, width), targetQueue: matrix(queues.targets, width) } : {}),
        ...(head === null ? {} : headFeeds(head)),
      };
      for (const [i, name] of ['source', 'target'].entries()) {
        const { phraseOf = new Int32Array(0), weights = new Float32Array(0) } = sides[i] ?? {};
        feeds[`${name}Of`] = tensorOf('int32', [phraseOf.length], phraseOf);
        feeds[`${name}Weights`] = tensorOf('float32', [weights.length], weights);
      }
      const outputs = await (await open(hasQueue)).run(feeds);
      const tokenGradients = new Float32Array(tokens.length);
      tokenGradients.set(floats(outputs[gradientName('sourceTokens')]));
      tokenGradients.set(floats(outputs[gradientName('targetTokens')]), sourceTokens * tokenWidth);
      const headGradients = new Map(head === null ? [] : [...headShapes(head).keys()].map((name) => [name, floats(outputs[gradientName(name)])]));
      return { loss: (floats(outputs['loss'])[0] ?? Number.NaN) / share, tokenGradients, headGradients };
    },
    [Symbol.asyncDispose]: async () => {
      await projection[Symbol.asyncDispose]();
      for (const session of sessions.values()) await session.dispose();
      sessions.clear();
    },
  };
}

/** The spans of each phrase. */
function byPhrase<Span>(spans: readonly Span[], counts: Int32Array): readonly (readonly Span[])[] {
  let at = 0;
  return Array.from(counts, (count) => {
    const own = spans.slice(at, at + count);
    at += count;
    return own;
  });
}

type LossGraphOptions = Pick<Parameters<typeof createPhraseObjective>[0], 'tokenWidth' | 'placement' | 'sizes' | 'temperature' | 'hasMomentum'> & { readonly width: number; readonly hasQueue: boolean };

/** share x L_XPCO with the gradients of the trained side: tokens and head. The slow side and the queues get none. */
export function lossGraph({ tokenWidth, placement, sizes, temperature, hasMomentum, width, hasQueue }: LossGraphOptions): Graph {
  const rows = (symbol: string, columns: number): InputSpec => ({ shape: [symbol, columns] });
  const head = sizes === null ? [] : [...headShapes(sizes)].map(([name, shape]) => [name, { shape }] as const);
  const inputs: Record<string, InputSpec> = {
    sourceTokens: rows('S', tokenWidth),
    sourceOf: { shape: ['S'], dtype: 'int32' },
    sourceWeights: { shape: ['S'] },
    targetTokens: rows('T', tokenWidth),
    targetOf: { shape: ['T'], dtype: 'int32' },
    targetWeights: { shape: ['T'] },
    slowSources: rows('N', width),
    slowTargets: rows('N', width),
    share: { shape: [] },
    ...(hasQueue ? { sourceQueue: rows('M', width), targetQueue: rows('K', width) } : {}),
    ...Object.fromEntries(head),
  };
  const build = (g: GraphBuilder, values: Readonly<Record<string, Value>>): Value => {
    const of = (name: string): Value => {
      const value = values[name];
      if (value === undefined) throw new InvariantError('training.phrases', `The loss of phrases has no input "${name}".`);
      return value;
    };
    const maps = sizes === null ? null : { first: { weight: of(HEAD.firstWeight), bias: of(HEAD.firstBias) }, second: { weight: of(HEAD.secondWeight), bias: of(HEAD.secondBias) } };
    const vectors = (side: string): Value => phraseRepresentation(g, { tokens: of(`${side}Tokens`), phraseOf: of(`${side}Of`), weights: of(`${side}Weights`), phrases: 'N', head: maps, placement });
    const [sources, targets] = [vectors('source'), vectors('target')];
    const candidate = (slow: string, trained: Value): Value => (hasMomentum ? of(slow) : g.add(of(slow), trained));
    const loss = phraseContrastLoss(g, { sources, targets, slowSources: candidate('slowSources', sources), slowTargets: candidate('slowTargets', targets), ...(hasQueue ? { sourceQueue: of('sourceQueue'), targetQueue: of('targetQueue') } : {}), temperature });
    return g.mul(loss, of('share'));
  };
  return buildGradientModel({ name: 'phrase-loss', inputs, build, wrt: ['sourceTokens', 'targetTokens', ...head.map(([name]) => name)] }).graph;
}

function matrix(values: Float32Array, width: number): Tensor {
  return tensorOf('float32', [values.length / width, width], values);
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (tensor?.dtype !== 'float32') throw new InvariantError('training.phrases', 'The graph of the phrase loss gave no float32 output.');
  return tensor.data;
}
