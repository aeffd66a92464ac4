// @vitest-environment happy-dom
/** Can a person choose by looking how a file is read, see what is wrong with it, say its terms, and take a choice back? */
import { mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { nextTick } from 'vue';
import type { InspectionDetails } from '../../../main/contract/index.ts';
import InheritedTerms from '../../components/InheritedTerms.vue';
import TermsForm from '../../components/TermsForm.vue';
import { NO_TERMS, type CorpusSettings, type PendingCorpus, type PendingState, type ReadableInspection } from '../../stores/pending-corpora.ts';
import CorpusDialog from './CorpusDialog.vue';
import EnoughPanel from './EnoughPanel.vue';
import MappingForm from './MappingForm.vue';

const field = (kind: InspectionDetails['fields'][number]['kind'], name: string, type = '') => ({ kind, name, type, count: 3, example: `first of ${name}` });
const details: InspectionDetails = {
  encodings: ['utf-8'], roles: ['pairs', 'texts'], mapping: { hasHeader: true, columns: { source: 'sw', target: 'en' } }, fields: [field('column', 'sw'), field('column', 'en'), field('column', 'notes')], leftOut: [], problemKinds: [{ code: 'corpus.column-count', count: 3, example: { code: 'corpus.column-count', path: '/a', line: 9, message: 'line 9: expected 3 columns' } }], invalidBytes: null, duplicates: 2, sides: [{ name: 'source', characters: 90, shortest: 2, longest: 40, meanLength: 12, medianLength: 11, scripts: [{ script: 'Latin', share: 1 }] }],
  letters: { mixedScripts: { count: 0, examples: [] }, lookAlikes: [], composition: { nfc: 0, nfd: 0, neither: 0, examples: [] }, apostrophes: [], directionSigns: { count: 0, examples: [] } },
  quality: null, overlaps: [{ name: 'questions.jsonl', purpose: 'evaluation', isLeak: true, count: 1, rows: [{ line: 4, text: 'leaked' }] }],
  enough: { verdict: 'some', pairs: 500, expectedMrr: 0.341, sentence: '', curve: [{ pairs: 250, mrr: 0.254 }, { pairs: 500, mrr: 0.341 }] },
};
const inspection: ReadableInspection = { status: 'readable', paths: ['/a.tsv'], role: 'pairs', format: 'tsv', languages: { kind: 'two', source: 'sw', target: 'en' }, languagesFrom: 'file', rows: [{ kind: 'pair', source: 'maji', target: 'water', line: 2 }], counts: { records: 500, problems: 3, sizeBytes: 9_000 }, problems: [], advice: [], details };
const settings: CorpusSettings = { role: 'pairs', languages: inspection.languages, mapping: null, encoding: null, terms: NO_TERMS };

describe('how a file is read', () => {
  const draw = (change: Partial<InspectionDetails> = {}, own: Partial<CorpusSettings> = {}) => mount(MappingForm, { props: { inspection: { ...inspection, details: { ...details, ...change } }, settings: { ...settings, ...own }, languageTags: ['sw', 'en'], roleIsFixed: false, disabled: false } });
  const choose = async (form: ReturnType<typeof draw>, label: string, value: string): Promise<void> => {
    const found = form.findAll('label').find((one) => one.text().startsWith(label));
    await found?.find('select').setValue(value);
  };

  it('columns are offered with what stands in them; a choice keeps the rest of what was proposed', async () => {
    const form = draw();
    expect(form.text()).toContain('notes: \u2068first of notes\u2069');
    await choose(form, 'Column of the first language', '3');
    await choose(form, 'Column of the first language', '2');
    await choose(form, 'Use it as', 'texts');
    expect(form.emitted('change')).toEqual([
      [{ mapping: { hasHeader: true, columns: { source: 3, target: 'en' } } }],
      [{ mapping: { hasHeader: true, columns: { source: 2, target: 'sw' } } }],
      [{ role: 'texts' }],
    ]);
    await form.find('input[type=checkbox]').setValue(false);
    expect(form.emitted('change')?.at(-1)).toEqual([{ mapping: { hasHeader: false, columns: { source: 'sw', target: 'en' } } }]);
  });

  it('a least score is offered where a column has one', async () => {
    const form = draw({ mapping: { columns: { source: 1, target: 2, score: 3 }, minimumScore: 1.04 } });
    await form.find('input[type=number]').setValue('1.1');
    expect(form.emitted('change')?.at(-1)).toEqual([{ mapping: { columns: { source: 1, target: 2, score: 3 }, minimumScore: 1.1 } }]);
  });

  it('tiers are chosen one by one or by their type, markers by their sign, sheets by name, encodings by label', async () => {
    const tiers = draw({ fields: [field('tier', 'A-tx', 'tx'), field('tier', 'B-tx', 'tx'), field('tier', 'A-ft', 'ft')], mapping: { tiers: { source: { name: 'A-tx' }, target: { name: 'A-ft' } } } });
    expect(tiers.text()).toContain('tx (2 tiers)');
    await choose(tiers, 'Tier of the text', 'type:tx');
    expect(tiers.emitted('change')).toEqual([[{ mapping: { tiers: { source: { type: 'tx' }, target: { name: 'A-ft' } } } }]]);
    const markers = draw({ fields: [field('marker', 'lx'), field('marker', 'ge')], mapping: { markers: { record: 'lx', source: 'lx' } } });
    await choose(markers, 'Marker of the translation', 'ge');
    expect(markers.emitted('change')).toEqual([[{ mapping: { markers: { record: 'lx', source: 'lx', target: 'ge' } } }]]);
    const sheets = draw({ fields: [field('sheet', 'One'), field('sheet', 'Two')] });
    await choose(sheets, 'Sheet', 'Two');
    await choose(sheets, 'Encoding', 'windows-1252');
    expect(sheets.emitted('change')).toEqual([[{ mapping: { sheet: 'Two' } }], [{ encoding: 'windows-1252' }]]);
  });
});

describe('the look at a file', () => {
  let open: VueWrapper | null = null;
  afterEach(() => {
    open?.unmount();
    open = null;
  });
  const words = (): string => (document.body.textContent ?? '').replace(/\s+/g, ' ');
  const button = (text: string): HTMLButtonElement => {
    const found = [...document.body.querySelectorAll('button')].find((one) => one.textContent?.includes(text));
    if (found === undefined) throw new Error(`no button says "${text}"`);
    return found;
  };
  const draw = async (state: PendingState, corpusId: string | null = null): Promise<VueWrapper> => {
    const pending: PendingCorpus = { id: '1', projectId: 'p', corpusId, role: 'pairs', name: 'a.tsv', state };
    open = mount(CorpusDialog, { attachTo: document.body, props: { pending, languageTags: ['sw', 'en'], writable: true } });
    await nextTick();
    return open;
  };
  const readable: PendingState = { status: 'readable', inspection, settings, earlier: [], isLooking: false, problem: null };

  it('shows rows, whether it is enough, what is wrong and where, the gravest first', async () => {
    const dialog = await draw(readable);
    expect(words().replace(/[\u2068\u2069]/g, '')).toContain('500 pairs · TSV · utf-8');
    expect(words()).toContain('500 different pairs are enough to begin: expect about 34 points of 100');
    expect(words()).toContain('maji');
    const found = [...document.body.querySelectorAll('.finding')].map((one) => one.textContent ?? '');
    expect(found[0]).toContain('would flatter');
    expect(found[0]).toContain('leaked');
    expect(found.join(' ')).toContain('3 lines left out: another number of columns than expected.');
    button('Add 500 pairs').click();
    expect(dialog.emitted('add')).toHaveLength(1);
    expect(button('Undo').disabled).toBe(true);
  });

  it('a choice can be taken back; one that cannot be read says so', async () => {
    const dialog = await draw({ ...readable, earlier: [settings], problem: { family: 'input', code: 'corpus.missing-column', message: 'no column 9', data: {} } });
    expect(words()).toContain('It cannot be read this way');
    button('Undo').click();
    expect(dialog.emitted('undo')).toHaveLength(1);
  });

  it('a corpus of the project is only saved once something has changed; languages must be said', async () => {
    await draw(readable, 'c1');
    expect(button('Save the changes').disabled).toBe(true);
    open?.unmount();
    await draw({ ...readable, settings: { ...settings, languages: { kind: 'two', source: 'sw', target: null } } });
    expect(words()).toContain('Say first which languages these are.');
    expect(button('Add 500 pairs').disabled).toBe(true);
  });
});

describe('terms', () => {
  it('are said one by one; nothing said is null', async () => {
    const form = mount(TermsForm, { props: { terms: NO_TERMS, disabled: false } });
    await form.findAll('input')[0]?.setValue(' My archive ');
    await form.findAll('select')[0]?.setValue('conditional');
    await form.findAll('select')[1]?.setValue('community');
    expect(form.emitted('change')).toEqual([[{ ...NO_TERMS, source: 'My archive' }], [{ ...NO_TERMS, consent: 'conditional' }], [{ ...NO_TERMS, access: 'community' }]]);
  });

  it('that are inherited name the strictest and the texts that decide', () => {
    const terms = { licence: 'unknown', consent: 'conditional', access: 'community', because: { licence: ['a', 'b', 'c', 'd', 'e'], consent: ['b'], access: ['b'] }, sources: ['ELAR'], sentence: '' } as const;
    const said = mount(InheritedTerms, { props: { terms, sentence: 'Strictest:' } }).text();
    expect(said).toContain('not known: ask before sharing');
    expect(said).toContain('and 2 more');
    expect(said).toContain('given with conditions');
    expect(said).toContain('ELAR');
  });
});

describe('whether it is enough', () => {
  it.each([
    [{ verdict: 'too-few', pairs: 40, expectedMrr: 0.05 }, 'are too few: expect about 5 points'],
    [{ verdict: 'good', pairs: 9_000, expectedMrr: null }, 'more than was measured'],
    [{ verdict: 'some', pairs: 800, expectedMrr: null }, 'good for looking up phrases'],
  ] as const)('is said in one sentence: %o', (enough, said) => {
    expect(mount(EnoughPanel, { props: { enough: { ...enough, sentence: '' } } }).text()).toContain(said);
  });
});
