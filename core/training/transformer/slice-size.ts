/** How many tokens are in the encoder at once? As the recipe says, then half as many each time that the memory does not suffice. */

/** Slices below this many tokens cost more time than they save memory. */
export const LEAST_SLICE_TOKENS = 64;

export type SliceSize = {
  readonly tokens: () => number;
  /** A slice of so many tokens was calculated: where all are short, the next half begins there. */
  readonly saw: (tokens: number) => void;
  /** false: less would save nothing. */
  readonly shrink: () => boolean;
};

export function createSliceSize(atFirst: number): SliceSize {
  let most = atFirst;
  let longest = 0;
  return {
    tokens: () => most,
    saw: (tokens) => {
      longest = Math.max(longest, tokens);
    },
    shrink: () => {
      const smaller = Math.floor(Math.min(most, Math.max(longest, LEAST_SLICE_TOKENS)) / 2);
      if (smaller < LEAST_SLICE_TOKENS) return false;
      most = smaller;
      longest = 0;
      return true;
    },
  };
}
