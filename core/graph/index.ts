/** The graph, for those who build, check, run and store graphs. */
export { createGraphBuilder, type Graph, type GraphBuilder, type Operand, type Value } from './builder.ts';
export { checkGraph, graphFaults } from './check.ts';
export { evaluateGraph, type Feed, type Numbers } from './evaluate.ts';
export { hostNodes, webgpuDialect } from './dialect.ts';
export { inlineGraph } from './inline.ts';
export { printGraph } from './print.ts';
export { encodeModel } from './protobuf/encode.ts';
export { decodeModel } from './protobuf/decode.ts';
