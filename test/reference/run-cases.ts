/** Do the cases of a reference file hold, in the interpreter and in ONNX Runtime? Used by tests only. */
import { describe, expect, it } from 'vitest';
import { gradientName } from '../../core/autodiff/gradient-model.ts';
import type { GraphBuilder, Value } from '../../core/graph/builder.ts';
import { checkGraph } from '../../core/graph/check.ts';
import { evaluateGraph } from '../../core/graph/evaluate.ts';
import type { Graph } from '../../core/graph/graph.ts';
import { encodeModel } from '../../core/graph/protobuf/encode.ts';
import { createSession } from '../../core/runtime/session.ts';
import { numbersOf, tensorFrom } from '../../core/tensor/tensor.ts';
import { expectClose, expectGradientsMatchDifferences } from './compare.ts';
import { caseFeeds, caseGraph, inputDType, type ReferenceCase, type ReferenceFile } from './reference-cases.ts';

export type CaseBuilds = { readonly [name: string]: (g: GraphBuilder, inputs: { readonly [name: string]: Value }) => Value };

const FLOAT32_TOLERANCE = 2e-5; // relative to the larger of 1 and the number

type CaseOptions = { readonly file: ReferenceFile; readonly builds: CaseBuilds; readonly kinked?: ReadonlySet<string> };

/** Declares the tests of a reference file: values and gradients in float64, difference quotients, ONNX Runtime in float32. */
export function describeCases({ file, builds, kinked = new Set() }: CaseOptions): void {
  it('have a reference case each, and every reference case is built', () => {
    expect(Object.keys(builds).length).toBeGreaterThan(0);
    expect(Object.keys(builds).toSorted()).toEqual(Object.keys(file.cases).toSorted());
  });
  describe.each(Object.keys(builds))('%s', (name) => {
    const reference = file.cases[name];
    const build = builds[name];
    if (reference === undefined || build === undefined) throw new Error(`No reference for ${name}.`);
    const graph = caseGraph({ reference, build, dtype: 'float64' });

    it('gives the value and gradients of PyTorch in float64', () => {
      checkGraph(graph);
      expectCaseClose(evaluateGraph(graph, caseFeeds(reference)), { reference, name });
    });
    it('calculates every value with the element type and shape that was inferred for it', () => {
      const everything: Graph = { ...graph, outputs: graph.nodes.flatMap((node) => node.outputs.map((value) => ({ name: value.name, value }))) };
      const found = evaluateGraph(everything, caseFeeds(reference));
      expect(everything.outputs.length).toBeGreaterThan(0);
      expect(everything.outputs.map(({ name }) => [name, found[name]?.dtype, found[name]?.shape])).toEqual(everything.outputs.map(({ name, value }) => [name, value.dtype, value.shape]));
    });
    if (!kinked.has(name)) {
      it('agrees with difference quotients', () => {
        expectGradientsMatchDifferences(graph, { feeds: caseFeeds(reference), wrt: Object.keys(reference.gradients) });
      });
    }
    it('runs in ONNX Runtime in float32 with the same result', async () => {
      expectCaseClose(await runInOnnxRuntime(caseGraph({ reference, build, dtype: 'float32' }), reference), { reference, name, tolerance: FLOAT32_TOLERANCE });
    });
  });
}

type Results = { readonly [name: string]: { readonly shape: readonly number[]; readonly data: ArrayLike<number> } };

/** The value and every gradient of a case are those of the reference. */
export function expectCaseClose(found: Results, { reference, name, tolerance }: { readonly reference: ReferenceCase; readonly name: string; readonly tolerance?: number }): void {
  expectClose(found['value'], reference.value, name, tolerance);
  expect(Object.keys(reference.gradients).length).toBeGreaterThan(0);
  for (const [input, gradient] of Object.entries(reference.gradients)) expectClose(found[gradientName(input)], gradient, `${name}, gradient of ${input}`, tolerance);
}

/** The outputs of a case's graph, from ONNX Runtime. */
export async function runInOnnxRuntime(graph: Graph, reference: ReferenceCase): Promise<Results> {
  await using session = await createSession(encodeModel(graph), { threads: 1 });
  const feeds = Object.fromEntries(Object.entries(caseFeeds(reference)).map(([name, { shape, data }]) => [name, tensorFrom(inputDType(name, 'float32'), shape, data)]));
  const outputs = await session.run(feeds);
  return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, { shape: tensor.shape, data: numbersOf(tensor) }]));
}
