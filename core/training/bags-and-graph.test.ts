import { expect, it } from 'vitest';
import { buildGradientModel } from '../autodiff/gradient-model.ts';
import { seededRandom } from '../base/random.ts';
import { semanticContrastiveLoss } from '../losses/semantic-contrastive.ts';
import { sumStaticEmbeddings } from '../modules/static-embeddings.ts';
import { createKernels } from '../optimizers/create-kernels.ts';
import { findRowsInUse, groupByRow } from '../optimizers/embedding-bag.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { createSession } from '../runtime/session.ts';
import { numbersOf, tensorOf } from '../tensor/tensor.ts';
import { openLossSessions } from './loss-sessions.ts';
import { packBags } from './static-parameters.ts';

const WIDTH = 8;
const VOCABULARY = 12;
const PAIRS = 3;
const TEMPERATURE = 0.2;
const TOLERANCE = 1e-5;
/** Six texts: three sources, then their translations; token 4 stands in several, token 7 twice in one, tokens 10 and 11 in none. */
const TEXTS = [[0, 4, 1], [2, 7, 7], [3, 4], [5, 6], [8, 4, 9, 1], [7, 3]].map((ids) => Uint32Array.from(ids));

it('the kernels around the loss graph give the gradient of one graph that holds encoder and loss', async () => {
  const random = seededRandom(5, 'bags and graph');
  const memory = createKernelMemory(2 ** 20);
  const kernels = createKernels(memory);
  const table = memory.float32(VOCABULARY * WIDTH);
  const logWeights = new Float32Array(VOCABULARY).map(() => 0.3 * random.normal());
  for (let i = 0; i < table.length; i += 1) table[i] = random.normal();
  const bags = packBags(TEXTS);
  const inUse = findRowsInUse({ batches: [bags.ids], vocabularySize: VOCABULARY });
  const used = inUse.rows.length;

  // kernels, loss graph on pooled sums, kernels
  const weights = memory.float32(VOCABULARY);
  weights.set(logWeights.map((value) => Math.exp(value)));
  const pooled = memory.float32(TEXTS.length * WIDTH);
  kernels.embeddingBagForward({ table, weights, ...bags, pooled, width: WIDTH });
  await using sessions = openLossSessions({ settings: { retrieval: { weight: 1, temperature: 1 }, semantic: { weight: 1, temperature: TEMPERATURE }, language: { weight: 0, temperature: 1 } }, width: WIDTH, threads: 1, device: 'cpu' });
  const cached = await sessions.semantic(pooled);
  const pooledGradients = memory.float32(pooled.length);
  pooledGradients.set(cached.gradient);
  const rowGradients = memory.float32(used * WIDTH);
  const weightGradients = memory.float32(used);
  kernels.embeddingBagBackward({ table, weights, rows: inUse.rows, ...groupByRow({ ...bags, inUse }), pooledGradients, rowGradients, weightGradients, width: WIDTH });

  // the same in one graph
  const model = buildGradientModel({
    inputs: { rows: { shape: [used, WIDTH] }, logWeights: { shape: [used] }, tokens: { shape: ['T'], dtype: 'int64' }, texts: { shape: ['T'], dtype: 'int64' } },
    wrt: ['rows', 'logWeights'],
    build: (g, { rows, logWeights: w, tokens, texts }) => {
      const vectors = sumStaticEmbeddings(g, { rows, logWeights: w, tokens, texts, textCount: TEXTS.length });
      return semanticContrastiveLoss(g, { sources: g.slice(vectors, { axis: 0, start: 0, end: PAIRS }), targets: g.slice(vectors, { axis: 0, start: PAIRS, end: 2 * PAIRS }), temperature: TEMPERATURE });
    },
  });
  await using session = await createSession(model.modelBytes, { threads: 1 });
  const rows = Float32Array.from([...inUse.rows].flatMap((row) => [...table.subarray(row * WIDTH, (row + 1) * WIDTH)]));
  const fused = await session.run({
    rows: tensorOf('float32', [used, WIDTH], rows),
    logWeights: tensorOf('float32', [used], Float32Array.from(inUse.rows, (row) => logWeights[row] ?? 0)),
    tokens: tensorOf('int64', [bags.ids.length], BigInt64Array.from(bags.ids, (id) => BigInt(inUse.slots[id] ?? 0))),
    texts: tensorOf('int64', [bags.ids.length], BigInt64Array.from(TEXTS.flatMap((ids, text) => [...ids].map(() => BigInt(text))))),
  });
  const gradientOf = (name: string): Float64Array => {
    const tensor = fused[`gradient.${name}`];
    expect(tensor).toBeDefined();
    return tensor === undefined ? new Float64Array(0) : numbersOf(tensor);
  };
  const graphRows = gradientOf('rows');
  expect(Math.max(...graphRows.map(Math.abs))).toBeGreaterThan(0.01); // there is something to compare
  graphRows.forEach((value, i) => { expect(Math.abs(value - (rowGradients[i] ?? Number.NaN))).toBeLessThan(TOLERANCE); });
  // d loss / d logWeight = weight * d loss / d weight
  gradientOf('logWeights').forEach((value, u) => { expect(Math.abs(value - (weightGradients[u] ?? Number.NaN) * (weights[inUse.rows[u] ?? 0] ?? 0))).toBeLessThan(TOLERANCE); });
});
