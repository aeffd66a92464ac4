/** Is every gradient rule right? Against PyTorch in float64, and against difference quotients. */
import { describe, expect, it } from 'vitest';
import referenceJson from '../../test/reference/gradient-rules.json' with { type: 'json' };
import { checkGraph } from '../graph/check.ts';
import { evaluateGraph } from '../graph/evaluate.ts';
import { isOpType, operators, type OpType } from '../graph/operators.ts';
import { expectClose, expectGradientsMatchDifferences } from '../../test/reference/compare.ts';
import { gradientCases, kinkedCases } from '../../test/reference/gradient-cases.ts';
import { gradientName } from './gradient-model.ts';
import { gradientRules } from './gradient-rules.ts';
import { caseFeeds, caseGraph, type ReferenceFile } from '../../test/reference/reference-cases.ts';

const file: ReferenceFile = referenceJson;
const names = Object.keys(gradientCases);

describe('gradient rules', () => {
  it('have a reference case each, and every reference case is built', () => {
    expect(names.length).toBeGreaterThan(0);
    expect(names.toSorted()).toEqual(Object.keys(file.cases).toSorted());
  });

  it('are all tested: every operator with a rule stands in the forward graph of a case', () => {
    const used = new Set<OpType>();
    for (const [name, build] of Object.entries(gradientCases)) {
      const reference = file.cases[name];
      if (reference === undefined) continue;
      for (const node of caseGraph({ reference, build, dtype: 'float64' }).nodes) used.add(node.op);
      if (isOpType(name)) expect(caseGraph({ reference, build, dtype: 'float64' }).nodes.map((node) => node.op), name).toContain(name);
    }
    const tested = new Set(names.map((name) => name.split(' ')[0]));
    const untested = Object.entries(gradientRules).filter(([op, rule]) => typeof rule === 'function' && !tested.has(op));
    expect(untested.map(([op]) => op)).toEqual([]);
    expect(used.size).toBeGreaterThan(0);
  });

  it('are decided for every operator', () => {
    expect(Object.keys(gradientRules).toSorted()).toEqual(Object.keys(operators).toSorted());
  });

  describe.each(names)('%s', (name) => {
    const reference = file.cases[name];
    const build = gradientCases[name];
    if (reference === undefined || build === undefined) throw new Error(`No reference for ${name}.`);
    const graph = caseGraph({ reference, build, dtype: 'float64' });

    it('gives the value and gradients of PyTorch in float64', () => {
      checkGraph(graph);
      const found = evaluateGraph(graph, caseFeeds(reference));
      expectClose(found['value'], reference.value, name);
      expect(Object.keys(reference.gradients).length).toBeGreaterThan(0);
      for (const [input, gradient] of Object.entries(reference.gradients)) expectClose(found[gradientName(input)], gradient, `${name}, gradient of ${input}`);
    });

    if (!kinkedCases.has(name)) {
      it('agrees with difference quotients', () => {
        expectGradientsMatchDifferences(graph, { feeds: caseFeeds(reference), wrt: Object.keys(reference.gradients) });
      });
    }
  });
});
