/** Do the baselines of phrase retrieval stand where they should: word vectors mapped by a dictionary, hidden states turned onto the pivot? */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../core/base/test-disks.ts';
import { writeBackboneFolder } from '../../../core/encoding/backbones/write-backbone.ts';
import type { Encoder } from '../../../core/encoding/encoder.ts';
import { layersOf, openAsItIs } from '../../../core/encoding/open-as-it-is.ts';
import { openEncoder } from '../../../core/encoding/open-encoder.ts';
import { clseSettingsSchema, makeClse, openClse, readClseData, usualLayer } from '../../../core/evaluation/baselines/clse.ts';
import { clweSettingsSchema, makeClwe } from '../../../core/evaluation/baselines/clwe.ts';
import { parseSettings } from '../../../core/evaluation/baselines/settings.ts';
import { pairAccuracy } from '../../../core/metrics/pair-accuracy.ts';
import { trainUnigram } from '../../../core/text/unigram-trainer.ts';
import { isFromScratch } from '../../../core/training/recipe-schema.ts';
import { SAMPLE_FOLDER, TINY_TRANSFORMER, transformerRecipe } from '../../../core/training/test-recipes.ts';
import { scratchBackbone } from '../../../core/training/transformer/from-scratch.ts';

const { signal } = new AbortController();
const pairsFile = join(SAMPLE_FOLDER, 'parallel.en-sw.tsv');
const sample = readFileSync(pairsFile, 'utf8').trim().split('\n').map((line) => line.split('\t'));
const [english, swahili] = [0, 1].map((side) => sample.map((line) => line[side] ?? ''));
const parallel = [{ path: pairsFile, source: 'en', target: 'sw' }];

async function accuracyOf(encoderFor: (language: string) => Encoder): Promise<number> {
  const [source, target] = [encoderFor('sw'), encoderFor('en')];
  return pairAccuracy({ sources: await source.encode(swahili ?? [], 'sentence'), targets: await target.encode(english ?? [], 'sentence'), width: source.width }).accuracy;
}

describe('CLWE', () => {
  const folder = temporaryFolder();
  beforeAll(() => () => { folder[Symbol.dispose](); });
  const make = (settings: object, name: string) => makeClwe({ settings: parseSettings(clweSettingsSchema, settings, 'settings'), folder: folder.path, out: join(folder.path, name), seed: 1, signal });
  const skipGram = { width: 32, epochs: 20, learningRate: 0.1 };

  it('finds translations far above chance, by pairs learned from parallel text', async () => {
    const summary = await make({ parallel, skipGram }, 'model');
    expect(summary).toMatchObject({ supervision: 'supervised', map: 'reweighted', width: 32, languages: [{ language: 'en', from: 'texts' }, { language: 'sw' }] });
    expect(summary.languages[1]?.pairs).toBeGreaterThan(50);
    const encoder = await openEncoder(join(folder.path, 'model'));
    const chance = 1 / sample.length;
    expect(await accuracyOf((language) => encoder.inLanguage?.(language) ?? encoder)).toBeGreaterThan(50 * chance);
  });

  it('is refused with a sentence where languages are missing, or one map cannot serve them all', async () => {
    await expect(make({ texts: { en: ['a.txt'] } }, 'one')).rejects.toMatchObject({ code: 'baseline.no-languages' });
    await expect(make({ texts: { en: ['a.txt'], sw: ['b.txt'], th: ['c.txt'] }, map: 'reweighted' }, 'many')).rejects.toMatchObject({ code: 'baseline.reweighted-many' });
    expect(() => parseSettings(clweSettingsSchema, { pivot: 'en', maps: 1, skipGram: { width: 0 } }, 'file.json')).toThrow(/file\.json: "skipGram\/width".*\n.*maps/s);
  });
});

describe('CLSE', () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'backbone');
  beforeAll(async () => {
    const recipe = await transformerRecipe(folder.path, { encoder: { ...TINY_TRANSFORMER, layers: 2, width: 32, dropout: 0 } });
    if (!isFromScratch(recipe)) throw new Error('expected a recipe from scratch');
    await writeBackboneFolder(path, scratchBackbone({ recipe, vocabulary: await trainUnigram({ texts: sample.flat().map((text) => ({ text, weight: 1 })), vocabularySize: 900 }) }));
    return () => { folder[Symbol.dispose](); };
  });
  const settings = (more: object) => parseSettings(clseSettingsSchema, { backbone: path, ...more }, 'settings');

  it('takes the states two thirds of the way up, and turns a language onto the pivot by pairs', async () => {
    expect([usualLayer(12), usualLayer(await layersOf(path))]).toEqual([8, 1]);
    const base = await openAsItIs(path, { threads: 1, pooling: { mode: 'mean', layer: 1 } });
    const open = async (more: object): Promise<(language: string | null) => Encoder> => openClse({ base, data: await readClseData(settings(more), { folder: '.', signal }), pivot: 'en', seed: 1, signal });
    const [asItIs, turned] = [await open({}), await open({ parallel })];
    expect((await readClseData(settings({ parallel }), { folder: '.', signal })).map).toBe('pairs');
    expect(await accuracyOf(turned)).toBeGreaterThan(2 * (await accuracyOf(asItIs)));
    const phrase = ['water'];
    expect(await turned('en').encode(phrase, 'sentence')).toEqual(await base.encode(phrase, 'sentence')); // the pivot stays
    expect(turned('sw').phrases).toBeUndefined(); // a phrase is a text of its own
  });

  it('is written as a model that opens like any other, and says what it lacks', async () => {
    const out = join(folder.path, 'model');
    expect(await makeClse({ settings: settings({ parallel, layer: 2 }), folder: '.', out, seed: 1, signal })).toMatchObject({ layer: 2, map: 'pairs', width: 32, languages: [{ language: 'sw', pairs: sample.length }] });
    const encoder = await openEncoder(out, { threads: 1 });
    const plain = await openAsItIs(path, { threads: 1, pooling: { mode: 'mean', layer: 2 } });
    expect(await accuracyOf((language) => encoder.inLanguage?.(language) ?? encoder)).toBeGreaterThan(2 * (await accuracyOf(() => plain)));
    await expect(readClseData(settings({ map: 'pairs' }), { folder: '.', signal })).rejects.toMatchObject({ code: 'baseline.no-pairs' });
    await expect(readClseData(settings({ map: 'unsupervised' }), { folder: '.', signal })).rejects.toMatchObject({ code: 'baseline.no-texts' });
    await expect(makeClse({ settings: parseSettings(clseSettingsSchema, {}, ''), folder: '.', out, seed: 1, signal })).rejects.toMatchObject({ code: 'baseline.no-backbone' });
  });
});
