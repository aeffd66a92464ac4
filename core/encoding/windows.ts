/** Into which overlapping windows is a long text cut, so that a part of it can be found? */

/** 32-token windows with stride 16: measured in test/experiments (default recipe). */
export const WINDOW_TOKENS = 32;
export const WINDOW_STRIDE_TOKENS = 16;

/** First and last token of the windows over `tokens` tokens: none when one window would hold all. */
export function windowRanges(tokens: number): readonly { readonly start: number; readonly end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  if (tokens <= WINDOW_TOKENS) return ranges;
  for (let start = 0; start < tokens - WINDOW_STRIDE_TOKENS; start += WINDOW_STRIDE_TOKENS) ranges.push({ start, end: Math.min(tokens, start + WINDOW_TOKENS) });
  return ranges;
}

/** How many ranges `windowRanges` gives. */
export const windowCount = (tokens: number): number => (tokens <= WINDOW_TOKENS ? 0 : Math.ceil(tokens / WINDOW_STRIDE_TOKENS) - 1);
