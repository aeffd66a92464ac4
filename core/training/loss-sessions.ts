/** How is a loss of pooled sums computed with its gradient? One ONNX model per loss and batch size, built by `backward`, kept open. */
import { buildGradientModel, gradientName } from '../autodiff/gradient-model.ts';
import { InvariantError } from '../base/errors.ts';
import type { Graph, GraphBuilder, Value } from '../graph/builder.ts';
import { jointLoss } from '../losses/joint.ts';
import { languageContrastiveLoss } from '../losses/language-contrastive.ts';
import { retrievalLoss, symmetricRetrievalLoss } from '../losses/retrieval.ts';
import { semanticContrastiveLoss } from '../losses/semantic-contrastive.ts';
import { modelFor } from '../runtime/device-session.ts';
import { createSession, type Device, type Session } from '../runtime/session.ts';
import { contrastBlockGraph, contrastInBlocks, MOST_SIMILARITIES_AT_ONCE } from './loss-blocks.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';
import type { LossName } from './events.ts';
import type { LossAndGradient } from './trainable-encoder.ts';

export type LossSetting = { readonly weight: number; readonly temperature: number };
/** `symmetric` (true when left out): passages pick their question too. */
export type LossSettings = Readonly<Record<LossName, LossSetting>> & { readonly retrieval: { readonly symmetric?: boolean | undefined } };

export type LossSessions = AsyncDisposable & {
  /** pooled [B + N, H]: the B questions, their passages, then N - B hard negatives; leaveOut bool [B * N]: true where a passage answers the question too. */
  readonly retrieval: (pooled: Float32Array, leaveOut: Uint8Array) => Promise<LossAndGradient>;
  /** pooled [2N, H]: the N sources, then their translations. */
  readonly semantic: (pooled: Float32Array) => Promise<LossAndGradient>;
  /** pooled [2P + Q, H]: P sources, their translations, then Q sentences without a translation. */
  readonly language: (pooled: Float32Array, pairs: number) => Promise<LossAndGradient>;
};

/**
 * Opens each loss model when it is first needed; the batch size is a symbol, so one model serves all batches.
 * @throws what `createSession` and its runs throw.
 */
export function openLossSessions(options: { readonly settings: LossSettings; readonly width: number; readonly threads: number; readonly device: Device }): LossSessions {
  const { settings, width, threads, device } = options;
  const sessions = new Map<string, Session>();
  const open = async (model: string, graph: () => Graph): Promise<Session> => {
    const known = sessions.get(model);
    if (known !== undefined) return known;
    const session = await createSession(modelFor(graph(), device), { threads, device });
    sessions.set(model, session);
    return session;
  };
  const run = async (session: Session, feeds: Readonly<Record<string, Tensor>>, options: { readonly weight: number; readonly parts: readonly string[] }): Promise<LossAndGradient> => {
    const outputs = await session.run(feeds);
    const blocks = options.parts.map((part) => floats(outputs[gradientName(part)], part));
    const gradient = new Float32Array(blocks.reduce((sum, block) => sum + block.length, 0));
    let at = 0;
    for (const block of blocks) {
      gradient.set(block, at);
      at += block.length;
    }
    return { loss: (floats(outputs['loss'], 'loss')[0] ?? Number.NaN) / options.weight, gradient };
  };
  const rows = (pooled: Float32Array, from: number, to: number): Tensor => tensorOf('float32', [to - from, width], pooled.subarray(from * width, to * width));
  const models = lossModels(settings, width);
  const blockSession = (name: 'retrieval' | 'semantic'): Promise<Session> => open(`${name} in blocks`, () => contrastBlockGraph(width, settings[name].temperature));

  /** The questions among the passages and, when symmetric, the passages that answer them among the questions. */
  const retrievalInBlocks = async (pooled: Float32Array, count: number, leaveOut: Uint8Array): Promise<LossAndGradient> => {
    const session = await blockSession('retrieval');
    const documents = pooled.length / width - count;
    const [queries, passages, answers] = [pooled.subarray(0, count * width), pooled.subarray(count * width), pooled.subarray(count * width, 2 * count * width)];
    const self = (row: number): number => row;
    const forward = await contrastInBlocks({ session, width, rows: queries, candidates: passages, positiveOf: self, leaveOut: (row, marks) => { marks.set(leaveOut.subarray(row * documents, (row + 1) * documents)); } });
    const gradient = new Float32Array(pooled.length);
    gradient.set(forward.rowGradients);
    gradient.set(forward.candidateGradients, count * width);
    let { loss } = forward;
    if (settings.retrieval.symmetric !== false) {
      const mirrored = await contrastInBlocks({ session, width, rows: answers, candidates: queries, positiveOf: self, leaveOut: (row, marks) => { for (let query = 0; query < count; query += 1) marks[query] = leaveOut[query * documents + row] ?? 0; } });
      loss = (loss + mirrored.loss) / 2;
      for (let i = 0; i < gradient.length; i += 1) gradient[i] = (gradient[i] ?? 0) / 2 + (mirrored.candidateGradients[i] ?? mirrored.rowGradients[i - count * width] ?? 0) / 2;
    }
    return { loss, gradient: gradient.map((number) => number * settings.retrieval.weight) };
  };

  /** Every sentence among all others, itself left out. */
  const semanticInBlocks = async (pooled: Float32Array, count: number): Promise<LossAndGradient> => {
    const { loss, rowGradients, candidateGradients } = await contrastInBlocks({ session: await blockSession('semantic'), width, rows: pooled, candidates: pooled, positiveOf: (row) => (row + count) % (2 * count), leaveOut: (row, marks) => { marks[row] = 1; } });
    return { loss, gradient: rowGradients.map((number, i) => (number + (candidateGradients[i] ?? 0)) * settings.semantic.weight) };
  };

  return {
    retrieval: async (pooled, leaveOut) => {
      const all = pooled.length / width;
      const count = questionsAmong(all, leaveOut.length);
      if (leaveOut.length > MOST_SIMILARITIES_AT_ONCE) return retrievalInBlocks(pooled, count, leaveOut);
      const feeds = { queries: rows(pooled, 0, count), documents: rows(pooled, count, all), leaveOut: tensorOf('bool', [count, all - count], leaveOut) };
      const session = await (all === 2 * count ? open('retrieval', models.retrieval) : open('retrieval with negatives', models.retrievalWithNegatives));
      return run(session, feeds, { weight: settings.retrieval.weight, parts: ['queries', 'documents'] });
    },
    semantic: async (pooled) => {
      const count = pooled.length / width / 2;
      if ((2 * count) ** 2 > MOST_SIMILARITIES_AT_ONCE) return semanticInBlocks(pooled, count);
      return run(await open('semantic', models.semantic), { sources: rows(pooled, 0, count), targets: rows(pooled, count, 2 * count) }, { weight: settings.semantic.weight, parts: ['sources', 'targets'] });
    },
    language: async (pooled, pairs) => {
      const count = pooled.length / width;
      const parallel = { sources: rows(pooled, 0, pairs), targets: rows(pooled, pairs, 2 * pairs) };
      const { weight } = settings.language;
      if (count === 2 * pairs) return run(await open('language', models.languageOfPairs), parallel, { weight, parts: ['sources', 'targets'] });
      return run(await open('language with others', models.languageWithOthers), { ...parallel, others: rows(pooled, 2 * pairs, count) }, { weight, parts: ['sources', 'targets', 'others'] });
    },
    [Symbol.asyncDispose]: async () => {
      for (const session of sessions.values()) await session.dispose();
      sessions.clear();
    },
  };
}

/** The graphs of the weighted losses with their gradients; B, N, P and Q are symbols. */
function lossModels({ retrieval, semantic, language }: LossSettings, width: number): Readonly<Record<'retrieval' | 'retrievalWithNegatives' | 'semantic' | 'languageOfPairs' | 'languageWithOthers', () => Graph>> {
  const weighted = (g: GraphBuilder, loss: Value, { weight }: LossSetting): Value => jointLoss(g, [{ loss, weight }]);
  const ofQuestions = retrieval.symmetric === false ? retrievalLoss : symmetricRetrievalLoss;
  const retrievalModel = (documents: string): Graph =>
    buildGradientModel({
      name: 'retrieval-loss',
      inputs: { queries: { shape: ['B', width] }, documents: { shape: [documents, width] }, leaveOut: { shape: ['B', documents], dtype: 'bool' } },
      build: (g, values) => weighted(g, ofQuestions(g, { ...values, temperature: retrieval.temperature }), retrieval),
    }).graph;
  return {
    retrieval: () => retrievalModel('B'),
    retrievalWithNegatives: () => retrievalModel('N'),
    semantic: () =>
      buildGradientModel({
        name: 'semantic-loss',
        inputs: { sources: { shape: ['N', width] }, targets: { shape: ['N', width] } },
        build: (g, values) => weighted(g, semanticContrastiveLoss(g, { ...values, temperature: semantic.temperature }), semantic),
      }).graph,
    languageOfPairs: () =>
      buildGradientModel({
        name: 'language-loss',
        inputs: { sources: { shape: ['P', width] }, targets: { shape: ['P', width] } },
        build: (g, values) => weighted(g, languageContrastiveLoss(g, { ...values, temperature: language.temperature }), language),
      }).graph,
    languageWithOthers: () =>
      buildGradientModel({
        name: 'language-loss-with-others',
        inputs: { sources: { shape: ['P', width] }, targets: { shape: ['P', width] }, others: { shape: ['Q', width] } },
        build: (g, values) => weighted(g, languageContrastiveLoss(g, { ...values, temperature: language.temperature }), language),
      }).graph,
  };
}

/** B of B + N texts when B * N choices are asked about: the smaller root of B (texts - B) = choices. */
function questionsAmong(texts: number, choices: number): number {
  return Math.round((texts - Math.sqrt(Math.max(0, texts * texts - 4 * choices))) / 2);
}

function floats(tensor: Tensor | undefined, name: string): Float32Array {
  if (tensor?.dtype !== 'float32') throw new InvariantError('training.loss-output', `The loss model gave no float32 output for "${name}".`);
  return tensor.data;
}
