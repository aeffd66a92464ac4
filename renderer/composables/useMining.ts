/** What was mined, what is decided of each candidate, and how does it become a corpus? Candidates come a page at a time. */
import { computed, shallowRef, type ComputedRef, type ShallowRef } from 'vue';
import type { MinedLevel, MinedPair, MinedShow, Mining } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, valueOf, type Loadable } from '../stores/loadable.ts';
import { useMiningStore } from '../stores/mining.ts';
import { useProjectsStore } from '../stores/projects.ts';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

/** Rows of one question to the program. */
export const PAGE_ROWS = 100;

export type Decision = NonNullable<MinedPair['decision']>;
/** `pages` by their number; what is not there has not come yet. */
export type OpenCandidates = { readonly mining: Mining; readonly show: MinedShow; readonly shown: number; readonly pages: ReadonlyMap<number, readonly MinedPair[]>; readonly levels: readonly MinedLevel[] };

export type MiningActs = {
  readonly list: Readonly<ShallowRef<Loadable<readonly Mining[]>>>;
  readonly openId: ComputedRef<string | null>;
  readonly candidates: Readonly<ShallowRef<Loadable<OpenCandidates>>>;
  readonly loadList: () => Promise<void>;
  readonly open: (miningId: string) => Promise<void>;
  readonly close: () => void;
  readonly showOnly: (show: MinedShow) => Promise<void>;
  /** Asks for the pages of these rows that are not there yet. */
  readonly need: (first: number, last: number) => Promise<void>;
  readonly rowAt: (index: number) => MinedPair | null;
  /** @throws what the program says. */
  readonly decide: (pair: number, decision: Decision | null) => Promise<void>;
  readonly acceptFrom: (score: number) => Promise<void>;
  /** @returns the pair whose decision was taken back. */
  readonly undo: () => Promise<number | null>;
  readonly keep: () => Promise<void>;
  readonly remove: (miningId: string) => Promise<void>;
};

export function useMining(projectId: () => string): MiningActs {
  const { client } = useBridge();
  const store = useMiningStore();
  const projects = useProjectsStore();
  const list = shallowRef<Loadable<readonly Mining[]>>(IDLE);
  const candidates = shallowRef<Loadable<OpenCandidates>>(IDLE);
  const openId = computed(() => (store.open?.projectId === projectId() ? store.open.miningId : null));
  const asked = new Set<number>();
  /** Answers to what was asked before the list changed are of no use. */
  let generation = 0;
  /** The rows on the screen. */
  let inSight = { first: 0, last: 0 };

  const by = (miningId: string) => ({ projectId: projectId(), miningId });

  async function load(miningId: string, show: MinedShow): Promise<void> {
    generation += 1;
    const mine = generation;
    asked.clear();
    asked.add(0);
    inSight = { first: 0, last: 0 };
    try {
      const [{ mining, pairs, shown }, { levels }] = await Promise.all([client.mine.candidates({ ...by(miningId), from: 0, count: PAGE_ROWS, show }), client.mine.levels(by(miningId))]);
      if (mine === generation) candidates.value = ready({ mining, show, shown, pages: new Map([[0, pairs]]), levels });
    } catch (thrown) {
      if (mine === generation) candidates.value = failed(problemFrom(thrown));
    }
  }

  /** After a decision: what is shown now, the counts, and the list's entry. */
  async function renew(mining: Mining, keepPages: boolean): Promise<void> {
    const open = valueOf(candidates.value);
    const minings = valueOf(list.value);
    if (minings !== null) list.value = ready(minings.map((other) => (other.id === mining.id ? mining : other)));
    if (open === null || open.mining.id !== mining.id) return;
    candidates.value = ready({ ...open, mining });
    const { levels } = await client.mine.levels(by(mining.id));
    const now = valueOf(candidates.value);
    if (now !== null && now.mining.id === mining.id) candidates.value = ready({ ...now, levels });
    if (!keepPages) await reloadPages();
  }

  /** The pages on the screen are asked for anew, the others when they are scrolled to; what stands there stays until then. */
  async function reloadPages(): Promise<void> {
    const open = valueOf(candidates.value);
    if (open === null) return;
    generation += 1;
    const mine = generation;
    const [from, to] = [Math.floor(inSight.first / PAGE_ROWS), Math.floor(inSight.last / PAGE_ROWS)];
    const wanted = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    const answers = await Promise.all(wanted.map((page) => client.mine.candidates({ ...by(open.mining.id), from: page * PAGE_ROWS, count: PAGE_ROWS, show: open.show })));
    const last = answers.at(-1);
    if (mine !== generation || last === undefined) return;
    asked.clear();
    for (const page of wanted) asked.add(page);
    candidates.value = ready({ ...open, mining: last.mining, levels: valueOf(candidates.value)?.levels ?? open.levels, shown: last.shown, pages: new Map(answers.map(({ pairs }, at) => [wanted[at] ?? 0, pairs])) });
  }

  function patch(pair: number, decision: Decision | null): void {
    const open = valueOf(candidates.value);
    if (open === null) return;
    const pages = new Map([...open.pages].map(([page, pairs]) => [page, pairs.some((one) => one.pair === pair) ? pairs.map((one) => (one.pair === pair ? { ...one, decision } : one)) : pairs]));
    candidates.value = ready({ ...open, pages });
  }

  function openMining(): Mining {
    const open = valueOf(candidates.value);
    if (open === null) throw new Error('No mining is open.');
    return open.mining;
  }

  return {
    list,
    openId,
    candidates,
    async loadList() {
      await loadInto(list, async () => (await client.mine.list({ projectId: projectId() })).minings);
    },
    async open(miningId) {
      store.open = { projectId: projectId(), miningId };
      candidates.value = LOADING;
      await load(miningId, 'all');
    },
    close() {
      generation += 1;
      store.open = null;
      candidates.value = IDLE;
    },
    async showOnly(show) {
      await load(openMining().id, show);
    },
    async need(first, last) {
      inSight = { first, last };
      const open = valueOf(candidates.value);
      if (open === null) return;
      const mine = generation;
      for (let page = Math.floor(first / PAGE_ROWS); page <= Math.floor(last / PAGE_ROWS); page += 1) {
        if (asked.has(page)) continue;
        asked.add(page);
        const answer = await client.mine.candidates({ ...by(open.mining.id), from: page * PAGE_ROWS, count: PAGE_ROWS, show: open.show }).catch(() => null); // asked again when it is scrolled to again
        const now = valueOf(candidates.value);
        if (mine !== generation || now === null) return;
        if (answer === null) asked.delete(page);
        else candidates.value = ready({ ...now, pages: new Map([...now.pages, [page, answer.pairs]]) });
      }
    },
    rowAt: (index) => valueOf(candidates.value)?.pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS] ?? null,
    async decide(pair, decision) {
      const { id } = openMining();
      const isAll = valueOf(candidates.value)?.show === 'all';
      if (isAll) patch(pair, decision);
      try {
        await renew(await client.mine.decide({ ...by(id), which: { kind: 'pairs', pairs: [pair] }, decision }), isAll);
      } catch (thrown) {
        await reloadPages().catch(() => undefined); // the failure itself is told
        throw thrown;
      }
    },
    async acceptFrom(score) {
      const { id } = openMining();
      await renew(await client.mine.decide({ ...by(id), which: { kind: 'at-least', score }, decision: 'accepted' }), false);
    },
    async undo() {
      const { id } = openMining();
      const { mining, pair } = await client.mine.undo(by(id));
      await renew(mining, false);
      return pair;
    },
    async keep() {
      const { id } = openMining();
      projects.open = ready(await client.mine.keep(by(id)));
      const kept = (await client.mine.list({ projectId: projectId() })).minings;
      list.value = ready(kept);
      const mining = kept.find((other) => other.id === id);
      const open = valueOf(candidates.value);
      if (mining !== undefined && open !== null) candidates.value = ready({ ...open, mining });
    },
    async remove(miningId) {
      await client.mine.remove(by(miningId));
      if (openId.value === miningId) {
        store.open = null;
        candidates.value = IDLE;
      }
      await loadInto(list, async () => (await client.mine.list({ projectId: projectId() })).minings);
    },
  };
}
