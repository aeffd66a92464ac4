/** Where in a foreign graph do its weights stand? Told from how it calculates, since its names may say nothing ("onnx::MatMul_333"). */
import type { Graph } from '../../graph/graph.ts';
import { presentInputs, type Node } from '../../graph/operators.ts';
import type { Value } from '../../graph/value.ts';

/** The matrices of a layer, as in our own transformer. */
export type LayerMatrix = 'query' | 'key' | 'value' | 'output' | 'up' | 'down';

/** `layer` counts from 0, null: before the first layer (embeddings); `matrix`: null for everything else, such as biases and norms. */
export type WeightPlace = { readonly layer: number | null; readonly matrix: LayerMatrix | null };

/** What may stand between a stored weight and the product that uses it. */
const PASSED_BY_WEIGHTS: ReadonlySet<string> = new Set(['Transpose', 'Identity', 'Cast']);
const ACTIVATIONS: ReadonlySet<string> = new Set(['Gelu', 'Erf', 'Relu', 'Tanh', 'Sigmoid']);

/** Sizes say nothing of where numbers come from: exported reshapes ask for the sizes of distant values. */
const SIZES: ReadonlySet<string> = new Set(['Shape', 'Size']);

/** What lies behind a value, back to the products with weights: those, and whether a softmax or an activation lies between. */
type Behind = { readonly products: readonly Node[]; readonly hasSoftmax: boolean; readonly hasActivation: boolean };

/**
 * The place of every weight of an encoder with attention. Queries meet keys before a softmax and values behind it; the product behind that is the output's; a
 * product behind an activation goes down, and the one before the activation up. A layer is counted by the softmaxes behind it; biases and
 * norms belong to the last layer whose product they follow.
 *
 * @param weights  names of the graph's inputs that are weights.
 * @returns by name; a graph without attention has no layers at all.
 */
export function placesOfWeights(graph: Graph, weights: ReadonlySet<string>): ReadonlyMap<string, WeightPlace> {
  const producers = new Map<Value, Node>(graph.nodes.flatMap((node) => node.outputs.map((output) => [output, node] as const)));
  const isWeight = (value: Value): boolean => {
    const producer = producers.get(value);
    if (producer === undefined) return weights.has(value.name);
    return PASSED_BY_WEIGHTS.has(producer.op) && presentInputs(producer).every(isWeight);
  };
  const isProduct = ({ op }: Node): boolean => op === 'MatMul' || op === 'Gemm';
  const weightProducts = new Set(graph.nodes.filter((node) => isProduct(node) && factors(node).some(isWeight)));
  const behind = (start: Value): Behind => {
    const seen = new Set<Node>();
    const products: Node[] = [];
    const pending = [start];
    for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
      const node = producers.get(value);
      if (node === undefined || seen.has(node) || SIZES.has(node.op)) continue;
      seen.add(node);
      if (weightProducts.has(node)) products.push(node);
      else pending.push(...presentInputs(node));
    }
    const has = (test: (op: string) => boolean): boolean => [...seen].some((node) => !weightProducts.has(node) && test(node.op));
    return { products, hasSoftmax: has((op) => op === 'Softmax'), hasActivation: has((op) => ACTIVATIONS.has(op)) };
  };

  const matrixOf = new Map<Node, LayerMatrix>();
  const mark = ({ products }: Behind, matrix: LayerMatrix): void => {
    for (const node of products) matrixOf.set(node, matrix);
  };
  for (const node of graph.nodes) {
    if (!isProduct(node)) continue;
    const [left, right] = factors(node).map(behind);
    if (left === undefined || right === undefined) continue;
    if (!weightProducts.has(node)) {
      if (left.hasSoftmax !== right.hasSoftmax) mark(left.hasSoftmax ? right : left, 'value');
      else if (!left.hasSoftmax) {
        mark(left, 'query');
        mark(right, 'key');
      }
      continue;
    }
    const data = factors(node).find((value) => !isWeight(value));
    const before = data === undefined ? null : behind(data);
    if (before?.hasSoftmax === true) matrixOf.set(node, 'output');
    else if (before?.hasActivation === true && before.products.length === 1) {
      matrixOf.set(node, 'down');
      mark(before, 'up');
    }
  }

  const depths = softmaxDepths(graph, producers);
  const layerOf = (node: Node): number | null => {
    const matrix = matrixOf.get(node);
    const depth = depths.get(node) ?? 0;
    const layer = matrix === 'query' || matrix === 'key' || matrix === 'value' ? depth : depth - 1;
    return layer < 0 ? null : layer;
  };
  const places = new Map<string, WeightPlace>();
  for (const node of graph.nodes) {
    for (const value of presentInputs(node)) {
      if (!isWeight(value)) continue;
      const isFactor = weightProducts.has(node) && factors(node).includes(value);
      const nearest = weightProducts.has(node) ? [node] : presentInputs(node).flatMap((input) => behind(input).products);
      const layer = nearest.reduce<number | null>((most, product) => larger(most, layerOf(product)), null);
      for (const name of namesBehind(value, producers)) places.set(name, { layer: larger(layer, places.get(name)?.layer ?? null), matrix: isFactor ? (matrixOf.get(node) ?? null) : (places.get(name)?.matrix ?? null) });
    }
  }
  return places;
}

/** The two sides of a product; a Gemm's third input is no side. */
function factors(node: Node): readonly Value[] {
  return presentInputs(node).slice(0, 2);
}

/** How many softmaxes lie one after another behind each node, itself not counted. */
function softmaxDepths({ nodes }: Graph, producers: ReadonlyMap<Value, Node>): ReadonlyMap<Node, number> {
  const depths = new Map<Node, number>();
  for (const node of nodes) {
    const before = presentInputs(node).map((value) => {
      const producer = producers.get(value);
      return producer === undefined ? 0 : (depths.get(producer) ?? 0) + (producer.op === 'Softmax' ? 1 : 0);
    });
    depths.set(node, Math.max(0, ...before));
  }
  return depths;
}

/** The names of the stored weights that a value is made of. */
function namesBehind(value: Value, producers: ReadonlyMap<Value, Node>): readonly string[] {
  const producer = producers.get(value);
  return producer === undefined ? [value.name] : presentInputs(producer).flatMap((input) => namesBehind(input, producers));
}

function larger(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
