/** Which instructions are the kernels? The WASM SIMD form of every kernel of kernels.ts, assembled once per process. */
import { createWasmModule, f32, f32x4, f64, f64x2, forLoop, i32, type Code, type Local, type WasmModule } from './wasm-module.ts';

const FLOAT_BYTES = 4;
const LANES = 4;
const VECTOR_BYTES = LANES * FLOAT_BYTES;
/** Vectors handled per turn of an element-wise loop: enough independent work to hide the latency of division. */
const UNROLL = 4;
/** Vectors per turn of a reduction: two, each split into two float64 pairs, gives eight partial sums. */
const REDUCTION_UNROLL = 2;
/** Queries and documents of one tile: 4 x 2 sums and their 6 operands fit the 16 vector registers of x86-64. */
const TILE = { queries: 4, documents: 2, documentsOfOneQuery: 4 };
/** Documents scored against all queries before the next ones are fetched: 32 rows of width 1024 are 128 KB, half an L2 cache. */
const DOCUMENT_BLOCK = 32;
/** Tokens of a bag that are added together, a tile of columns at a time with the sums in registers: rows come in side by side, not one after another. */
const BAG_GROUP = 16;
const BAG_TILE_VECTORS = 8;

/** The bytes of the kernel module; equal on every machine. */
export function assembleKernels(): Uint8Array {
  const module = createWasmModule();
  addScale(module);
  const helpers = { addScaled: addAddScaled(module), dot: addDot(module) };
  addAdamw(module);
  addEmbeddingBag(module, helpers);
  addScoreMatrix(module);
  return module.encode();
}

type Locals = (type: Local['type']) => Local;

/** Runs over `bytes` bytes: unrolled vectors, then single vectors, then single floats. `i` is the byte position. */
function forFloats(options: { readonly bytes: Code; readonly local: Locals; readonly vectors: (i: Code, offset: number) => Code; readonly single: (i: Code) => Code }): Code {
  const { bytes, local, vectors, single } = options;
  const i = local('i32');
  const unrolled = UNROLL * VECTOR_BYTES;
  const body = Array.from({ length: UNROLL }, (_, turn) => vectors(i.get, turn * VECTOR_BYTES)).flat();
  return [
    ...forLoop({ counter: i, start: i32.constant(0), end: i32.and(bytes, i32.constant(-unrolled)), step: unrolled, body }),
    ...forLoop({ counter: i, start: i.get, end: i32.and(bytes, i32.constant(-VECTOR_BYTES)), step: VECTOR_BYTES, body: vectors(i.get, 0) }),
    ...forLoop({ counter: i, start: i.get, end: bytes, step: FLOAT_BYTES, body: single(i.get) }),
  ];
}

/** The address of number `index` in an array of `strideBytes` elements. */
const element = (base: Code, index: Code, strideBytes: Code): Code => i32.add(base, i32.multiply(index, strideBytes));
const word = (base: Code, index: Code): Code => i32.add(base, i32.shiftLeft(index, i32.constant(2)));

function addScale(module: WasmModule): void {
  module.addFunction({
    name: 'scale',
    parameters: { values: 'i32', bytes: 'i32', factor: 'f32' },
    build: ({ values, bytes, factor }, local) =>
      forFloats({
        bytes,
        local,
        vectors: (i, offset) => f32x4.store(i32.add(values, i), f32x4.multiply(f32x4.load(i32.add(values, i), offset), f32x4.splat(factor)), offset),
        single: (i) => f32.store(i32.add(values, i), f32.multiply(f32.load(i32.add(values, i)), factor)),
      }),
  });
}

type Helpers = { readonly addScaled: ReturnType<typeof addAddScaled>; readonly dot: ReturnType<typeof addDot> };

function addAddScaled(module: WasmModule) {
  return module.addFunction({
    name: 'addScaled',
    parameters: { sum: 'i32', values: 'i32', bytes: 'i32', factor: 'f32' },
    build: ({ sum, values, bytes, factor }, local) =>
      forFloats({
        bytes,
        local,
        vectors: (i, offset) =>
          f32x4.store(i32.add(sum, i), f32x4.add(f32x4.load(i32.add(sum, i), offset), f32x4.multiply(f32x4.load(i32.add(values, i), offset), f32x4.splat(factor))), offset),
        single: (i) => f32.store(i32.add(sum, i), f32.add(f32.load(i32.add(sum, i)), f32.multiply(f32.load(i32.add(values, i)), factor))),
      }),
  });
}

function addDot(module: WasmModule) {
  return module.addFunction({
    name: 'dot',
    parameters: { a: 'i32', b: 'i32', bytes: 'i32' },
    result: 'f64',
    build: ({ a, b, bytes }, local) => dotBody({ a, b, bytes, local }),
  });
}

/** Eight float64 partial sums (element i goes to sum i mod 8), added as a tree, then the remaining elements one by one. */
function dotBody(options: { readonly a: Code; readonly b: Code; readonly bytes: Code; readonly local: Locals }): Code {
  const { a, b, bytes, local } = options;
  const i = local('i32');
  const tail = local('f64');
  const pairs = Array.from({ length: 2 * REDUCTION_UNROLL }, () => local('v128'));
  const PAIR_BYTES = 2 * FLOAT_BYTES;
  const turn = pairs.flatMap((sum, pair) => {
    const offset = pair * PAIR_BYTES;
    const product = f64x2.multiply(f64x2.loadTwoF32(i32.add(a, i.get), offset), f64x2.loadTwoF32(i32.add(b, i.get), offset));
    return sum.set(f64x2.add(sum.get, product));
  });
  const turnBytes = REDUCTION_UNROLL * VECTOR_BYTES;
  const single = f64.multiply(f64.fromF32(f32.load(i32.add(a, i.get))), f64.fromF32(f32.load(i32.add(b, i.get))));
  const pairTotals = pairs.map((sum) => f64.add(f64x2.lane(sum.get, 0), f64x2.lane(sum.get, 1)));
  const tree = (terms: readonly Code[]): Code => {
    const half = terms.length / 2;
    return terms.length === 1 ? (terms[0] ?? []) : f64.add(tree(terms.slice(0, half)), tree(terms.slice(half)));
  };
  return [
    ...forLoop({ counter: i, start: i32.constant(0), end: i32.and(bytes, i32.constant(-turnBytes)), step: turnBytes, body: turn }),
    ...forLoop({ counter: i, start: i.get, end: bytes, step: FLOAT_BYTES, body: tail.set(f64.add(tail.get, single)) }),
    ...f64.add(tree(pairTotals), tail.get),
  ];
}

const ADAMW_SCALARS = { gradientScale: 'f32', decay: 'f32', oneMinusBeta1: 'f32', beta2: 'f32', oneMinusBeta2: 'f32', epsilon: 'f32' } as const;
const ADAMW_ROW_SCALARS = { ...ADAMW_SCALARS, stepSize: 'f32', inverseRootBias2: 'f32' } as const;
type AdamwConstants = { readonly [Name in keyof typeof ADAMW_ROW_SCALARS]: Code };
/** One step for four lanes (f32x4) or for one (f32): the same instructions in the same order, hence the same bits. */
type FloatOperations = typeof f32x4 | typeof f32;
type AdamwLocals = { readonly gradient: Local; readonly mean: Local; readonly variance: Local };

function addAdamw(module: WasmModule): void {
  const adamw = module.addFunction({
    name: 'adamw',
    parameters: { values: 'i32', means: 'i32', variances: 'i32', gradients: 'i32', bytes: 'i32', ...ADAMW_ROW_SCALARS },
    build: ({ values, means, variances, gradients, bytes, ...scalars }, local) => {
      const { gradientScale, decay, oneMinusBeta1, beta2, oneMinusBeta2, epsilon, stepSize, inverseRootBias2 } = scalars;
      const singles: AdamwConstants = { gradientScale, decay, oneMinusBeta1, beta2, oneMinusBeta2, epsilon, stepSize, inverseRootBias2 };
      const splat = (scalar: Code): { readonly fill: Code; readonly get: Code } => {
        const variable = local('v128');
        return { fill: variable.set(f32x4.splat(scalar)), get: variable.get };
      };
      const wide = {
        gradientScale: splat(gradientScale), decay: splat(decay), oneMinusBeta1: splat(oneMinusBeta1), beta2: splat(beta2),
        oneMinusBeta2: splat(oneMinusBeta2), epsilon: splat(epsilon), stepSize: splat(stepSize), inverseRootBias2: splat(inverseRootBias2),
      };
      const fourfold: AdamwConstants = {
        gradientScale: wide.gradientScale.get, decay: wide.decay.get, oneMinusBeta1: wide.oneMinusBeta1.get, beta2: wide.beta2.get,
        oneMinusBeta2: wide.oneMinusBeta2.get, epsilon: wide.epsilon.get, stepSize: wide.stepSize.get, inverseRootBias2: wide.inverseRootBias2.get,
      };
      const vectorLocals: AdamwLocals = { gradient: local('v128'), mean: local('v128'), variance: local('v128') };
      const singleLocals: AdamwLocals = { gradient: local('f32'), mean: local('f32'), variance: local('f32') };
      const step = (ops: FloatOperations, at: AdamwLocals, c: AdamwConstants, i: Code, offset: number): Code => {
        const correctedRoot = ops.multiply(ops.squareRoot(at.variance.get), c.inverseRootBias2);
        const move = ops.multiply(ops.divide(at.mean.get, ops.add(correctedRoot, c.epsilon)), c.stepSize);
        return [
          ...at.gradient.set(ops.multiply(ops.load(i32.add(gradients, i), offset), c.gradientScale)),
          ...at.mean.set(ops.load(i32.add(means, i), offset)),
          ...at.mean.set(ops.add(at.mean.get, ops.multiply(ops.subtract(at.gradient.get, at.mean.get), c.oneMinusBeta1))),
          ...at.variance.set(
            ops.add(
              ops.multiply(ops.load(i32.add(variances, i), offset), c.beta2),
              ops.multiply(ops.multiply(at.gradient.get, c.oneMinusBeta2), at.gradient.get),
            ),
          ),
          ...ops.store(i32.add(means, i), at.mean.get, offset),
          ...ops.store(i32.add(variances, i), at.variance.get, offset),
          ...ops.store(i32.add(values, i), ops.subtract(ops.multiply(ops.load(i32.add(values, i), offset), c.decay), move), offset),
        ];
      };
      return [
        ...Object.values(wide).flatMap(({ fill }) => fill),
        ...forFloats({
          bytes,
          local,
          vectors: (i, offset) => step(f32x4, vectorLocals, fourfold, i, offset),
          single: (i) => step(f32, singleLocals, singles, i, 0),
        }),
      ];
    },
  });
  module.addFunction({
    name: 'adamwRows',
    parameters: {
      values: 'i32', means: 'i32', variances: 'i32', rows: 'i32', rowGradients: 'i32', stepSizes: 'i32', inverseRoots: 'i32', rowCount: 'i32', rowBytes: 'i32',
      ...ADAMW_SCALARS,
    },
    build: ({ values, means, variances, rows, rowGradients, stepSizes, inverseRoots, rowCount, rowBytes, ...scalars }, local) => {
      const u = local('i32');
      const row = local('i32');
      const body = [
        ...row.set(i32.load(word(rows, u.get))),
        ...adamw.call({
          values: element(values, row.get, rowBytes),
          means: element(means, row.get, rowBytes),
          variances: element(variances, row.get, rowBytes),
          gradients: element(rowGradients, u.get, rowBytes),
          bytes: rowBytes,
          gradientScale: scalars.gradientScale,
          decay: scalars.decay,
          oneMinusBeta1: scalars.oneMinusBeta1,
          beta2: scalars.beta2,
          oneMinusBeta2: scalars.oneMinusBeta2,
          epsilon: scalars.epsilon,
          stepSize: f32.load(word(stepSizes, u.get)),
          inverseRootBias2: f32.load(word(inverseRoots, u.get)),
        }),
      ];
      return forLoop({ counter: u, start: i32.constant(0), end: rowCount, step: 1, body });
    },
  });
}

function addEmbeddingBag(module: WasmModule, { addScaled, dot }: Helpers): void {
  const add = module.addFunction({
    name: 'add',
    parameters: { sum: 'i32', values: 'i32', bytes: 'i32' },
    build: ({ sum, values, bytes }, local) =>
      forFloats({
        bytes,
        local,
        vectors: (i, offset) => f32x4.store(i32.add(sum, i), f32x4.add(f32x4.load(i32.add(sum, i), offset), f32x4.load(i32.add(values, i), offset)), offset),
        single: (i) => f32.store(i32.add(sum, i), f32.add(f32.load(i32.add(sum, i)), f32.load(i32.add(values, i)))),
      }),
  });
  module.addFunction({
    name: 'embeddingBagForward', // pooled must be zero
    parameters: { table: 'i32', weights: 'i32', ids: 'i32', offsets: 'i32', pooled: 'i32', bagCount: 'i32', rowBytes: 'i32' },
    build: ({ table, weights, ids, offsets, pooled, bagCount, rowBytes }, local) => {
      const [bag, t, id, sum, first, last, end, column, row] = [local('i32'), local('i32'), local('i32'), local('i32'), local('i32'), local('i32'), local('i32'), local('i32'), local('i32')];
      const weight = local('v128');
      const sums = Array.from({ length: BAG_TILE_VECTORS }, () => local('v128'));
      const tiledBytes = i32.and(rowBytes, i32.constant(-BAG_TILE_VECTORS * VECTOR_BYTES));
      const tokenOfTile = [
        ...id.set(i32.load(word(ids, t.get))),
        ...weight.set(f32x4.splat(f32.load(word(weights, id.get)))),
        ...row.set(i32.add(element(table, id.get, rowBytes), column.get)),
        ...sums.flatMap((own, v) => own.set(f32x4.add(own.get, f32x4.multiply(f32x4.load(row.get, v * VECTOR_BYTES), weight.get)))),
      ];
      const tile = [
        ...sums.flatMap((own, v) => own.set(f32x4.load(i32.add(sum.get, column.get), v * VECTOR_BYTES))),
        ...forLoop({ counter: t, start: first.get, end: last.get, step: 1, body: tokenOfTile }),
        ...sums.flatMap((own, v) => f32x4.store(i32.add(sum.get, column.get), own.get, v * VECTOR_BYTES)),
      ];
      const tokenOfRest = [
        ...id.set(i32.load(word(ids, t.get))),
        ...addScaled.call({ sum: i32.add(sum.get, column.get), values: i32.add(element(table, id.get, rowBytes), column.get), bytes: i32.subtract(rowBytes, column.get), factor: f32.load(word(weights, id.get)) }),
      ];
      const group = [
        ...last.set(i32.minimumUnsigned(i32.add(first.get, i32.constant(BAG_GROUP)), end.get)),
        ...forLoop({ counter: column, start: i32.constant(0), end: tiledBytes, step: BAG_TILE_VECTORS * VECTOR_BYTES, body: tile }),
        ...forLoop({ counter: t, start: first.get, end: last.get, step: 1, body: tokenOfRest }),
      ];
      const body = [
        ...sum.set(element(pooled, bag.get, rowBytes)),
        ...end.set(i32.load(word(offsets, bag.get), FLOAT_BYTES)),
        ...forLoop({ counter: first, start: i32.load(word(offsets, bag.get)), end: end.get, step: BAG_GROUP, body: group }),
      ];
      return forLoop({ counter: bag, start: i32.constant(0), end: bagCount, step: 1, body });
    },
  });
  module.addFunction({
    name: 'embeddingBagBackward', // gathered is room for one row
    parameters: {
      table: 'i32', weights: 'i32', rows: 'i32', starts: 'i32', bags: 'i32', pooledGradients: 'i32', rowGradients: 'i32', weightGradients: 'i32', gathered: 'i32',
      rowCount: 'i32', rowBytes: 'i32',
    },
    build: (at, local) => {
      const { gathered, rowBytes } = at;
      const [u, o, row, weightGradient] = [local('i32'), local('i32'), local('i32'), local('i32')];
      const tableRow = element(at.table, row.get, rowBytes);
      const occurrence = add.call({ sum: gathered, values: element(at.pooledGradients, i32.load(word(at.bags, o.get)), rowBytes), bytes: rowBytes });
      const body = [
        ...row.set(i32.load(word(at.rows, u.get))),
        ...forFloats({
          bytes: rowBytes,
          local,
          vectors: (i, offset) => f32x4.store(i32.add(gathered, i), f32x4.splat(f32.zero), offset),
          single: (i) => f32.store(i32.add(gathered, i), f32.zero),
        }),
        ...forLoop({ counter: o, start: i32.load(word(at.starts, u.get)), end: i32.load(word(at.starts, u.get), FLOAT_BYTES), step: 1, body: occurrence }),
        ...addScaled.call({ sum: element(at.rowGradients, u.get, rowBytes), values: gathered, bytes: rowBytes, factor: f32.load(word(at.weights, row.get)) }),
        ...weightGradient.set(word(at.weightGradients, u.get)),
        ...f32.store(weightGradient.get, f32.add(f32.load(weightGradient.get), f32.fromF64(dot.call({ a: tableRow, b: gathered, bytes: rowBytes })))),
      ];
      return forLoop({ counter: u, start: i32.constant(0), end: at.rowCount, step: 1, body });
    },
  });
}

type Tile = { readonly queries: number; readonly documents: number };

function addScoreMatrix(module: WasmModule): void {
  const addTile = (tile: Tile) =>
    module.addFunction({
      name: `scoreTile${tile.queries}x${tile.documents}`,
      parameters: { queries: 'i32', documents: 'i32', scores: 'i32', rowBytes: 'i32', scoreRowBytes: 'i32' },
      build: (parameters, local) => tileBody({ tile, ...parameters, local }),
    });
  const tiles = {
    large: addTile({ queries: TILE.queries, documents: TILE.documents }),
    oneDocument: addTile({ queries: TILE.queries, documents: 1 }),
    oneQuery: addTile({ queries: 1, documents: TILE.documentsOfOneQuery }),
    single: addTile({ queries: 1, documents: 1 }),
  };
  module.addFunction({
    name: 'scoreMatrix',
    parameters: { queries: 'i32', documents: 'i32', scores: 'i32', queryCount: 'i32', documentCount: 'i32', rowBytes: 'i32' },
    build: ({ queries, documents, scores, queryCount, documentCount, rowBytes }, local) => {
      const [q, n, start, end, scoreRowBytes] = [local('i32'), local('i32'), local('i32'), local('i32'), local('i32')];
      const floor = (count: Code, step: number): Code => i32.and(count, i32.constant(-step));
      const call = (tile: typeof tiles.single): Code =>
        tile.call({
          queries: element(queries, q.get, rowBytes),
          documents: element(documents, n.get, rowBytes),
          scores: word(element(scores, q.get, scoreRowBytes.get), n.get),
          rowBytes,
          scoreRowBytes: scoreRowBytes.get,
        });
      const rows = (width: number, wide: typeof tiles.single, narrow: typeof tiles.single): Code => [
        ...forLoop({ counter: n, start: start.get, end: i32.add(start.get, floor(i32.subtract(end.get, start.get), width)), step: width, body: call(wide) }),
        ...forLoop({ counter: n, start: n.get, end: end.get, step: 1, body: call(narrow) }),
      ];
      const block = [
        ...end.set(i32.minimumUnsigned(i32.add(start.get, i32.constant(DOCUMENT_BLOCK)), documentCount)),
        ...forLoop({ counter: q, start: i32.constant(0), end: floor(queryCount, TILE.queries), step: TILE.queries, body: rows(TILE.documents, tiles.large, tiles.oneDocument) }),
        ...forLoop({ counter: q, start: q.get, end: queryCount, step: 1, body: rows(TILE.documentsOfOneQuery, tiles.oneQuery, tiles.single) }),
      ];
      return [
        ...scoreRowBytes.set(i32.shiftLeft(documentCount, i32.constant(2))),
        ...forLoop({ counter: start, start: i32.constant(0), end: documentCount, step: DOCUMENT_BLOCK, body: block }),
      ];
    },
  });
}

/** One score = four float32 lane sums over k = 0, 4, 8 ..., added as (0 + 1) + (2 + 3): the same in every tile. */
function tileBody(options: {
  readonly tile: Tile; readonly queries: Code; readonly documents: Code; readonly scores: Code; readonly rowBytes: Code; readonly scoreRowBytes: Code; readonly local: Locals;
}): Code {
  const { tile, queries, documents, scores, rowBytes, scoreRowBytes, local } = options;
  const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
  const k = local('i32');
  const queryRows = range(tile.queries).map(() => local('i32'));
  const documentRows = range(tile.documents).map(() => local('i32'));
  const documentValues = range(tile.documents).map(() => local('v128'));
  const queryValue = local('v128');
  const sums = range(tile.queries).map(() => range(tile.documents).map(() => local('v128')));
  const turn = (offset: number): Code => [
    ...documentValues.flatMap((value, d) => value.set(f32x4.load(i32.add(documentRows[d]?.get ?? [], k.get), offset))),
    ...queryRows.flatMap((row, q) => [
      ...queryValue.set(f32x4.load(i32.add(row.get, k.get), offset)),
      ...documentValues.flatMap((value, d) => {
        const sum = sums[q]?.[d];
        return sum === undefined ? [] : sum.set(f32x4.add(sum.get, f32x4.multiply(queryValue.get, value.get)));
      }),
    ]),
  ];
  const pairBytes = 2 * VECTOR_BYTES;
  const rowAddress = (base: Code, rows: readonly Local[]): Code => rows.flatMap((row, index) => row.set(i32.add(base, i32.multiply(i32.constant(index), rowBytes))));
  return [
    ...rowAddress(queries, queryRows),
    ...rowAddress(documents, documentRows),
    ...forLoop({ counter: k, start: i32.constant(0), end: i32.and(rowBytes, i32.constant(-pairBytes)), step: pairBytes, body: [...turn(0), ...turn(VECTOR_BYTES)] }),
    ...forLoop({ counter: k, start: k.get, end: rowBytes, step: VECTOR_BYTES, body: turn(0) }),
    ...sums.flatMap((row, q) =>
      row.flatMap((sum, d) => {
        const lanes = range(LANES).map((position) => f32x4.lane(sum.get, position));
        const total = f32.add(f32.add(lanes[0] ?? [], lanes[1] ?? []), f32.add(lanes[2] ?? [], lanes[3] ?? []));
        return f32.store(i32.add(scores, i32.multiply(i32.constant(q), scoreRowBytes)), total, d * FLOAT_BYTES);
      }),
    ),
  ];
}
