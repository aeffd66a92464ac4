/** Is a brought model looked at in a process of its own, whose end by memory or by time is an answer? */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { inspectInWorker } from './inspect-in-worker.ts';
import { nodeProcesses } from './process.ts';
import { expectSoundBackbone } from './sound-backbone.ts';

const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const real = nodeProcesses((name) => inRepository(`main/workers/${name}.ts`));
const greedy = nodeProcesses(() => inRepository('main/workers/test-greedy-worker.ts'));
const bert = inRepository('test/reference/backbones/bert');

describe('a model folder', () => {
  it('is looked at by a real worker: usable, or refused with the names of what is missing', async () => {
    expect(await inspectInWorker(real, { folder: bert, setup: { pairsPerStep: 8 } })).toMatchObject({ status: 'usable', folder: bert, facts: { family: 'bert', layers: 2 }, cost: { pairsPerStep: 8 } });
    expect(await inspectInWorker(real, { folder: inRepository('test/reference/tokenizers'), setup: {} })).toMatchObject({ status: 'refused', problems: expect.arrayContaining([expect.objectContaining({ missing: ['config.json'] })]) });
  });

  it.skipIf(process.platform !== 'linux')('that would take all memory ends the worker at its cap, and is refused', async () => {
    expect(await inspectInWorker(greedy, { folder: bert, setup: {} })).toMatchObject({ status: 'refused', problems: [{ code: 'backbone.inspection-died' }] });
  });

  it('that would take forever is given up', async () => {
    const silent = nodeProcesses(() => inRepository('main/workers/test-silent-worker.ts'));
    expect(await inspectInWorker(silent, { folder: bert, setup: {} }, undefined, 200)).toMatchObject({ status: 'refused', problems: [{ code: 'backbone.inspection-died' }] });
  });

  it('whose look is cancelled is no longer looked at', async () => {
    await expect(inspectInWorker(real, { folder: bert, setup: {} }, AbortSignal.abort())).rejects.toMatchObject({ family: 'cancellation' });
  });
});

describe('the recipe of a training', () => {
  it.skipIf(process.platform !== 'linux')('that starts from a model which harms the process that looks at it is refused, and nothing opens that model', async () => {
    using folder = temporaryFolder();
    const recipe = join(folder.path, 'recipe.json');
    await writeFile(join(folder.path, 'pairs.tsv'), 'water\tmaji\n');
    await writeFile(recipe, JSON.stringify({ encoder: { kind: 'backbone', path: bert }, parallel: [{ path: 'pairs.tsv', source: 'en', target: 'sw' }] }));
    await expect(expectSoundBackbone(greedy, recipe)).rejects.toMatchObject({ family: 'input', code: 'backbone.inspection-died', message: expect.stringContaining('Nothing was started') });
    await expectSoundBackbone(real, recipe);
    await writeFile(recipe, JSON.stringify({ parallel: [{ path: 'pairs.tsv', source: 'en', target: 'sw' }] }));
    await expectSoundBackbone(greedy, recipe); // starts from no model: nothing is looked at
  });
});
