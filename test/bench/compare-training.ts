/** How are Isogloss and PyTorch measured in turn? The same token ids for both, one step each, the first of a pair alternating; medians of ratios. */
import { seededRandom, type Random } from '../../core/base/random.ts';
import { openOwnPeer, openTorchPeer, type Peer, type PeerAnswer } from './line-peer.ts';
import { median, rounded } from './measures.ts';
import { parameterCount, stepOperations, type ModelSize } from './model-sizes.ts';

/** Token ids of questions and of the passages that answer them. */
export type Batch = { readonly queries: readonly (readonly number[])[]; readonly documents: readonly (readonly number[])[] };

type Common = {
  readonly name: string;
  readonly size: ModelSize;
  readonly pairs: number;
  readonly threads: number;
  readonly pooling: 'cls' | 'mean';
  readonly gemmPeakGflops: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
};

const SEED = 3;
const LEARNING_RATE = 1e-5;
/** Texts that PyTorch and ONNX Runtime encode together, in the order of the collection: what a plain loop over a collection does. */
const ENCODING_BATCH = 32;
const BYTES_PER_NUMBER = 4;
const BYTES_PER_MB = 2 ** 20;
const OPERATIONS_PER_MS_AT_ONE_GFLOPS = 1e6;

type Pair = { readonly ours: PeerAnswer; readonly theirs: PeerAnswer };

/**
 * Full steps: forward, retrieval and semantic loss, backward, AdamW.
 * @param alsoTogether  afterwards the same batches by a PyTorch that pads questions and passages to one length (afterwards, so that its memory does not count).
 */
export async function compareSteps({ draw, alsoTogether = false, ...options }: Common & { readonly draw: (random: Random) => Batch; readonly alsoTogether?: boolean }) {
  const { name, size, pairs, pooling, gemmPeakGflops, signal } = options;
  const random = seededRandom(SEED, name);
  return withPeers(options, true, async (ours, torch) => {
    const pair = async (turn: number): Promise<Pair & { readonly share: number; readonly batch: Batch }> => {
      const batch = draw(random);
      const answers = await inTurn(turn, () => ours.ask({ do: 'step', ...batch }), () => torch.ask({ do: 'step', ...batch }));
      const lengths = [...batch.queries, ...batch.documents].map(({ length }) => length);
      const gflops = stepOperations({ shape: size.shape, lengths, pooling, backward: true }) / answers.ours.wallMs / OPERATIONS_PER_MS_AT_ONE_GFLOPS;
      return { ...answers, batch, share: gflops / gemmPeakGflops };
    };
    const measured = await inPairs(options, pair);
    const together: number[] = [];
    for (const one of alsoTogether ? measured : []) {
      signal.throwIfAborted();
      together.push(one.ours.wallMs / (await torch.ask({ do: 'step', ...one.batch, together: true })).wallMs);
    }
    const peak = peakMB(measured, 'ours');
    return {
      ...ratios(measured),
      ...(alsoTogether ? { wallRatioPaddedTogether: rounded(median(together)) } : {}),
      peakMB: Math.round(peak),
      memoryPerParameterByte: rounded((peak * BYTES_PER_MB) / (BYTES_PER_NUMBER * parameterCount(size.shape))),
      stepMs: Math.round(median(measured.map((one) => one.ours.wallMs))),
      gemmPeakShare: rounded(median(measured.map(({ share }) => share))),
      pairs,
    };
  });
}

/** Passages in equal parts, one part each in turn: ours against PyTorch, and against ONNX Runtime with padding. */
export async function compareEncoding({ passages, ...options }: Common & { readonly passages: readonly (readonly number[])[] }) {
  const { size, pairs, threads, pooling } = options;
  const padded = openOwnPeer('./padded-peer.ts');
  try {
    await padded.ask({ do: 'open', shape: size.shape, seed: SEED, threads, pooling });
    return await withPeers(options, false, async (ours, torch) => {
      const part = (turn: number): { readonly do: string; readonly batches: readonly (readonly (readonly number[])[])[] } => {
        const own = passages.slice(Math.floor((turn * passages.length) / pairs), Math.floor(((turn + 1) * passages.length) / pairs));
        return { do: 'encode', batches: Array.from({ length: Math.ceil(own.length / ENCODING_BATCH) }, (_, i) => own.slice(i * ENCODING_BATCH, (i + 1) * ENCODING_BATCH)) };
      };
      for (const peer of [ours, torch, padded]) await peer.ask({ ...part(0), batches: part(0).batches.slice(0, 1) }); // warm
      const measured: (Pair & { readonly onnx: PeerAnswer; readonly sorted: PeerAnswer })[] = [];
      for (let turn = 0; turn < pairs; turn += 1) {
        options.signal.throwIfAborted();
        const task = part(turn);
        const both = await inTurn(turn, () => ours.ask(task), () => torch.ask(task));
        const sorted = await torch.ask({ ...task, batches: sortedBatches(task.batches.flat()) });
        measured.push({ ...both, sorted, onnx: await padded.ask(task) });
        options.say(`${options.name} ${turn + 1}/${pairs}: ${Math.round(both.ours.wallMs)} ms against ${Math.round(both.theirs.wallMs)} ms`);
      }
      return {
        ...ratios(measured),
        onnxRuntimeRatio: rounded(median(measured.map((one) => one.ours.wallMs / one.onnx.wallMs))),
        onnxRuntimeCpuRatio: rounded(median(measured.map((one) => one.ours.cpuMs / one.onnx.cpuMs))),
        sortedTorchRatio: rounded(median(measured.map((one) => one.ours.wallMs / one.sorted.wallMs))),
        passagesPerSecond: rounded((passages.length * 1000) / measured.reduce((sum, one) => sum + one.ours.wallMs, 0)),
        passages: passages.length,
      };
    });
  } finally {
    await padded.close();
  }
}

/** What a more careful PyTorch user does: the longest first, as sentence-transformers. */
function sortedBatches(passages: readonly (readonly number[])[]): readonly (readonly (readonly number[])[])[] {
  const order = passages.toSorted((a, b) => b.length - a.length);
  return Array.from({ length: Math.ceil(order.length / ENCODING_BATCH) }, (_, i) => order.slice(i * ENCODING_BATCH, (i + 1) * ENCODING_BATCH));
}

const GROWTH = [1, 2, 4, 8, 16];
/** Sequences of the smallest batch. */
const GROWTH_BASE = 8;

/** Ours alone: the time of a step from 1 to 16 times the tokens, against a straight line through the measured times. */
export async function measureGrowth({ size, pairs, threads, pooling, signal, say, length }: Common & { readonly length: number }) {
  const peer = openOwnPeer('./isogloss-peer.ts');
  try {
    await peer.ask(openTask({ size, threads, pooling }, true));
    const random = seededRandom(SEED, 'growth');
    const times = GROWTH.map((): { readonly wallMs: number; readonly cpuMs: number }[] => []);
    for (let turn = 0; turn <= pairs; turn += 1) {
      for (const [i, factor] of GROWTH.entries()) {
        signal.throwIfAborted();
        const part = (): readonly (readonly number[])[] => Array.from({ length: (factor * GROWTH_BASE) / 2 }, () => Array.from({ length }, () => 1 + random.integer(size.shape.vocabularySize - 1)));
        const { wallMs, cpuMs } = await peer.ask({ do: 'step', queries: part(), documents: part() });
        if (turn > 0) times[i]?.push({ wallMs, cpuMs }); // the first turn opens sessions
      }
      say(`growth ${turn}/${pairs}`);
    }
    const tokens = GROWTH.map((factor) => factor * GROWTH_BASE * length);
    const growthOf = (what: 'wallMs' | 'cpuMs'): { readonly stepMs: readonly number[]; readonly largestDistanceFromLine: number } => {
      const ms = times.map((own) => median(own.map((one) => one[what])));
      const slope = ((ms.at(-1) ?? 0) - (ms[0] ?? 0)) / ((tokens.at(-1) ?? 0) - (tokens[0] ?? 0));
      const line = tokens.map((count) => (ms[0] ?? 0) + slope * (count - (tokens[0] ?? 0)));
      return { stepMs: ms.map(Math.round), largestDistanceFromLine: rounded(Math.max(...ms.map((time, i) => Math.abs(time / (line[i] ?? 1) - 1)))) };
    };
    return { tokens, wall: growthOf('wallMs'), cpu: growthOf('cpuMs') };
  } finally {
    await peer.close();
  }
}

/** A batch of the contrastive papers' largest size, of short texts: its memory does not depend on their length, only its time does. */
const LARGE_PAIRS = 4096;
const LARGE_LENGTH = 16;
const SLICE_TOKENS = 4096;

/** Ours alone: one step of 4,096 pairs in slices (GradCache). */
export async function measureLargeBatch({ size, threads, pooling, say }: Common) {
  const peer = openOwnPeer('./isogloss-peer.ts');
  try {
    await peer.ask(openTask({ size, threads, pooling }, true));
    const random = seededRandom(SEED, 'large batch');
    const part = (): readonly (readonly number[])[] => Array.from({ length: LARGE_PAIRS }, () => Array.from({ length: LARGE_LENGTH }, () => 1 + random.integer(size.shape.vocabularySize - 1)));
    const { wallMs, cpuMs, peakMB } = await peer.ask({ do: 'cachedStep', queries: part(), documents: part(), sliceTokens: SLICE_TOKENS });
    say(`${LARGE_PAIRS} pairs in slices: ${Math.round(peakMB)} MB`);
    return { pairs: LARGE_PAIRS, tokensPerText: LARGE_LENGTH, sliceTokens: SLICE_TOKENS, peakMB: Math.round(peakMB), stepMs: Math.round(wallMs), cpuMs: Math.round(cpuMs) };
  } finally {
    await peer.close();
  }
}

const PRODUCT_SIZE = 2048;
const PRODUCT_RUNS = 5;

/** GFLOP/s of the faster of the two libraries at a large square product: what this machine can do just now. */
export async function productPeak({ threads, say }: { readonly threads: number; readonly say: (line: string) => void }): Promise<number> {
  const peers = [openOwnPeer('./isogloss-peer.ts'), openTorchPeer(threads)];
  let best = Number.POSITIVE_INFINITY;
  for (const peer of peers) {
    await peer.ask({ do: 'openProduct', size: PRODUCT_SIZE, threads });
    for (let run = 0; run < PRODUCT_RUNS; run += 1) best = Math.min(best, (await peer.ask({ do: 'product' })).wallMs);
    await peer.close();
  }
  const gflops = (2 * PRODUCT_SIZE ** 3) / best / OPERATIONS_PER_MS_AT_ONE_GFLOPS;
  say(`largest product: ${gflops.toFixed(0)} GFLOP/s`);
  return rounded(gflops);
}

function openTask({ size, threads, pooling }: Pick<Common, 'size' | 'threads' | 'pooling'>, training: boolean): object {
  return { do: 'open', shape: size.shape, seed: SEED, threads, learningRate: LEARNING_RATE, pooling, training };
}

async function withPeers<T>(options: Common, training: boolean, work: (ours: Peer, torch: Peer) => Promise<T>): Promise<T> {
  const [ours, torch] = [openOwnPeer('./isogloss-peer.ts'), openTorchPeer(options.threads)];
  try {
    for (const peer of [ours, torch]) await peer.ask(openTask(options, training));
    return await work(ours, torch);
  } finally {
    await ours.close();
    await torch.close();
  }
}

/** One pair to warm up, which is not counted, then the others. */
async function inPairs<T extends Pair>({ name, pairs, signal, say }: Common, pair: (turn: number) => Promise<T>): Promise<readonly T[]> {
  await pair(0);
  const measured: T[] = [];
  for (let turn = 0; turn < pairs; turn += 1) {
    signal.throwIfAborted();
    const one = await pair(turn);
    measured.push(one);
    say(`${name} ${turn + 1}/${pairs}: ${Math.round(one.ours.wallMs)} ms against ${Math.round(one.theirs.wallMs)} ms`);
  }
  return measured;
}

async function inTurn(turn: number, ours: () => Promise<PeerAnswer>, theirs: () => Promise<PeerAnswer>): Promise<Pair> {
  if (turn % 2 === 0) {
    const first = await ours();
    return { ours: first, theirs: await theirs() };
  }
  const first = await theirs();
  return { ours: await ours(), theirs: first };
}

/** Medians of pairs; memory at the peak of each program. */
function ratios(measured: readonly Pair[]): { readonly wallRatio: number; readonly cpuRatio: number; readonly memoryRatio: number } {
  return {
    wallRatio: rounded(median(measured.map(({ ours, theirs }) => ours.wallMs / theirs.wallMs))),
    cpuRatio: rounded(median(measured.map(({ ours, theirs }) => ours.cpuMs / theirs.cpuMs))),
    memoryRatio: rounded(peakMB(measured, 'ours') / peakMB(measured, 'theirs')),
  };
}

function peakMB(measured: readonly Pair[], whose: keyof Pair): number {
  return Math.max(...measured.map((one) => one[whose].peakMB));
}
