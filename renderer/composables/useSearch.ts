/** What was asked of the library, what came back, and what did the person say of it? */
import { computed, shallowRef, type ComputedRef, type ShallowRef } from 'vue';
import type { Excerpt, Facets, Hit, Judgements, SearchAnswer, SearchFilter, SearchMethod, Verdict } from '../../main/contract/index.ts';
import { SEARCH_HITS_MAXIMUM } from '../../main/contract/limits.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, valueOf, type Loadable } from '../stores/loadable.ts';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

/** At first, and with every "more". */
const HITS_SHOWN = 20;
/** Of each method, when all are pooled to be judged. */
const POOL_DEPTH = 10;

/** `pooled`: the best of every method in one list, for judging. */
export type AskedMethod = SearchMethod | 'pooled';
export type Question = { readonly query: string; readonly queryLanguage: string | null; readonly method: AskedMethod; readonly filter: SearchFilter };

export type Search = {
  readonly answer: Readonly<ShallowRef<Loadable<SearchAnswer>>>;
  readonly excerpt: Readonly<ShallowRef<Loadable<Excerpt>>>;
  /** The hit whose place is shown. */
  readonly opened: Readonly<ShallowRef<Hit | null>>;
  readonly facets: Readonly<ShallowRef<Loadable<Facets>>>;
  readonly judgements: Readonly<ShallowRef<Loadable<Judgements>>>;
  /** The passage that the answer is like; null when it answers a question. */
  readonly likeThis: Readonly<ShallowRef<Hit | null>>;
  readonly ask: (question: Question) => Promise<void>;
  /** More passages may be found than are shown. */
  readonly hasMore: ComputedRef<boolean>;
  /** Adds some to those that are shown. @throws what the program says. */
  readonly more: () => Promise<void>;
  readonly askLike: (hit: Hit) => Promise<void>;
  readonly clear: () => void;
  readonly openHit: (hit: Hit) => Promise<void>;
  readonly closeHit: () => void;
  /** Resolves to what takes the mark back; null when nothing was asked. @throws what the program says. */
  readonly judge: (hit: Hit, verdict: Verdict | null) => Promise<(() => Promise<void>) | null>;
  readonly measure: () => Promise<void>;
  /** @returns the folder with the files. */
  readonly exportJudgements: () => Promise<string>;
  readonly loadFacets: () => Promise<void>;
  readonly loadJudgements: () => Promise<void>;
};

export function useSearch(projectId: () => string): Search {
  const { client } = useBridge();
  const answer = shallowRef<Loadable<SearchAnswer>>(IDLE);
  const excerpt = shallowRef<Loadable<Excerpt>>(IDLE);
  const opened = shallowRef<Hit | null>(null);
  const facets = shallowRef<Loadable<Facets>>(IDLE);
  const judgements = shallowRef<Loadable<Judgements>>(IDLE);
  const likeThis = shallowRef<Hit | null>(null);
  /** So many were asked for at most in the answer that is shown. */
  const askedFor = shallowRef(HITS_SHOWN);
  let asked: Question | null = null;
  let newest = 0;

  /** Only the newest answer counts. */
  async function answerWith(find: () => Promise<SearchAnswer>): Promise<void> {
    newest += 1;
    const mine = newest;
    answer.value = LOADING;
    const found = await find().then(ready, (thrown: unknown) => failed<SearchAnswer>(problemFrom(thrown)));
    if (mine === newest) answer.value = found;
  }

  function find({ query, queryLanguage, method, filter }: Question, limit: number): Promise<SearchAnswer> {
    const common = { projectId: projectId(), query, queryLanguage, filter };
    return method === 'pooled' ? client.judgement.pool({ ...common, depth: POOL_DEPTH }) : client.search.query({ ...common, method, limit });
  }

  const findLike = ({ chunkId }: Hit, limit: number): Promise<SearchAnswer> => client.search.similar({ projectId: projectId(), chunkId, limit });

  /** Says of a passage what it is for this question; on the page only where the question is still the one that is answered. */
  async function mark(question: Question, hit: Hit, verdict: Verdict | null): Promise<void> {
    const { path, title, text, language, location } = hit;
    judgements.value = ready(await client.judgement.mark({ projectId: projectId(), query: question.query, queryLanguage: question.queryLanguage, passage: { path, title, text, language, location }, verdict, method: question.method === 'pooled' ? null : question.method }));
    const shown = valueOf(answer.value);
    if (shown !== null && question.query === asked?.query) answer.value = ready({ ...shown, hits: shown.hits.map((other) => (other.chunkId === hit.chunkId ? { ...other, judged: verdict } : other)) });
  }

  return {
    answer,
    excerpt,
    opened,
    facets,
    judgements,
    likeThis,
    async ask(question) {
      asked = question;
      likeThis.value = null;
      askedFor.value = HITS_SHOWN;
      await answerWith(() => find(question, HITS_SHOWN));
    },
    async askLike(hit) {
      likeThis.value = hit;
      askedFor.value = HITS_SHOWN;
      await answerWith(() => findLike(hit, HITS_SHOWN));
    },
    hasMore: computed(() => {
      const shown = valueOf(answer.value)?.hits.length ?? 0;
      return shown >= askedFor.value && askedFor.value < SEARCH_HITS_MAXIMUM && (likeThis.value !== null || asked?.method !== 'pooled');
    }),
    async more() {
      const mine = newest;
      const wanted = Math.min(SEARCH_HITS_MAXIMUM, askedFor.value + HITS_SHOWN);
      const again = likeThis.value !== null ? findLike(likeThis.value, wanted) : asked !== null ? find(asked, wanted) : null;
      const found = await again;
      if (found === null || mine !== newest) return;
      askedFor.value = wanted;
      answer.value = ready(found);
    },
    clear() {
      newest += 1;
      asked = null;
      likeThis.value = null;
      answer.value = IDLE;
    },
    async openHit(hit) {
      opened.value = hit;
      excerpt.value = LOADING;
      await loadInto(excerpt, () => client.document.excerpt({ projectId: projectId(), path: hit.path, location: hit.location }));
    },
    closeHit() {
      opened.value = null;
      excerpt.value = IDLE;
    },
    async judge(hit, verdict) {
      if (asked === null) return null;
      const question = asked;
      const before = hit.judged;
      await mark(question, hit, verdict);
      return () => mark(question, hit, before);
    },
    async measure() {
      await client.judgement.measure({ projectId: projectId() });
      judgements.value = ready(await client.judgement.list({ projectId: projectId() }));
    },
    exportJudgements: async () => (await client.judgement.export({ projectId: projectId(), folder: null })).folder,
    loadFacets: () => loadInto(facets, () => client.search.facets({ projectId: projectId() })),
    loadJudgements: () => loadInto(judgements, () => client.judgement.list({ projectId: projectId() })),
  };
}
