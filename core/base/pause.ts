/** How does long work on one thread let a cancel arrive? It pauses for one turn of the event loop. */

const LOOK_MS = 100;

/** Waits as long as somebody wants a pause. @throws the signal's reason once aborted. */
export async function waitWhile(isPaused: () => boolean, signal: AbortSignal | undefined): Promise<void> {
  while (isPaused()) {
    signal?.throwIfAborted();
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_MS);
    });
  }
  signal?.throwIfAborted();
}

/** Lets messages arrive, then goes on. @throws the signal's reason once aborted. */
export async function pauseFor(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  signal?.throwIfAborted();
}
