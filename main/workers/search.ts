/** Worker: answers queries over one index; owns the encoder and LanceDB. */
import { JUDGED_METHODS, measureJudged, poolLists } from '../../core/evaluation/judged-queries.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { openIndex, type SearchIndex } from '../../core/retrieval/open-index.ts';
import { answerCalls } from './answer.ts';
import { facetsOf, filterOf } from './facets.ts';
import type { OpenedIndex, SearchTask } from './messages.ts';
import { countDictionaries, lookPhraseUp } from './phrases.ts';
import { readExcerpt } from './read-excerpt.ts';

/** The index that is open, or being opened; another one, or the same one after a change, takes its place. */
let opened: { readonly key: string; readonly index: Promise<SearchIndex> } | null = null;

async function indexFor({ indexFolder, modelFolder, generation, spelling }: OpenedIndex): Promise<SearchIndex> {
  const key = JSON.stringify([indexFolder, modelFolder, generation, spelling]);
  if (opened?.key !== key) {
    const before = opened;
    const index = openEncoder(modelFolder).then((encoder) => openIndex(indexFolder, encoder, { rules: spelling }));
    opened = { key, index };
    index.catch(() => {
      if (opened?.key === key) opened = null; // the next query tries again
    });
    void Promise.all([before?.index, index]).then(([old]) => old?.dispose(), () => undefined); // what is being answered has its answer by then
  }
  return opened.index;
}

type Asked = Pick<SearchTask, 'query' | 'queryLanguage' | 'limit' | 'filter'>;

async function timed<Answer extends object>(index: SearchIndex, ask: () => Promise<Answer>): Promise<Answer & { elapsedMs: number; chunks: number }> {
  const start = performance.now();
  const answer = await ask();
  return { ...answer, elapsedMs: performance.now() - start, chunks: index.chunks };
}

const requestOf = ({ query, queryLanguage, limit, filter }: Asked) => ({ query, queryLanguage, k: limit, ...filterOf(filter) });

answerCalls({
  search: async (task) => {
    const index = await indexFor(task);
    return timed(index, () => index.search({ ...requestOf(task), method: task.method }));
  },
  pool: async (task) => {
    const index = await indexFor(task);
    return timed(index, async () => {
      const answers = [];
      for (const method of Object.values(JUDGED_METHODS)) answers.push(await index.search({ ...requestOf(task), method }));
      return { hits: poolLists(answers.map(({ hits }) => hits)), queryLanguage: answers[0]?.queryLanguage ?? null, choices: answers.at(-1)?.choices ?? [] };
    });
  },
  similar: async (task) => {
    const index = await indexFor(task);
    return timed(index, () => index.moreLikeThis({ chunkId: task.chunkId, k: task.limit }));
  },
  measure: async (task, { signal }) => measureJudged({ index: await indexFor(task), queries: task.queries, signal }),
  facets: async (task) => facetsOf(await indexFor(task)),
  phrases: (task, { signal }) => lookPhraseUp(task, signal),
  dictionaries: (task, { signal }) => countDictionaries(task.corpora, signal),
  excerpt: (task, { signal }) => readExcerpt(task, signal),
});
