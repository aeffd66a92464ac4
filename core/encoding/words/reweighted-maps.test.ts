/** Are the weighted maps those of VecMap's steps, taken one after the other in float64? */
import { describe, expect, it } from 'vitest';
import reference from '../../../test/reference/word-maps.json' with { type: 'json' };
import { reweightedMaps } from './reweighted-maps.ts';

const { width } = reference;

/** Rows times a map, in float64. */
function mapped(rows: readonly (readonly number[])[], map: Float32Array): readonly (readonly number[])[] {
  return rows.map((row) => Array.from({ length: width }, (_, j) => row.reduce((sum, value, i) => sum + value * (map[i * width + j] ?? 0), 0)));
}

describe('reweightedMaps', () => {
  it('give the similarities across both spaces that the steps of the paper give', () => {
    const { sourceMap, targetMap } = reweightedMaps({ sources: Float32Array.from(reference.sources.flat()), targets: Float32Array.from(reference.targets.flat()), width });
    const [sources, targets] = [mapped(reference.sourceWords, sourceMap), mapped(reference.targetWords, targetMap)];
    expect(sources.length * targets.length).toBeGreaterThan(50);
    sources.forEach((source, s) => {
      targets.forEach((target, t) => { expect(source.reduce((sum, value, i) => sum + value * (target[i] ?? 0), 0)).toBeCloseTo(reference.similarities[s]?.[t] ?? Number.NaN, 4); });
    });
  });
});
