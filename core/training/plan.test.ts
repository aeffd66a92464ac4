import { describe, expect, it } from 'vitest';
import { createKernels } from '../optimizers/create-kernels.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { measureStepMs, planSteps } from './plan.ts';
import { createStaticParameters } from './static-parameters.ts';
import { createStaticTrainable } from './static-trainable.ts';
import type { StepPart } from './trainable-encoder.ts';

const partsAt = (step: number): StepPart[] => [{ kind: 'vectors', name: 'semantic', texts: [Uint32Array.of(step % 5, 2)], queries: 0, evaluate: (vectors) => Promise.resolve({ loss: 1, gradient: vectors.map((x) => x - 1) }) }];

describe('the trial before a run', () => {
  it('takes time and changes no bit of the parameters and their moments', async () => {
    const memory = createKernelMemory(2 ** 20);
    const parameters = createStaticParameters({ vocabularySize: 5, width: 4, memory });
    for (let i = 0; i < 20; i += 1) parameters.table[i] = Math.sin(i);
    const encoder = createStaticTrainable({ kernels: createKernels(memory), memory, parameters, tokenizer: { encode: () => new Uint32Array(0) }, frozen: null, fill: () => Promise.resolve() });
    const contents = (): number[][] => [...encoder.arrays.values()].map((array) => [...array]);
    const before = contents();
    expect(await measureStepMs(encoder, partsAt, () => undefined)).toBeGreaterThan(0);
    expect(contents()).toEqual(before);
    expect(before.flat().some((value) => value !== 0)).toBe(true);
    await encoder.step({ parts: partsAt(0), step: 0, learningRate: 0.01 });
    expect(contents()).not.toEqual(before); // a real step would have been seen
  });
});

describe('the plan', () => {
  it('has the steps of the budget, of its minutes, or of the run that goes on', () => {
    const plan = (budget: { steps: number } | { minutes: number }, fixedSteps: number | null = null, doneSteps = 0): ReturnType<typeof planSteps> => planSteps({ budget, stepMs: 500, doneSteps, fixedSteps });
    expect(plan({ steps: 36 }).steps).toBe(36);
    expect(plan({ steps: 36 }, 50, 7).steps).toBe(50);
    expect(plan({ minutes: 10 }).steps).toBe((600_000 - 15_000) / 500);
    expect(plan({ minutes: 0.1 }).steps).toBe(20); // less than it takes to finish: the least
    expect(plan({ steps: 90 }).estimatedMinutes).toBeCloseTo(1);
    expect(plan({ steps: 90 }, 90, 60).estimatedMinutes).toBeCloseTo(0.5);
    expect(plan({ steps: 36 }).estimatedMemoryMB).toBeGreaterThan(10);
  });
});
