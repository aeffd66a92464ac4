/** The measured process of search20k: opens model and index as the search worker does, then asks every question by every method. */
import { z } from 'zod';
import { openEncoder } from '../../core/encoding/static-encoder.ts';
import type { SearchMethod } from '../../core/retrieval/method-weights.ts';
import { openIndex } from '../../core/retrieval/open-index.ts';
import { answerTask } from './child.ts';
import { BYTES_PER_MB, measure, median, quantile, rounded } from './measures.ts';

const METHODS: readonly SearchMethod[] = ['bm25', 'bm25-char', 'dense', 'hybrid'];
const WARM_UP = 10;
const HITS = 10;
const TAIL = 0.95;

const taskSchema = z.object({ modelFolder: z.string(), indexFolder: z.string(), queries: z.array(z.string()) });

answerTask(async (task) => {
  const { modelFolder, indexFolder, queries } = taskSchema.parse(task);
  const encoder = await openEncoder(modelFolder);
  const opening = await measure(() => openIndex(indexFolder, encoder));
  const index = opening.value;
  const methods: Record<string, { medianMs: number; p95Ms: number; medianCpuMs: number }> = {};
  const denseHits: (readonly string[])[] = [];
  for (const method of METHODS) {
    for (const query of queries.slice(0, WARM_UP)) await index.search({ query, method });
    const wall: number[] = [];
    const cpu: number[] = [];
    for (const query of queries) {
      const { value, spent } = await measure(() => index.search({ query, method, k: HITS }));
      wall.push(spent.wallMs);
      cpu.push(spent.cpuMs);
      if (method === 'dense') denseHits.push(value.hits.map(({ chunkId }) => chunkId));
    }
    methods[method] = { medianMs: rounded(median(wall)), p95Ms: rounded(quantile(wall, TAIL)), medianCpuMs: rounded(median(cpu)) };
  }
  const memoryMB = Math.round(process.memoryUsage.rss() / BYTES_PER_MB);
  index.dispose();
  return { openMs: Math.round(opening.spent.wallMs), memoryMB, methods, denseHits };
});
