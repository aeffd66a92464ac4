/** Is every gradient rule right? Against PyTorch in float64, difference quotients, and ONNX Runtime in float32. */
import { describe, expect, it } from 'vitest';
import referenceJson from '../../test/reference/gradient-rules.json' with { type: 'json' };
import { gradientCases, kinkedCases } from '../../test/reference/gradient-cases.ts';
import { caseGraph, type ReferenceFile } from '../../test/reference/reference-cases.ts';
import { describeCases } from '../../test/reference/run-cases.ts';
import { isOpType, operators } from '../graph/operators.ts';
import { gradientRules } from './gradient-rules.ts';

const file: ReferenceFile = referenceJson;

describe('gradient rules', () => {
  it('are decided for every operator', () => {
    expect(Object.keys(gradientRules).toSorted()).toEqual(Object.keys(operators).toSorted());
  });

  it('are all tested: every operator with a rule stands in the forward graph of the case named after it', () => {
    const ruled = Object.entries(gradientRules).filter(([, rule]) => typeof rule === 'function').map(([op]) => op);
    expect(ruled.length).toBeGreaterThan(0);
    for (const op of ruled) {
      const reference = file.cases[op];
      const build = gradientCases[op];
      if (reference === undefined || build === undefined || !isOpType(op)) throw new Error(`${op} has a rule but no case.`);
      expect(caseGraph({ reference, build, dtype: 'float64' }).nodes.map((node) => node.op)).toContain(op);
    }
  });

  describeCases({ file, builds: gradientCases, kinked: kinkedCases });
});
