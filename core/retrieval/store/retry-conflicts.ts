/** What if two writers of a table meet? LanceDB refuses the second, which tries again a little later. */
import { seededRandom } from '../../base/random.ts';

const MOST_TRIES = 5;
const WAIT_MS = 50;
const CONFLICT = /commit conflict/i;

/** Does the work; after a conflict of commits again, at most five times in all, waiting longer each time. @throws what the last try throws, or the first thrown that is no conflict. */
export async function retryConflicts<T>(work: () => Promise<T>, wait: (ms: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms))): Promise<T> {
  const random = seededRandom(process.pid, 'conflicts');
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (tries === MOST_TRIES || !(thrown instanceof Error && CONFLICT.test(thrown.message))) throw thrown;
      await wait(WAIT_MS * 2 ** tries * (1 + random.next()));
    }
  }
}
