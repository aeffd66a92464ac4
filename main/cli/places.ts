/** Where does what is shipped lie? */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkerName } from '../workers/messages.ts';

/** The English starter, used by recipes without retrieval data. */
export const starterFolder = fileURLToPath(new URL('../../core/training/starter', import.meta.url));

/** The program of a worker process. */
export function workerScript(name: WorkerName): string {
  return fileURLToPath(new URL(`../workers/${name}.ts`, import.meta.url));
}

/** As package.json says. */
export function programVersion(): string {
  const found: unknown = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'));
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : '0';
}
