/** How much faster are the WebAssembly kernels than their JavaScript twins? Interleaved pairs on equal arrays, medians of ratios. */
import { seededRandom } from '../../core/base/random.ts';
import { findRowsInUse, groupByRow } from '../../core/optimizers/embedding-bag.ts';
import { createKernelMemory, type KernelMemory } from '../../core/optimizers/kernel-memory.ts';
import { createJavaScriptKernels } from '../../core/optimizers/kernels-javascript.ts';
import { createWasmKernels } from '../../core/optimizers/kernels-wasm.ts';
import type { Kernels } from '../../core/optimizers/kernels.ts';
import { EnvironmentError } from '../../core/base/errors.ts';
import { canRunWasmKernels } from '../../core/optimizers/kernels-wasm.ts';
import { wholeNumber, type Command } from '../../main/cli/command.ts';
import { median, rounded } from './measures.ts';

const DEFAULT_PAIRS = 9;
const LEAST_PAIRS = 7;
const MOST_PAIRS = 1000;
const MEMORY_BYTES = 512 * 2 ** 20;
const WIDTH = 1024;
const VOCABULARY = 12_000;
const BAGS = 512;
const TOKENS_PER_BAG = 24;
const DENSE_LENGTH = 2 ** 21;
const SCORED_QUERIES = 64;
const SCORED_DOCUMENTS = 1000;
const ADAMW = { gradientScale: 1, decay: 0.9999, oneMinusBeta1: 0.1, beta2: 0.98, oneMinusBeta2: 0.02, epsilon: 1e-8 };

type Work = (kernels: Kernels) => void;

export const kernelsBenchmark: Command = {
  summary: 'WebAssembly kernels of core/optimizers against their JavaScript twins.',
  usage: '[--pairs N] [--json]',
  options: { pairs: { type: 'string' } },
  run: async (values, { say, signal }) => {
    if (!canRunWasmKernels()) throw new EnvironmentError('bench.no-wasm', 'This machine runs no WebAssembly SIMD; there is nothing to compare.');
    const pairs = wholeNumber(values, 'pairs', { least: LEAST_PAIRS, most: MOST_PAIRS }) ?? DEFAULT_PAIRS;
    const memory = createKernelMemory(MEMORY_BYTES);
    const forms = { wasm: createWasmKernels(memory), javaScript: createJavaScriptKernels() };
    const kernels: Record<string, { wasmMs: number; javaScriptMs: number; ratio: number }> = {};
    for (const [name, work] of Object.entries(workOf(memory))) {
      signal.throwIfAborted();
      kernels[name] = comparePair(work, forms, pairs);
      say(`${name}: ${kernels[name].ratio}x`);
    }
    return { json: { pairs, kernels }, text: Object.entries(kernels).map(([name, { wasmMs, javaScriptMs, ratio }]) => `${name} ${wasmMs} ms against ${javaScriptMs} ms (${ratio}x)`).join('; ') };
  },
};

/** One warm-up of each, then pairs in turn, the first of a pair alternating; the ratio is the median of the pairs' ratios. */
function comparePair(work: Work, { wasm, javaScript }: { readonly wasm: Kernels; readonly javaScript: Kernels }, pairs: number): { wasmMs: number; javaScriptMs: number; ratio: number } {
  const time = (kernels: Kernels): number => {
    const start = performance.now();
    work(kernels);
    return performance.now() - start;
  };
  time(wasm);
  time(javaScript);
  const times = Array.from({ length: pairs }, (_, pair) => {
    if (pair % 2 === 0) {
      const first = time(wasm);
      return { wasm: first, javaScript: time(javaScript) };
    }
    const first = time(javaScript);
    return { wasm: time(wasm), javaScript: first };
  });
  return {
    wasmMs: rounded(median(times.map((pair) => pair.wasm))),
    javaScriptMs: rounded(median(times.map((pair) => pair.javaScript))),
    ratio: rounded(median(times.map((pair) => pair.javaScript / pair.wasm))),
  };
}

/** Each kernel with arrays of the default recipe's kind, in the kernels' own memory. */
function workOf(memory: KernelMemory): Readonly<Record<keyof Omit<Kernels, 'kind'>, Work>> {
  const random = seededRandom(1, 'kernels');
  const filled = (length: number): Float32Array => {
    const array = memory.float32(length);
    for (let i = 0; i < length; i += 1) array[i] = random.next() - 0.5;
    return array;
  };
  const zeros = (length: number): Float32Array => memory.float32(length);
  const dense = { values: filled(DENSE_LENGTH), means: zeros(DENSE_LENGTH), variances: zeros(DENSE_LENGTH), gradients: filled(DENSE_LENGTH) };
  const table = filled(VOCABULARY * WIDTH);
  const weights = filled(VOCABULARY);
  const ids = Int32Array.from({ length: BAGS * TOKENS_PER_BAG }, () => Math.floor(VOCABULARY ** random.next()) - 1); // Zipf's law
  const offsets = Int32Array.from({ length: BAGS + 1 }, (_, bag) => bag * TOKENS_PER_BAG);
  const inUse = findRowsInUse({ batches: [ids], vocabularySize: VOCABULARY });
  const occurrences = groupByRow({ ids, offsets, inUse });
  const rows = inUse.rows;
  const pooled = zeros(BAGS * WIDTH);
  const pooledGradients = filled(BAGS * WIDTH);
  const rowGradients = zeros(rows.length * WIDTH);
  const weightGradients = zeros(rows.length);
  const moments = { means: zeros(VOCABULARY * WIDTH), variances: zeros(VOCABULARY * WIDTH) };
  const stepSizes = new Float32Array(rows.length).fill(0.001);
  const inverseRoots = new Float32Array(rows.length).fill(1);
  const queries = filled(SCORED_QUERIES * WIDTH);
  const documents = table.subarray(0, SCORED_DOCUMENTS * WIDTH);
  const scores = zeros(SCORED_QUERIES * SCORED_DOCUMENTS);
  return {
    scale: (kernels) => kernels.scale(dense.gradients, 1.000001),
    addScaled: (kernels) => kernels.addScaled(dense.gradients, dense.values, 1e-6),
    dot: (kernels) => void kernels.dot(dense.values, dense.gradients),
    adamw: (kernels) => kernels.adamw({ ...ADAMW, ...dense, stepSize: 0.001, inverseRootBias2: 1 }),
    adamwRows: (kernels) => kernels.adamwRows({ ...ADAMW, values: table, ...moments, rows, rowGradients, stepSizes, inverseRoots, width: WIDTH }),
    embeddingBagForward: (kernels) => kernels.embeddingBagForward({ table, weights, ids, offsets, pooled, width: WIDTH }),
    embeddingBagBackward: (kernels) => kernels.embeddingBagBackward({ table, weights, rows, ...occurrences, pooledGradients, rowGradients, weightGradients, width: WIDTH }),
    scoreMatrix: (kernels) => kernels.scoreMatrix({ queries, documents, scores, width: WIDTH }),
  };
}
