/** Do phrases train whatever a backbone is made of: a transformer, its ONNX graph, thin matrices beside frozen weights, half as much at once? */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EnvironmentError } from '../../base/errors.ts';
import { temporaryFolder } from '../../base/test-disks.ts';
import { openBackbone } from '../../encoding/backbones/open-backbone.ts';
import { writeBackboneFolder } from '../../encoding/backbones/write-backbone.ts';
import { readBackboneModelFolder } from '../../encoding/backbone-model-folder.ts';
import { writeModelFolder } from '../../encoding/model-folder.ts';
import { openEncoder } from '../../encoding/open-encoder.ts';
import { testModel } from '../../encoding/test-models.ts';
import { trainUnigram } from '../../text/unigram-trainer.ts';
import type { TrainingEvent } from '../events.ts';
import { STATIC_ADAMW } from '../static-parameters.ts';
import { stepInMemory } from '../step-in-memory.ts';
import { scratchBackbone } from '../transformer/from-scratch.ts';
import { createPhraseBatches, type PhrasePart } from './phrase-batches.ts';
import { createPhraseObjective } from './phrase-objective.ts';
import { readPhrasePairs } from './phrase-pairs.ts';
import { parsePhraseRecipe, type PhraseRecipe } from './phrase-recipe.ts';
import { openPhraseSubject } from './phrase-start.ts';
import type { PhraseTrainable } from './phrase-trainable.ts';
import { runPhraseTraining, type RunPhraseTrainingOptions } from './run-phrase-training.ts';
import { createStaticPhrases } from './static-phrases.ts';
import { tokensInUse } from '../../encoding/phrase-vectors.ts';

const WORDS = ['water', 'market', 'river', 'bread', 'teacher', 'morning', 'boat', 'family', 'house', 'salt', 'song', 'field'];
const THEIRS = ['maji', 'soko', 'mto', 'mkate', 'mwalimu', 'asubuhi', 'mashua', 'familia', 'nyumba', 'chumvi', 'wimbo', 'shamba'];
const sentence = (word: string, i: number): string => `the ${word} of the ${WORDS[(i + 5) % WORDS.length] ?? ''} is here`;
const theirSentence = (word: string, i: number): string => `${word} ya ${THEIRS[(i + 7) % THEIRS.length] ?? ''} iko hapa sasa`;

const folder = temporaryFolder();
beforeAll(async () => {
  const at = (name: string): string => join(folder.path, name);
  await writeFile(at('pairs.tsv'), WORDS.map((word, i) => `${word}\t${THEIRS[i] ?? ''}`).join('\n'));
  const texts = [WORDS.map(sentence), THEIRS.map(theirSentence)];
  await writeFile(at('en.txt'), (texts[0] ?? []).join('\n'));
  await writeFile(at('sw.txt'), (texts[1] ?? []).join('\n'));
  const vocabulary = await trainUnigram({ texts: texts.flat().map((text) => ({ text, weight: 1 })), vocabularySize: 120 });
  const backbone = scratchBackbone({ recipe: { seed: 3, encoder: { kind: 'transformer', layers: 2, width: 16, heads: 2, feedForward: 24, positions: 40, vocabularySize: 120, dropout: 0, encoders: 'shared', pooling: { mode: 'mean' } } }, vocabulary });
  await writeBackboneFolder(at('both'), backbone, { formats: ['safetensors', 'onnx'] });
  await writeBackboneFolder(at('folder'), backbone, { formats: ['safetensors'] });
  await writeBackboneFolder(at('graph'), backbone, { formats: ['onnx'] });
  return () => { folder[Symbol.dispose](); };
});

function recipeOf(changes: Readonly<Record<string, unknown>>): PhraseRecipe {
  return parsePhraseRecipe(
    {
      training: [{ pairs: 'pairs.tsv', source: 'en', target: 'sw' }],
      texts: [{ path: 'en.txt', language: 'en' }, { path: 'sw.txt', language: 'sw' }],
      sentences: { training: 2, evaluation: 2, maxTokens: 32 }, head: { placement: 'phrase', hidden: 1 }, queue: 4, dropout: 0, momentum: 0.5,
      optimizer: { batch: 4, learningRate: 0.01, warmUp: 0 }, budget: { steps: 3 },
      ...changes,
    },
    { file: 'recipe.json', folder: folder.path },
  );
}

const run = async (name: string, changes: Readonly<Record<string, unknown>>, options: Partial<RunPhraseTrainingOptions> = {}): Promise<string> => {
  const outputFolder = join(folder.path, name);
  await runPhraseTraining({ recipe: recipeOf(changes), outputFolder, threads: 1, device: 'cpu', resume: false, signal: new AbortController().signal, report: () => undefined, ...options });
  return outputFolder;
};

const vectorsOf = async (model: string): Promise<Float32Array> => {
  const encoder = await openEncoder(model, { threads: 1 });
  return encoder.phrases?.vectors([{ phrase: 'river', sentences: ['over the river they go', 'the river'] }, { phrase: 'mto', sentences: [] }]) ?? new Float32Array(0);
};

const furthest = (a: Float32Array, b: Float32Array): number => a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? Number.NaN))), a.length === b.length ? 0 : Number.NaN);

describe('an ONNX backbone', () => {
  it('learns phrases as the transformer does whose graph it is, and its model opens', async () => {
    const all = { optimizer: { batch: WORDS.length, learningRate: 0.01, warmUp: 0 } }; // else rows of pieces that a step lacks move in a graph alone
    const [layered, graph] = [await run('all-of-folder', { start: { backbone: 'folder' }, ...all }), await run('all-of-graph', { start: { backbone: 'graph' }, ...all })];
    expect((await readBackboneModelFolder(graph)).model.backbone.kind).toBe('onnx');
    const [expected, found] = [await vectorsOf(layered), await vectorsOf(graph)];
    expect(Math.hypot(...expected.subarray(0, 16))).toBeCloseTo(1, 5);
    expect(furthest(expected, found)).toBeLessThan(1e-3);
    const untrained = await run('not-trained', { start: { backbone: 'folder' }, optimizer: { batch: 4, learningRate: 1e-12 }, budget: { steps: 1 } });
    expect(furthest(expected, await vectorsOf(untrained))).toBeGreaterThan(0.05); // it learned something
  });

  it('is refused by name where a recipe asks for its layers, and where it gives no states of tokens', async () => {
    await expect(run('refused', { start: { backbone: 'graph' }, freeze: { lowerLayers: 3 } })).rejects.toMatchObject({ code: 'recipe.freeze' });
    await expect(run('refused', { start: { backbone: 'graph' }, layer: 1 })).rejects.toMatchObject({ code: 'phrases.no-such-layer' });
    await writeModelFolder(join(folder.path, 'static'), await testModel());
    await expect(run('refused', { start: { model: 'static' }, lora: {} })).rejects.toMatchObject({ code: 'phrases.static', message: expect.stringContaining('"lora"') as string });
  });
});

describe('thin matrices (LoRA)', () => {
  it('alone are trained, and merged at the end: the named weights move by a matrix of their rank, all others stay to the bit', async () => {
    const graph = (await openBackbone(join(folder.path, 'graph'))).parameters;
    const thin = (await readBackboneModelFolder(await run('thin-graph', { start: { backbone: 'graph' }, lora: { rank: 1, targets: ['query', 'up'] } }))).model.backbone.parameters;
    expect([...thin].filter(([name, values]) => furthest(values, graph.get(name) ?? new Float32Array(0)) > 0)).toHaveLength(4); // of an ONNX graph too
    const { parameters: before } = await openBackbone(join(folder.path, 'folder'));
    const { backbone } = (await readBackboneModelFolder(await run('thin', { start: { backbone: 'folder' }, lora: { rank: 1, targets: ['query', 'up'] } }))).model;
    expect([...backbone.parameters.keys()].toSorted()).toEqual([...before.keys()].toSorted()); // no thin matrix is left over
    const moved = [...before].flatMap(([name, values]) => (furthest(values, backbone.parameters.get(name) ?? new Float32Array(0)) === 0 ? [] : [name]));
    expect(moved.toSorted()).toEqual(['layer.0.query.weight', 'layer.0.up.weight', 'layer.1.query.weight', 'layer.1.up.weight']);
    for (const name of moved) {
      const change = (before.get(name) ?? new Float32Array(0)).map((value, i) => (backbone.parameters.get(name)?.[i] ?? 0) - value);
      const size = Math.max(...change.map(Math.abs));
      for (let i = 0; i + 17 < change.length; i += 17) { // every 2 x 2 minor on the way is 0: rank 1
        const [a = 0, b = 0, c = 0, d = 0] = [change[i], change[i + 1], change[i + 16], change[i + 17]];
        if ((i % 16) < 15) expect(Math.abs(a * d - b * c)).toBeLessThan(1e-4 * size * size + 1e-12);
      }
    }
  });
});

describe('when memory runs out', () => {
  const opened = async (changes: Readonly<Record<string, unknown>>): Promise<{ readonly trainable: PhraseTrainable; readonly parts: readonly PhrasePart[] }> => {
    const recipe = recipeOf(changes);
    const { signal } = new AbortController();
    const pairs = await readPhrasePairs({ recipe, signal, report: () => undefined });
    const { trainable, reader } = await openPhraseSubject({ recipe, pairs, threads: 1, device: 'cpu', signal, report: () => undefined });
    return { trainable, parts: createPhraseBatches({ sets: pairs.training, read: (phrase) => tokensInUse(phrase, reader), batch: 8, accumulation: 1, sentences: 2, seed: 1 }).partsAt(0) };
  };

  it('the encoder reads half as much at once, to the same update', async () => {
    const [whole, halved] = [await opened({ start: { backbone: 'both' } }), await opened({ start: { backbone: 'both' } })];
    for (const { trainable, parts } of [whole, halved]) {
      const { losses } = await trainable.step({ parts, step: 0, learningRate: 0.01 });
      expect(losses.phrases).toBeGreaterThan(0);
    }
    expect(halved.trainable.shrink()).toBe(true);
    for (const { trainable, parts } of [whole, halved]) await trainable.step({ parts, step: 1, learningRate: 0.01 });
    for (const [name, values] of whole.trainable.values) {
      const other = halved.trainable.values.get(name);
      if (values instanceof Float32Array && other instanceof Float32Array) expect(furthest(values, other), name).toBeLessThan(1e-4);
    }
    let halvings = 0;
    while (halved.trainable.shrink()) halvings += 1;
    expect(halvings).toBeLessThan(6); // it ends
  });

  it('a step that is tried again puts its phrases into the queue once', async () => {
    const { trainable: model, parts } = await opened({ start: { backbone: 'both' } });
    await model[Symbol.asyncDispose]();
    const objective = createPhraseObjective({ tokenWidth: 4, placement: 'none', sizes: null, temperature: 0.1, hasMomentum: true, threads: 1, device: 'cpu' });
    let failures = 1;
    const narrow: typeof objective = {
      ...objective,
      loss: (...given) => {
        if (failures-- > 0) return Promise.reject(new EnvironmentError('runtime.out-of-memory', 'No memory is left.'));
        return objective.loss(...given);
      },
    };
    const trainable = await createStaticPhrases({ vocabularySize: 120, width: 4, start: () => Promise.resolve({ table: Float32Array.from({ length: 480 }, (_, i) => Math.sin(i)), weights: new Float32Array(120).fill(1) }), objective: narrow, placement: 'none', sizes: null, momentum: 0.9, queue: 32, optimizer: STATIC_ADAMW, seed: 1 });
    const said: TrainingEvent[] = [];
    await stepInMemory({ encoder: { ...trainable, shrink: () => true }, parts, step: 0, learningRate: 0.01, report: (event) => void said.push(event) });
    expect(said).toMatchObject([{ code: 'training.less-memory' }]);
    expect([...(trainable.arrays.get('queue-counts') ?? [])]).toEqual([8, 8]);
    await objective[Symbol.asyncDispose]();
  });

  it('a run that goes on with less takes up the saved state of the whole recipe', async () => {
    const stop = new AbortController();
    const start = { start: { backbone: 'folder' } };
    await expect(run('less', start, { checkpointEveryMs: 0, signal: stop.signal, report: (event) => { if (event.kind === 'evaluation' && event.step === 2) stop.abort(); } })).rejects.toMatchObject({ family: 'cancellation' });
    const said: TrainingEvent[] = [];
    const whole = await run('whole', start);
    const less = await run('less', start, { resume: true, takesLess: true, report: (event) => void said.push(event) });
    expect(said.filter((event) => event.kind === 'message')).toEqual([]);
    expect(said.flatMap((event) => (event.kind === 'evaluation' ? [event.step] : []))).not.toContain(1);
    expect(furthest(await vectorsOf(less), await vectorsOf(whole))).toBeLessThan(1e-4);
  });

  it('what cannot fit is refused before a weight is made', async () => {
    await expect(run('none', { start: { transformer: { layers: 48, width: 2048, heads: 64, feedForward: 8192, positions: 512, vocabularySize: 500 } }, sentences: { training: 512, evaluation: 2, maxTokens: 4096 }, optimizer: { batch: 64, sliceTokens: 1_048_576 } })).rejects.toMatchObject({ code: 'memory.too-little' });
  });
});
