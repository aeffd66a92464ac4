import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { temporaryFolder } from '../base/test-disks.ts';
import { createKernels } from '../optimizers/create-kernels.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { prepareTraining } from './prepare.ts';
import { turnIntoSearchSpace } from './search-space.ts';
import { createStaticParameters } from './static-parameters.ts';
import { smallRecipe } from './test-recipes.ts';

describe('the search space', () => {
  it('turns rows without changing lengths or cosines, and scales directions of small spread up', async () => {
    using folder = temporaryFolder();
    const prepared = await prepareTraining({ recipe: await smallRecipe(folder.path, { encoder: { kind: 'static', width: 16, vocabularySize: 1200 } }), starter: null, signal: new AbortController().signal, report: () => undefined });
    const memory = createKernelMemory(2 ** 25);
    const parameters = createStaticParameters({ vocabularySize: prepared.tokenizer.vocabularySize, width: 16, memory });
    const random = seededRandom(1, 'search space test');
    for (let i = 0; i < parameters.table.length; i += 1) parameters.table[i] = random.normal() / (1 + (i % 16));
    const before = parameters.table.slice();
    const used = memory.usedBytes();
    const space = await turnIntoSearchSpace({ prepared, kernels: createKernels(memory), memory, parameters, threads: 1 });
    expect(memory.usedBytes()).toBe(used);
    expect(parameters.table).toEqual(before);
    expect(space.table).not.toEqual(before);
    const product = (table: Float32Array, a: number, b: number): number => Array.from({ length: 16 }, (_, i) => (table[a * 16 + i] ?? 0) * (table[b * 16 + i] ?? 0)).reduce((x, y) => x + y, 0);
    for (const [a, b] of [[0, 0], [3, 3], [5, 17], [40, 200]] as const) expect(product(space.table, a, b)).toBeCloseTo(product(before, a, b), 4);
    expect([...space.scale]).toEqual([...space.scale].sort((a, b) => a - b)); // the first axis has the largest spread
    expect((space.scale.at(-1) ?? 0) / (space.scale[0] ?? 1)).toBeGreaterThan(1.5);
    expect(space.mean.every(Number.isFinite)).toBe(true);
  });
});
