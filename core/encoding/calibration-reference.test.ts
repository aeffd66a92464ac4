/** Do calibration and CSLS give numpy's numbers, step by step? */
import { describe, expect, it } from 'vitest';
import reference from '../../test/reference/calibration.json' with { type: 'json' };
import { calibrate, fitCalibration, type CalibrationSteps } from './calibration.ts';
import { cslsNeighbours } from './mutual-neighbours.ts';

const { width } = reference;
const rows = (list: readonly (readonly number[])[]): Float32Array => Float32Array.from(list.flat());
const texts = new Map(Object.entries(reference.texts).map(([language, list]) => [language, rows(list)]));
const pairs = new Map([['sw', { foreign: rows(reference.pairs.foreign), pivot: rows(reference.pairs.pivot) }]]);

describe('calibration against numpy', () => {
  it.each(reference.cases.map((one) => [JSON.stringify(one.steps), one] as const))('%s', async (_, { steps, calibrated }) => {
    const calibration = await fitCalibration({ width, pivot: 'en', texts, pairs, steps: steps as CalibrationSteps, seed: 1 }); // boundary: the script writes these words
    for (const [language, expected] of Object.entries(calibrated)) {
      const found = await calibrate(calibration, texts.get(language) ?? new Float32Array(0), language);
      expect(found).toHaveLength(expected.flat().length);
      expected.flat().forEach((value, i) => { expect(found[i]).toBeCloseTo(value, 4); });
    }
  });

  it('CSLS: the same nearest and the same scores', async () => {
    const { neighbours, targetOf, sourceOf, targetScores } = reference.csls;
    const found = await cslsNeighbours({ sources: texts.get('sw') ?? new Float32Array(0), targets: texts.get('en') ?? new Float32Array(0), width, neighbours });
    expect([...found.targetOf]).toEqual(targetOf);
    expect([...found.sourceOf]).toEqual(sourceOf);
    targetScores.forEach((score, i) => { expect(found.targetScores[i]).toBeCloseTo(score, 5); });
  });
});
