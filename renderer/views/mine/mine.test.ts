// @vitest-environment happy-dom
/** Do the views of mining show what was found, take decisions by mouse and key, and take them back? A typed fake stands for the program. */
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineComponent } from 'vue';
import type { IsoglossClient, MinedPair, MinedShow, Mining } from '../../../main/contract/index.ts';
import VirtualGrid from '../../components/VirtualGrid.vue';
import { bridgeKey } from '../../composables/useBridge.ts';
import { PAGE_ROWS, useMining, type MiningActs } from '../../composables/useMining.ts';
import { canMine, useMiningStore, type ChosenText } from '../../stores/mining.ts';
import ThresholdSlider from './ThresholdSlider.vue';

const mining: Mining = { id: 'm', source: { path: '/a', language: 'sw' }, target: { path: '/b', language: 'en' }, at: 1, candidates: 1_000, accepted: 0, rejected: 0, undoable: 0, proposed: 1.2, corpusId: null };
const pairOf = (pair: number): MinedPair => ({ pair, source: `s${String(pair)}`, target: `t${String(pair)}`, score: 2 - pair / 1_000, decision: null });

let drawn: VueWrapper | null = null;
afterEach(() => {
  drawn?.unmount();
  drawn = null;
  vi.restoreAllMocks();
});

describe('a list of 100,000 rows', () => {
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400);
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(40);
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800);
  });
  const draw = async (active: number): Promise<VueWrapper> => {
    drawn = mount(VirtualGrid, { attachTo: document.body, props: { count: 100_000, active, label: 'Candidates', columns: ['A', 'B'], estimatePx: 40 }, slots: { default: '<span role="gridcell">row {{ params.index }}</span>' } });
    await flushPromises();
    return drawn;
  };

  it('draws those in sight alone, and says how many there are', async () => {
    const grid = await draw(0);
    const rows = grid.findAll('.grid-row');
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.length).toBeLessThan(60);
    expect(grid.attributes('aria-rowcount')).toBe('100001');
    expect(grid.emitted('see')?.[0]?.[0]).toBe(0);
  });

  it('moves by the arrow keys, to both ends, and hands other keys on', async () => {
    const grid = await draw(5);
    for (const key of ['ArrowDown', 'ArrowUp', 'Home', 'End', 'Enter']) await grid.trigger('keydown', { key });
    expect(grid.emitted('move')).toEqual([[6], [4], [0], [99_999]]);
    expect(grid.emitted('press')).toHaveLength(1);
    expect(grid.attributes('aria-activedescendant')).toMatch(/-5$/);
  });
});

describe('the threshold', () => {
  const levels = [{ atLeast: 1.5, candidates: 2, undecided: 1 }, { atLeast: 1.49, candidates: 5, undecided: 4 }, { atLeast: 1.48, candidates: 9, undecided: 9 }];
  it('says how many lie above it and offers to accept what is not decided', async () => {
    const slider = mount(ThresholdSlider, { props: { levels, modelValue: 1.49, proposed: 1.2, disabled: false } });
    expect(slider.text()).toContain('5 of 9 candidates score 1.49 or more.');
    expect(slider.find('input').attributes('aria-valuetext')).toContain('5 of 9');
    await slider.find('button').trigger('click');
    expect(slider.emitted('accept')).toEqual([[1.49]]);
    await slider.find('input').setValue('1.48');
    expect(slider.emitted('update:modelValue')?.[0]?.[0]).toBeCloseTo(1.48);
  });
});

describe('a mining that is open', () => {
  beforeEach(() => void setActivePinia(createPinia()));

  function open(calls: Record<string, (input: Record<string, unknown>) => unknown>): MiningActs {
    const made: { acts: MiningActs | null } = { acts: null };
    const answer = (name: string) => (input: Record<string, unknown>): Promise<unknown> => Promise.resolve(calls[name]?.(input) ?? Promise.reject(new Error(`not expected: ${name}`)));
    const client = { mine: new Proxy({}, { get: (_, name) => answer(String(name)) }) } as unknown as IsoglossClient; // the named boundary of the fake
    const bridge = { client, connection: { state: () => ({ status: 'open' as const }), onChange: () => () => undefined, whenOpen: () => Promise.resolve() } };
    mount(defineComponent({ setup: () => { made.acts = useMining(() => 'p'); return () => null; } }), { global: { provide: { [bridgeKey]: bridge } } });
    if (made.acts === null) throw new Error('not set up');
    return made.acts;
  }

  const page = ({ from, show }: Record<string, unknown>) => ({ mining, pairs: Array.from({ length: PAGE_ROWS }, (_, at) => pairOf(Number(from) + at)), shown: show === 'all' ? 1_000 : 300 });

  it('asks for the pages that are scrolled to, each once', async () => {
    const asked: number[] = [];
    const acts = open({ candidates: (input) => { asked.push(Number(input['from'])); return page(input); }, levels: () => ({ levels: [] }) });
    await acts.open('m');
    await Promise.all([acts.need(0, 20), acts.need(450, 620), acts.need(500, 640)]);
    expect(asked).toEqual([0, 400, 500, 600]);
    expect(acts.rowAt(510)?.source).toBe('s510');
    expect(acts.rowAt(300)).toBeNull();
  });

  it('shows a decision at once, and takes the last one back by the program', async () => {
    const decided: unknown[] = [];
    const acts = open({
      candidates: page,
      levels: () => ({ levels: [] }),
      decide: (input) => { decided.push([input['which'], input['decision']]); return { ...mining, accepted: 1, undoable: 1 }; },
      undo: () => ({ mining, pair: 3 }),
    });
    await acts.open('m');
    const deciding = acts.decide(3, 'accepted');
    expect(acts.rowAt(3)?.decision).toBe('accepted');
    await deciding;
    expect(decided).toEqual([[{ kind: 'pairs', pairs: [3] }, 'accepted']]);
    expect(acts.candidates.value.status === 'ready' && acts.candidates.value.value.mining.accepted).toBe(1);
    expect(await acts.undo()).toBe(3);
    expect(acts.rowAt(3)?.decision).toBeNull();
  });

  it('narrowed to one decision is asked for anew after each', async () => {
    const shows: MinedShow[] = [];
    const acts = open({ candidates: (input) => { shows.push(input['show'] as MinedShow); return page(input); }, levels: () => ({ levels: [] }), decide: () => ({ ...mining, accepted: 1 }) });
    await acts.open('m');
    await acts.showOnly('undecided');
    await acts.decide(0, 'accepted');
    expect(shows).toEqual(['all', 'undecided', 'undecided']);
  });

  it('refused says so and shows what the program knows', async () => {
    const acts = open({ candidates: page, levels: () => ({ levels: [] }), decide: () => Promise.reject(new Error('disk')) });
    await acts.open('m');
    await expect(acts.decide(0, 'accepted')).rejects.toThrow('disk');
    expect(acts.rowAt(0)?.decision).toBeNull();
  });

  it('is remembered while the person is elsewhere, for its project alone', async () => {
    const acts = open({ candidates: page, levels: () => ({ levels: [] }) });
    await acts.open('m');
    expect(useMiningStore().open).toEqual({ projectId: 'p', miningId: 'm' });
    acts.close();
    expect(acts.openId.value).toBeNull();
  });
});

describe('two texts', () => {
  const text = (path: string, language: string | null): ChosenText => ({ path, name: path, language, state: { status: 'readable', sentences: 3, rows: [] } });
  it('can be looked through when both are readable, different, and in different languages', () => {
    expect(canMine(text('/a', 'sw'), text('/b', 'en'))).toBe(true);
    for (const [one, other] of [[text('/a', 'sw'), null], [text('/a', 'sw'), text('/a', 'en')], [text('/a', 'sw'), text('/b', 'sw')], [text('/a', null), text('/b', 'en')]] as const) expect(canMine(one, other)).toBe(false);
    expect(canMine({ ...text('/a', 'sw'), state: { status: 'looking' } }, text('/b', 'en'))).toBe(false);
  });
});
