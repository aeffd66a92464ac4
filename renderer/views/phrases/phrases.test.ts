// @vitest-environment happy-dom
/** Does an entry show both sides, its sentences and where it is from, and does learning from dictionaries say what it brought? */
import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import type { Job, JobState, PhraseHit, PhraseStatus } from '../../../main/contract/index.ts';
import PhraseEntry from '../../components/PhraseEntry.vue';
import { emptyRecord } from '../../stores/job-record.ts';
import PhraseTraining from './PhraseTraining.vue';

const hit: PhraseHit = {
  dictionary: 'lake.lift', line: 4, phrase: 'mto', translations: ['stream', 'river'], match: 'exact', matched: { text: 'river', side: 'translation' }, similarity: 0.8,
  examples: [{ source: 'Mto ni mpana.', target: 'The river is wide.', from: 'dictionary' }, { source: 'Wavuvi huvuka mto.', target: null, from: 'texts' }, { source: 'c', target: null, from: 'texts' }, { source: 'd', target: null, from: 'texts' }],
  best: [{ text: 'mto', similarity: 0.9 }, { text: 'kijito', similarity: 0.7 }],
};

describe('an entry', () => {
  const draw = (change: Partial<PhraseHit> = {}) => mount(PhraseEntry, { props: { hit: { ...hit, ...change }, phraseLanguage: 'sw', translationLanguage: 'en' } });

  it('puts the translation that was asked for first, in its language, and marks it', () => {
    const entry = draw();
    expect(entry.findAll('.phrase-translation').map((one) => one.text())).toEqual(['river', 'stream']);
    expect(entry.find('.phrase-translation').attributes('lang')).toBe('en');
    expect(entry.find('.phrase-word').attributes('lang')).toBe('sw');
    expect(entry.find('.phrase-asked').text()).toBe('river');
  });

  it('shows sentences with their translations, the rest when asked for, and says which were found in texts', () => {
    const words = draw().text();
    expect(words).toContain('Mto ni mpana.');
    expect(words).toContain('The river is wide.');
    expect(words).toContain('found in your texts');
    expect(words).toContain('1 more example');
    expect(words).toContain('lake.lift · line 4');
    expect(draw({ examples: [] }).text()).toContain('no example sentence in the dictionary');
  });

  it('looks a word up by pressing it; near words are said once', async () => {
    const entry = draw();
    expect(entry.findAll('.phrase-near-word').map((one) => one.text())).toEqual(['kijito']);
    await entry.find('.phrase-near-word').trigger('click');
    await entry.findAll('.phrase-translation')[1]?.trigger('click');
    expect(entry.emitted('ask')).toEqual([['kijito'], ['stream']]);
  });
});

describe('learning from dictionaries', () => {
  const status: PhraseStatus = { dictionaries: [{ name: 'lake.lift', entries: 6, source: 'sw', target: 'en' }, { name: 'b.tsv', entries: 1, source: null, target: null }], canTrain: true, model: null };
  const job: Job = { id: 'j', request: { kind: 'phrases', projectId: 'p', resume: false }, startedAt: 1, endedAt: null, state: { status: 'queued' } };
  const draw = (change: Partial<PhraseStatus> = {}, state: JobState | null = null) => mount(PhraseTraining, { props: { status: { ...status, ...change }, record: state === null ? null : emptyRecord({ ...job, state }), writable: true, working: false } });
  const button = (panel: ReturnType<typeof draw>, text: string) => panel.findAll('button').find((one) => one.text() === text);

  it('names the dictionaries and begins; where it cannot, it says why', async () => {
    const panel = draw();
    expect(panel.text()).toContain('6 entries, Swahili – English');
    expect(panel.text()).toContain('1 entry, languages not said');
    await button(panel, 'Learn phrases')?.trigger('click');
    expect(panel.emitted('train')).toEqual([[false]]);
    const cannot = draw({ canTrain: false });
    expect(cannot.text()).toContain('needs a trained model');
    expect(button(cannot, 'Learn phrases')?.attributes('disabled')).toBeDefined();
  });

  it('running shows how far and can be cancelled; interrupted, it goes on', async () => {
    const running = draw({}, { status: 'running', progress: { phase: 'training', done: 3, total: 60, unit: 'steps' }, leftMs: 4_000 });
    expect(running.text()).toContain('3 of 60 steps');
    await button(running, 'Cancel')?.trigger('click');
    expect(running.emitted('cancel')).toHaveLength(1);
    const stopped = draw({}, { status: 'interrupted', canResume: true });
    await button(stopped, 'Go on learning')?.trigger('click');
    expect(stopped.emitted('train')).toEqual([[true]]);
  });

  it('done says what it brought on phrases held back, and when it is out of date', () => {
    const model = { at: 1, steps: 200, isStale: true, pairs: [{ source: 'sw', target: 'en', training: 90, heldBack: 10, before: 0.4, after: 0.65 }, { source: 'th', target: 'en', training: 3, heldBack: 0, before: null, after: null }] };
    const words = draw({ model }).text();
    expect(words).toContain('the right translation comes first 65 times in 100 (before: 40), measured on 10 phrases held back');
    expect(words).toContain('learnt from 3 phrases; too few');
    expect(words).toContain('trained anew since');
  });
});
