/** How is a wish to stop told from a wish to stop at once? npm passes on the Ctrl-C that the terminal has already sent. */

/** Signals closer together than this are one wish. */
const ONE_WISH_MS = 1_000;

/** A listener that calls `first` once, and `again` when it is asked once more later. */
export function stopper({ first, again }: { readonly first: () => void; readonly again: () => void }, now: () => number = () => performance.now()): () => void {
  let askedAt: number | null = null;
  return () => {
    if (askedAt === null) {
      askedAt = now();
      first();
    } else if (now() - askedAt > ONE_WISH_MS) {
      again();
    }
  };
}
