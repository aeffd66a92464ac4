// @vitest-environment happy-dom
/** Do the parts of the Train step say what they should in every state: settings from the table, plan in words, brought models, devices? */
import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import { effectScope } from 'vue';
import type { BackboneInspection, ChosenBackbone, TrainingPlan, TrainingSettings } from '../../../main/contract/index.ts';
import { SETTING_PROBLEM_PLACES } from '../../../main/contract/recipe-checks.ts';
import { PRESET_NAMES } from '../../../main/contract/recipe-presets.ts';
import { ENCODER_KINDS, RECIPE_SETTINGS, settingName, settingsOf } from '../../../main/contract/recipe-settings.ts';
import BackboneAnswer from '../../components/BackboneAnswer.vue';
import DeviceSettings from '../../components/DeviceSettings.vue';
import EncoderCards from '../../components/EncoderCards.vue';
import ExpertSettings from '../../components/ExpertSettings.vue';
import PresetCards from '../../components/PresetCards.vue';
import { usePower } from '../../composables/usePower.ts';
import { planSentences } from '../../locales/plan-words.ts';
import { deviceWords, faultWords, problemWords, settingWords, valueWords } from '../../locales/setting-words.ts';
import en from '../../locales/en.json';
import { foundGroups, settingRows, withChange, withoutChanges, type SettingRow } from '../../stores/setting-rows.ts';

const words = (wrapper: { readonly text: () => string }): string => wrapper.text().replace(/\s+/g, ' ').trim();
const plain: TrainingSettings = { preset: 'balanced', threads: null, device: null, encoder: 'static', backbone: null, changed: { static: {}, backbone: {}, transformer: {} } };
const facts: ChosenBackbone['facts'] = { kind: 'transformer', family: 'xlm-roberta', parameters: 278_043_648, layers: 12, width: 768, heads: 12, feedForward: 3072, pieces: 250_002, maxTokens: 512, pooling: { mode: 'mean', dense: true, normalise: true }, prefixes: { query: 'query: ', document: 'passage: ' }, licence: 'mit', languages: ['sw', 'en'], hasMaskedLanguageHead: true };
const cost: ChosenBackbone['cost'] = { memoryBytes: 6e9, availableBytes: 8e9, secondsPer1000Steps: 18_000, pairsPerStep: 48, queryTokens: 24, documentTokens: 160, gigaflopsMeasured: 50 };
const backbone: ChosenBackbone = { folder: '/media/stick/xlm-r', facts, cost, trimming: { pieces: 21_000, savedBytes: 703_000_000, memoryBytes: 3e9 } };
const brought: TrainingSettings = { ...plain, encoder: 'backbone', backbone };
const rowOf = (settings: TrainingSettings, key: string): SettingRow => {
  const row = settingRows(settings, settings.preset).find(({ setting }) => setting.key === key);
  if (row === undefined) throw new Error(`no row ${key}`);
  return row;
};

describe('the words of settings', () => {
  it('are there for every setting, group, option and fault of the table, and for nothing else', () => {
    const names = RECIPE_SETTINGS.map(({ key }) => settingName(key)).sort();
    expect(Object.keys(en.setting).sort()).toEqual(names);
    expect(Object.keys(en.meaning).sort()).toEqual(names);
    expect(new Set(Object.keys(en.group))).toEqual(new Set(RECIPE_SETTINGS.map(({ group }) => group)));
    expect(new Set(Object.keys(en.option))).toEqual(new Set(RECIPE_SETTINGS.flatMap(({ form }) => ('options' in form ? form.options : []))));
    expect(Object.keys(en.conflict).sort()).toEqual(Object.keys(SETTING_PROBLEM_PLACES).sort());
    for (const [code, places] of Object.entries(SETTING_PROBLEM_PLACES)) for (const place of places) expect(Object.entries(en.conflict).find(([name]) => name === code)?.[1], code).toContain(`{${place}}`);
  });

  it('each meaning is one sentence that does not repeat the name', () => {
    for (const { key } of RECIPE_SETTINGS) {
      const { name, meaning } = settingWords(key);
      expect(meaning, key).toMatch(/^.{20,220}\.$/u);
      expect(meaning).not.toBe(name);
    }
  });

  it('values, faults, problems and devices are said as a person would', () => {
    expect(valueWords(rowOf(brought, 'optimizer/learningRate').setting, 1e-5)).toBe('0.00001');
    expect(valueWords(rowOf(brought, 'encoder/pooling/mode').setting, null)).toBe('the model’s own');
    expect(valueWords(rowOf(brought, 'encoder/lora/targets').setting, ['query', 'up'])).toBe('query, feed-forward, up');
    expect(valueWords(rowOf(plain, 'connections').setting, ['en sw'])).toBe('English–Swahili');
    expect(faultWords({ kind: 'number', least: 0, most: 1, isWhole: false, isAbove: true }, 'too-small')).toBe('Expected more than 0.');
    expect(problemWords({ code: 'too-little-memory', keys: [], message: '', data: { needed: 12_300, available: 8_000 } })).toContain('about 12.3 GB of memory, and 8.0 GB are there');
    expect(deviceWords({ code: 'device.fastest', message: '', data: { card: 'webgpu', cardMs: 3, processorMs: 20 } })).toBe('It calculates on Graphics card (WebGPU): 3 ms for a short step, against 20 ms on the processor.');
    expect(deviceWords({ code: 'device.invented', message: 'As the program says.', data: {} })).toBe('As the program says.');
  });
});

describe('the rows of the form', () => {
  it.each(ENCODER_KINDS)('are all settings of the encoder "%s"', (kind) => {
    const settings = { ...brought, encoder: kind };
    expect(settingRows(settings, 'paper').map(({ setting }) => setting.key)).toEqual(settingsOf(kind).map(({ key }) => key));
  });

  it('mark what was changed, say the usual value of the preset, and forget a change that is none', () => {
    const row = rowOf(brought, 'optimizer/retrievalBatch');
    expect(row).toMatchObject({ value: 32, usual: 32, isChanged: false });
    const changed = withChange(brought, { row, value: 16 });
    expect(rowOf(changed, 'optimizer/retrievalBatch')).toMatchObject({ value: 16, usual: 32, isChanged: true });
    expect(withChange(changed, { row, value: 32 })).toEqual(brought);
    expect(withChange(changed, { row, value: null })).toEqual(brought);
    expect(withoutChanges(changed)).toEqual(brought);
  });

  it('keep the changes of one encoder while another is chosen', () => {
    const changed = withChange(plain, { row: rowOf(plain, 'encoder/width'), value: 64 });
    const elsewhere = withChange({ ...changed, encoder: 'transformer' }, { row: rowOf({ ...changed, encoder: 'transformer' }, 'encoder/layers'), value: 2 });
    expect(elsewhere.changed).toEqual({ static: { 'encoder/width': 64 }, backbone: {}, transformer: { 'encoder/layers': 2 } });
  });

  it('are closed where something else has no value, or an ONNX file does not show its layers', () => {
    expect(rowOf(brought, 'encoder/lora/alpha').state).toEqual({ kind: 'needs', key: 'encoder/lora/rank' });
    expect(rowOf({ ...brought, changed: { ...brought.changed, backbone: { 'encoder/lora/rank': 8 } } }, 'encoder/lora/alpha').state).toEqual({ kind: 'open' });
    const onnx = { ...brought, backbone: { ...backbone, facts: { ...facts, kind: 'onnx' as const, layers: null } } };
    expect(rowOf(onnx, 'encoder/freeze/lowerLayers').state).toEqual({ kind: 'closed' });
    expect(rowOf(onnx, 'optimizer/learningRate').state).toEqual({ kind: 'open' });
  });

  it('are found by every typed word, in names, meanings and places of the recipe', () => {
    const found = (typed: string): readonly string[] => foundGroups(settingRows(brought, 'balanced'), { typed, wordsOf: ({ setting }) => `${settingWords(setting.key).name} ${setting.key}` }).flatMap(({ rows }) => rows.map(({ setting }) => setting.key));
    expect(found('LoRA rank')).toEqual(['encoder/lora/rank']);
    expect(found('optimizer/beta')).toEqual(['optimizer/beta1', 'optimizer/beta2']);
    expect(found('nonsense')).toEqual([]);
    expect(found('')).toHaveLength(settingsOf('backbone').length);
  });
});

describe('the form for experts', () => {
  const draw = (settings: TrainingSettings, problems: TrainingPlan['presets'][number]['problems'] = []) => mount(ExpertSettings, { props: { rows: settingRows(settings, settings.preset), problems, languages: ['en', 'sw'], disabled: false } });
  const field = (wrapper: ReturnType<typeof draw>, name: string) => {
    const found = wrapper.findAll('.setting').find((one) => one.text().startsWith(name));
    if (found === undefined) throw new Error(`no field "${name}"`);
    return found;
  };

  it('draws every setting with its meaning and usual value; a typed number is told once it is allowed', async () => {
    const wrapper = draw(plain);
    expect(wrapper.findAll('.setting')).toHaveLength(settingsOf('static').length);
    const rate = field(wrapper, 'Learning rate');
    expect(words(rate)).toContain('as the preset says: 0.005');
    const input = rate.get('input');
    await input.setValue('0.01');
    expect(wrapper.emitted('change')?.at(-1)).toMatchObject([{ setting: { key: 'optimizer/learningRate' } }, 0.01]);
    const told = wrapper.emitted('change')?.length;
    await input.setValue('7');
    expect(input.element.value).toBe('7');
    expect(words(rate)).toContain('Expected at most 1.');
    expect(input.attributes('aria-invalid')).toBe('true');
    expect(wrapper.emitted('change')).toHaveLength(told ?? 0);
  });

  it('a changed value is marked and can be taken back; all at once too', async () => {
    const wrapper = draw({ ...plain, changed: { ...plain.changed, static: { 'encoder/width': 64 } } });
    const width = field(wrapper, 'Width');
    expect(words(width)).toContain('changed');
    await width.get('.setting-reset').trigger('click');
    expect(wrapper.emitted('change')).toMatchObject([[{ setting: { key: 'encoder/width' } }, null]]);
    expect(words(wrapper.get('summary'))).toContain('Changed: 1');
    await wrapper.findAll('button').find((button) => button.text() === 'Take back all changes')?.trigger('click');
    expect(wrapper.emitted('reset-all')).toHaveLength(1);
  });

  it('switches, choices, several, folders and languages', async () => {
    const wrapper = draw({ ...brought, changed: { ...brought.changed, backbone: { 'encoder/lora/rank': 8, 'distillation/teacher': '/t' } } });
    const last = (): unknown => wrapper.emitted('change')?.at(-1)?.[1];
    await field(wrapper, 'Leave the token table').get('input').setValue(false);
    expect(last()).toBe(false);
    await field(wrapper, 'Encoders for questions').get('select').setValue('separate');
    expect(last()).toBe('separate');
    await field(wrapper, 'End when it gets').get('select').setValue('pairs');
    expect(last()).toBe('pairs');
    await field(wrapper, 'LoRA: which').findAll('input')[1]?.setValue(true);
    expect(last()).toEqual(['query', 'key', 'value']);
    await field(wrapper, 'Which languages pairs').findAll('input')[0]?.setValue(true);
    expect(last()).toEqual(['en sw']);
    await field(wrapper, 'The teacher’s language').get('select').setValue('sw');
    expect(last()).toBe('sw');
    await field(wrapper, 'The teacher’s folder').get('button').trigger('click');
    expect(wrapper.emitted('choose-folder')).toMatchObject([[{ setting: { key: 'distillation/teacher' } }]]);
  });

  it('says beside a setting why it cannot go with the others', () => {
    const wrapper = draw({ ...plain, encoder: 'transformer' }, [{ code: 'heads-do-not-divide', keys: ['encoder/heads', 'encoder/width'], message: '', data: { width: 256, heads: 7 } }]);
    expect(words(field(wrapper, 'Attention heads'))).toContain('7 heads do not divide a width of 256');
    expect(words(field(wrapper, 'Width'))).not.toContain('divide');
  });

  it('finds settings by a word', async () => {
    const wrapper = draw(plain);
    await wrapper.get('input[type=search]').setValue('seed of chance');
    expect(wrapper.findAll('.setting')).toHaveLength(1);
    await wrapper.get('input[type=search]').setValue('zzz');
    expect(words(wrapper)).toContain('No setting of this name');
  });
});

const preset = (change: Partial<TrainingPlan['presets'][number]> = {}): TrainingPlan['presets'][number] => ({ preset: 'balanced', steps: 480, estimatedMinutes: 3, estimatedMemoryMB: 960, diskMB: 390, basis: 'usual', problems: [], ...change });
const plan = (change: Partial<TrainingPlan> = {}): TrainingPlan => ({ canStart: true, advice: [], encoder: 'static', presets: [preset()], usesStarter: true, pairs: [{ source: 'en', target: 'sw', pairs: 475 }], questions: 0, sentences: 0, availableMemoryMB: 8000, device: { wish: 'cpu', last: null }, ...change });

describe('the plan in words', () => {
  it('says what is trained with what, how long, and how much memory', () => {
    const said = planSentences({ plan: plan(), chosen: preset(), backbone: null }).join(' ');
    expect(said).toBe('Isogloss learns word vectors from the English starter and 475 pairs English–Swahili. With “Balanced” that takes about 3 minutes here, 960 MB of the 8.0 GB of memory, and 390 MB on disk while it trains. Then it measures what was learnt beside the untrained encoder and word search.');
  });

  it('names the brought model, and says when nobody knows the time', () => {
    const said = planSentences({ plan: plan({ encoder: 'backbone', usesStarter: false }), chosen: preset({ estimatedMinutes: null }), backbone }).join(' ');
    expect(said).toContain('goes on training xlm-r with 475 pairs');
    expect(said).toContain('a time that the first steps will tell');
    expect(planSentences({ plan: plan({ encoder: 'backbone' }), chosen: preset(), backbone: null })).toEqual([]);
  });
});

describe('cards and choices', () => {
  it('encoders are chosen by pressing; each says what it is for', async () => {
    const wrapper = mount(EncoderCards, { props: { modelValue: 'static' } });
    expect(words(wrapper)).toContain('from a folder or a USB stick');
    await wrapper.findAll('[role=radio]')[1]?.trigger('click');
    expect(wrapper.emitted('update:modelValue')).toEqual([['backbone']]);
  });

  it.each(ENCODER_KINDS)('every preset has its words for "%s", and says when it is not possible or its time is not known', (encoder) => {
    const problems = [{ code: 'no-loss', keys: [], message: '', data: {} }] as const;
    const wrapper = mount(PresetCards, { props: { encoder, modelValue: 'quick', presets: PRESET_NAMES.map((name) => preset({ preset: name, estimatedMinutes: null, problems: name === 'paper' ? problems : [] })) } });
    expect(words(wrapper)).toContain('Time unknown');
    expect(words(wrapper)).toContain('Not yet possible');
    expect(words(wrapper)).toContain('Hu and others (2023)');
    expect(words(wrapper)).not.toMatch(/train\.|\{/);
  });

  it('devices: each with its meaning, what was chosen last time, and the processor’s threads', async () => {
    const wrapper = mount(DeviceSettings, { props: { device: { wish: 'auto', last: { code: 'device.only-cpu', message: '', data: {} } }, encoder: 'backbone', threads: null, usualThreads: 2, cores: 4, disabled: false } });
    expect(words(wrapper)).toContain('Last time here: It calculates on the processor: no usable graphics card was found here.');
    await wrapper.findAll('input[type=radio]')[1]?.setValue(true);
    await wrapper.findAll('input[type=radio]')[0]?.setValue(true);
    expect(wrapper.emitted('device')).toEqual([['cpu'], [null]]); // the usual choice is no choice
    await wrapper.get('select').setValue('3');
    expect(wrapper.emitted('threads')).toEqual([[3]]);
  });
});

describe('the answer about a brought model', () => {
  it('what it is, what it costs, what a smaller vocabulary saves', async () => {
    const found: BackboneInspection = { status: 'usable', folder: '/media/stick/xlm-r', facts, cost, trimming: backbone.trimming, advice: ['backbone.trim-vocabulary'] };
    const wrapper = mount(BackboneAnswer, { props: { found, trims: true } });
    const said = words(wrapper);
    for (const part of ['12 layers of width 768, 278,043,648 numbers', '250,002 pieces, texts of up to 512', 'Swahili and English', 'the mean of its pieces, then a dense layer, brought to length 1', '“query: ” before questions', 'mit', '6.0 GB of memory when everything learns (8.0 GB are there)', 'about 5 hours for 1,000 steps of 48 questions', '21,000 of 250,002 pieces stay; the model becomes 703 MB smaller and takes 3.0 GB of memory']) expect(said).toContain(part);
    await wrapper.get('input').setValue(false);
    expect(wrapper.emitted('trims')).toEqual([[false]]);
  });

  it('that fits only with a smaller vocabulary leaves no choice; one without a project says that it can be counted later', () => {
    const must = mount(BackboneAnswer, { props: { trims: false, found: { status: 'usable', folder: '/m', facts, cost, trimming: backbone.trimming, advice: ['backbone.must-trim'] } } });
    expect(must.get('input').element.checked && must.get('input').element.disabled).toBe(true);
    const later = mount(BackboneAnswer, { props: { trims: false, found: { status: 'usable', folder: '/m', facts: { ...facts, licence: null, languages: [], prefixes: { query: '', document: '' } }, cost: { ...cost, secondsPer1000Steps: null }, trimming: null, advice: ['backbone.trim-vocabulary'] } } });
    expect(words(later)).toContain('can be counted when the project has texts');
    expect(words(later)).toContain('not said; ask before you use it');
  });

  it('names everything that is missing, faults of one kind together', () => {
    const missing = (name: string) => ({ code: 'backbone.missing-file', message: `${name} is missing.`, missing: [name] });
    const wrapper = mount(BackboneAnswer, { props: { trims: true, found: { status: 'refused', folder: '/m', problems: [missing('config.json'), missing('model.safetensors'), { code: 'backbone.invented', message: 'Something new.', missing: [] }], facts: null, cost: null } } });
    expect(wrapper.findAll('code').map((one) => one.text())).toEqual(['config.json', 'model.safetensors']);
    expect(words(wrapper).match(/Files of the model are missing/g)).toHaveLength(1);
    expect(words(wrapper).match(/Something new\./g)).toHaveLength(1);
  });
});

describe('the battery', () => {
  const machine = (battery: unknown): Navigator => Object.assign(Object.create(navigator), { getBattery: () => Promise.resolve(battery) }) as Navigator; // boundary: a navigator with one more call
  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

  it('is followed while the view is there, and unknown where the browser does not tell', async () => {
    const battery = Object.assign(new EventTarget(), { charging: false, level: 0.43 });
    const scope = effectScope();
    const power = scope.run(() => usePower(machine(battery)));
    await settled();
    expect(power?.value).toEqual({ isPlugged: false, percent: 43 });
    battery.charging = true;
    battery.dispatchEvent(new Event('chargingchange'));
    expect(power?.value?.isPlugged).toBe(true);
    scope.stop();
    battery.charging = false;
    battery.dispatchEvent(new Event('chargingchange'));
    expect(power?.value?.isPlugged).toBe(true);
    for (const none of [null, {}, 7]) {
      const other = effectScope();
      const unknown = other.run(() => usePower(machine(none)));
      await settled();
      expect(unknown?.value).toBeNull();
      other.stop();
    }
  });
});
