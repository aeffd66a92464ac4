/** How is a long list of numbers collected without copying it again and again? In pieces of equal size. */

const PIECE_BITS = 18;
const PIECE = 2 ** PIECE_BITS;
const PLACE_MASK = PIECE - 1;

type Numbers = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

export type GrowingNumbers<A extends Numbers> = {
  readonly push: (value: number) => void;
  readonly append: (values: ArrayLike<number> & { readonly subarray: (from: number, to: number) => ArrayLike<number> }) => void;
  readonly at: (index: number) => number;
  readonly length: () => number;
  /** All of them in one array. */
  readonly take: () => A;
};

/** @param make a new array of a length, for instance `(n) => new Uint32Array(n)`. */
export function growingNumbers<A extends Numbers>(make: (length: number) => A): GrowingNumbers<A> {
  const pieces: A[] = [];
  let last = make(0);
  let length = 0;
  return {
    push: (value) => {
      const place = length & PLACE_MASK;
      if (place === 0) {
        last = make(PIECE);
        pieces.push(last);
      }
      last[place] = value;
      length += 1;
    },
    append: (values) => {
      for (let from = 0; from < values.length; ) {
        const place = length & PLACE_MASK;
        if (place === 0) {
          last = make(PIECE);
          pieces.push(last);
        }
        const count = Math.min(values.length - from, PIECE - place);
        last.set(values.subarray(from, from + count), place);
        from += count;
        length += count;
      }
    },
    at: (index) => pieces[index >>> PIECE_BITS]?.[index & PLACE_MASK] ?? 0,
    length: () => length,
    take: () => {
      const all = make(length);
      pieces.forEach((piece, i) => {
        all.set(i === pieces.length - 1 ? piece.subarray(0, length - i * PIECE) : piece, i * PIECE);
      });
      return all;
    },
  };
}
