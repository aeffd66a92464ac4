import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/test-disks.ts';
import { readBackboneModelFolder } from '../../encoding/backbone-model-folder.ts';
import { openBackbone } from '../../encoding/backbones/open-backbone.ts';
import { placesOfWeights } from '../../encoding/backbones/onnx-layers.ts';
import { exportOnnx, writeBackboneFolder } from '../../encoding/backbones/write-backbone.ts';
import { openAsItIs } from '../../encoding/open-as-it-is.ts';
import { openEncoder } from '../../encoding/open-encoder.ts';
import { trainUnigram } from '../../text/unigram-trainer.ts';
import type { TrainingEvent } from '../events.ts';
import { isFromScratch } from '../recipe-schema.ts';
import { meanPairAccuracy, rankOfPartners } from '../pair-ranks.ts';
import { HELD_OUT_FILE, runTraining } from '../run-training.ts';
import { similaritiesOf } from '../similarities.ts';
import { SAMPLE_FOLDER, TINY_TRANSFORMER, transformerRecipe } from '../test-recipes.ts';
import { scratchBackbone } from './from-scratch.ts';

describe('an encoder that exists as ONNX', () => {
  it('is trained through its own operators, and its model opens', async () => {
    using folder = temporaryFolder();
    const scratch = await transformerRecipe(folder.path, { encoder: { ...TINY_TRANSFORMER, width: 32, positions: 40 } });
    if (!isFromScratch(scratch)) throw new Error('expected a recipe from scratch');
    const texts = (await readFile(join(SAMPLE_FOLDER, 'parallel.en-sw.tsv'), 'utf8')).split(/[\t\n]/).filter((text) => text !== '');
    const vocabulary = await trainUnigram({ texts: texts.map((text) => ({ text, weight: 1 })), vocabularySize: 900 });
    await exportOnnx(join(folder.path, 'foreign'), scratchBackbone({ recipe: scratch, vocabulary }));
    const start = await openBackbone(join(folder.path, 'foreign'));
    expect(start.kind).toBe('onnx');
    const events: TrainingEvent[] = [];
    const run = async (encoder: Readonly<Record<string, unknown>>, name: string): Promise<void> => {
      const recipe = await transformerRecipe(folder.path, { encoder: { kind: 'backbone', path: 'foreign', ...encoder }, retrieval: undefined, losses: { semantic: { weight: 1 } }, optimizer: { parallelBatch: 24, learningRate: 6e-3 }, budget: { steps: 50 } });
      await runTraining({ recipe, outputFolder: join(folder.path, name), starterFolder: '', threads: 1, device: 'cpu', resume: false, signal: new AbortController().signal, report: (event) => { events.push(event); } });
    };
    await run({}, 'model');
    const looks = events.flatMap((event) => (event.kind === 'evaluation' ? [event.pairAccuracy['sw'] ?? 0] : []));
    const steps = events.flatMap((event) => (event.kind === 'step' ? [event.losses.semantic] : []));
    expect(steps.at(-1) ?? 9).toBeLessThan(0.85 * (steps[0] ?? 0));
    expect(looks.at(-1) ?? 0).toBeGreaterThan((looks[0] ?? 1) );
    const { model } = await readBackboneModelFolder(join(folder.path, 'model'));
    expect(model.backbone.kind).toBe('onnx');
    expect([...model.backbone.parameters.keys()]).toEqual([...start.parameters.keys()]);
    const moved = [...model.backbone.parameters].filter(([name, values]) => values.some((value, i) => value !== start.parameters.get(name)?.[i]));
    expect(moved.length).toBeGreaterThan(10);
    const encoder = await openEncoder(join(folder.path, 'model'));
    const [one, two] = [await encoder.encode(['maji ya kunywa'], 'sentence'), await encoder.encode(['a much longer sentence about the market', 'maji ya kunywa'], 'sentence')];
    one.forEach((value, i) => { expect(value).toBeCloseTo(two[encoder.width + i] ?? Number.NaN, 5); }); // padding changes nothing
    await expect(run({ pooling: { layer: 1 }, trimVocabulary: true }, 'refused')).rejects.toMatchObject({ code: 'recipe.onnx', message: expect.stringContaining('"encoder/pooling/layer", "encoder/trimVocabulary"') });
    await expect(run({ freeze: { lowerLayers: 2 } }, 'refused')).rejects.toMatchObject({ code: 'recipe.freeze', message: expect.stringContaining('the layers of the backbone, 1, found 2') });
  });
});

describe('parts of an ONNX encoder', () => {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  const events: TrainingEvent[] = [];
  beforeAll(async () => {
    const scratch = await transformerRecipe(folder.path, { encoder: { ...TINY_TRANSFORMER, layers: 2, width: 16, feedForward: 24, positions: 40 } });
    if (!isFromScratch(scratch)) throw new Error('expected a recipe from scratch');
    const texts = (await readFile(join(SAMPLE_FOLDER, 'parallel.en-sw.tsv'), 'utf8')).split(/[\t\n]/).filter((text) => text !== '');
    const backbone = scratchBackbone({ recipe: scratch, vocabulary: await trainUnigram({ texts: texts.map((text) => ({ text, weight: 1 })), vocabularySize: 600 }) });
    await writeBackboneFolder(at('folder'), backbone, { formats: ['safetensors'] });
    await writeBackboneFolder(at('graph'), backbone, { formats: ['onnx'] });
    return () => { folder[Symbol.dispose](); };
  });
  const trained = async (path: string, name: string, encoder: Readonly<Record<string, unknown>>): Promise<ReadonlyMap<string, Float32Array>> => {
    const recipe = await transformerRecipe(folder.path, { encoder: { kind: 'backbone', path, dropout: 0, ...encoder }, retrieval: undefined, losses: { semantic: { weight: 1 } }, optimizer: { parallelBatch: 12, learningRate: 6e-3 }, budget: { steps: 6 } });
    await runTraining({ recipe, outputFolder: at(name), starterFolder: '', threads: 1, device: 'cpu', resume: false, signal: new AbortController().signal, report: (event) => { events.push(event); } });
    return (await readBackboneModelFolder(at(name))).model.backbone.parameters;
  };
  const vectorsOf = async (name: string): Promise<Float32Array> => (await openEncoder(at(name), { threads: 1 })).encode(['maji ya kunywa', 'the market is far'], 'sentence');

  it('that are frozen stay, and the others learn as in the transformer whose graph it is', async () => {
    const freeze = { embeddings: true, lowerLayers: 1 };
    const start = (await openBackbone(at('graph'))).parameters;
    const after = await trained('graph', 'frozen-graph', { freeze });
    const moved = [...after].filter(([name, values]) => values.some((value, i) => value !== start.get(name)?.[i])).map(([name]) => name);
    const thawed = [...await trained('folder', 'frozen-folder', { freeze })].filter(([name]) => name.startsWith('layer.1.'));
    expect(moved).toHaveLength(thawed.length);
    const [expected, found] = [await vectorsOf('frozen-folder'), await vectorsOf('frozen-graph')];
    expected.forEach((value, i) => { expect(found[i]).toBeCloseTo(value, 3); });
    const untouched = await (await openAsItIs(at('folder'), { threads: 1 })).encode(['maji ya kunywa', 'the market is far'], 'sentence');
    expect(Math.max(...expected.map((value, i) => Math.abs(value - (untouched[i] ?? 0))))).toBeGreaterThan(0.02); // it learned something
  });

  it('have thin matrices beside them (LoRA), which alone are trained and merged at the end', async () => {
    events.length = 0;
    const start = await openBackbone(at('graph'));
    if (start.kind !== 'onnx') throw new Error('A graph.');
    const after = await trained('graph', 'thin', { lora: { rank: 2, alpha: 16, targets: ['query', 'up'] } });
    expect([...after.keys()]).toEqual([...start.parameters.keys()]); // no thin matrix is left over
    const places = placesOfWeights(start.graph, new Set(after.keys()));
    for (const [name, values] of after) {
      const matrix = places.get(name)?.matrix;
      expect([name, values.some((value, i) => value !== start.parameters.get(name)?.[i])]).toEqual([name, matrix === 'query' || matrix === 'up']);
    }
    // the last look was taken with the thin matrices beside the weights; the model has them merged
    const looked = events.flatMap((event) => (event.kind === 'evaluation' ? [event.pairAccuracy['sw'] ?? 0] : [])).at(-1);
    const { pairs } = JSON.parse(await readFile(join(at('thin'), HELD_OUT_FILE), 'utf8')) as { readonly pairs: readonly { readonly pairs: readonly { readonly source: string; readonly target: string }[] }[] };
    const list = pairs[0]?.pairs ?? [];
    const encoder = await openEncoder(at('thin'), { threads: 1 });
    const scores = similaritiesOf({ left: await encoder.encode(list.map(({ source }) => source), 'sentence'), right: await encoder.encode(list.map(({ target }) => target), 'sentence'), width: encoder.width });
    expect(list.length).toBeGreaterThan(10);
    expect(meanPairAccuracy(rankOfPartners(scores, list.length, 'rows'), rankOfPartners(scores, list.length, 'columns'))).toBeCloseTo(looked ?? Number.NaN, 5);
  });
});
