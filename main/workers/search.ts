/** Worker: answers queries over one index; owns the encoder and LanceDB. */
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { openIndex, type SearchIndex } from '../../core/retrieval/open-index.ts';
import { answerCalls } from './answer.ts';
import { readExcerpt } from './read-excerpt.ts';

/** The index that is open, or being opened; another one takes its place. */
let opened: { readonly key: string; readonly index: Promise<SearchIndex> } | null = null;

async function indexFor({ indexFolder, modelFolder }: { readonly indexFolder: string; readonly modelFolder: string }): Promise<SearchIndex> {
  const key = `${indexFolder}\0${modelFolder}`;
  if (opened?.key !== key) {
    const before = opened;
    const index = openEncoder(modelFolder).then((encoder) => openIndex(indexFolder, encoder));
    opened = { key, index };
    index.catch(() => {
      if (opened?.key === key) opened = null; // the next query tries again
    });
    void before?.index.then((old) => old.dispose(), () => undefined); // one that never opened has nothing to give back
  }
  return opened.index;
}

answerCalls({
  search: async ({ indexFolder, modelFolder, query, queryLanguage, method, limit }) => {
    const index = await indexFor({ indexFolder, modelFolder });
    const start = performance.now();
    const answer = await index.search({ query, method, queryLanguage, k: limit });
    return { ...answer, elapsedMs: performance.now() - start, chunks: index.chunks };
  },
  excerpt: (task, { signal }) => readExcerpt(task, signal),
});
