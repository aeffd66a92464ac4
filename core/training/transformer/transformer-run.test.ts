import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/test-disks.ts';
import { readBackboneModelFolder } from '../../encoding/backbone-model-folder.ts';
import { openBackbone } from '../../encoding/backbones/open-backbone.ts';
import { writeBackboneFolder } from '../../encoding/backbones/write-backbone.ts';
import { readManifest } from '../../encoding/model-folder.ts';
import { openEncoder } from '../../encoding/open-encoder.ts';
import { openUntrainedEncoder } from '../../encoding/untrained-encoder.ts';
import { trainUnigram } from '../../text/unigram-trainer.ts';
import type { TrainingEvent } from '../events.ts';
import { meanPairAccuracy, rankOfPartners } from '../pair-ranks.ts';
import { isFromScratch } from '../recipe-schema.ts';
import { checkpointFolderOf, runTraining, type RunTrainingOptions } from '../run-training.ts';
import { similaritiesOf } from '../similarities.ts';
import { SAMPLE_FOLDER, smallRecipeText, TINY_TRANSFORMER, transformerRecipe } from '../test-recipes.ts';
import { scratchBackbone } from './from-scratch.ts';

type Changes = Partial<RunTrainingOptions> & Pick<RunTrainingOptions, 'recipe' | 'outputFolder'>;

async function run(changes: Changes): Promise<{ readonly summary: Awaited<ReturnType<typeof runTraining>>; readonly events: TrainingEvent[] }> {
  const events: TrainingEvent[] = [];
  const summary = await runTraining({ starterFolder: '', threads: 1, device: 'cpu', resume: false, signal: new AbortController().signal, ...changes, report: (event) => { events.push(event); changes.report?.(event); } });
  return { summary, events };
}

const ofKind = <Kind extends TrainingEvent['kind']>(events: readonly TrainingEvent[], kind: Kind): Extract<TrainingEvent, { kind: Kind }>[] => events.filter((event): event is Extract<TrainingEvent, { kind: Kind }> => event.kind === kind);
const codes = (events: readonly TrainingEvent[]): string[] => ofKind(events, 'message').map(({ code }) => code);

/** Accuracy of finding the sample's first translations, both directions. */
async function pairAccuracy(encoder: Awaited<ReturnType<typeof openEncoder>>, count: number): Promise<number> {
  const pairs = (await readFile(join(SAMPLE_FOLDER, 'parallel.en-sw.tsv'), 'utf8')).split('\n').slice(0, count).map((line) => line.split('\t'));
  const scores = similaritiesOf({ left: await encoder.encode(pairs.map(([source = '']) => source), 'sentence'), right: await encoder.encode(pairs.map(([, target = '']) => target), 'sentence'), width: encoder.width });
  return meanPairAccuracy(rankOfPartners(scores, count, 'rows'), rankOfPartners(scores, count, 'columns'));
}

describe('a transformer from scratch', () => {
  const folder = temporaryFolder();
  let first: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    first = await run({ recipe: await transformerRecipe(folder.path, { retrieval: undefined, budget: { steps: 90 } }), outputFolder: join(folder.path, 'first') });
    return () => { folder[Symbol.dispose](); };
  });

  it('learns: translations of held-back sentences are found far better than before the first step, and than by chance', () => {
    const looks = ofKind(first.events, 'evaluation');
    const [before, after] = [looks[0]?.pairAccuracy['sw'] ?? 1, looks.at(-1)?.pairAccuracy['sw'] ?? 0];
    const chance = 1 / 24; // as many are held back
    expect(before).toBeLessThan(4 * chance);
    expect(after).toBeGreaterThan(before + 0.15);
    expect(after).toBeGreaterThan(5 * chance);
    const steps = ofKind(first.events, 'step');
    expect(steps.at(-1)?.losses.semantic ?? 9).toBeLessThan(0.5 * (steps[0]?.losses.semantic ?? 0));
    expect(ofKind(first.events, 'plan')[0]?.steps).toBe(90);
  });

  it('is a model like any other: it opens, translates words, and has a twin that learned nothing', async () => {
    const encoder = await openEncoder(join(folder.path, 'first'));
    expect(encoder.width).toBe(TINY_TRANSFORMER.width);
    expect(encoder.translation('sw', 'en')?.translate('maji').map(({ token }) => token)).toContain('water');
    const untrained = await openUntrainedEncoder(join(folder.path, 'first'));
    expect(untrained.width).toBe(encoder.width);
    expect(await pairAccuracy(encoder, 60)).toBeGreaterThan((await pairAccuracy(untrained, 60)) + 0.3);
    const { manifest, model } = await readBackboneModelFolder(join(folder.path, 'first'));
    expect(manifest.encoder).toMatchObject({ kind: 'transformer', maxTokens: TINY_TRANSFORMER.positions });
    expect(manifest.training).toMatchObject({ steps: 90, seed: 3 });
    expect(model.queryBackbone).toBeNull();
    const long = 'a market day in the rainy season '.repeat(20);
    const [windows] = await encoder.encodeDocuments([long]);
    const spans = encoder.windowSpans(long);
    expect(spans.length).toBeGreaterThan(3);
    expect(windows).toHaveLength(spans.length * encoder.width);
    expect(spans.at(-1)?.end).toBe(long.trimEnd().length);
    for (let i = 1; i < spans.length - 1; i += 1) expect(spans[i + 1]?.start ?? 0).toBeLessThanOrEqual(spans[i]?.end ?? 0); // nothing falls between
    expect((await encoder.encodeDocuments(['short']))[0]).toHaveLength(encoder.width);
  });

  it('can be killed and resumed to the same bytes: dropout, mined negatives, hidden tokens, neighbours with their bank, and early stopping included', async () => {
    const changes = {
      losses: { maskedLanguage: { weight: 0.1, pretrainingSteps: 2 }, contextPrediction: { weight: 0.2, pretrainingSteps: 3, batch: 6, bank: 20 } }, hardNegatives: { source: 'model', count: 1, refreshEvery: 3 }, earlyStopping: { metric: 'pairs', patience: 100 },
      encoder: { ...TINY_TRANSFORMER, width: 16, feedForward: 16, encoders: 'separate' }, budget: { steps: 10 },
    };
    await run({ recipe: await transformerRecipe(folder.path, changes), outputFolder: join(folder.path, 'whole') });
    const outputFolder = join(folder.path, 'killed');
    await writeFile(join(folder.path, 'recipe.json'), smallRecipeText(folder.path, { optimizer: { retrievalBatch: 24, parallelBatch: 32, learningRate: 2e-3 }, ...changes }));
    const module = (name: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, '..', name)).href);
    const stepsMore = 7;
    const source = `
      import { readRecipe } from ${module('recipe.ts')};
      import { runTraining } from ${module('run-training.ts')};
      let asked = 0;
      await runTraining({
        recipe: await readRecipe(${JSON.stringify(join(folder.path, 'recipe.json'))}), outputFolder: ${JSON.stringify(outputFolder)}, starterFolder: '', threads: 1, device: 'cpu',
        resume: true, checkpointEveryMs: 0, signal: new AbortController().signal, report: () => undefined,
        control: { stopAndKeep: () => false, paused: () => { asked += 1; if (asked >= ${stepsMore}) process.stdout.write('now'); return false; } },
      });`;
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.once('data', () => child.kill('SIGKILL'));
    expect(await new Promise((resolve) => child.on('exit', (_code, signal) => { resolve(signal); }))).toBe('SIGKILL');
    const states = (await readdir(checkpointFolderOf(outputFolder))).filter((name) => name.startsWith('step-')).map((name) => Number(name.slice(5)));
    expect(Math.max(...states)).toBeGreaterThan(2);
    expect(Math.max(...states)).toBeLessThan(10);
    expect(existsSync(outputFolder)).toBe(false);
    await run({ recipe: await transformerRecipe(folder.path, changes), outputFolder, resume: true });
    const [killed, whole] = [await readManifest(outputFolder), await readManifest(join(folder.path, 'whole'))];
    expect(killed.files).toEqual(whole.files);
    expect(Object.keys(whole.files)).toEqual(expect.arrayContaining(['backbone/model.safetensors', 'query-backbone/model.safetensors']));
    expect(whole.files['backbone/model.safetensors']).not.toBe(whole.files['query-backbone/model.safetensors']);
  });

  it('stops early when held-back sentences are found no better, and keeps the best', async () => {
    const recipe = await transformerRecipe(folder.path, { retrieval: undefined, earlyStopping: { metric: 'pairs', patience: 2 }, optimizer: { parallelBatch: 16, learningRate: 1e-7 }, budget: { steps: 48 }, encoder: { ...TINY_TRANSFORMER, width: 16, feedForward: 16 } });
    const { summary, events } = await run({ recipe, outputFolder: join(folder.path, 'early') });
    expect(summary?.steps).toBeLessThan(48);
    expect(codes(events)).toContain('training.kept-best');
  });

  it('refuses to begin what cannot fit, with what it would take', async () => {
    const recipe = await transformerRecipe(folder.path, { optimizer: { sliceTokens: 1_048_576 }, encoder: { ...TINY_TRANSFORMER, layers: 48, width: 2048, feedForward: 8192, heads: 64 } });
    await expect(run({ recipe, outputFolder: join(folder.path, 'huge') })).rejects.toMatchObject({ code: 'memory.too-little', family: 'environment', message: expect.stringMatching(/about [\d,]+ MB.*this machine has/) });
    expect(existsSync(join(folder.path, 'huge'))).toBe(false);
  });
});

describe('a backbone from a folder', () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'backbone');
  const recipeOf = (encoder: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, unknown>> = {}): ReturnType<typeof transformerRecipe> =>
    transformerRecipe(folder.path, { encoder: { kind: 'backbone', path: 'backbone', ...encoder }, retrieval: undefined, budget: { steps: 3 }, ...changes });

  beforeAll(async () => {
    const recipe = await transformerRecipe(folder.path, { encoder: { ...TINY_TRANSFORMER, layers: 2, width: 32 } });
    if (!isFromScratch(recipe)) throw new Error('expected a recipe from scratch');
    const texts = (await readFile(join(SAMPLE_FOLDER, 'parallel.en-sw.tsv'), 'utf8')).split(/[\t\n]/).filter((text) => text !== '');
    const vocabulary = await trainUnigram({ texts: texts.map((text) => ({ text, weight: 1 })), vocabularySize: 900 });
    await writeBackboneFolder(path, { ...scratchBackbone({ recipe, vocabulary }), prefixes: { query: 'query: ', document: 'passage: ' } });
    return () => { folder[Symbol.dispose](); };
  });

  const weightsIn = async (name: string): Promise<ReadonlyMap<string, Float32Array>> => (await readBackboneModelFolder(join(folder.path, name))).model.backbone.parameters;

  it('trains with the defaults of the paper, keeps its prefixes and pooling, and is the twin of its model', async () => {
    const { optimizer, losses, pairsPerLanguage } = await transformerRecipe(folder.path, { encoder: { kind: 'backbone', path: 'backbone' }, optimizer: {} });
    expect(optimizer).toMatchObject({ learningRate: 1e-5, retrievalBatch: 48, parallelBatch: 48, beta1: 0.9, beta2: 0.999 });
    expect([losses.semantic.weight, losses.language.weight, losses.retrieval.temperature, pairsPerLanguage]).toEqual([0.01, 0.001, 1, 50_000]);
    await run({ recipe: await recipeOf({ pooling: { mode: 'cls', layer: 1 } }), outputFolder: join(folder.path, 'plain') });
    const { model } = await readBackboneModelFolder(join(folder.path, 'plain'));
    expect(model.backbone.prefixes).toEqual({ query: 'query: ', document: 'passage: ' });
    expect(model.backbone.pooling).toMatchObject({ mode: 'cls', layer: 1 });
    const start = (await openBackbone(path)).parameters;
    expect(model.backbone.parameters.get('layer.0.query.weight')).not.toEqual(start.get('layer.0.query.weight'));
    expect(model.backbone.parameters.get('layer.1.query.weight')).toEqual(start.get('layer.1.query.weight')); // above the pooled layer
    const [encoder, untrained] = [await openEncoder(join(folder.path, 'plain')), await openUntrainedEncoder(join(folder.path, 'plain'))];
    const [query, document] = [await encoder.encode(['maji'], 'query'), await encoder.encode(['maji'], 'document')];
    expect(query).not.toEqual(document); // the prefixes differ
    expect(await untrained.encode(['maji'], 'query')).not.toEqual(query);
  });

  it('keeps frozen embeddings and lower layers to the bit', async () => {
    await run({ recipe: await recipeOf({ freeze: { embeddings: true, lowerLayers: 1 } }), outputFolder: join(folder.path, 'frozen') });
    const start = (await openBackbone(path)).parameters;
    let moved = 0;
    for (const [name, values] of await weightsIn('frozen')) {
      if (name.startsWith('embeddings.') || name.startsWith('layer.0.') || name.startsWith('mlm.')) expect(values).toEqual(start.get(name));
      else if (values.some((value, i) => value !== start.get(name)?.[i])) moved += 1;
    }
    expect(moved).toBeGreaterThan(10);
    await expect(run({ recipe: await recipeOf({ freeze: { lowerLayers: 3 } }), outputFolder: join(folder.path, 'none') })).rejects.toMatchObject({ code: 'recipe.freeze', message: expect.stringContaining('at most the layers of the backbone, 2, found 3') });
  });

  it('with thin matrices (LoRA) is exported merged: its vectors are those of the forward pass that was trained', async () => {
    const held: TrainingEvent[] = [];
    const recipe = await recipeOf({ lora: { rank: 4, alpha: 32, targets: ['query', 'value', 'up'] } }, { budget: { steps: 10 }, losses: { semantic: { weight: 1 } }, optimizer: { learningRate: 0.02, parallelBatch: 16 } });
    await run({ recipe, outputFolder: join(folder.path, 'lora'), report: (event) => { held.push(event); } });
    const start = (await openBackbone(path)).parameters;
    for (const [name, values] of await weightsIn('lora')) {
      const isTarget = /^layer\.\d\.(query|value|up)\.weight$/.test(name);
      if (isTarget) expect(values).not.toEqual(start.get(name));
      else expect(values).toEqual(start.get(name));
    }
    // the last look was taken with the thin matrices beside the weights; the model has them merged
    const looked = ofKind(held, 'evaluation').at(-1)?.pairAccuracy['sw'];
    const { pairs } = JSON.parse(await readFile(join(folder.path, 'lora', 'held-out.json'), 'utf8')) as { readonly pairs: readonly { readonly pairs: readonly { readonly source: string; readonly target: string }[] }[] };
    const encoder = await openEncoder(join(folder.path, 'lora'));
    const list = pairs[0]?.pairs ?? [];
    const scores = similaritiesOf({ left: await encoder.encode(list.map(({ source }) => source), 'sentence'), right: await encoder.encode(list.map(({ target }) => target), 'sentence'), width: encoder.width });
    expect(meanPairAccuracy(rankOfPartners(scores, list.length, 'rows'), rankOfPartners(scores, list.length, 'columns'))).toBeCloseTo(looked ?? Number.NaN, 5);
  });

  it('gains pieces from the project\'s own texts, in front of which its old ones stay', async () => {
    const { events } = await run({ recipe: await recipeOf({ freeze: { embeddings: true }, newPieces: { count: 1200 } }, { budget: { steps: 1 } }), outputFolder: join(folder.path, 'longer') });
    expect(codes(events)).toContain('training.new-pieces');
    const { model } = await readBackboneModelFolder(join(folder.path, 'longer'));
    const start = (await openBackbone(path)).parameters.get('embeddings.token') ?? new Float32Array();
    const table = model.backbone.parameters.get('embeddings.token') ?? new Float32Array();
    expect(table.length).toBeGreaterThan(start.length);
    expect(table.subarray(0, start.length)).toEqual(start);
    expect(table.length / 32).toBe(model.backbone.tokenizer.vocabularySize);
    expect((await openUntrainedEncoder(join(folder.path, 'longer'))).width).toBe(32);
    await expect(run({ recipe: await recipeOf({ newPieces: {} }, { parallel: [], monolingual: [], retrieval: [{ pairs: 'questions.jsonl' }] }), outputFolder: join(folder.path, 'no-texts') })).rejects.toMatchObject({ code: 'recipe.new-pieces' });
  });

  it('that is no backbone is refused by name before anything is trained', async () => {
    await expect(transformerRecipe(folder.path, { encoder: { kind: 'backbone', path: 'nowhere' } })).rejects.toMatchObject({ code: 'recipe.invalid', message: expect.stringMatching(/"encoder\/path": expected a folder, found nothing there \(nowhere\)/) });
    await writeFile(join(folder.path, 'questions.jsonl'), '{"query": "a", "passage": "b"}\n');
    const recipe = await transformerRecipe(folder.path, { encoder: { kind: 'backbone', path: '.' } });
    await expect(run({ recipe, outputFolder: join(folder.path, 'not-one') })).rejects.toMatchObject({ family: 'input', message: expect.stringContaining('config.json') });
  });
});
