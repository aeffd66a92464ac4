/** How is a graph built by hand? With one method per operation; shapes are checked as each node is made. */
import { arithmeticMethods } from './builder/arithmetic.ts';
import { createEmitter } from './builder/emitter.ts';
import { layoutMethods } from './builder/layout.ts';
import { productMethods } from './builder/products.ts';
import { reductionMethods } from './builder/reductions.ts';

export type { Operand } from './builder/arithmetic.ts';
export type { Graph } from './graph.ts';
export type { Value } from './value.ts';
export { expectPositive, expectSameFloat, expectShapes } from '../tensor/expect-shapes.ts';

/** A new, empty graph under construction; `build` gives the finished graph. @throws ShapeError from every method that is given shapes that do not fit. */
export function createGraphBuilder(name = 'graph') {
  const emitter = createEmitter(name);
  const base = { ...arithmeticMethods(emitter), ...layoutMethods(emitter) };
  return { ...emitter, ...base, ...productMethods(emitter), ...reductionMethods(emitter, base) };
}

/** A graph under construction. */
export type GraphBuilder = ReturnType<typeof createGraphBuilder>;
