/** What was measured of one row, seed and task? */

/**
 * One task of one row and seed by one metric. `items` are the values of single queries (or sentences), whose mean is `value`; with `weights`
 * the value is the sum of items by the sum of weights (F1: 2 right by found + gold, sentence by sentence).
 */
export type Measurement = {
  readonly row: string;
  readonly seed: number;
  readonly task: string;
  readonly metric: string;
  readonly value: number;
  readonly items: readonly number[];
  readonly weights?: readonly number[] | undefined;
};
