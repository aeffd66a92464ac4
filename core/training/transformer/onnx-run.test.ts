import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/test-disks.ts';
import { readBackboneModelFolder } from '../../encoding/backbone-model-folder.ts';
import { openBackbone } from '../../encoding/backbones/open-backbone.ts';
import { exportOnnx } from '../../encoding/backbones/write-backbone.ts';
import { openEncoder } from '../../encoding/open-encoder.ts';
import { trainUnigram } from '../../text/unigram-trainer.ts';
import type { TrainingEvent } from '../events.ts';
import { isFromScratch } from '../recipe-schema.ts';
import { runTraining } from '../run-training.ts';
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
    await expect(run({ freeze: { lowerLayers: 1 }, lora: {} }, 'refused')).rejects.toMatchObject({ code: 'recipe.onnx', message: expect.stringContaining('"encoder/lora", "encoder/freeze"') });
  });
});
