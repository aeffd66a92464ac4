/** Where does what is shipped lie? */
import { fileURLToPath } from 'node:url';
import type { WorkerName } from '../workers/messages.ts';

/** The English starter, used by recipes without retrieval data. */
export const starterFolder = fileURLToPath(new URL('../../core/training/starter', import.meta.url));

/** The program of a worker process. */
export function workerScript(name: WorkerName): string {
  return fileURLToPath(new URL(`../workers/${name}.ts`, import.meta.url));
}
