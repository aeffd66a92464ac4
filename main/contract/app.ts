/** What does the window need to know about the program and the machine? */
import { z } from 'zod';
import { countSchema } from './basics.ts';

export const appInfoSchema = z.object({
  name: z.literal('Isogloss'),
  version: z.string(),
  /** Electron window, or a page served on this machine's loopback address. */
  mode: z.enum(['electron', 'served']),
  platform: z.enum(['linux', 'darwin', 'win32', 'other']),
  cores: countSchema,
  memoryMB: countSchema,
  /** Threads a training job takes when nothing else is asked. */
  threads: countSchema,
  /** False when the sample project is not part of this installation. */
  hasSample: z.boolean(),
  /** False when no English starter ships with this installation: question-passage data is then needed. */
  hasStarter: z.boolean(),
  /** The user's language as the system says it, BCP 47. */
  systemLanguage: z.string(),
});
export type AppInfo = z.infer<typeof appInfoSchema>;
