/** How are vectors compared while letters are? In a thread of their own that reads the same files; should it fail, here. */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { DenseList } from './dense-index.ts';
import type { TokenDenseSearch, TokenQuery } from './token-dense-index.ts';

export type ThreadData = { readonly paths: readonly string[]; readonly exactDocuments: number };
export type ThreadQuestion = { readonly number: number; readonly query: TokenQuery; readonly depth: number; readonly allowed: Uint8Array | null };
export type ThreadAnswer = { readonly number: number; readonly list: DenseList };

export type ThreadedDenseSearch = {
  readonly isExact: boolean;
  readonly nearest: (...query: Parameters<TokenDenseSearch['nearest']>) => Promise<DenseList>;
  /** Whether the thread has answered everything so far. */
  readonly isApart: () => boolean;
  /** The thread ends by itself; a question asked later is answered here. */
  readonly close: () => void;
};

/**
 * Searches in a thread. Whatever ends the thread (a damaged file, too little memory) is no error of a question: it is answered by `here`, made
 * when first needed, which throws what is wrong with the files.
 */
export function createThreadedDenseSearch({ paths, exactDocuments, here }: ThreadData & { readonly here: () => TokenDenseSearch }): ThreadedDenseSearch {
  const pending = new Map<number, { readonly resolve: (list: DenseList) => void; readonly again: () => void }>();
  let asked = 0;
  let thread: Worker | null = startThread({ paths, exactDocuments });
  let fallback: TokenDenseSearch | null = null;
  const answerHere: TokenDenseSearch['nearest'] = (...query) => (fallback ??= here()).nearest(...query);
  const lose = (): void => {
    thread = null;
    for (const { again } of pending.values()) again();
    pending.clear();
  };
  thread.on('message', ({ number, list }: ThreadAnswer) => {
    pending.get(number)?.resolve(list);
    pending.delete(number);
    if (pending.size === 0) thread?.unref(); // an idle thread keeps no process up
  });
  thread.on('error', lose);
  thread.on('exit', lose);
  thread.unref();
  return {
    isExact: false,
    nearest: (...query) => {
      if (thread === null) return Promise.resolve(answerHere(...query));
      const [tokens, depth, allowed] = query;
      asked += 1;
      const number = asked;
      thread.ref();
      thread.postMessage({ number, query: tokens, depth, allowed } satisfies ThreadQuestion);
      return new Promise((resolve, reject) => {
        const again = (): void => {
          try {
            resolve(answerHere(...query));
          } catch (thrown) {
            reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
          }
        };
        pending.set(number, { resolve, again });
      });
    },
    isApart: () => thread !== null && fallback === null,
    close: () => {
      thread?.postMessage(null);
      thread = null;
    },
  };
}

/** The entry point: a source beside this one, or, in a build, beside the workers. */
function startThread(data: ThreadData): Worker {
  const here = import.meta.url;
  return new Worker(fileURLToPath(new URL(here.endsWith('.ts') ? 'dense-thread.ts' : '../workers/dense-thread.mjs', here)), { workerData: data, env: {}, stdout: true, stderr: true });
}
