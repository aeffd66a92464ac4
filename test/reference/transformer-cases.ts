/** How is a case of transformer.json built as a packed graph and fed? Used by tests only. */
import { gradientName } from '../../core/autodiff/gradient-model.ts';
import { backward } from '../../core/autodiff/backward.ts';
import { createGraphBuilder, type Graph, type GraphBuilder, type Value } from '../../core/graph/builder.ts';
import type { Feed } from '../../core/graph/evaluate.ts';
import { packedLayout, packTokens, TOKEN_ROWS, type PackedBatch, type PackedLayout, type TransformerShape, type TransformerValues } from '../../core/modules/index.ts';
import { numbersOf } from '../../core/tensor/tensor.ts';
import type { PlainTensor } from './reference-cases.ts';

export type TransformerCase = {
  readonly shape: TransformerShape;
  readonly sequences: readonly (readonly number[])[];
  readonly parameters: Readonly<Record<string, PlainTensor>>;
  readonly weights: PlainTensor;
  readonly value: PlainTensor;
  readonly gradients: Readonly<Record<string, PlainTensor>>;
};

export type Feeds = Readonly<Record<string, Feed>>;

/** A graph with outputs "value" and "gradient.<parameter>" of Σ weights · value, and what is fed to it. `whole`: the token table enters whole too. */
export function transformerGraph({ reference, sequences, dtype, mostGroups = 8, build, whole = false }: {
  readonly reference: TransformerCase;
  readonly sequences: readonly Uint32Array[];
  readonly dtype: 'float32' | 'float64';
  readonly mostGroups?: number;
  readonly build: (g: GraphBuilder, parts: { readonly layout: PackedLayout; readonly parameters: TransformerValues; readonly batch: PackedBatch }) => Value;
  readonly whole?: boolean;
}): { readonly graph: Graph; readonly feeds: Feeds; readonly batch: PackedBatch } {
  const batch = packTokens(sequences, { shape: reference.shape, mostGroups });
  const g = createGraphBuilder('transformer-case');
  const layout = packedLayout(g, { kind: batch.kind, shape: reference.shape });
  const feeds: Record<string, Feed> = Object.fromEntries(Object.entries(batch.feeds).map(([name, tensor]) => [name, { shape: tensor.shape, data: numbersOf(tensor) }]));
  const parameters = new Map<string, Value>();
  const width = reference.shape.width;
  for (const [name, { shape, data }] of Object.entries(reference.parameters)) {
    if (name === 'embeddings.token') {
      parameters.set(TOKEN_ROWS, g.input(TOKEN_ROWS, dtype, ['U', width]));
      feeds[TOKEN_ROWS] = { shape: [batch.rows.length, width], data: [...batch.rows].flatMap((row) => data.slice(row * width, (row + 1) * width)) };
      if (!whole) continue;
    }
    parameters.set(name, g.input(name, dtype, shape));
    feeds[name] = { shape, data };
  }
  const value = build(g, { layout, parameters, batch });
  const weights = g.input('weights', dtype, value.shape);
  const gradients = backward(g, { loss: g.reduceSum(g.mul(weights, value)), wrt: [...parameters.values()] });
  const graph = g.build({ value, ...Object.fromEntries([...gradients].map(([parameter, gradient]) => [gradientName(parameter.name), gradient])) });
  return { graph, feeds, batch };
}

export type Results = Readonly<Record<string, { readonly shape: readonly number[]; readonly data: ArrayLike<number> }>>;

/** Gradients by the parameters' own names, that of the token table put together from the rows (and the whole table, where it entered). */
export function gradientsOf(found: Results, reference: TransformerCase, batch: PackedBatch): Readonly<Record<string, readonly number[]>> {
  const width = reference.shape.width;
  return Object.fromEntries(
    Object.keys(reference.gradients).map((name) => {
      const own = [...Array.from(found[gradientName(name)]?.data ?? [])];
      if (name !== 'embeddings.token') return [name, own];
      const table = own.length > 0 ? own : Array.from({ length: reference.shape.vocabularySize * width }, () => 0);
      const rows = found[gradientName(TOKEN_ROWS)]?.data ?? [];
      batch.rows.forEach((row, i) => {
        for (let j = 0; j < width; j += 1) table[row * width + j] = (table[row * width + j] ?? 0) + (rows[i * width + j] ?? 0);
      });
      return [name, table];
    }),
  );
}
