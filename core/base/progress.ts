/** How does long work say how far it is? A value with a unit; who listens decides what to draw. */

/** `total` null = not known yet. `phase` is a stable key ("vocabulary", "alignment", "training" ...), not a sentence. */
export type Progress = {
  readonly phase: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
};

export type ReportProgress = (progress: Progress) => void;

export const ignoreProgress: ReportProgress = () => undefined;

/**
 * Estimated milliseconds left, from the pace so far; null while nothing is known.
 * left = elapsed / done * (total - done)
 */
export function estimateLeftMs(options: { readonly elapsedMs: number; readonly done: number; readonly total: number | null }): number | null {
  const { elapsedMs, done, total } = options;
  if (total === null || done <= 0) return null;
  return Math.max(0, (elapsedMs / done) * (total - done));
}
