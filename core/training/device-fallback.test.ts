/** Does a training whose device fails go on with the CPU, to the very model of the CPU, with one sentence? */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { DEVICES, listDevices } from '../runtime/device.ts';
import type { TrainingEvent } from './events.ts';
import { runTraining } from './run-training.ts';
import { smallRecipe, STARTER_FOLDER } from './test-recipes.ts';

/** A device that is chosen and then refuses every graph: one that the installed runtime does not have. */
const offered = await listDevices();
const missing = DEVICES.find((device) => !offered.includes(device));

vi.mock('../runtime/choose-device.ts', () => ({
  chooseDevice: (wish: string) => Promise.resolve({ device: wish, code: 'device.asked', message: 'As asked.', detail: '' }),
}));

it.skipIf(missing === undefined)('a device that fails is left for the CPU with one sentence, and the model is the CPU\'s', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'isogloss-fallback-'));
  try {
    const recipe = await smallRecipe(folder, { budget: { steps: 3 } });
    const events: TrainingEvent[] = [];
    const train = (device: 'cpu' | NonNullable<typeof missing>) =>
      runTraining({ recipe, outputFolder: join(folder, device), starterFolder: STARTER_FOLDER, threads: 1, device, resume: false, signal: new AbortController().signal, report: (event) => void events.push(event) });
    expect(await train(missing ?? 'cpu')).toMatchObject({ steps: 3 });
    const said = events.flatMap((event) => (event.kind === 'message' && event.code === 'device.failed' ? [event.message] : []));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^The graphics card \([^)]+\) failed, so training goes on with the processor from the last saved state\.$/);
    await train('cpu');
    expect(await readFile(join(folder, missing ?? '', 'token-table.f16'))).toEqual(await readFile(join(folder, 'cpu', 'token-table.f16')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
