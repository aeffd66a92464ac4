/** What is a loss for given vectors? Builds its graph and interprets it in float64. Used by tests only. */
import { buildGradientModel } from '../../core/autodiff/gradient-model.ts';
import type { GraphBuilder, Value } from '../../core/graph/builder.ts';
import { evaluateGraph } from '../../core/graph/evaluate.ts';
import type { DType } from '../../core/tensor/dtype.ts';

type Rows = readonly (readonly number[])[];

/** The loss and the gradient of each float input, for inputs written as rows; rows of booleans are bool. */
export function evaluateLoss<Name extends string>(rows: { readonly [N in Name]: Rows | readonly (readonly boolean[])[] }, build: (g: GraphBuilder, values: { readonly [N in Name]: Value }) => Value): { readonly loss: number; readonly gradients: { readonly [name: string]: Rows } } {
  const names = Object.keys(rows) as Name[]; // boundary: the keys of `rows` are the names
  const shapes = Object.fromEntries(names.map((name) => [name, { shape: [rows[name].length, rows[name][0]?.length ?? 0], dtype: dtypeOf(rows[name]) }])) as unknown as { readonly [N in Name]: { readonly shape: readonly number[]; readonly dtype: DType } }; // boundary: one entry per name
  const { graph, gradientNames } = buildGradientModel({ inputs: shapes, build });
  const feeds = Object.fromEntries(names.map((name) => [name, { shape: shapes[name].shape, data: rows[name].flat().map(Number) }]));
  const results = evaluateGraph(graph, feeds);
  const gradients: Record<string, Rows> = {};
  for (const name of names) {
    const output = gradientNames[name];
    if (output === undefined) continue;
    const width = shapes[name].shape[1] ?? 0;
    gradients[name] = Array.from({ length: rows[name].length }, (_, i) => [...(results[output]?.data.subarray(i * width, (i + 1) * width) ?? [])]);
  }
  return { loss: results['loss']?.data[0] ?? Number.NaN, gradients };
}

function dtypeOf(rows: Rows | readonly (readonly boolean[])[]): DType {
  return typeof rows[0]?.[0] === 'boolean' ? 'bool' : 'float64';
}
