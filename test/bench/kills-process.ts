/** The process that the benchmark kills: it brings an index up to date, and says where it is. */
import { z } from 'zod';
import { buildIndex } from '../../core/retrieval/build-index.ts';
import { answerTask } from './child.ts';
import { testEncoders } from './kills-encoders.ts';

const taskSchema = z.object({ encoder: z.enum(['rows', 'sums']), documentsFolder: z.string(), indexFolder: z.string() });

answerTask(async (task) => {
  const { encoder, documentsFolder, indexFolder } = taskSchema.parse(task);
  const opened = await testEncoders[encoder]();
  process.send?.({ phase: 'begun' });
  const { files, chunks } = await buildIndex({ encoder: opened, documentsFolder, indexFolder, signal: new AbortController().signal, report: ({ phase }) => process.send?.({ phase }) });
  return { files, chunks };
});
