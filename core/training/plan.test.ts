import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { createKernels } from '../optimizers/create-kernels.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { planSteps } from './plan.ts';
import { createStaticParameters, packBags, parameterArrays, staticStep } from './static-parameters.ts';
import type { NamedLossPart } from './step-batches.ts';
import { smallRecipe } from './test-recipes.ts';

const partsAt = (step: number): NamedLossPart[] => [{ name: 'semantic', bags: packBags([Uint32Array.of(step % 5, 2)]), evaluate: (pooled) => Promise.resolve({ loss: 1, gradient: pooled.map((x) => x - 1) }) }];

describe('planSteps', () => {
  it.each([['a new run', 0], ['a resumed run', 7]])('of %s changes no bit of the parameters and their moments', async (_name, doneSteps) => {
    using folder = temporaryFolder();
    const recipe = await smallRecipe(folder.path);
    const memory = createKernelMemory(2 ** 20);
    const parameters = createStaticParameters({ vocabularySize: 5, width: 4, memory });
    for (let i = 0; i < 20; i += 1) parameters.table[i] = Math.sin(i);
    const kernels = createKernels(memory);
    for (let step = 0; step < doneSteps; step += 1) await staticStep({ kernels, memory, parameters, parts: partsAt(step), learningRate: 0.01, frozen: null });
    const before = [...parameterArrays(parameters).values()].map((array) => [...array]);
    const plan = await planSteps({ recipe, kernels, memory, parameters, partsAt, frozen: null, doneSteps, fixedSteps: doneSteps === 0 ? null : 50 });
    expect([...parameterArrays(parameters).values()].map((array) => [...array])).toEqual(before);
    expect(before.flat().some((value) => value !== 0)).toBe(true);
    expect(plan.steps).toBe(doneSteps === 0 ? 36 : 50); // the recipe's, or those of the run that goes on
    expect(plan.estimatedMinutes).toBeGreaterThan(0);
    expect(plan.estimatedMemoryMB).toBeGreaterThan(10);
  });
});
