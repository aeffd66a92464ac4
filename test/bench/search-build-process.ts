/** The indexing process of the search benchmark: parse, embed, store. */
import { z } from 'zod';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { buildIndex } from '../../core/retrieval/build-index.ts';
import { answerTask } from './child.ts';
import { BYTES_PER_MB, measure, MS_PER_SECOND } from './measures.ts';

const taskSchema = z.object({ modelFolder: z.string(), documentsFolder: z.string(), indexFolder: z.string() });

answerTask(async (task) => {
  const { modelFolder, documentsFolder, indexFolder } = taskSchema.parse(task);
  const encoder = await openEncoder(modelFolder);
  const { value, spent } = await measure(() => buildIndex({ encoder, documentsFolder, indexFolder, signal: new AbortController().signal }));
  return { chunks: value.chunks, vectors: value.vectors, wallSeconds: spent.wallMs / MS_PER_SECOND, cpuSeconds: spent.cpuMs / MS_PER_SECOND, memoryMB: Math.round(process.resourceUsage().maxRSS / 1024 / (BYTES_PER_MB / 2 ** 20)) };
});
