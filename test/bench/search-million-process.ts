/** The searching process of the search benchmark: opens model and index as the search worker does, asks every question, then compares every vector. */
import { z } from 'zod';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { openIndex, type SearchIndex } from '../../core/retrieval/open-index.ts';
import { answerTask } from './child.ts';
import { BYTES_PER_MB, measure, median, quantile, rounded } from './measures.ts';

const METHODS = ['hybrid', 'dense', 'bm25', 'bm25-char'] as const;
const WARM_UP = 10;
const HITS = 10;
const TAIL = 0.95;
/** Scores nearer than this are one: recombined chunks share whole sentences, so many tie. */
const SAME_SCORE = 1e-5;

const taskSchema = z.object({ modelFolder: z.string(), indexFolder: z.string(), queries: z.array(z.string()), compared: z.number() });

answerTask(async (task) => {
  const { modelFolder, indexFolder, queries, compared } = taskSchema.parse(task);
  const model = await measure(() => openEncoder(modelFolder));
  const encoder = model.value;
  const opening = await measure(() => openIndex(indexFolder, encoder));
  const index = opening.value;
  const methods: Record<string, { p50Ms: number; p95Ms: number; cpuMs: number }> = {};
  for (const method of METHODS) {
    for (const query of queries.slice(0, WARM_UP)) await index.search({ query, method, queryLanguage: 'en' });
    const wall: number[] = [];
    const cpu: number[] = [];
    for (const query of queries) {
      const { spent } = await measure(() => index.search({ query, method, queryLanguage: 'en', k: HITS }));
      wall.push(spent.wallMs);
      cpu.push(spent.cpuMs);
    }
    methods[method] = { p50Ms: rounded(median(wall)), p95Ms: rounded(quantile(wall, TAIL)), cpuMs: rounded(median(cpu)) };
  }
  const memoryMB = Math.round(process.memoryUsage.rss() / BYTES_PER_MB);
  const asked = queries.slice(0, compared);
  const found = await denseScores(index, asked);
  index.dispose();
  const exactIndex = await openIndex(indexFolder, encoder, { exactNumbers: Infinity });
  const exact = await denseScores(exactIndex, asked);
  exactIndex.dispose();
  const recalls = exact.map((scores, q) => (found[q] ?? []).filter((score) => score >= (scores.at(-1) ?? Infinity) - SAME_SCORE).length / Math.max(1, scores.length));
  return { openModelMs: Math.round(model.spent.wallMs), reopenMs: Math.round(opening.spent.wallMs), methods, memoryMB, recall: recalls.reduce((sum, share) => sum + share, 0) / Math.max(1, recalls.length) };
});

/** Cosines of the best ten of each question. */
async function denseScores(index: SearchIndex, queries: readonly string[]): Promise<readonly (readonly number[])[]> {
  const scores: (readonly number[])[] = [];
  for (const query of queries) scores.push((await index.search({ query, method: 'dense', k: HITS })).hits.map(({ score }) => score));
  return scores;
}
