/** Does a run with context prediction learn, and go on after it was stopped, to the same bytes? On the sample's Swahili texts. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/test-disks.ts';
import { readManifest } from '../../encoding/model-folder.ts';
import type { TrainingEvent } from '../events.ts';
import { runTraining, type RunTrainingOptions } from '../run-training.ts';
import { smallRecipe } from '../test-recipes.ts';

const STEPS = 20;

describe('a static encoder with context prediction', () => {
  it('learns which sentences are neighbours, and can be stopped and resumed to the same bytes', async () => {
    using folder = temporaryFolder();
    const recipe = await smallRecipe(folder.path, { parallel: [], losses: { retrieval: { weight: 0 }, semantic: { weight: 0 }, contextPrediction: { weight: 1, batch: 12, bank: 40, projection: { width: 16 } } }, optimizer: { accumulation: 2 }, encoder: { kind: 'static', width: 16, vocabularySize: 600 }, budget: { steps: STEPS } });
    const losses: number[] = [];
    const run = async (name: string, changes: Partial<RunTrainingOptions> = {}): Promise<void> => {
      const report = (event: TrainingEvent): void => { if (event.kind === 'step') losses.push(event.losses.contextPrediction ?? Number.NaN); };
      await runTraining({ recipe, outputFolder: join(folder.path, name), starterFolder: '', threads: 1, device: 'cpu', resume: false, signal: new AbortController().signal, report, ...changes });
    };
    await run('whole');
    const [first = 0, last = 9] = [losses[0], losses.at(-1)];
    expect(last).toBeLessThan(0.8 * first);
    const stop = new AbortController();
    let asked = 0;
    const control = { paused: () => false, stopAndKeep: () => { asked += 1; if (asked > STEPS / 2) stop.abort(); return false; } };
    await expect(run('stopped', { signal: stop.signal, control, checkpointEveryMs: 0 })).rejects.toMatchObject({ family: 'cancellation' });
    await run('stopped', { resume: true });
    const [whole, stopped] = [await readManifest(join(folder.path, 'whole')), await readManifest(join(folder.path, 'stopped'))];
    expect(Object.keys(whole.files).length).toBeGreaterThan(2);
    expect(stopped.files).toEqual(whole.files);
    expect(whole.training).toMatchObject({ losses: { contextPrediction: last } });
  });
});
