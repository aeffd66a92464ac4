/** Who looks at a job, and how does a slow looker not slow the job? */
import type { JobEvent } from '../contract/job.ts';

/** A watcher this far behind loses progress and steps, never states. */
const QUEUE_LIMIT = 2_000;

export type Watchers = {
  readonly publish: (event: JobEvent) => void;
  /** Ends after the event for which `isLast` holds, or when the signal is aborted. */
  readonly watch: (options: { readonly first: JobEvent; readonly isLast: (event: JobEvent) => boolean; readonly signal: AbortSignal | undefined }) => AsyncGenerator<JobEvent, void>;
};

export function createWatchers(): Watchers {
  const queues = new Set<(event: JobEvent) => void>();
  return {
    publish: (event) => {
      for (const push of queues) push(event);
    },
    watch: ({ first, isLast, signal }) => {
      // the queue stands before the first event is read, so that nothing falls between snapshot and stream
      const waiting: JobEvent[] = [first];
      let wake: () => void = () => undefined;
      const push = (event: JobEvent): void => {
        if (waiting.length >= QUEUE_LIMIT && event.kind !== 'state') return;
        waiting.push(event);
        wake();
      };
      queues.add(push);
      const onAbort = (): void => wake();
      signal?.addEventListener('abort', onAbort, { once: true });
      return (async function* stream() {
        try {
          while (signal?.aborted !== true) {
            const event = waiting.shift();
            if (event === undefined) {
              await new Promise<void>((resolve) => {
                wake = resolve;
              });
              continue;
            }
            yield event;
            if (isLast(event)) return;
          }
        } finally {
          queues.delete(push);
          signal?.removeEventListener('abort', onAbort);
        }
      })();
    },
  };
}
