/** How is a model folder looked at in safety? In a process of its own with a memory cap; one that dies of it is an answer too. */
import { CancellationError, IsoglossError } from '../../core/base/errors.ts';
import { machineMemoryBytes } from '../../core/training/transformer/memory-plan.ts';
import type { BackboneInspection } from '../contract/backbone.ts';
import { startWorker } from './client.ts';
import type { CallInput } from './messages.ts';
import type { StartProcess } from './process.ts';

/** Looking takes as long as reading the file; a stick reads 20 MB a second. */
const PATIENCE_MS = 5 * 60_000;

/**
 * Asks a new `backbone` worker and ends it.
 * @returns also for a worker that died or did not answer in time: then the model is refused with 'backbone.inspection-died'.
 * @throws CancellationError; EnvironmentError of the worker (a disk that fails).
 */
export async function inspectInWorker(startProcess: StartProcess, { folder, setup, corpora }: Pick<CallInput<'backbone'>, 'folder' | 'setup' | 'corpora'>, signal?: AbortSignal, patienceMs = PATIENCE_MS): Promise<BackboneInspection> {
  const worker = startWorker(startProcess, 'backbone');
  const refused = (why: string): BackboneInspection => ({ status: 'refused', folder, problems: [{ code: 'backbone.inspection-died', message: `${folder}: looking at this model ${why}. It is damaged, or made to do harm; it is not used.`, missing: [] }], facts: null, cost: null });
  const call = worker.call('backbone', { folder, setup, corpora: corpora ?? null, memoryBytes: machineMemoryBytes() }, () => undefined);
  const cancel = (): void => call.control('cancel');
  signal?.addEventListener('abort', cancel, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<BackboneInspection>((resolve) => {
    timer = setTimeout(() => resolve(refused(`took longer than ${String(Math.round(patienceMs / 1000))} seconds`)), patienceMs);
  });
  try {
    if (signal?.aborted === true) throw new CancellationError();
    return await Promise.race([call.result, late]);
  } catch (thrown) {
    if (thrown instanceof IsoglossError && thrown.code === 'worker.died') return refused('took more memory than it may have, or ended the process that looked');
    throw thrown;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    call.result.catch(() => undefined); // an answer that comes too late
    await worker.stop();
  }
}
