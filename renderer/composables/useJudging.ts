/** What has been judged, and what is judged now? One question with what every way of searching finds, and each mark can be taken back. */
import { computed, shallowRef, type ComputedRef, type ShallowRef } from 'vue';
import type { Hit, Judgements, SearchAnswer, Verdict } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, valueOf, type Loadable } from '../stores/loadable.ts';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

/** Of each way of searching. */
const POOL_DEPTH = 10;

export type JudgedQuestion = { readonly query: string; readonly queryLanguage: string | null };
type Mark = JudgedQuestion & { readonly hit: Hit; readonly before: Verdict | null };

export type Judging = {
  readonly judgements: Readonly<ShallowRef<Loadable<Judgements>>>;
  readonly question: Readonly<ShallowRef<JudgedQuestion | null>>;
  readonly pool: Readonly<ShallowRef<Loadable<SearchAnswer>>>;
  readonly canUndo: ComputedRef<boolean>;
  readonly load: () => Promise<void>;
  readonly ask: (question: JudgedQuestion) => Promise<void>;
  readonly close: () => void;
  /** @throws what the program says. */
  readonly mark: (hit: Hit, verdict: Verdict | null) => Promise<void>;
  /** Takes the last mark back. @returns its passage, where it is on the screen. */
  readonly undo: () => Promise<string | null>;
  readonly measure: () => Promise<void>;
  /** @returns the folder with the files. */
  readonly exportAll: () => Promise<string>;
};

export function useJudging(projectId: () => string): Judging {
  const { client } = useBridge();
  const judgements = shallowRef<Loadable<Judgements>>(IDLE);
  const question = shallowRef<JudgedQuestion | null>(null);
  const pool = shallowRef<Loadable<SearchAnswer>>(IDLE);
  const marks = shallowRef<readonly Mark[]>([]);
  let newest = 0;

  async function send({ query, queryLanguage, hit }: Omit<Mark, 'before'>, verdict: Verdict | null): Promise<void> {
    const { path, title, text, language, location } = hit;
    judgements.value = ready(await client.judgement.mark({ projectId: projectId(), query, queryLanguage, passage: { path, title, text, language, location }, verdict, method: null }));
    const shown = valueOf(pool.value);
    if (shown !== null && question.value?.query === query) pool.value = ready({ ...shown, hits: shown.hits.map((other) => (other.chunkId === hit.chunkId ? { ...other, judged: verdict } : other)) });
  }

  return {
    judgements,
    question,
    pool,
    canUndo: computed(() => marks.value.length > 0),
    load: () => loadInto(judgements, () => client.judgement.list({ projectId: projectId() })),
    async ask(asked) {
      newest += 1;
      const mine = newest;
      question.value = asked;
      pool.value = LOADING;
      const found = await client.judgement.pool({ projectId: projectId(), query: asked.query, queryLanguage: asked.queryLanguage, depth: POOL_DEPTH }).then(ready, (thrown: unknown) => failed<SearchAnswer>(problemFrom(thrown)));
      if (mine === newest) pool.value = found;
    },
    close() {
      newest += 1;
      question.value = null;
      pool.value = IDLE;
    },
    async mark(hit, verdict) {
      const asked = question.value;
      if (asked === null) return;
      const before = valueOf(pool.value)?.hits.find(({ chunkId }) => chunkId === hit.chunkId)?.judged ?? null;
      await send({ ...asked, hit }, verdict);
      marks.value = [...marks.value, { ...asked, hit, before }];
    },
    async undo() {
      const last = marks.value.at(-1);
      if (last === undefined) return null;
      await send(last, last.before);
      marks.value = marks.value.slice(0, -1);
      return last.query === question.value?.query ? last.hit.chunkId : null;
    },
    async measure() {
      await client.judgement.measure({ projectId: projectId() });
      judgements.value = ready(await client.judgement.list({ projectId: projectId() }));
    },
    exportAll: async () => (await client.judgement.export({ projectId: projectId(), folder: null })).folder,
  };
}
