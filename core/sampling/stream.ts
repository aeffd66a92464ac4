/** Which record of a source comes at a position? A new order in each epoch, known from (seed, purpose, position) alone. */
import { seededPermutation } from '../base/random.ts';

/** Neighbouring positions lie in one epoch or in two, so two orders are kept at hand; others are made again when asked for. */
const ORDERS_AT_HAND = 2;

export type Stream = (position: number) => number;

/**
 * An endless walk over the records 0 .. size - 1: epoch e = floor(position / size) visits each once, in the order
 * seededPermutation(size, seed, purpose, e). What is kept between calls saves time and changes nothing.
 */
export function createStream(options: { readonly size: number; readonly seed: number; readonly purpose: string }): Stream {
  const { size, seed, purpose } = options;
  const orders = new Map<number, Uint32Array>();
  return (position) => {
    const epoch = Math.floor(position / size);
    let order = orders.get(epoch);
    if (order === undefined) {
      order = seededPermutation(size, { seed, purpose, position: epoch });
      const oldest = orders.keys().next();
      if (orders.size >= ORDERS_AT_HAND && oldest.done !== true) orders.delete(oldest.value);
      orders.set(epoch, order);
    }
    return order[position - epoch * size] ?? 0;
  };
}
