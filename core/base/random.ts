/** Where does chance come from? From a seed, a purpose and a position: any draw can be repeated without replaying the ones before. */

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const SPLITMIX_INCREMENT = 0x9e3779b9;
const TWO_POW_MINUS_32 = 2 ** -32;

/** A generator of numbers. Two generators made with equal arguments give equal sequences on every machine. */
export type Random = {
  /** Uniform in [0, 1). */
  readonly next: () => number;
  /** Uniform integer in [0, below); below >= 1. */
  readonly integer: (below: number) => number;
  /** Standard normal (Box-Muller). */
  readonly normal: () => number;
};

/**
 * A generator for one purpose at one position (for instance "crop" at step 17): xorshift128 seeded by splitmix32.
 * Because position is an argument, a resumed run needs to store no generator state.
 */
export function seededRandom(seed: number, purpose: string, position = 0): Random {
  let h = FNV_OFFSET;
  for (let i = 0; i < purpose.length; i += 1) h = Math.imul(h ^ purpose.charCodeAt(i), FNV_PRIME);
  let s = (h ^ Math.imul(seed | 0, SPLITMIX_INCREMENT) ^ Math.imul(position | 0, 0x85ebca6b) ^ Math.floor(seed / 2 ** 32)) | 0;
  const mix = (): number => {
    s = (s + SPLITMIX_INCREMENT) | 0;
    let z = s;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  let a = mix();
  let b = mix();
  let c = mix();
  let d = mix() | 1;
  const next32 = (): number => {
    const t = a ^ (a << 11);
    a = b;
    b = c;
    c = d;
    d = (d ^ (d >>> 19) ^ t ^ (t >>> 8)) >>> 0;
    return d;
  };
  const next = (): number => next32() * TWO_POW_MINUS_32;
  let spare: number | null = null;
  return {
    next,
    integer: (below) => Math.floor(next() * below),
    normal: () => {
      if (spare !== null) {
        const value = spare;
        spare = null;
        return value;
      }
      const radius = Math.sqrt(-2 * Math.log(1 - next()));
      const angle = 2 * Math.PI * next();
      spare = radius * Math.sin(angle);
      return radius * Math.cos(angle);
    },
  };
}

/** The numbers 0..length-1 in an order that depends only on (seed, purpose, position): Fisher-Yates. */
export function seededPermutation(length: number, options: { readonly seed: number; readonly purpose: string; readonly position?: number }): Uint32Array {
  const random = seededRandom(options.seed, options.purpose, options.position ?? 0);
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i += 1) order[i] = i;
  for (let i = length - 1; i > 0; i -= 1) {
    const j = random.integer(i + 1);
    const held = order[i] ?? 0;
    order[i] = order[j] ?? 0;
    order[j] = held;
  }
  return order;
}
