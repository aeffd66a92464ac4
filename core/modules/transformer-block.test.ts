import { describe, expect, it } from 'vitest';
import { buildGradientModel, gradientName } from '../autodiff/gradient-model.ts';
import { backward } from '../autodiff/backward.ts';
import { seededRandom } from '../base/random.ts';
import { createGraphBuilder, type GraphBuilder, type Value } from '../graph/builder.ts';
import { checkGraph } from '../graph/check.ts';
import { evaluateGraph, type Feed } from '../graph/evaluate.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { semanticContrastiveLoss } from '../losses/semantic-contrastive.ts';
import { createSession } from '../runtime/session.ts';
import { numbersOf, tensorFrom, type Tensor } from '../tensor/tensor.ts';
import { attention } from './attention.ts';
import { meanPooling } from './pooling.ts';
import { transformerBlock, transformerBlockInputs } from './transformer-block.ts';

const WIDTH = 8;
const HEADS = 2;

function randomFeed(shape: readonly number[], purpose: string): Feed {
  const random = seededRandom(1, purpose);
  return { shape, data: Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => 0.5 * random.normal()) };
}

describe('attention', () => {
  const g = createGraphBuilder();
  const x = g.input('x', 'float32', ['B', 'L', WIDTH]);
  const mask = g.input('mask', 'bool', ['B', 'L']);
  const parameters = transformerBlockInputs(g, { prefix: 'p', width: WIDTH, innerWidth: 4 });
  const graph = g.build({ y: attention(g, x, { mask, heads: HEADS, parameters }) });
  const weights = Object.fromEntries(graph.inputs.slice(2).map(({ name, shape }) => [name, randomFeed(shape.map(Number), name)]));
  const run = (data: readonly number[], shape: readonly number[], tokens: readonly number[]): readonly number[] => [...(evaluateGraph(graph, { ...weights, x: { shape, data }, mask: { shape: shape.slice(0, 2), data: tokens } })['y']?.data ?? [])];
  const states = Array.from(randomFeed([1, 3, WIDTH], 'states').data);

  it('does not see padding: what stands there changes nothing, nor does its absence', () => {
    const other = [...states.slice(0, 2 * WIDTH), ...Array.from({ length: WIDTH }, () => 7)];
    const padded = run(states, [1, 3, WIDTH], [1, 1, 0]).slice(0, 2 * WIDTH);
    expect(padded).toEqual(run(other, [1, 3, WIDTH], [1, 1, 0]).slice(0, 2 * WIDTH));
    const short = run(states.slice(0, 2 * WIDTH), [1, 2, WIDTH], [1, 1]);
    expect(short.length).toBe(2 * WIDTH);
    short.forEach((element, i) => expect(padded[i]).toBeCloseTo(element, 12));
    expect(run(other, [1, 3, WIDTH], [1, 1, 1]).slice(0, 2 * WIDTH)).not.toEqual(run(states, [1, 3, WIDTH], [1, 1, 1]).slice(0, 2 * WIDTH));
  });

  it('follows its tokens: reordering them reorders the result', () => {
    const [a, b, c] = [0, 1, 2].map((i) => states.slice(i * WIDTH, (i + 1) * WIDTH));
    if (a === undefined || b === undefined || c === undefined) throw new Error('Three tokens.');
    const plain = run(states, [1, 3, WIDTH], [1, 1, 1]);
    const turned = run([...c, ...a, ...b], [1, 3, WIDTH], [1, 1, 1]);
    plain.slice(0, WIDTH).forEach((element, i) => expect(turned[WIDTH + i]).toBeCloseTo(element, 12));
  });

  it('refuses heads that do not divide the width', () => {
    const own = createGraphBuilder();
    const input = own.input('x', 'float32', [1, 2, WIDTH]);
    expect(() => attention(own, input, { mask: own.input('m', 'bool', [1, 2]), heads: 3, parameters: transformerBlockInputs(own, { prefix: 'p', width: WIDTH, innerWidth: 4 }) })).toThrow(/3 heads do not divide/);
  });
});

describe('a small transformer, trained end to end in ONNX Runtime', () => {
  it('learns which sentences are translations of each other', async () => {
    const [pairs, length, vocabulary] = [6, 4, 12];
    const g: GraphBuilder = createGraphBuilder('train');
    const table = g.input('table', 'float32', [2 * vocabulary, WIDTH]);
    const parameters = transformerBlockInputs(g, { prefix: 'layer', width: WIDTH, innerWidth: 2 * WIDTH });
    const mask = g.input('mask', 'bool', ['B', 'L']);
    const encode = (ids: Value): Value => meanPooling(g, { states: transformerBlock(g, g.gather(table, ids), { mask, heads: HEADS, parameters }), mask });
    const loss = semanticContrastiveLoss(g, { sources: encode(g.input('sources', 'int64', ['B', 'L'])), targets: encode(g.input('targets', 'int64', ['B', 'L'])), temperature: 0.2 });
    const wrt = [table, ...Object.values(parameters).flatMap((part) => Object.values(part))];
    const gradients = backward(g, { loss, wrt });
    const graph = g.build({ loss, ...Object.fromEntries([...gradients].map(([weight, gradient]) => [gradientName(weight.name), gradient])) });
    checkGraph(graph);
    expect(wrt.length).toBe(17);

    const random = seededRandom(2, 'sentences');
    const sources = Array.from({ length: pairs * length }, () => random.integer(vocabulary));
    const targets = sources.map((token) => token + vocabulary); // the other language: another word for each word
    const weights = new Map<string, Tensor>(wrt.map(({ name, shape }) => [name, tensorFrom('float32', shape.map(Number), name.endsWith('.scale') ? Array.from({ length: WIDTH }, () => 1) : randomFeed(shape.map(Number), name).data)]));
    const batch = { mask: tensorFrom('bool', [pairs, length], Array.from({ length: pairs * length }, () => 1)), sources: tensorFrom('int64', [pairs, length], sources), targets: tensorFrom('int64', [pairs, length], targets) };
    await using session = await createSession(encodeModel(graph), { threads: 1 });
    const losses: number[] = [];
    for (let step = 0; step < 60; step += 1) {
      const outputs = await session.run({ ...batch, ...Object.fromEntries(weights) });
      losses.push(Number(outputs['loss']?.data[0]));
      for (const [name, weight] of weights) {
        const gradient = outputs[gradientName(name)];
        if (gradient === undefined) throw new Error(`No gradient of ${name}.`);
        const slope = numbersOf(gradient);
        weights.set(name, tensorFrom('float32', weight.shape, numbersOf(weight).map((element, i) => element - 0.2 * (slope[i] ?? Number.NaN))));
      }
    }
    expect(losses[0]).toBeGreaterThan(1);
    expect(losses.at(-1)).toBeLessThan(0.5 * (losses[0] ?? 0));
  });
});

describe('meanPooling', () => {
  it('gives the mean of real tokens, and zeros for a text without any', () => {
    const { graph } = buildGradientModel({ inputs: { states: { shape: [2, 2, 1] }, mask: { shape: [2, 2], dtype: 'bool' } }, build: (g, { states, mask }) => g.reduceSum(g.mul(meanPooling(g, { states, mask }), g.constant(tensorFrom('float32', [2, 1], [1, 100])))) });
    const run = (mask: readonly number[]) => evaluateGraph(graph, { states: { shape: [2, 2, 1], data: [1, 3, 5, 9] }, mask: { shape: [2, 2], data: mask } });
    expect(run([1, 1, 1, 0])['loss']?.data[0]).toBe(2 + 500);
    expect(run([1, 1, 0, 0])['loss']?.data[0]).toBe(2);
    expect([...(run([1, 1, 0, 0])['gradient.states']?.data ?? [])]).toEqual([0.5, 0.5, 0, 0]);
  });
});
