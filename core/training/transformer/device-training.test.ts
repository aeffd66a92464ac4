/** Does a training whose process loses the graphics card go on from its last saved state, on the card again or on the CPU? Skipped where there is no WebGPU. */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../../runtime/device.ts';
import { probeDevice } from '../../runtime/probe-device.ts';

const program = join(import.meta.dirname, 'test-device-training.ts');
const STEPS = 5;
const KILLED_AFTER = 3;
const TOLERANCE = 1e-3; // of the loss, after all steps

const isThere = (await probeDevice('webgpu', { threads: 1 })).status === 'works';

type Line = { readonly from?: number; readonly step?: number; readonly end?: number; readonly loss?: number; readonly squares?: number };

/** Runs the program; kills it when it begins the step after `killAfter`. */
function train(folder: string, device: Device, killAfter = Number.POSITIVE_INFINITY): Promise<{ readonly lines: readonly Line[]; readonly signal: string | null; readonly stderr: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, folder, device, String(STEPS)]);
  let [stdout, stderr] = ['', ''];
  const lines = (): readonly Line[] => stdout.split('\n').slice(0, -1).map((line) => JSON.parse(line) as Line); // the program's own lines
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    if (lines().some(({ step = 0 }) => step > killAfter)) child.kill('SIGKILL');
  });
  return new Promise((resolve) => child.on('close', (_code, signal) => resolve({ lines: lines(), signal, stderr })));
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-device-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(!isThere)('a training on WebGPU', () => {
  it('whose process is killed goes on from its last saved state: with a new process on the card, or with the CPU, to where an undisturbed one ends', async () => {
    const undisturbed = await train(join(folder, 'cpu'), 'cpu');
    const expected = undisturbed.lines.at(-1);
    expect(expected, undisturbed.stderr).toMatchObject({ end: STEPS });
    const killed = await train(join(folder, 'webgpu'), 'webgpu', KILLED_AFTER);
    expect(killed.signal, killed.stderr).toBe('SIGKILL');
    await cp(join(folder, 'webgpu'), join(folder, 'onward'), { recursive: true });
    for (const [onward, place] of [['webgpu', join(folder, 'webgpu')], ['cpu', join(folder, 'onward')]] as const) {
      const resumed = await train(place, onward);
      expect(resumed.lines[0]?.from, resumed.stderr).toBeGreaterThanOrEqual(KILLED_AFTER);
      const end = resumed.lines.at(-1);
      expect(end).toMatchObject({ end: STEPS });
      expect(Math.abs((end?.loss ?? 0) - (expected?.loss ?? 0))).toBeLessThan(TOLERANCE * (expected?.loss ?? 0));
      expect(end?.squares).toBeCloseTo(expected?.squares ?? 0, 1);
    }
  });
});
