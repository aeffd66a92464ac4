/** Are the weights of a graph told apart by what it calculates, whoever exported it? */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createGraphBuilder } from '../../graph/builder.ts';
import { openBackbone } from './open-backbone.ts';
import { openOnnxFolder } from './import-onnx.ts';
import { placesOfWeights } from './onnx-layers.ts';
import { fixtureFolder, layouts, temporaryFolder } from './test-backbones.ts';
import { writeBackboneFolder } from './write-backbone.ts';

describe.each(['bert-opset14', 'roberta-opset17'])('%s, exported by PyTorch with matrices that have no names', (name) => {
  it('has every matrix where the name of the bias behind it says, and the rest in its layer', async () => {
    const { graph, parameters } = await openOnnxFolder(fileURLToPath(new URL(`../../../test/reference/onnx/${name}`, import.meta.url)));
    const places = placesOfWeights(graph, new Set(parameters.keys()));
    expect(places.size).toBe(parameters.size);
    const told: string[] = [];
    for (const node of graph.nodes) {
      const bias = /^layers\.(\d)\.(query|key|value|dense|up|down)\.bias$/.exec(node.op === 'Add' ? (node.inputs[0]?.name ?? '') : '');
      const product = bias === null ? undefined : graph.nodes.find((other) => other.op === 'MatMul' && other.outputs[0] === node.inputs[1]);
      if (bias === null || product?.op !== 'MatMul') continue;
      const matrix = bias[2] === 'dense' ? 'output' : bias[2];
      expect(places.get(product.inputs[1].name)).toEqual({ layer: Number(bias[1]), matrix });
      told.push(product.inputs[1].name);
    }
    expect(new Set(told).size).toBe(12);
    for (const [weight, place] of places) {
      if (told.includes(weight)) continue;
      const layer = /^layers\.(\d)\./.exec(weight)?.[1];
      expect([weight, place]).toEqual([weight, { layer: layer === undefined ? null : Number(layer), matrix: null }]);
    }
  });
});

describe('sentence-opset15, with queries, keys and values in one product, and its pooling inside', () => {
  it('has its products in their layers all the same', async () => {
    const { graph, parameters } = await openOnnxFolder(fileURLToPath(new URL('../../../test/reference/onnx/sentence-opset15', import.meta.url)));
    const places = placesOfWeights(graph, new Set(parameters.keys()));
    const matrices = [...places].flatMap(([weight, { layer, matrix }]) => (matrix === null ? [] : [[graph.inputs.find(({ name }) => name === weight)?.shape, layer, matrix]]));
    expect(matrices).toEqual([0, 1].flatMap((layer) => [[[8, 24], layer, 'value'], [[8, 8], layer, 'output'], [[8, 12], layer, 'up'], [[12, 8], layer, 'down']]));
    for (const [weight, place] of places) {
      const layer = /^layers\.(\d)\.(joined|dense|up|down|between)\./.exec(weight)?.[1]; // the norm before a layer follows the layer below
      if (layer !== undefined) expect([weight, place.layer]).toEqual([weight, Number(layer)]);
    }
    for (const name of ['words.weight', 'positions.weight']) expect(places.get(name)?.layer).toBe(null);
  });
});

describe('a graph of our own', () => {
  it.each(layouts)('%s has its layers where its transformer has them', async (name) => {
    await using folder = await temporaryFolder();
    const backbone = await openBackbone(fixtureFolder(name));
    if (backbone.kind !== 'transformer') throw new Error('A transformer.');
    await writeBackboneFolder(join(folder.path, 'graph'), backbone, { formats: ['onnx'] });
    const { graph, parameters } = await openOnnxFolder(join(folder.path, 'graph'));
    const places = placesOfWeights(graph, new Set(parameters.keys()));
    const { layers } = backbone.shape;
    for (const matrix of ['query', 'key', 'value', 'output', 'up', 'down'] as const) {
      const found = [...places.values()].filter((place) => place.matrix === matrix).map(({ layer }) => layer);
      expect([matrix, found.toSorted()]).toEqual([matrix, Array.from({ length: layers }, (_, layer) => layer)]);
    }
    const inLayer = (layer: number | null): number => [...places].reduce((sum, [weight, place]) => sum + (place.layer === layer ? (parameters.get(weight)?.length ?? 0) : 0), 0);
    for (let layer = 0; layer < layers; layer += 1) expect(inLayer(layer)).toBe([...backbone.parameters].reduce((sum, [weight, { length }]) => sum + (weight.startsWith(`layer.${layer}.`) ? length : 0), 0));
  });

  it('without attention has no layers', () => {
    const g = createGraphBuilder();
    const table = g.input('table', 'float32', [5, 4]);
    const matrix = g.input('matrix', 'float32', [4, 4]);
    const graph = g.build({ y: g.tanh(g.matMul(g.gather(table, g.input('ids', 'int64', ['B'])), matrix)) });
    expect(Object.fromEntries(placesOfWeights(graph, new Set(['table', 'matrix'])))).toEqual({ table: { layer: null, matrix: null }, matrix: { layer: null, matrix: null } });
  });
});
