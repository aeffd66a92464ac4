/** How is a batch of neighbours calculated? The graph of context prediction on ONNX Runtime, with and without a bank, kept open. */
import { gradientName } from '../../autodiff/gradient-model.ts';
import { InvariantError } from '../../base/errors.ts';
import { modelFor } from '../../runtime/device-session.ts';
import { createSession, type Device, type Session } from '../../runtime/session.ts';
import { tensorOf, type Tensor } from '../../tensor/tensor.ts';
import { contextGraph, headParameters, IO, meanName, projectedName, varianceName, type ContextGraphOptions, type Side } from './context-graph.ts';

export type ContextBatchFeeds = {
  /** float32 [N, H] each. */
  readonly trained: Float32Array;
  readonly evaluated: Float32Array;
  /** The head's weights by name, and its running moments [F]. */
  readonly parameters: ReadonlyMap<string, Float32Array>;
  readonly running: { readonly mean: Float32Array; readonly variance: Float32Array };
  /** float32 [M, P]; empty: none. */
  readonly bank: Float32Array;
  /** bool [N, N + M]. */
  readonly leaveOut: Uint8Array;
  /** By which loss and gradients are multiplied. */
  readonly scale: number;
};

export type ContextBatchResult = {
  readonly loss: number;
  /** float32 [N, H] each, and those of the head by name. */
  readonly gradients: { readonly trained: Float32Array; readonly evaluated: Float32Array; readonly head: ReadonlyMap<string, Float32Array> };
  /** float32 [N, P]. */
  readonly projected: Readonly<Record<Side, Float32Array>>;
  /** The moments of each side that was normalised by its own, float32 [F], the variance over n. */
  readonly moments: readonly { readonly mean: Float32Array; readonly variance: Float32Array }[];
};

export type ContextSessions = AsyncDisposable & { readonly run: (feeds: ContextBatchFeeds) => Promise<ContextBatchResult> };

/** Opens a session when it is first needed; the sizes of batch and bank are symbols. @throws what `createSession` and its runs throw. */
export function openContextSessions(options: Omit<ContextGraphOptions, 'hasBank'> & { readonly threads: number; readonly device: Device }): ContextSessions {
  const { width, hidden, projected, normalisation, threads, device } = options;
  const parameters = headParameters(options);
  const opened = new Map<boolean, Session>();
  const open = async (hasBank: boolean): Promise<Session> => {
    const known = opened.get(hasBank) ?? (await createSession(modelFor(contextGraph({ ...options, hasBank }), device), { threads, device }));
    opened.set(hasBank, known);
    return known;
  };
  const ownMoments: readonly Side[] = normalisation === 'none' ? [] : normalisation === 'batch' ? ['trained', 'evaluated'] : ['trained'];
  return {
    run: async ({ trained, evaluated, parameters: values, running, bank, leaveOut, scale }) => {
      const count = trained.length / width;
      const rows = bank.length / projected;
      const matrix = (height: number, across: number, data: Float32Array): Tensor => tensorOf('float32', [height, across], data);
      const feeds: Record<string, Tensor> = {
        [IO.trained]: matrix(count, width, trained),
        [IO.evaluated]: matrix(count, width, evaluated),
        [IO.leaveOut]: tensorOf('bool', [count, count + rows], leaveOut),
        [IO.scale]: tensorOf('float32', [], Float32Array.of(scale)),
        ...(rows === 0 ? {} : { [IO.bank]: matrix(rows, projected, bank) }),
        ...(normalisation === 'asymmetric' ? { [IO.mean]: tensorOf('float32', [hidden], running.mean), [IO.variance]: tensorOf('float32', [hidden], running.variance) } : {}),
      };
      for (const { name, shape } of parameters) feeds[name] = tensorOf('float32', shape, values.get(name) ?? new Float32Array(0));
      const outputs = await (await open(rows > 0)).run(feeds);
      const of = (name: string): Float32Array => floats(outputs[name], name);
      return {
        loss: of(IO.loss)[0] ?? Number.NaN,
        gradients: { trained: of(gradientName(IO.trained)), evaluated: of(gradientName(IO.evaluated)), head: new Map(parameters.map(({ name }) => [name, of(gradientName(name))])) },
        projected: { trained: of(projectedName('trained')), evaluated: of(projectedName('evaluated')) },
        moments: ownMoments.map((side) => ({ mean: of(meanName(side)), variance: of(varianceName(side)) })),
      };
    },
    [Symbol.asyncDispose]: async () => {
      for (const session of opened.values()) await session.dispose();
      opened.clear();
    },
  };
}

function floats(tensor: Tensor | undefined, name: string): Float32Array {
  if (tensor?.dtype !== 'float32') throw new InvariantError('training.context-output', `The graph of context prediction gave no float32 output "${name}".`);
  return tensor.data;
}
