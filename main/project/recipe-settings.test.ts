/** Does the table of settings say what the recipe's schema says, key by key? And what becomes of a project's settings? */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseRecipe } from '../../core/training/recipe.ts';
import { recipeSchemaFor } from '../../core/training/recipe-schema.ts';
import { trainingSettingsSchema, type ChosenBackbone, type TrainingSettings } from '../contract/index.ts';
import { settingProblems, SETTING_PROBLEM_PLACES } from '../contract/recipe-checks.ts';
import { PRESET_NAMES } from '../contract/recipe-presets.ts';
import { effectiveValues, ENCODER_KINDS, recipeValue, settingName, settingOf, settingsOf, SETTING_GROUPS, RECIPE_SETTINGS, valueFault, type EncoderKind, type SettingForm, type SettingValue, type SettingValues } from '../contract/recipe-settings.ts';
import { estimatePresets } from './estimates.ts';
import { DEFAULT_SETTINGS, newProjectFile, PROJECT_FILE, readProjectFile, type CorpusEntry, type ProjectFile } from './project-file.ts';
import { recipeOf } from './recipe.ts';

/** What the project says elsewhere: its corpora and which encoder. */
const ELSEWHERE: ReadonlySet<string> = new Set(['retrieval', 'parallel', 'monolingual', 'encoder/kind', 'encoder/path']);

type JsonSchema = { readonly properties?: Readonly<Record<string, JsonSchema>>; readonly anyOf?: readonly JsonSchema[]; readonly type?: string };

/** Every leaf of a schema by its place. */
function leaves(schema: JsonSchema, place = ''): readonly string[] {
  if (ELSEWHERE.has(place)) return [];
  const branches = schema.anyOf?.filter(({ properties }) => properties !== undefined) ?? [];
  if (branches.length > 0) return [...new Set(branches.flatMap((branch) => leaves(branch, place)))];
  if (schema.properties === undefined) return [place];
  return Object.entries(schema.properties).flatMap(([name, inner]) => leaves(inner, place === '' ? name : `${place}/${name}`));
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-settings-'));
  await mkdir(join(folder, 'model'));
  for (const name of ['pairs.tsv', 'q.jsonl', 'text.txt']) await writeFile(join(folder, name), 'x');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const recipeText = (kind: EncoderKind, values: SettingValues): string => {
  const root: Record<string, unknown> = { encoder: { kind, ...(kind === 'backbone' ? { path: 'model' } : {}) }, parallel: [{ path: 'pairs.tsv', source: 'en', target: 'sw' }], retrieval: [{ pairs: 'q.jsonl' }], monolingual: [{ path: 'text.txt', language: 'sw' }] };
  for (const [key, value] of Object.entries(values)) {
    const path = key.split('/');
    const last = path.pop() ?? '';
    let at: Record<string, unknown> = root;
    for (const step of path) at = (at[step] ??= {}) as Record<string, unknown>; // boundary: objects made on this line or above
    const setting = settingOf(kind, key);
    at[last] = setting === null || key === '' ? value : recipeValue(setting, value);
  }
  return JSON.stringify(root);
};
const parsed = (kind: EncoderKind, values: SettingValues): Promise<Record<string, unknown>> => parseRecipe({ text: recipeText(kind, values), recipePath: 'recipe.json', folder }).then((recipe) => ({ ...recipe }));
const at = (value: unknown, key: string): unknown => key.split('/').reduce<unknown>((found, step) => (typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined), value);

/** What a setting needs beside it so that it is read at all. */
const beside = (kind: EncoderKind, key: string): SettingValues => {
  const needs = settingOf(kind, key)?.needs;
  const form = needs === undefined ? null : (settingOf(kind, needs)?.form ?? null);
  return needs === undefined || form === null ? {} : { [needs]: someValue(form) };
};
const someValue = (form: SettingForm): SettingValue => (form.kind === 'number' ? Math.max(1, form.least) : form.kind === 'switch' ? true : form.kind === 'several' ? form.options : form.kind === 'choice' ? (form.options[0] ?? '') : form.kind === 'folder' ? 'model' : form.kind === 'connections' ? ['en sw', 'sw ar'] : 'sw');

describe.each(ENCODER_KINDS)('the table of settings, for the encoder "%s"', (kind) => {
  it('has a row for every key of the recipe, and no other', () => {
    const schema = z.toJSONSchema(recipeSchemaFor({ encoder: { kind } }), { io: 'input', unrepresentable: 'any' }) as JsonSchema; // boundary: JSON Schema of an object
    const keys = leaves(schema);
    expect(keys.length).toBeGreaterThan(15);
    expect(settingsOf(kind).map(({ key }) => key).sort()).toEqual([...keys].sort());
  });

  it('shows the defaults that the recipe takes', async () => {
    const plain = await parsed(kind, {});
    for (const { key, defaults } of settingsOf(kind)) {
      const recipe = beside(kind, key) === undefined || Object.keys(beside(kind, key)).length === 0 ? plain : await parsed(kind, beside(kind, key));
      expect(at(recipe, key) ?? null, key).toEqual(defaults[kind]);
    }
  });

  it('allows what the recipe allows, and nothing beyond its limits', async () => {
    const schema = recipeSchemaFor({ encoder: { kind } });
    const accepts = (key: string, value: unknown): boolean => schema.safeParse(JSON.parse(recipeText(kind, { ...beside(kind, key), [key]: value as SettingValue }))).success; // boundary: also values that are none
    for (const { key, form } of settingsOf(kind)) {
      if (form.kind === 'number') {
        const [least, most] = [form.isAbove === true ? form.least + Number.EPSILON : form.least, form.most];
        expect([accepts(key, least), accepts(key, most)], key).toEqual([true, true]);
        expect([accepts(key, form.isAbove === true ? form.least : form.least - 1), accepts(key, most + 1), accepts(key, most * 1.01 + 1)], key).toEqual([false, false, false]);
        if (form.isWhole) expect(accepts(key, form.least + 0.5), key).toBe(false);
        expect([valueFault(form, least), valueFault(form, most), valueFault(form, most * 1.01 + 1), valueFault(form, Number.NaN)], key).toEqual([null, null, form.isWhole && !Number.isSafeInteger(most * 1.01 + 1) ? 'not-whole' : 'too-large', 'not-a-number']);
      } else {
        expect(accepts(key, someValue(form)), key).toBe(true);
        expect(valueFault(form, someValue(form)), key).toBeNull();
        if (form.kind !== 'folder') expect(accepts(key, form.kind === 'several' || form.kind === 'connections' ? ['nonsense'] : form.kind === 'language' ? 'no tag' : 'nonsense'), key).toBe(false);
        if (form.kind === 'choice') expect(form.options.every((option) => accepts(key, option)), key).toBe(true);
      }
    }
  });

  it.each(PRESET_NAMES)('preset %s: a recipe that the command line accepts', async (preset) => {
    const recipe = await parseRecipe({ text: JSON.stringify(recipeOf({ folder, file: project({ encoder: kind, backbone: chosen() }), preset })), recipePath: 'recipe.json', folder });
    expect(recipe.encoder.kind).toBe(kind);
    if (preset === 'paper') expect(recipe).toMatchObject({ pairsPerLanguage: 50_000, losses: { semantic: { weight: 0.01 }, language: { weight: 0.001 } }, optimizer: { retrievalBatch: 48, ...(kind === 'backbone' ? { learningRate: 1e-5 } : {}) } });
  });
});

describe('the table', () => {
  it('has each key once, in a group that exists', () => {
    expect(new Set(RECIPE_SETTINGS.map(({ key }) => settingName(key))).size).toBe(RECIPE_SETTINGS.length);
    expect(new Set(RECIPE_SETTINGS.map(({ group }) => group))).toEqual(new Set(SETTING_GROUPS));
    for (const { key, needs } of RECIPE_SETTINGS) if (needs !== undefined) expect(RECIPE_SETTINGS.some((other) => other.key === needs), key).toBe(true);
  });
});

const corpus = (change: Partial<CorpusEntry>): CorpusEntry => ({ id: 'c', role: 'pairs', format: 'tsv', paths: ['pairs.tsv'], languages: { kind: 'two', source: 'en', target: 'sw' }, counts: { records: 500, problems: 0, sizeBytes: 1 }, rows: [], problems: [], licence: null, addedAt: 0, fingerprints: [], ...change });
const questions = corpus({ role: 'questions', format: 'jsonl-pairs', paths: ['q.jsonl'], languages: { kind: 'one', language: 'en' } });
const project = (settings: Partial<TrainingSettings> = {}, corpora: readonly CorpusEntry[] = [corpus({}), questions]): ProjectFile => ({ ...newProjectFile({ id: 'p', name: 'P', languages: ['sw'], createdAt: 0 }), corpora, settings: { ...DEFAULT_SETTINGS, ...settings } });
const changed = (change: Partial<TrainingSettings['changed']>): Partial<TrainingSettings> => ({ changed: { ...DEFAULT_SETTINGS.changed, ...change } });
const chosen = (facts: Partial<ChosenBackbone['facts']> = {}): ChosenBackbone => ({
  folder: join(folder, 'model'),
  facts: { kind: 'transformer', family: 'xlm-roberta', parameters: 278_000_000, layers: 12, width: 768, heads: 12, feedForward: 3072, pieces: 250_002, maxTokens: 512, pooling: { mode: 'mean', dense: false, normalise: true }, prefixes: { query: '', document: '' }, licence: 'mit', languages: [], hasMaskedLanguageHead: true, ...facts },
  cost: { memoryBytes: 6e9, availableBytes: 8e9, secondsPer1000Steps: 30_000, pairsPerStep: 48, queryTokens: 24, documentTokens: 160, gigaflopsMeasured: 50 },
  trimming: { pieces: 20_000, savedBytes: 700_000_000, memoryBytes: 3e9 },
});

describe('the recipe of a project\'s settings', () => {
  it('carries what was changed, for the chosen encoder only', async () => {
    const file = project({ encoder: 'backbone', backbone: chosen(), ...changed({ static: { seed: 9 }, backbone: { seed: 7, 'encoder/lora/rank': 4, 'encoder/lora/targets': ['query', 'up'], 'optimizer/schedule': 'cosine' } }) });
    const recipe = await parseRecipe({ text: JSON.stringify(recipeOf({ folder, file, preset: 'balanced' })), recipePath: 'recipe.json', folder });
    expect(recipe).toMatchObject({ seed: 7, encoder: { path: join(folder, 'model'), trimVocabulary: true, lora: { rank: 4, alpha: 16, targets: ['query', 'up'] } }, optimizer: { schedule: 'cosine', retrievalBatch: 32 }, budget: { steps: 600 } });
    expect(recipeOf({ folder, file: { ...file, settings: { ...file.settings, encoder: 'static' } }, preset: 'balanced' })).toMatchObject({ seed: 9, encoder: { kind: 'static' } });
  });

  it('leaves out what hangs on something that is not set, and takes minutes in the place of steps', () => {
    const values = { 'earlyStopping/patience': 9, 'budget/minutes': 3, 'budget/steps': 10 };
    const recipe = recipeOf({ folder, file: project(changed({ static: values })), preset: 'quick' });
    expect(recipe['earlyStopping']).toBeUndefined();
    expect(recipe['budget']).toEqual({ minutes: 3 });
  });

  it('asks an ONNX file for nothing that it does not show', async () => {
    const recipe = await parseRecipe({ text: JSON.stringify(recipeOf({ folder, file: project({ encoder: 'backbone', backbone: chosen({ kind: 'onnx', layers: null, heads: null, feedForward: null }) }), preset: 'quick' })), recipePath: 'recipe.json', folder });
    expect(recipe.encoder).toMatchObject({ trimVocabulary: false, freeze: { embeddings: false, lowerLayers: 0 } });
  });

  it('is refused with a sentence when settings cannot go together', () => {
    expect(() => recipeOf({ folder, file: project({ encoder: 'transformer', ...changed({ transformer: { 'encoder/heads': 7 } }) }), preset: 'balanced' })).toThrow(/7 heads do not divide a width of 256/);
    expect(() => recipeOf({ folder, file: project({ encoder: 'backbone' }), preset: 'balanced' })).toThrow(/Choose the folder of the model/);
  });
});

describe('settings that cannot go together', () => {
  const codes = (kind: EncoderKind, said: SettingValues, change: Partial<Parameters<typeof settingProblems>[0]> = {}): readonly string[] => {
    const problems = settingProblems({ kind, values: effectiveValues(kind, { preset: {}, changed: said }), brought: kind === 'backbone' ? { layers: 12 } : null, texts: { questions: 10, pairs: 10, sentences: 0 }, ...change });
    for (const { code, data, message } of problems) {
      expect(Object.keys(data).sort(), code).toEqual([...SETTING_PROBLEM_PLACES[code]].sort());
      expect(message).toMatch(/\.$/);
    }
    return problems.map(({ code }) => code);
  };

  it('are each named', () => {
    const none = { questions: 0, pairs: 10, sentences: 0 };
    expect(codes('static', {})).toEqual([]);
    expect(codes('backbone', {}, { brought: null })).toEqual(['no-backbone']);
    expect(codes('backbone', { 'encoder/pooling/layer': 13 })).toEqual(['layer-too-high']);
    expect(codes('backbone', { 'encoder/freeze/lowerLayers': 13 })).toEqual(['frozen-too-many']);
    expect(codes('backbone', { 'encoder/freeze/lowerLayers': 12, 'encoder/freeze/embeddings': true })).toEqual(['nothing-left-to-train']);
    expect(codes('backbone', { 'encoder/lora/rank': 8 }, { brought: { layers: null } })).toEqual(['inside-unknown']);
    expect(codes('transformer', { 'losses/maskedLanguage/pretrainingSteps': 2001 })).toEqual(['pretraining-too-long']);
    expect(codes('transformer', { 'losses/maskedLanguage/pretrainingSteps': 2001, 'budget/minutes': 5 })).toEqual([]);
    expect(codes('static', { 'encoder/width': 2048, 'encoder/vocabularySize': 200_000 })).toEqual(['table-too-large']);
    expect(codes('static', { 'hardNegatives/source': 'bm25' }, { texts: none })).toEqual(['negatives-without-questions']);
    expect(codes('static', { 'earlyStopping/metric': 'questions' }, { texts: none })).toEqual(['stopping-without-questions']);
    expect(codes('static', { 'earlyStopping/metric': 'pairs' }, { texts: { questions: 3, pairs: 0, sentences: 0 } })).toEqual(['stopping-without-pairs']);
    expect(codes('static', { 'losses/contextPrediction/weight': 1 }, { texts: none })).toEqual(['no-neighbours']);
    expect(codes('static', { 'losses/contextPrediction/weight': 1, 'losses/semantic/weight': 0 }, { texts: { ...none, sentences: 5 } })).toEqual([]);
    expect(codes('static', { 'distillation/teacher': '/model' }, { texts: { questions: 3, pairs: 0, sentences: 0 } })).toEqual(['teacher-without-pairs']);
    expect(codes('static', { 'losses/semantic/weight': 0 }, { texts: none })).toEqual(['no-loss']);
    expect(codes('static', { 'losses/semantic/weight': 0, 'distillation/teacher': '/model' }, { texts: none })).toEqual([]);
  });
});

describe('settings at the door and in the file', () => {
  it('a value outside its limits, or a setting that the encoder does not have, is refused by name', () => {
    const refused = (values: SettingValues): string => z.prettifyError(trainingSettingsSchema.safeParse({ ...DEFAULT_SETTINGS, ...changed({ static: values }) }).error ?? new z.ZodError([]));
    expect(trainingSettingsSchema.safeParse({ ...DEFAULT_SETTINGS, ...changed({ static: { 'encoder/width': 64 } }) }).success).toBe(true);
    expect(refused({ 'encoder/width': 1 })).toMatch(/too-small.*changed\.static/s);
    expect(refused({ 'encoder/lora/rank': 8 })).toMatch(/no-such-setting/);
  });

  it('a project of an older program opens with what it said; what this program does not know is left out', async () => {
    const old = { ...newProjectFile({ id: 'old', name: 'Old', languages: ['sw'], createdAt: 0 }), version: 2, settings: { preset: 'quick', threads: 1, device: 'webgpu', seed: 7, semanticWeight: 2, languageWeight: null, temperature: 0.1 }, measured: { preset: 'quick', steps: 120, minutes: 2, memoryMB: 500, basis: 'last-run' } };
    await writeFile(join(folder, PROJECT_FILE), JSON.stringify({ ...old, device: undefined }));
    const { file, wasMigrated } = await readProjectFile(folder);
    expect(wasMigrated).toBe(true);
    expect(file.settings).toEqual({ preset: 'quick', threads: 1, device: 'webgpu', encoder: 'static', backbone: null, changed: { static: { seed: 7, 'losses/semantic/weight': 2, 'losses/retrieval/temperature': 0.1 }, backbone: {}, transformer: {} } });
    expect(file.measured).toMatchObject({ encoder: 'static', minutes: 2 });
    await writeFile(join(folder, PROJECT_FILE), JSON.stringify({ ...file, settings: { ...file.settings, changed: { static: { seed: 7, 'encoder/width': 1e9, invented: 1 }, backbone: {}, transformer: {} } } }));
    expect((await readProjectFile(folder)).file.settings.changed.static).toEqual({ seed: 7 });
    expect(await readFile(join(folder, PROJECT_FILE), 'utf8')).toContain('invented'); // reading changes nothing on disk
  });
});

describe('an estimate', () => {
  it('grows with the preset, and follows what was measured here', () => {
    const usual = estimatePresets(project());
    expect(usual.map(({ preset }) => preset)).toEqual([...PRESET_NAMES]);
    expect(usual[1]?.estimatedMinutes).toBeGreaterThan(usual[0]?.estimatedMinutes ?? Infinity);
    const measured = { encoder: 'static', preset: 'quick', steps: 120, minutes: 10 * (usual[0]?.estimatedMinutes ?? 0), memoryMB: 500, basis: 'trial', reckonedMinutes: null } as const;
    const after = estimatePresets({ ...project(), measured });
    expect(after.map(({ basis }) => basis)).toEqual(['trial', 'trial', 'trial', 'trial']);
    expect(after[2]?.estimatedMinutes).toBeCloseTo(10 * (usual[2]?.estimatedMinutes ?? 0));
    expect(after[0]?.estimatedMemoryMB).toBe(500);
    expect(estimatePresets({ ...project({ encoder: 'transformer' }), measured })[0]?.basis).toBe('usual'); // another encoder was measured
  });

  it('of what was measured with other settings is not taken for the present ones', () => {
    const usual = estimatePresets(project());
    const measured = { encoder: 'static', preset: 'quick', steps: 120, minutes: 2 * (usual[0]?.estimatedMinutes ?? 0), memoryMB: 500, basis: 'last-run', reckonedMinutes: usual[0]?.estimatedMinutes ?? 0 } as const;
    const longer = estimatePresets({ ...project(changed({ static: { 'budget/steps': 2400 } })), measured });
    expect(longer[0]?.steps).toBe(2400);
    expect(longer[0]?.estimatedMinutes).toBeGreaterThan(10 * measured.minutes);
  });

  it('of a brought model follows its size, what of it is trained, and this machine\'s rate', () => {
    const of = (said: SettingValues, facts: Partial<ChosenBackbone['facts']> = {}): ReturnType<typeof estimatePresets>[number] => {
      const found = estimatePresets(project({ encoder: 'backbone', backbone: chosen(facts), ...changed({ backbone: said }) }))[2];
      if (found === undefined) throw new Error('Four presets.');
      return found;
    };
    const all = of({});
    expect(all.basis).toBe('rate');
    expect(of({ 'encoder/freeze/lowerLayers': 6 }).estimatedMinutes).toBeLessThan((all.estimatedMinutes ?? 0) * 0.75);
    expect(of({ 'encoder/lora/rank': 8 }).estimatedMemoryMB).toBeLessThan(all.estimatedMemoryMB - 1000);
    expect(of({ 'encoder/trimVocabulary': false }).estimatedMemoryMB).toBeGreaterThan(all.estimatedMemoryMB + 1500);
    expect(of({ 'encoder/encoders': 'separate' }).diskMB).toBeCloseTo(2 * all.diskMB, -2);
    expect(of({}, { kind: 'onnx', layers: null, heads: null, feedForward: null }).estimatedMinutes).toBeNull();
    expect(of({ 'budget/minutes': 30 }).estimatedMinutes).toBeGreaterThan(30);
  });

  it('agrees with the inspection on what a step of the paper costs', () => {
    // 12 layers of width 768, 48 questions of 24 and passages of 160 tokens, a rate of 50 GFLOP/s
    const matrices = 12 * (4 * 768 ** 2 + 2 * 768 * 3072);
    const operations = [24, 160].reduce((sum, tokens) => sum + 3 * 2 * 48 * tokens * (matrices + 12 * 2 * tokens * 768), 0);
    const [, , , paper] = estimatePresets(project({ encoder: 'backbone', backbone: chosen() }, [questions]));
    expect(((paper?.estimatedMinutes ?? 0) * 60) / 24_540).toBeCloseTo(operations / (0.45 * 50e9), 1);
  });
});
