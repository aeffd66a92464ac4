/** How does the slow encoder follow the trained one? By a share of the way after every step; no gradient ever reaches it. */
import type { Arrays } from '../checkpoint.ts';

/**
 * θm ← μ θm + (1 − μ) θ, element by element, in place; written θm + (1 − μ)(θ − θm), so that equal encoders stay equal to the bit.
 * @param momentum  μ in [0, 1]: 0 copies θ, 1 keeps θm.
 * @see Zheng et al. 2022, algorithm 1, line 14; He et al. 2020, eq. 2.
 */
export function followWithMomentum({ slow, trained, momentum }: { readonly slow: Float32Array; readonly trained: Float32Array; readonly momentum: number }): void {
  const share = 1 - momentum;
  for (let i = 0; i < slow.length; i += 1) {
    const from = slow[i] ?? 0;
    slow[i] = from + share * ((trained[i] ?? 0) - from);
  }
}

export type SlowCopy = {
  /** By the names of what is trained. */
  readonly arrays: ReadonlyMap<string, Float32Array>;
  /** After a step. */
  readonly follow: () => void;
  /** Equal to what is trained: at the start. */
  readonly catchUp: () => void;
};

/** A copy of everything that is trained. @param values  the trained arrays, which keep their place. */
export function createSlowCopy(values: Arrays, momentum: number): SlowCopy {
  const trained = new Map([...values].flatMap(([name, array]) => (array instanceof Float32Array ? [[name, array] as const] : [])));
  const arrays = new Map([...trained].map(([name, array]) => [name, Float32Array.from(array)]));
  const each = (work: (slow: Float32Array, fast: Float32Array) => void): void => {
    for (const [name, slow] of arrays) work(slow, trained.get(name) ?? slow);
  };
  return {
    arrays,
    follow: () => each((slow, fast) => followWithMomentum({ slow, trained: fast, momentum })),
    catchUp: () => each((slow, fast) => slow.set(fast)),
  };
}
