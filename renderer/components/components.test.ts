// @vitest-environment happy-dom
/** Does each part draw every state it can be in, with words a person understands? */
import { flushPromises, mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import type { Advice, Corpus, CorpusLanguages, Language, TrainingPlan } from '../../main/contract/index.ts';
import '../locales/test-languages.ts';
import { setInterfaceLanguage } from '../locales/translate.ts';
import { AREAS } from '../stores/place.ts';
import { NO_TERMS, type CorpusSettings, type PendingCorpus, type PendingState, type ReadableInspection, type ReadableState } from '../stores/pending-corpora.ts';
import AdviceList from './AdviceList.vue';
import AppRail from './AppRail.vue';
import CorpusCard from './CorpusCard.vue';
import CorpusProblems from './CorpusProblems.vue';
import CorpusRows from './CorpusRows.vue';
import HeldBackList from './HeldBackList.vue';
import LanguageCard from './LanguageCard.vue';
import LanguageFinder from './LanguageFinder.vue';
import PendingCorpusCard from './PendingCorpusCard.vue';
import PresetCards from './PresetCards.vue';
import ProblemPanel from './ProblemPanel.vue';
import ProgressPanel from './ProgressPanel.vue';
import RecentProjectCard from './RecentProjectCard.vue';
import SettingsPopover from './SettingsPopover.vue';
import ShareBars from './ShareBars.vue';
import { button, words } from './test-drawn.ts';
import TextsBox from './TextsBox.vue';

const pairLanguages: CorpusLanguages = { kind: 'two', source: 'en', target: 'ar' };
const inspection: ReadableInspection = {
  status: 'readable', paths: ['/a/pairs.tsv'], role: 'pairs', format: 'tsv', languages: pairLanguages, languagesFrom: 'name',
  rows: [{ kind: 'pair', source: 'water', target: 'ماء', line: 1 }, { kind: 'pair', source: 'fire', target: 'نار', line: 2 }, { kind: 'pair', source: 'earth', target: 'أرض', line: 3 }],
  counts: { records: 1512, problems: 14, sizeBytes: 1 },
  problems: [{ code: 'x', path: '/a/pairs.tsv', line: 7, message: 'expected two columns, found one' }],
  advice: [],
};
const corpus: Corpus = { ...inspection, id: 'c', name: 'pairs.tsv', licence: 'CC0', addedAt: 1, state: 'present' };
const kisukuma: Language = { tag: 'x-kisukuma', name: 'Kisukuma', ownName: null, script: null, direction: 'ltr', isListed: false };

describe('a problem', () => {
  it('says in words what is known of its code, the message below, and offers to try again', async () => {
    const wrapper = mount(ProblemPanel, { props: { problem: { code: 'disk.full', message: 'ENOSPC at /a', data: {} }, retryLabel: 'Try again' } });
    expect(wrapper.attributes('role')).toBe('alert');
    expect(words(wrapper)).toContain('The disk is full');
    expect(words(wrapper)).toContain('ENOSPC at /a');
    await button(wrapper, 'Try again').trigger('click');
    expect(wrapper.emitted('retry')).toHaveLength(1);
  });

  it('of an unknown code shows its message alone', () => {
    expect(words(mount(ProblemPanel, { props: { problem: { code: 'new.one', message: 'line 3: expected a tab', data: {} } } }))).toBe('This did not work line 3: expected a tab');
  });
});

describe('progress', () => {
  it('with a known end says how much of how much and the time left', () => {
    const wrapper = mount(ProgressPanel, { props: { phase: 'training', done: 52, total: 120, unit: 'steps', leftMs: 240_000 } });
    expect(words(wrapper)).toBe('Training 52 of 120 steps · about 4 minutes left');
    expect(wrapper.find('[role=progressbar]').attributes('aria-valuetext')).toBe('52 of 120 steps');
  });

  it('without a known end counts, and paused says so', () => {
    expect(words(mount(ProgressPanel, { props: { phase: 'listing', done: 1, total: null, unit: 'files' } }))).toBe('Looking for documents 1 file so far');
    expect(words(mount(ProgressPanel, { props: { phase: 'training', done: 5, total: 10, unit: 'steps', leftMs: 9, paused: true } }))).toContain('paused');
  });

  it('a phase and unit nobody has named yet are shown as they are', () => {
    expect(words(mount(ProgressPanel, { props: { phase: 'polishing', done: 5, total: 10, unit: 'gems' } }))).toBe('polishing 5 of 10 gems');
  });
});

describe('the rail', () => {
  it('links every step with its state in words, and marks where the person is', () => {
    const wrapper = mount(AppRail, { props: { projectId: 'p', projectName: 'A', area: 'texts', steps: [{ name: 'language', state: 'done' }, { name: 'texts', state: 'attention' }, { name: 'train', state: 'not-yet' }] } });
    expect(wrapper.find('[aria-current=page]').attributes('href')).toBe('#/project/p/texts');
    expect(words(wrapper)).toContain('Language done');
    expect(words(wrapper)).toContain('Texts needs you');
    expect(wrapper.findAll('a').map((link) => link.attributes('href'))).toEqual(['#/', ...AREAS.map((area) => `#/project/p/${area}`)]);
  });
});

describe('a recent project', () => {
  const project = { id: 'p', name: 'Kisukuma search', folder: '/a', languages: ['x-kisukuma', 'sw'], names: {}, openedAt: 0, state: 'present' } as const;

  it('is a link with its languages in words', () => {
    const wrapper = mount(RecentProjectCard, { props: { project, nowMs: 180_000 } });
    expect(wrapper.find('a').attributes('href')).toBe('#/project/p/language');
    expect(words(wrapper)).toContain('Kisukuma and Swahili · 3 minutes ago');
  });

  it('whose folder is missing is said to be so, and is no link', () => {
    const wrapper = mount(RecentProjectCard, { props: { project: { ...project, state: 'missing' }, nowMs: 0 } });
    expect(wrapper.find('a').exists()).toBe(false);
    expect(words(wrapper)).toContain('Its folder is not there now');
  });
});

describe('a language', () => {
  it('that no list has says that it works, and shows its tag as a detail', () => {
    const wrapper = mount(LanguageCard, { props: { language: kisukuma, removable: true } });
    expect(words(wrapper)).toContain('Not in any list of languages');
    expect(wrapper.find('details code').text()).toBe('x-kisukuma');
    expect(wrapper.find('details').attributes('open')).toBeUndefined();
  });

  it('is found by typing, and choosing it empties the field; those taken are not offered', async () => {
    const swahili: Language = { tag: 'sw', name: 'Swahili', ownName: 'Kiswahili', script: 'Latn', direction: 'ltr', isListed: true };
    const wrapper = mount(LanguageFinder, { props: { label: 'Your language', suggestions: { status: 'ready', value: [swahili, kisukuma] }, taken: ['x-kisukuma'] } });
    await wrapper.find('input').setValue('kisw');
    expect(wrapper.emitted('ask')).toEqual([['kisw']]);
    expect(wrapper.findAll('.finder-row')).toHaveLength(1);
    await wrapper.find('.finder-row').trigger('click');
    expect(wrapper.emitted('choose')).toEqual([[swahili]]);
    expect(wrapper.find('input').element.value).toBe('');
  });

  it('that nobody knows is said to be unknown', async () => {
    const wrapper = mount(LanguageFinder, { props: { label: 'x', suggestions: { status: 'ready', value: [] }, taken: [] } });
    await wrapper.find('input').setValue('zzz');
    expect(words(wrapper)).toContain('No language of that name');
  });
});

describe('rows of a corpus', () => {
  it('stand each in their own language, with the direction left to the text', () => {
    const texts = mount(CorpusRows, { props: { rows: inspection.rows, languages: pairLanguages, limit: 2 } }).findAll('.user-text');
    expect(texts.map((text) => `${String(text.attributes('lang'))} ${String(text.attributes('dir'))} ${text.text()}`)).toEqual(['en auto water', 'ar auto ماء', 'en auto fire', 'ar auto نار']);
  });
});

describe('a corpus', () => {
  it('shows name, count, languages, two rows, what was left out, licence', async () => {
    const wrapper = mount(CorpusCard, { props: { corpus, removable: true, languageTags: ['en', 'ar'] } });
    expect(words(wrapper)).not.toContain('is not among');
    expect(words(wrapper)).toContain('pairs.tsv');
    expect(words(wrapper)).toContain('1,512 pairs · English and Arabic');
    expect(words(wrapper)).toContain('14 lines left out: show');
    expect(words(wrapper)).toContain('line 7');
    expect(words(wrapper)).toContain('and 13 more');
    expect(words(wrapper)).toContain('Licence: CC0');
    expect(words(wrapper)).not.toContain('أرض');
    await button(wrapper, 'Remove').trigger('click');
    expect(wrapper.emitted('remove')).toHaveLength(1);
  });

  it.each([['changed', 'has changed since'], ['missing', 'is not there any more']] as const)('whose file is %s says so', (state, said) => {
    expect(words(mount(CorpusCard, { props: { corpus: { ...corpus, state }, removable: false, languageTags: ['en', 'ar'] } }))).toContain(said);
  });

  it('in a language that the project does not have says so, with the button that adds it', async () => {
    const wrapper = mount(CorpusCard, { props: { corpus, removable: true, languageTags: ['en', 'sw'] } });
    expect(words(wrapper)).toContain('Arabic is not among the languages of this project.');
    await button(wrapper, 'Add Arabic to the project').trigger('click');
    expect(wrapper.emitted('add-language')).toEqual([['ar']]);
  });

  it('says why lines were left out in the language of the interface, with the program’s own sentence beside it', async () => {
    const problems = [{ code: 'corpus.column-count', line: 7, path: null, message: 'expected two columns, found one' }];
    expect(words(mount(CorpusProblems, { props: { count: 1, problems } }))).toBe('1 line left out: show line 7 expected two columns, found one');
    await setInterfaceLanguage('fr');
    const said = words(mount(CorpusProblems, { props: { count: 1, problems } }));
    await setInterfaceLanguage('en');
    expect(said).toContain('colonnes');
    expect(said).toContain('expected two columns, found one');
  });

  it('without problems shows none', () => {
    expect(mount(CorpusProblems, { props: { count: 0, problems: [] } }).text()).toBe('');
  });
});

describe('a file just handed over', () => {
  const draw = (state: PendingState) => mount(PendingCorpusCard, { props: { pending: { id: '1', projectId: 'p', corpusId: null, role: 'pairs', name: 'pairs.tsv', state }, languageTags: ['en', 'ar', 'sw'] } });

  const settings: CorpusSettings = { role: 'pairs', languages: pairLanguages, mapping: null, encoding: null, terms: NO_TERMS };
  const readable: ReadableState = { status: 'readable', inspection, settings, earlier: [], isLooking: false, problem: null };

  it('being copied and being looked at says so', () => {
    expect(words(draw({ status: 'uploading', fractionDone: 0.4 }))).toContain('40 of 100 per cent');
    expect(words(draw({ status: 'inspecting' }))).toContain('Looking inside');
  });

  it('that is readable can be added by a button that says how many', async () => {
    const wrapper = draw(readable);
    await wrapper.find('input').setValue(' CC BY 4.0 ');
    await button(wrapper, 'Add 1,512 pairs').trigger('click');
    expect(wrapper.emitted('change')).toEqual([[{ terms: { ...NO_TERMS, licence: 'CC BY 4.0' } }]]);
    expect(wrapper.emitted('add')).toHaveLength(1);
    await button(wrapper, 'Look closer').trigger('click');
    expect(wrapper.emitted('look')).toHaveLength(1);
  });

  it('cannot be added before its languages are known', async () => {
    const wrapper = draw({ ...readable, settings: { ...settings, languages: { kind: 'two', source: 'en', target: null } } });
    expect(button(wrapper, 'Add 1,512 pairs').attributes('disabled')).toBeDefined();
    await wrapper.findAll('select')[1]?.setValue('sw');
    expect(wrapper.emitted('change')).toEqual([[{ languages: { kind: 'two', source: 'en', target: 'sw' } }]]);
  });

  it('in one of two languages of the project takes the other for the other side', async () => {
    const wrapper = mount(PendingCorpusCard, { props: { pending: { id: '1', projectId: 'p', corpusId: null, role: 'pairs', name: 'pairs.tsv', state: { ...readable, settings: { ...settings, languages: { kind: 'two', source: null, target: null } } } }, languageTags: ['en', 'sw'] } });
    await wrapper.findAll('select')[0]?.setValue('en');
    expect(wrapper.emitted('change')).toEqual([[{ languages: { kind: 'two', source: 'en', target: 'sw' } }]]);
  });

  it('of which nothing can be used as it is read says so', () => {
    expect(words(draw({ ...readable, inspection: { ...inspection, counts: { records: 0, problems: 0, sizeBytes: 90 } } }))).toContain('nothing in the file can be used');
  });

  it('being added cannot be added twice; refused keeps the file and says why', () => {
    expect(button(draw({ status: 'adding', inspection, settings }), 'Add').attributes('disabled')).toBeDefined();
    const refused = draw({ ...readable, problem: { family: 'environment', code: 'disk.full', message: 'ENOSPC', data: {} } });
    expect(words(refused)).toContain('The disk is full');
  });

  it('that is of no use says why, and can be put away', async () => {
    const wrapper = draw({ status: 'unusable', problem: { family: 'input', code: 'corpus.unknown-format', message: 'found a byte 0', data: {} } });
    expect(words(wrapper)).toContain('This file cannot be used');
    await button(wrapper, 'Leave out').trigger('click');
    expect(wrapper.emitted('leave-out')).toHaveLength(1);
  });
});

describe('a box of texts', () => {
  const props = { role: 'pairs', corpora: [corpus], pending: [], languageTags: ['en'], writable: true, total: '' } as const;

  it('takes files by choosing and by dropping', async () => {
    const wrapper = mount(TextsBox, { props });
    await button(wrapper, 'Choose files').trigger('click');
    expect(wrapper.emitted('choose')).toHaveLength(1);
    const file = new File(['a\tb'], 'a.tsv');
    await wrapper.trigger('drop', { dataTransfer: { files: [file] } });
    await flushPromises();
    expect(wrapper.emitted('drop')).toEqual([[[file]]]);
  });

  it('leaves out all at once what cannot be used, where there are several', async () => {
    const pending = ['1', '2', '3'].map((id): PendingCorpus => ({ id, projectId: 'p', corpusId: null, role: 'pairs', name: id, state: id === '2' ? { status: 'inspecting' } : { status: 'unusable', problem: { family: 'input', code: 'corpus.binary-file', message: 'found a PDF', data: {} } } }));
    const wrapper = mount(TextsBox, { props: { ...props, pending } });
    await button(wrapper, 'Leave out the 2 files').trigger('click');
    expect(wrapper.emitted('leave-out')).toEqual([['1'], ['3']]);
  });

  it('that may not be changed offers nothing to change', () => {
    expect(mount(TextsBox, { props: { ...props, writable: false } }).findAll('button').map((one) => one.text())).toEqual(['Look closer']);
  });
});

describe('advice', () => {
  const more: Advice = { code: 'texts.more-pairs', blocks: false, message: 'from the program', languages: ['sw'], data: { pairs: 1512, more: 500 } };
  const none: Advice = { code: 'texts.nothing-to-train', blocks: true, message: 'from the program', languages: ['sw'], data: {} };

  it('says first what stands in the way', () => {
    expect(words(mount(AdviceList, { props: { advice: [more, none] } }))).toBe('Not enough to begin yet. Add sentences with their translations (or questions with their passages). A few hundred pairs are enough to begin.');
  });

  it('says in one sentence that it is enough', () => {
    expect(words(mount(AdviceList, { props: { advice: [more] } }))).toBe('Enough to begin in Swahili: 1,512 pairs. 500 more from everyday text would help most.');
    expect(words(mount(AdviceList, { props: { advice: [] } }))).toBe('Enough to begin.');
  });

  it('speaks the language of the interface', async () => {
    await setInterfaceLanguage('ar');
    const said = words(mount(AdviceList, { props: { advice: [more] } }));
    await setInterfaceLanguage('en');
    expect(said).toContain('السواحلية');
    expect(said).not.toMatch(/[A-Za-z]/);
  });
});

describe('the presets', () => {
  it('say time and memory in words; choosing one is told', async () => {
    const presets: TrainingPlan['presets'] = [
      { preset: 'quick', steps: 200, estimatedMinutes: 0.7, estimatedMemoryMB: 350, diskMB: 15, basis: 'usual', problems: [] },
      { preset: 'balanced', steps: 900, estimatedMinutes: 4, estimatedMemoryMB: 420, diskMB: 15, basis: 'last-run', problems: [] },
    ];
    const wrapper = mount(PresetCards, { props: { presets, encoder: 'static', modelValue: 'quick' } });
    expect(words(wrapper)).toContain('about 40 seconds');
    expect(words(wrapper)).toContain('350 MB of memory, 15 MB on disk');
    expect(wrapper.findAll('[role=radio]').map((radio) => radio.attributes('aria-checked'))).toEqual(['true', 'false']);
    await wrapper.findAll('[role=radio]')[1]?.trigger('click');
    expect(wrapper.emitted('update:modelValue')).toEqual([['balanced']]);
  });
});

describe('the languages of the interface', () => {
  it('are offered under their own names, each marked as its language', async () => {
    const wrapper = mount(SettingsPopover, { props: { theme: 'system', language: 'en', version: null }, attachTo: document.body });
    await button(wrapper, 'Settings').trigger('click');
    const offered = [...document.querySelectorAll('.settings option')].map((option) => [option.getAttribute('lang'), option.textContent]);
    wrapper.unmount();
    expect(offered).toEqual([['en', 'English'], ['es', 'Español'], ['fr', 'Français'], ['sw', 'Kiswahili'], ['ar', 'العربية']]);
  });

  it('name the script of a language anew when another is chosen', async () => {
    const wrapper = mount(LanguageCard, { props: { language: { tag: 'ar', name: 'Arabic', ownName: 'العربية', isListed: true, script: 'Arab', direction: 'rtl' } } });
    expect(words(wrapper)).toContain('Arabic');
    setInterfaceLanguage('es');
    await wrapper.vm.$nextTick();
    expect(words(wrapper)).toMatch(/Escritura\s*árabe/);
    await setInterfaceLanguage('en');
  });
});

describe('held-back sentences', () => {
  it('say the place of each translation, where it was at first, and how many are first', () => {
    const base = { target: 'water', sourceLanguage: 'sw', targetLanguage: 'en', of: 240 } as const;
    const wrapper = mount(HeldBackList, { props: { sentences: [{ ...base, source: 'maji', rank: 1, firstRank: 90 }, { ...base, source: 'moto', rank: 12, firstRank: 12 }] } });
    expect(words(wrapper)).toContain('1 of 2 translations is found first.');
    expect(words(wrapper)).toContain('first of 240 (at first: 90)');
    expect(words(wrapper)).toContain('place 12 of 240');
    expect(wrapper.find('.held-bar-first').attributes('style')).toContain('100%');
  });
});

describe('shares before and after', () => {
  it('say each figure in words, with where it very likely lies', () => {
    const wrapper = mount(ShareBars, { props: { title: 'T', sentence: 'S', n: 60, bars: [{ key: 'before', share: 0.2 }, { key: 'both', share: 0.61 }] } });
    expect(words(wrapper)).toContain('before training 20 in 100, very likely between 12 and 32 in 100');
    expect(words(wrapper)).toContain('both together 61 in 100');
  });
});
