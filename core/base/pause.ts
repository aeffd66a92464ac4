/** How does long work on one thread let a cancel arrive? It pauses for one turn of the event loop. */

/** Lets messages arrive, then goes on. @throws the signal's reason once aborted. */
export async function pauseFor(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  signal?.throwIfAborted();
}
