/** Does a student come to stand where its teacher stands, and bring another language along? */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { writeBackboneFolder } from '../encoding/backbones/write-backbone.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { writeModelFolder } from '../encoding/model-folder.ts';
import { openAsItIs } from '../encoding/open-as-it-is.ts';
import { openEncoder } from '../encoding/open-encoder.ts';
import { openUntrainedEncoder } from '../encoding/untrained-encoder.ts';
import { testModel } from '../encoding/test-models.ts';
import { evaluateGraph } from '../graph/evaluate.ts';
import { pairAccuracy } from '../metrics/pair-accuracy.ts';
import { trainUnigram } from '../text/unigram-trainer.ts';
import { lossGraph } from './distillation.ts';
import { runTraining } from './run-training.ts';
import { isFromScratch, type Recipe } from './recipe-schema.ts';
import { SAMPLE_FOLDER, smallRecipe, STARTER_FOLDER, TINY_TRANSFORMER, transformerRecipe } from './test-recipes.ts';
import { openTeacher } from './teacher.ts';
import { scratchBackbone } from './transformer/from-scratch.ts';

const WIDTH = 32;
const pairs = readFileSync(join(SAMPLE_FOLDER, 'parallel.en-sw.tsv'), 'utf8').trim().split('\n').map((line) => line.split('\t'));
const english = pairs.map(([text = '']) => text);
const swahili = pairs.map(([, text = '']) => text);

function train(recipe: Recipe, outputFolder: string): ReturnType<typeof runTraining> {
  return runTraining({ recipe, outputFolder, starterFolder: STARTER_FOLDER, threads: 1, device: 'cpu', resume: false, signal: new AbortController().signal, report: () => undefined });
}

/** How alike row i of one is to row i of the other, on average. */
function meanCosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / (a.length / WIDTH);
}

describe('the loss of a student', () => {
  it('is the sum of both squared distances between vectors of length 1, and no gradient reaches the teacher', () => {
    const feeds = { teacher: [1, 0], sources: [2, 0], targets: [0, 3] };
    const graph = lossGraph(2, 0.5);
    const results = evaluateGraph(graph, Object.fromEntries(Object.entries(feeds).map(([name, data]) => [name, { shape: [1, 2], data }])));
    expect(results['loss']?.data[0]).toBeCloseTo(0.5 * (0 + 2), 12); // |(1,0) - (1,0)|² = 0, |(1,0) - (0,1)|² = 2
    expect(Object.keys(results).sort()).toEqual(['gradient.sources', 'gradient.targets', 'loss']);
    // d/dt |u - t/|t||² = -2 (u - n (n.u)) / |t| with n = (0,1), u = (1,0): (-2/3, 0)
    expect([...(results['gradient.targets']?.data ?? [])].map((value) => value / 0.5)).toEqual([expect.closeTo(-2 / 3, 6), expect.closeTo(0, 6)]);
    expect([...(results['gradient.sources']?.data ?? [])].every((value) => Math.abs(value) < 1e-6)).toBe(true);
  });
});

describe('a student of a static teacher', () => {
  const folder = temporaryFolder();
  const teacherFolder = join(folder.path, 'teacher');
  const studentFolder = join(folder.path, 'student');
  let teacher: Encoder;
  beforeAll(async () => {
    await writeModelFolder(teacherFolder, await testModel({ width: WIDTH, translations: [] }));
    teacher = await openEncoder(teacherFolder);
    const recipe = await smallRecipe(folder.path, { retrieval: undefined, monolingual: [], losses: { semantic: { weight: 0 } }, distillation: { teacher: 'teacher' }, budget: { steps: 80 }, optimizer: { parallelBatch: 64, tokenDropout: 0 } });
    await train(recipe, studentFolder);
    return () => { folder[Symbol.dispose](); };
  });

  it('gives a sentence the vector that its teacher gives it', async () => {
    const wanted = await teacher.encode(english, 'sentence');
    const before = meanCosine(await (await openUntrainedEncoder(studentFolder)).encode(english, 'sentence'), wanted);
    const after = meanCosine(await (await openEncoder(studentFolder)).encode(english, 'sentence'), wanted);
    expect(Math.abs(before)).toBeLessThan(0.3);
    expect(after).toBeGreaterThan(0.8);
  });

  it('gives translations the vectors of their sentences: the other language is found from the teacher', async () => {
    const student = await openEncoder(studentFolder);
    const untrained = await openUntrainedEncoder(studentFolder);
    const targets = await teacher.encode(english, 'sentence');
    const accuracyOf = async (encoder: Encoder): Promise<number> => pairAccuracy({ sources: await encoder.encode(swahili, 'sentence'), targets, width: WIDTH }).accuracy;
    expect(await accuracyOf(untrained)).toBeLessThan(0.05);
    expect(await accuracyOf(student)).toBeGreaterThan(0.35);
  });

  it('searches in the space in which its teacher searches', async () => {
    const [query] = english;
    const student = await openEncoder(studentFolder);
    expect(meanCosine(await student.encode([query ?? ''], 'query'), await teacher.encode([query ?? ''], 'query'))).toBeGreaterThan(0.7);
  });

  it('may be taught by the shipped starter, as narrow as it is itself', async () => {
    const recipe = await smallRecipe(folder.path, { retrieval: undefined, monolingual: [], losses: { semantic: { weight: 0 } }, distillation: { teacher: 'starter' }, budget: { steps: 40 }, optimizer: { parallelBatch: 64, tokenDropout: 0 } });
    expect(recipe.distillation?.teacher).toBe('starter');
    await train(recipe, join(folder.path, 'of-starter'));
    const starter = await openTeacher({ teacher: 'starter', starterFolder: STARTER_FOLDER, width: WIDTH, threads: 1 });
    const student = await openEncoder(join(folder.path, 'of-starter'));
    expect(meanCosine(await student.encode(english, 'sentence'), await starter.encode(english, 'sentence'))).toBeGreaterThan(0.6);
  });

  it('is refused before training where widths or languages do not fit, and where no teacher is', async () => {
    const settings = { retrieval: undefined, monolingual: [], budget: { steps: 1 } };
    const wide = await smallRecipe(folder.path, { ...settings, encoder: { kind: 'static', width: 48, vocabularySize: 1200 }, distillation: { teacher: 'teacher' } });
    await expect(train(wide, join(folder.path, 'wide'))).rejects.toMatchObject({ code: 'recipe.distillation-width', data: { found: WIDTH, expected: 48 } });
    const foreign = await smallRecipe(folder.path, { ...settings, distillation: { teacher: 'teacher', language: 'th' } });
    await expect(train(foreign, join(folder.path, 'foreign'))).rejects.toMatchObject({ code: 'recipe.distillation-pairs' });
    await expect(smallRecipe(folder.path, { distillation: { teacher: 'nobody' } })).rejects.toThrow(/"distillation\/teacher": expected a folder, found nothing there \(nobody\)/);
  });
});

describe('a transformer student of a backbone from elsewhere', () => {
  it('comes nearer to it in a few steps', async () => {
    using folder = temporaryFolder();
    const encoder = { ...TINY_TRANSFORMER, width: WIDTH, dropout: 0 };
    const teacherFolder = join(folder.path, 'teacher');
    const asked = await transformerRecipe(folder.path, { encoder });
    if (!isFromScratch(asked)) throw new Error('expected a recipe from scratch');
    await writeBackboneFolder(teacherFolder, scratchBackbone({ recipe: { ...asked, seed: 7 }, vocabulary: await trainUnigram({ texts: english.map((text) => ({ text, weight: 1 })), vocabularySize: 900 }) }));
    const student = await transformerRecipe(folder.path, { encoder, retrieval: undefined, monolingual: [], losses: { semantic: { weight: 0 } }, distillation: { teacher: teacherFolder }, optimizer: { parallelBatch: 32, learningRate: 5e-3 }, budget: { steps: 10 } });
    const summary = await train(student, join(folder.path, 'student'));
    expect(summary?.losses.distillation).toBeGreaterThan(0);
    const some = english.slice(0, 64);
    const wanted = await (await openAsItIs(teacherFolder, { threads: 1 })).encode(some, 'sentence');
    const cosineOf = async (one: Encoder): Promise<number> => meanCosine(await one.encode(some, 'sentence'), wanted);
    const [before, after] = [await cosineOf(await openUntrainedEncoder(join(folder.path, 'student'))), await cosineOf(await openEncoder(join(folder.path, 'student')))];
    expect(after).toBeGreaterThan(before + 0.1);
  });
});
