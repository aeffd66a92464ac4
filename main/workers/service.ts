/** How is a worker kept that answers many small questions? Started at the first one, restarted when it dies, ended when idle. */
import { EnvironmentError } from '../../core/base/errors.ts';
import { startWorker, type WorkerClient } from './client.ts';
import type { CallInput, CallName, CallOutput, WorkerName } from './messages.ts';
import type { StartProcess } from './process.ts';

/** Deaths within the window after which it stays down. */
const RESTART_BUDGET = 3;
const RESTART_WINDOW_MS = 60_000;

export type Service = {
  /** @throws what the worker says; EnvironmentError 'worker.died', 'worker.keeps-dying'. */
  readonly ask: <Name extends CallName>(name: Name, input: CallInput<Name>, signal?: AbortSignal) => Promise<CallOutput<Name>>;
  /** Ends the process if there is one; the next question starts another. */
  readonly stop: () => Promise<void>;
};

export type ServiceOptions = {
  readonly startProcess: StartProcess;
  readonly worker: WorkerName;
  /** Ended after so long without a question, so that an idle program is small. */
  readonly idleMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
};

export function createService({ startProcess, worker, idleMs, now }: ServiceOptions): Service {
  let client: WorkerClient | null = null;
  let deaths: number[] = [];
  let asked = 0;
  let idle: NodeJS.Timeout | null = null;

  function ready(): WorkerClient {
    if (client !== null) return client;
    deaths = deaths.filter((time) => now() - time < RESTART_WINDOW_MS);
    if (deaths.length >= RESTART_BUDGET) {
      throw new EnvironmentError('worker.keeps-dying', `The ${worker} process ended ${String(RESTART_BUDGET)} times within a minute, so it was not started again. Wait a minute and try again; if it stays so, close other programs, and index the folder anew.`, { data: { worker } });
    }
    const started = startWorker(startProcess, worker);
    client = started;
    void started.ended.then(() => {
      if (client !== started) return; // we ended it ourselves
      client = null;
      deaths.push(now());
    });
    return started;
  }

  async function stop(): Promise<void> {
    if (idle !== null) clearTimeout(idle);
    const ending = client;
    client = null; // a question that comes meanwhile gets a process of its own
    await ending?.stop();
  }

  return {
    stop,
    ask: async (name, input, signal) => {
      if (idle !== null) clearTimeout(idle);
      asked += 1;
      const call = ready().call(name, input, () => undefined);
      const onAbort = (): void => call.control('cancel');
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        return await call.result;
      } finally {
        signal?.removeEventListener('abort', onAbort);
        asked -= 1;
        if (asked === 0) idle = setTimeout(() => void stop(), idleMs).unref();
      }
    },
  };
}
