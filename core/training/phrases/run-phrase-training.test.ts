/** Does a run from lists to a model folder keep its promises? Tiny models on the sample texts. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/test-disks.ts';
import { readManifest, writeModelFolder } from '../../encoding/model-folder.ts';
import { openEncoder } from '../../encoding/open-encoder.ts';
import { testModel } from '../../encoding/test-models.ts';
import type { TrainingEvent } from '../events.ts';
import { SAMPLE_FOLDER } from '../test-recipes.ts';
import { readPhrasePairs } from './phrase-pairs.ts';
import { parsePhraseRecipe, type PhraseRecipe } from './phrase-recipe.ts';
import { runPhraseTraining, type RunPhraseTrainingOptions } from './run-phrase-training.ts';

const PAIRS = 30;

/** The first words of sentence pairs as phrases, the sentences themselves as texts. */
async function lists(folder: string): Promise<void> {
  const lines = (await readFile(join(SAMPLE_FOLDER, 'parallel.en-sw.tsv'), 'utf8')).trim().split('\n').slice(0, PAIRS).map((line) => line.split('\t'));
  const first = (text = ''): string => text.split(' ').slice(0, 2).join(' ');
  await writeFile(join(folder, 'pairs.tsv'), lines.map(([en, sw]) => `${first(en)}\t${first(sw)}`).join('\n'));
  for (const [side, name] of ['en', 'sw'].entries()) await writeFile(join(folder, `${name}.txt`), lines.map((cells) => cells[side] ?? '').join('\n'));
}

const TINY = { transformer: { layers: 1, width: 16, heads: 2, feedForward: 16, positions: 48, vocabularySize: 600 } };

function recipeIn(folder: string, changes: Readonly<Record<string, unknown>>): PhraseRecipe {
  return parsePhraseRecipe(
    {
      training: [{ pairs: 'pairs.tsv', source: 'en', target: 'sw' }],
      texts: [{ path: 'en.txt', language: 'en' }, { path: 'sw.txt', language: 'sw' }],
      sentences: { training: 1, evaluation: 2, maxTokens: 32 },
      head: { placement: 'phrase', hidden: 1 },
      queue: 6,
      optimizer: { batch: 8, learningRate: 0.005 },
      budget: { steps: 4 },
      ...changes,
    },
    { file: 'recipe.json', folder },
  );
}

const run = (options: Partial<RunPhraseTrainingOptions> & Pick<RunPhraseTrainingOptions, 'recipe' | 'outputFolder'>) =>
  runPhraseTraining({ threads: 1, device: 'cpu', resume: false, signal: new AbortController().signal, report: () => undefined, ...options });

const weightsOf = async (folder: string): Promise<Readonly<Record<string, string>>> => (await readManifest(folder)).files;

describe('a run of phrases', () => {
  it.each([['static', null], ['transformer', TINY]] as const)('that was stopped and resumed gives the bytes of one that was not: %s', async (_, start) => {
    using place = temporaryFolder();
    const folder = place.path;
    await lists(folder);
    if (start === null) await writeModelFolder(join(folder, 'start'), await testModel());
    const recipe = recipeIn(folder, { start: start ?? { model: 'start' } });
    const events: TrainingEvent[] = [];
    const whole = await run({ recipe, outputFolder: join(folder, 'whole'), report: (event) => void events.push(event) });
    expect(whole).toMatchObject({ steps: 4, pairs: [{ source: 'en', target: 'sw', heldBack: 3, before: expect.any(Number), after: expect.any(Number) }] });
    expect(whole?.losses.phrases).toBeGreaterThan(0);
    for (const kind of ['plan', 'step', 'held-back', 'evaluation']) expect(events.map((event) => event.kind)).toContain(kind);

    const abort = new AbortController();
    const stopped = run({ recipe, outputFolder: join(folder, 'parts'), checkpointEveryMs: 0, signal: abort.signal, report: (event) => { if (event.kind === 'evaluation' && event.step === 2) abort.abort(); } });
    await expect(stopped).rejects.toMatchObject({ family: 'cancellation' });
    const heard: TrainingEvent[] = [];
    await run({ recipe, outputFolder: join(folder, 'parts'), resume: true, report: (event) => void heard.push(event) });
    expect(heard.filter((event) => event.kind === 'evaluation').map((event) => event.kind === 'evaluation' && event.step)).not.toContain(1); // it went on
    expect(await weightsOf(join(folder, 'parts'))).toEqual(await weightsOf(join(folder, 'whole')));

    const manifest = await readManifest(join(folder, 'whole'));
    expect(manifest).toMatchObject({ version: 3, phrases: { head: { placement: 'phrase' } }, training: { phrases: { steps: 4 } } });
    const encoder = await openEncoder(join(folder, 'whole'), { threads: 1 });
    const vectors = await encoder.phrases?.vectors([{ phrase: 'the river', sentences: ['over the river they go'] }]);
    expect(Math.hypot(...(vectors ?? []))).toBeCloseTo(1, 5);
  });

  it('changes nothing when only the plan is asked for, and refuses what cannot be', async () => {
    using place = temporaryFolder();
    const folder = place.path;
    await lists(folder);
    await writeModelFolder(join(folder, 'start'), await testModel());
    const recipe = recipeIn(folder, { start: { model: 'start' } });
    await expect(run({ recipe, outputFolder: join(folder, 'start') })).rejects.toMatchObject({ code: 'phrases.same-folder' });
    expect(await run({ recipe, outputFolder: join(folder, 'none'), planOnly: true })).toBeNull();
    await expect(readManifest(join(folder, 'none'))).rejects.toMatchObject({ code: 'model.missing' });
    await expect(run({ recipe: { ...recipe, layer: 1 }, outputFolder: join(folder, 'none') })).rejects.toMatchObject({ code: 'phrases.no-such-layer' });
    await writeFile(join(folder, 'one.tsv'), 'a\tb\n');
    await expect(run({ recipe: recipeIn(folder, { start: { model: 'start' }, training: [{ pairs: 'one.tsv', source: 'en', target: 'sw' }] }), outputFolder: join(folder, 'none') })).rejects.toMatchObject({ code: 'phrases.nothing-to-train' });
  });

  it('keeps phrases back that stand in no training pair of their languages, and finds sentences for phrases without', async () => {
    using place = temporaryFolder();
    const folder = place.path;
    await lists(folder);
    const { signal } = new AbortController();
    const read = (changes: Readonly<Record<string, unknown>>) => readPhrasePairs({ recipe: recipeIn(folder, { start: { model: 'start' }, ...changes }), signal, report: () => undefined });
    const { training, heldBack } = await read({});
    const phrases = (sets: typeof training): string[] => sets.flatMap(({ pairs }) => pairs.flatMap(({ source, target }) => [source.phrase.toLowerCase(), target.phrase.toLowerCase()]));
    expect(heldBack[0]?.pairs).toHaveLength(3);
    expect(phrases(training).filter((phrase) => phrases(heldBack).includes(phrase))).toEqual([]);
    const all = training.flatMap(({ pairs }) => pairs);
    expect(all.length).toBeGreaterThan(15);
    expect(all.filter(({ source, target }) => source.sentences.length > 0 && target.sentences.length > 0).length).toBe(all.length); // each begins a sentence of the texts
    expect(all.every(({ source }) => source.sentences.length <= 2 && source.sentences.every((sentence) => sentence.toLowerCase().includes(source.phrase.toLowerCase())))).toBe(true);
    // Zero-shot: other languages are held back whole, and take nothing out of training.
    const zeroShot = await read({ heldBack: [{ pairs: 'pairs.tsv', source: 'en', target: 'lg' }] });
    expect([zeroShot.training[0]?.pairs.length, zeroShot.heldBack[0]?.target]).toEqual([zeroShot.heldBack[0]?.pairs.length, 'lg']);
  });
});

describe('a recipe of phrases', () => {
  const base = { start: { model: 'm' }, training: [{ pairs: 'p.tsv', source: 'en', target: 'fr' }] };
  const parse = (value: unknown): PhraseRecipe => parsePhraseRecipe(value, { file: 'r.json', folder: '/data' });

  it('has the settings of the paper and of the authors\' code as presets', () => {
    expect(parse({ ...base, preset: 'paper' })).toMatchObject({ head: { placement: 'phrase', hidden: 4 }, sentences: { training: 4, evaluation: 32 }, isLowerCased: false, hasMarks: false, queue: 0, temperature: 0.06, momentum: 0.999, optimizer: { batch: 256, accumulation: 1, learningRate: 2e-5, weightDecay: 0, warmUp: 0.01, schedule: 'linear' }, budget: { epochs: 100 } });
    expect(parse({ ...base, preset: 'xpr' })).toMatchObject({ head: { placement: 'token', hidden: 4 }, sentences: { training: 4, evaluation: 32, maxTokens: 80 }, isLowerCased: true, hasMarks: true, queue: 0, temperature: 0.06, momentum: 0.999, optimizer: { batch: 32, accumulation: 4, learningRate: 2e-5, weightDecay: 1e-4, warmUp: 0.01 }, budget: { epochs: 100 } });
    expect(parse({ ...base, preset: 'xpr', temperature: 0.04, budget: { steps: 9 } })).toMatchObject({ temperature: 0.04, budget: { steps: 9 }, hasMarks: true });
    expect(parse(base)).toMatchObject({ start: { model: '/data/m' }, training: [{ pairs: '/data/p.tsv' }] });
  });

  it('names every mistake', () => {
    expect(() => parse({ ...base, temperature: 0, queue: 1, momentum: null, colour: 1 })).toThrow(/temperature[\s\S]*colour/);
    expect(() => parse({ ...base, queue: 1, momentum: null })).toThrow(/momentum encoder/);
    expect(() => parse({ ...base, training: [{ pairs: 'p', source: 'en', target: 'en' }] })).toThrow(/two different languages/);
    expect(() => parse([])).toThrow(/Nothing was started/);
  });
});
