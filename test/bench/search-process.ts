/** The measured process of search20k: opens model and index as the search worker does, then asks every question by every method asked for. */
import { z } from 'zod';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { openIndex } from '../../core/retrieval/open-index.ts';
import { answerTask } from './child.ts';
import { BYTES_PER_MB, measure, median, quantile, rounded } from './measures.ts';

const WARM_UP = 10;
const HITS = 10;
const TAIL = 0.95;

const taskSchema = z.object({ modelFolder: z.string(), indexFolder: z.string(), queries: z.array(z.string()), methods: z.array(z.enum(['bm25', 'bm25-char', 'dense', 'hybrid'])), isExact: z.boolean() });

answerTask(async (task) => {
  const { modelFolder, indexFolder, queries, methods, isExact } = taskSchema.parse(task);
  const encoder = await openEncoder(modelFolder);
  const opening = await measure(() => openIndex(indexFolder, encoder, isExact ? { exactNumbers: Infinity } : {}));
  const index = opening.value;
  const times: Record<string, { medianMs: number; p95Ms: number; medianCpuMs: number }> = {};
  const hits: Record<string, (readonly string[])[]> = {};
  for (const method of methods) {
    for (const query of queries.slice(0, WARM_UP)) await index.search({ query, method });
    const wall: number[] = [];
    const cpu: number[] = [];
    const found: (readonly string[])[] = [];
    for (const query of queries) {
      const { value, spent } = await measure(() => index.search({ query, method, k: HITS }));
      wall.push(spent.wallMs);
      cpu.push(spent.cpuMs);
      found.push(value.hits.map(({ chunkId }) => chunkId));
    }
    times[method] = { medianMs: rounded(median(wall)), p95Ms: rounded(quantile(wall, TAIL)), medianCpuMs: rounded(median(cpu)) };
    hits[method] = found;
  }
  const memoryMB = Math.round(process.memoryUsage.rss() / BYTES_PER_MB);
  index.dispose();
  return { openMs: Math.round(opening.spent.wallMs), memoryMB, methods: times, hits };
});
