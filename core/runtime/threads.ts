/** How many threads should a session use when nobody said? */
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Beyond this the graphs of a training step are too small to share out. */
const MOST_USEFUL_THREADS = 8;
const SMT_STATE_FILE = '/sys/devices/system/cpu/smt/active';

/**
 * Physical cores this process may use, at least 1 and at most 8. Two hardware threads of one core share its multipliers, so
 * where Linux says that they are in use, half of them are counted; elsewhere every processor counts as a core.
 */
export function defaultThreads(): number {
  const processors = availableParallelism();
  const cores = hasHardwareThreads() ? Math.ceil(processors / 2) : processors;
  return Math.max(1, Math.min(MOST_USEFUL_THREADS, cores));
}

function hasHardwareThreads(): boolean {
  return existsSync(SMT_STATE_FILE) && readFileSync(SMT_STATE_FILE, 'utf8').trim() === '1';
}
