/** How does a worker answer? Wires a table of handlers to the messages of its parent, whichever kind of process it is. */
import { assertNever, CancellationError, serialiseError } from '../../core/base/errors.ts';
import { calls, toWorkerSchema, type CallInput, type CallName, type CallOutput, type Control, type FromWorker, type WorkerEvent } from './messages.ts';

/** What a running call can see of the wishes of its caller. */
export type CallContext = {
  readonly signal: AbortSignal;
  readonly isPaused: () => boolean;
  readonly shouldStopAndKeep: () => boolean;
  readonly report: (event: WorkerEvent) => void;
};

export type Handlers = { readonly [Name in CallName]?: (input: CallInput<Name>, context: CallContext) => Promise<CallOutput<Name>> };

type Wishes = { readonly abort: AbortController; isPaused: boolean; stopAndKeep: boolean };

/** Answers until the parent goes away; then ends, so that no worker outlives the program. */
export function answerCalls(handlers: Handlers): void {
  const parent = parentChannel();
  const running = new Map<number, Wishes>();
  parent.onMessage((raw) => {
    const message = toWorkerSchema.parse(raw);
    switch (message.kind) {
      case 'control':
        return obey(running.get(message.id), message.control);
      case 'call':
        return void perform({ id: message.id, name: message.name, input: message.input });
      default:
        return assertNever(message, 'message to a worker');
    }
  });

  async function perform({ id, name, input }: { id: number; name: CallName; input: unknown }): Promise<void> {
    const wishes: Wishes = { abort: new AbortController(), isPaused: false, stopAndKeep: false };
    running.set(id, wishes);
    const context: CallContext = {
      signal: wishes.abort.signal,
      isPaused: () => wishes.isPaused,
      shouldStopAndKeep: () => wishes.stopAndKeep,
      report: (event) => parent.post({ kind: 'event', id, event }),
    };
    try {
      parent.post({ kind: 'answer', id, output: await dispatch(handlers, { name, input, context }) });
    } catch (thrown) {
      const { stack, ...error } = serialiseError(thrown);
      if (error.family === 'invariant' && stack !== undefined) process.stderr.write(`${stack}\n`);
      parent.post({ kind: 'failure', id, error: { ...error, data: { ...error.data } } });
    } finally {
      running.delete(id);
    }
  }
}

function dispatch(handlers: Handlers, { name, input, context }: { name: CallName; input: unknown; context: CallContext }): Promise<unknown> {
  switch (name) {
    case 'train':
      return required(handlers.train, name)(calls.train.input.parse(input), context);
    case 'index':
      return required(handlers.index, name)(calls.index.input.parse(input), context);
    case 'phrase-training':
      return required(handlers['phrase-training'], name)(calls['phrase-training'].input.parse(input), context);
    case 'dictionaries':
      return required(handlers.dictionaries, name)(calls.dictionaries.input.parse(input), context);
    case 'mine':
      return required(handlers.mine, name)(calls.mine.input.parse(input), context);
    case 'calibrate':
      return required(handlers.calibrate, name)(calls.calibrate.input.parse(input), context);
    case 'look':
      return required(handlers.look, name)(calls.look.input.parse(input), context);
    case 'similar':
      return required(handlers.similar, name)(calls.similar.input.parse(input), context);
    case 'pool':
      return required(handlers.pool, name)(calls.pool.input.parse(input), context);
    case 'measure':
      return required(handlers.measure, name)(calls.measure.input.parse(input), context);
    case 'facets':
      return required(handlers.facets, name)(calls.facets.input.parse(input), context);
    case 'phrases':
      return required(handlers.phrases, name)(calls.phrases.input.parse(input), context);
    case 'inspect':
      return required(handlers.inspect, name)(calls.inspect.input.parse(input), context);
    case 'backbone':
      return required(handlers.backbone, name)(calls.backbone.input.parse(input), context);
    case 'devices':
      return required(handlers.devices, name)(calls.devices.input.parse(input), context);
    case 'suggest':
      return required(handlers.suggest, name)(calls.suggest.input.parse(input), context);
    case 'search':
      return required(handlers.search, name)(calls.search.input.parse(input), context);
    case 'excerpt':
      return required(handlers.excerpt, name)(calls.excerpt.input.parse(input), context);
    case 'share':
      return required(handlers.share, name)(calls.share.input.parse(input), context);
    case 'lookAtBrought':
      return required(handlers.lookAtBrought, name)(calls.lookAtBrought.input.parse(input), context);
    case 'fillFromBrought':
      return required(handlers.fillFromBrought, name)(calls.fillFromBrought.input.parse(input), context);
    case 'compareRuns':
      return required(handlers.compareRuns, name)(calls.compareRuns.input.parse(input), context);
    case 'experiment':
      return required(handlers.experiment, name)(calls.experiment.input.parse(input), context);
    default:
      return assertNever(name, 'call');
  }
}

function required<Handler>(handler: Handler | undefined, name: CallName): Handler {
  if (handler === undefined) throw new TypeError(`This worker does not answer "${name}".`);
  return handler;
}

function obey(wishes: Wishes | undefined, control: Control): void {
  if (wishes === undefined) return;
  switch (control) {
    case 'pause':
      wishes.isPaused = true;
      return;
    case 'resume':
      wishes.isPaused = false;
      return;
    case 'stop-and-keep':
      wishes.stopAndKeep = true;
      wishes.isPaused = false;
      return;
    case 'cancel':
      wishes.abort.abort(new CancellationError());
      return;
    default:
      assertNever(control, 'control');
  }
}

type Channel = { readonly post: (message: FromWorker) => void; readonly onMessage: (listener: (message: unknown) => void) => void };

/** `process.parentPort` in Electron's utility process, `process.send` in Node's child. */
function parentChannel(): Channel {
  const port: unknown = Reflect.get(process, 'parentPort');
  if (isElectronPort(port)) {
    return { post: (message) => port.postMessage(message), onMessage: (listener) => port.on('message', (event) => listener(event.data)) };
  }
  if (process.send === undefined) throw new TypeError('A worker is started by Isogloss, not by hand.');
  process.on('disconnect', () => process.exit(0));
  return { post: (message) => void process.send?.(message), onMessage: (listener) => void process.on('message', listener) };
}

type ElectronPort = { postMessage: (message: unknown) => void; on: (event: 'message', listener: (event: { data: unknown }) => void) => void };

function isElectronPort(port: unknown): port is ElectronPort {
  return typeof port === 'object' && port !== null && 'postMessage' in port && 'on' in port;
}
