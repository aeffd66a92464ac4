// @vitest-environment happy-dom
/** Is one question judged by mouse and keys, is a mark taken back as it was before, and do the scores stand beside the ways of searching? */
import { flushPromises, mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import { defineComponent } from 'vue';
import type { Hit, IsoglossClient, JudgementScores, Judgements, SearchAnswer } from '../../../main/contract/index.ts';
import MethodScores from '../../components/MethodScores.vue';
import { bridgeKey } from '../../composables/useBridge.ts';
import { useJudging, type Judging } from '../../composables/useJudging.ts';
import { ready } from '../../stores/loadable.ts';
import JudgeQuestion from './JudgeQuestion.vue';

const location = { line: 1, row: null, heading: null, paragraph: null, page: null, verse: null, timeMs: null, speaker: null, tier: null, sheet: null, slide: null, start: 0, end: 4 };
const hitOf = (id: string, judged: Hit['judged'] = null): Hit => ({ chunkId: id, score: 1, path: `${id}.md`, title: id, location, text: `text ${id}`, language: 'en', direction: 'ltr', highlights: [], reasons: [], aligned: [], judged });
const answerOf = (...hits: readonly Hit[]): SearchAnswer => ({ hits, choices: [], queryLanguage: 'en', elapsedMs: 1, chunks: 9 });
const question = { query: 'which?', queryLanguage: null };

describe('a question that is judged', () => {
  const draw = (...hits: readonly Hit[]) => mount(JudgeQuestion, { attachTo: document.body, props: { question, pool: ready(answerOf(...hits)), decidable: true, undoable: true } });

  it('begins at the first passage without a mark; Enter and Delete mark and go on; Ctrl+Z takes back', async () => {
    const page = draw(hitOf('a', 'right'), hitOf('b'), hitOf('c'));
    await flushPromises();
    expect(page.text()).toContain('Judged 1 of 3, right 1');
    expect(page.find('[aria-current=true]').text()).toContain('text b');
    const list = page.find('ol');
    await list.trigger('keydown', { key: 'Enter' });
    await list.trigger('keydown', { key: 'Delete' });
    expect(page.emitted('mark')?.map(([hit, verdict]) => `${(hit as Hit).chunkId} ${String(verdict)}`)).toEqual(['b right', 'c wrong']);
    await page.setProps({ pool: ready(answerOf(hitOf('a', 'right'), hitOf('b', 'right'), hitOf('c'))) });
    expect(page.find('[aria-current=true]').text(), 'a mark that comes back moves nothing').toContain('text c');
    await list.trigger('keydown', { key: 'ArrowUp' });
    expect(page.find('[aria-current=true]').text()).toContain('text b');
    await list.trigger('keydown', { code: 'KeyZ', key: 'z', ctrlKey: true });
    expect(page.emitted('undo')).toHaveLength(1);
    page.unmount();
  });

  it('marked by its buttons stays where it is; the same button again takes the mark away', async () => {
    const page = draw(hitOf('a', 'wrong'));
    await flushPromises();
    for (const button of page.findAll('.judged-key')) await button.trigger('click');
    expect(page.emitted('mark')?.map(([, verdict]) => verdict)).toEqual(['right', null]);
    page.unmount();
  });

  it('without passages, or refused, says so', () => {
    expect(draw().text()).toContain('Nothing fits');
    const refused = mount(JudgeQuestion, { props: { question, pool: { status: 'failed', problem: { family: 'input', code: 'index.missing', message: 'm', data: {} } }, decidable: true, undoable: false } });
    expect(refused.text()).toContain('The documents have not been read yet');
  });
});

describe('a mark', () => {
  it('is taken back to what was said before, not to nothing', async () => {
    const marks: (string | null)[] = [];
    const list: Judgements = { queries: [], judgements: 0, measurable: 0, history: [] };
    const calls = { judgement: { pool: () => Promise.resolve(answerOf(hitOf('a', 'wrong'))), mark: ({ verdict }: { verdict: string | null }) => { marks.push(verdict); return Promise.resolve(list); } } };
    const made: { acts: Judging | null } = { acts: null };
    const bridge = { client: calls as unknown as IsoglossClient, connection: { state: () => ({ status: 'open' as const }), onChange: () => () => undefined, whenOpen: () => Promise.resolve() } }; // the named boundary of the fake
    mount(defineComponent({ setup: () => { made.acts = useJudging(() => 'p'); return () => null; } }), { global: { provide: { [bridgeKey]: bridge } } });
    const { acts } = made;
    if (acts === null) throw new Error('not set up');
    await acts.ask(question);
    await acts.mark(hitOf('a', 'wrong'), 'right');
    expect(acts.canUndo.value).toBe(true);
    expect(await acts.undo()).toBe('a');
    expect(marks).toEqual(['right', 'wrong']);
    expect(acts.pool.value.status === 'ready' && acts.pool.value.value.hits[0]?.judged).toBe('wrong');
    expect(await acts.undo()).toBeNull();
  });
});

describe('scores', () => {
  const at = (when: number, hybrid: number): JudgementScores => ({ at: when, modelId: 'm', queries: 3, judgements: 9, scores: { dense: 0.4, lexical: 0.25, hybrid } });
  it('stand beside each way of searching, with what they were before', () => {
    const words = mount(MethodScores, { props: { history: [at(1, 0.5), at(2, 0.62)] } }).text().replace(/\s+/g, ' ');
    expect(words).toContain('62 points (before: 50, better)');
    expect(words).toContain('25 points');
    expect(words).not.toContain('25 points (before');
    expect(mount(MethodScores, { props: { history: [] } }).text()).toBe('');
  });
});
