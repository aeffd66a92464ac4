/** What does a step of context prediction calculate? Two sides through one head, each normalised in its own mode, the loss, and all gradients, in one graph. */
import { backward } from '../../autodiff/backward.ts';
import { gradientName } from '../../autodiff/gradient-model.ts';
import { createGraphBuilder, type Graph, type GraphBuilder, type Value } from '../../graph/builder.ts';
import { contextPredictionLoss } from '../../losses/context-prediction.ts';
import { contextProjectionHead, projectionHead, type BatchMoments } from '../../modules/index.ts';
import type { ContextPredictionSettings } from '../recipe-schema.ts';

/** The width of the encoder, of the head inside, and of what is compared. */
export type HeadSizes = { readonly width: number; readonly hidden: number; readonly projected: number };

export type ContextGraphOptions = HeadSizes & Pick<ContextPredictionSettings, 'temperature' | 'normalisation' | 'similarity'> & { readonly hasBank: boolean };

export type HeadParameter = { readonly name: string; readonly shape: readonly number[]; readonly kind: 'matrix' | 'bias' | 'scale' };

/** What the head learns. Without normalisation there is no scale and no bias between its layers. */
export function headParameters({ width, hidden, projected, normalisation }: HeadSizes & Pick<ContextPredictionSettings, 'normalisation'>): readonly HeadParameter[] {
  const between: readonly HeadParameter[] = normalisation === 'none' ? [] : [{ name: 'norm.scale', shape: [hidden], kind: 'scale' }, { name: 'norm.bias', shape: [hidden], kind: 'bias' }];
  return [
    { name: 'first.weight', shape: [hidden, width], kind: 'matrix' },
    { name: 'first.bias', shape: [hidden], kind: 'bias' },
    ...between,
    { name: 'second.weight', shape: [projected, hidden], kind: 'matrix' },
    { name: 'second.bias', shape: [projected], kind: 'bias' },
  ];
}

/** Names of inputs and outputs beside the parameters and their gradients. */
export const IO = { trained: 'trained', evaluated: 'evaluated', mean: 'running-mean', variance: 'running-variance', bank: 'bank', leaveOut: 'leave-out', scale: 'scale', loss: 'loss' } as const;
/** The projections of a side, and the moments of its batch. */
export const projectedName = (side: Side): string => `projected.${side}`;
export const meanName = (side: Side): string => `mean.${side}`;
export const varianceName = (side: Side): string => `variance.${side}`;

/** 'trained': normalised by its own moments, which are asked for; 'evaluated': by running ones (with 'batch', by its own as well). */
export type Side = 'trained' | 'evaluated';

/**
 * scale · contextPredictionLoss of two sides [N, H]; the loss is the same whichever side holds the centres, so one graph serves both turns
 * of the asymmetric normalisation.
 *
 * Inputs: trained, evaluated float [N, H]; head parameters; running-mean, running-variance [F] ('asymmetric'); bank [M, P] where there is
 * one; leave-out bool [N, N + M], its batch part symmetric; scale float [].
 * Outputs: loss, the gradient of every float input that is learned or encoded, projected.SIDE [N, P], mean.SIDE and variance.SIDE [F] of
 * the sides in training mode.
 * @see Wu et al. 2022, Algorithm 1.
 */
export function contextGraph(options: ContextGraphOptions): Graph {
  const { width, hidden, projected, temperature, normalisation, similarity, hasBank } = options;
  const g = createGraphBuilder('context-prediction');
  const sides = { trained: g.input(IO.trained, 'float32', ['N', width]), evaluated: g.input(IO.evaluated, 'float32', ['N', width]) };
  const parameters = new Map(headParameters(options).map(({ name, shape }) => [name, g.input(name, 'float32', shape)] as const));
  const running = normalisation === 'asymmetric' ? { mean: g.input(IO.mean, 'float32', [hidden]), variance: g.input(IO.variance, 'float32', [hidden]) } : null;
  const bank = hasBank ? g.input(IO.bank, 'float32', ['M', projected]) : null;
  const leaveOut = g.input(IO.leaveOut, 'bool', ['N', hasBank ? 'M+N' : 'N']);
  const first = head(g, sides.trained, { parameters, normalisation, running: null });
  const second = head(g, sides.evaluated, { parameters, normalisation, running });
  const plain = contextPredictionLoss(g, { centres: first.y, contexts: second.y, bank, leaveOut, temperature, similarity });
  const loss = g.mul(plain, g.input(IO.scale, 'float32', []));
  const wrt = [sides.trained, sides.evaluated, ...parameters.values()];
  const gradients = [...backward(g, { loss, wrt })].map(([value, gradient]) => [gradientName(value.name), gradient] as const);
  const moments = Object.fromEntries([...momentsOf('trained', first.moments), ...(normalisation === 'batch' ? momentsOf('evaluated', second.moments) : [])]);
  return g.build({ [IO.loss]: loss, [projectedName('trained')]: first.y, [projectedName('evaluated')]: second.y, ...moments, ...Object.fromEntries(gradients) });
}

function head(g: GraphBuilder, x: Value, { parameters, normalisation, running }: { readonly parameters: ReadonlyMap<string, Value>; readonly normalisation: ContextPredictionSettings['normalisation']; readonly running: BatchMoments | null }): { readonly y: Value; readonly moments: BatchMoments | null } {
  const of = (name: string): Value => parameters.get(name) ?? g.scalar(0);
  const layers = { first: { weight: of('first.weight'), bias: of('first.bias') }, second: { weight: of('second.weight'), bias: of('second.bias') } };
  if (normalisation === 'none') return { y: projectionHead(g, x, layers), moments: null };
  return contextProjectionHead(g, x, { ...layers, norm: { scale: of('norm.scale'), bias: of('norm.bias') }, running });
}

function momentsOf(side: Side, moments: BatchMoments | null): readonly (readonly [string, Value])[] {
  return moments === null ? [] : [[meanName(side), moments.mean], [varianceName(side), moments.variance]];
}
