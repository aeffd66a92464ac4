/** Does the learning rate rise, fall and end where it is said to; is the gradient shortened to what is asked? */
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../base/errors.ts';
import { clippingScale, globalNorm } from './clipping.ts';
import { createJavaScriptKernels } from './kernels-javascript.ts';
import { cosineLearningRate, linearLearningRate } from './schedules.ts';

const schedule = { peak: 8, steps: 11, warmUpFraction: 0.2, floorFraction: 0.25 };

describe('the learning rate', () => {
  it('rises to the peak in the warm-up, then falls in a line to the floor', () => {
    const rates = Array.from({ length: 11 }, (_, step) => linearLearningRate(step, schedule));
    expect(rates.slice(0, 4)).toEqual([8 / 3, 16 / 3, 8, 8]);
    expect(rates[10]).toBe(2);
    expect(rates[7]).toBeCloseTo(8 - 6 * (4 / 7), 12);
  });

  it('falls as half a cosine to the same floor', () => {
    const rates = Array.from({ length: 11 }, (_, step) => cosineLearningRate(step, schedule));
    expect(rates[3]).toBe(8);
    expect(rates[10]).toBeCloseTo(2, 12);
    expect(cosineLearningRate(1, { peak: 8, steps: 3, warmUpFraction: 0, floorFraction: 0 })).toBeCloseTo(4, 12);
  });

  it('is positive and at most the peak in runs of every length', () => {
    for (let steps = 1; steps < 40; steps += 1) {
      for (let step = 0; step < steps; step += 1) {
        for (const rate of [linearLearningRate(step, { ...schedule, steps }), cosineLearningRate(step, { ...schedule, steps })]) {
          expect(rate).toBeGreaterThan(0);
          expect(rate).toBeLessThanOrEqual(8);
        }
      }
    }
  });
});

describe('clipping', () => {
  it('takes one norm over all parameters', () => {
    expect(globalNorm(createJavaScriptKernels(), [Float32Array.of(3, 0), Float32Array.of(), Float32Array.of(4)])).toBe(5);
  });

  it('shortens what is too long and leaves the rest', () => {
    expect(clippingScale({ norm: 5, maximum: 1 })).toBeCloseTo(0.2, 6);
    expect(clippingScale({ norm: 0.5, maximum: 1 })).toBe(1);
    expect(clippingScale({ norm: 0, maximum: 1 })).toBe(1);
  });

  it('refuses a norm that is not finite', () => {
    expect(() => clippingScale({ norm: NaN, maximum: 1 })).toThrow(InvariantError);
    expect(() => clippingScale({ norm: Infinity, maximum: 1 })).toThrow(InvariantError);
  });
});
