/** How is a stream of events followed while connections come and go? Asked for again after each loss, until it ends or is given up. */
import { isConnectionLoss, type Connection } from '../bridge.ts';

export type FollowOptions<Event> = {
  readonly connection: Connection;
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Event>>;
  readonly onEvent: (event: Event) => void;
  readonly signal: AbortSignal;
};

/** Resolves when the stream ends or the signal is aborted; rejects with what the program refused. */
export async function follow<Event>({ connection, open, onEvent, signal }: FollowOptions<Event>): Promise<void> {
  while (!signal.aborted) {
    try {
      await connection.whenOpen(signal);
      for await (const event of await open(signal)) onEvent(event);
      return;
    } catch (thrown) {
      if (signal.aborted) return;
      if (!isConnectionLoss(thrown)) throw thrown;
    }
  }
}
