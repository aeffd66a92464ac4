/** How does the desktop (menus, notifications, opened files) ask the window for something? Wishes wait until a window listens. */
import type { Wish } from '../contract/index.ts';

/** Wishes kept for a window that is still opening; more are of no use to anybody. */
const KEPT = 8;

export type Wishes = {
  /** To every window that listens; kept for the first one where none does. */
  readonly send: (wish: Wish) => void;
  /** What is wished from now on; ends when the signal is aborted. */
  readonly listen: (signal: AbortSignal | undefined) => AsyncGenerator<Wish, void>;
};

export function createWishes(): Wishes {
  const kept: Wish[] = [];
  const listeners = new Set<(wish: Wish) => void>();
  return {
    send: (wish) => {
      if (listeners.size === 0) {
        kept.push(wish);
        kept.splice(0, kept.length - KEPT);
      }
      for (const listener of listeners) listener(wish);
    },
    listen: async function* (signal) {
      const queue = kept.splice(0);
      let wake: () => void = () => undefined;
      const listener = (wish: Wish): void => {
        queue.push(wish);
        wake();
      };
      const onAbort = (): void => wake();
      listeners.add(listener);
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        while (signal?.aborted !== true) {
          const wish = queue.shift();
          if (wish !== undefined) yield wish;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        listeners.delete(listener);
        signal?.removeEventListener('abort', onAbort);
      }
    },
  };
}
