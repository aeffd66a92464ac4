/** How does the program ask a worker? A call with events, controls and an end; a dead worker is an error with advice. */
import { CancellationError, deserialiseError, EnvironmentError, InvariantError } from '../../core/base/errors.ts';
import { calls, fromWorkerSchema, type CallInput, type CallName, type CallOutput, type Control, type ToWorker, type WorkerEvent, type WorkerName } from './messages.ts';
import type { StartProcess, WorkerEnd, WorkerProcess } from './process.ts';

/** After `cancel` was said, and again after it was asked to end. */
const PATIENCE_MS = 2_000;

export type RunningCall<Output> = {
  readonly result: Promise<Output>;
  readonly control: (control: Control) => void;
};

export type WorkerClient = {
  readonly call: <Name extends CallName>(name: Name, input: CallInput<Name>, onEvent: (event: WorkerEvent) => void) => RunningCall<CallOutput<Name>>;
  /** Settles when the process has ended. */
  readonly ended: Promise<WorkerEnd>;
  /** Says cancel to all calls, then SIGTERM, then SIGKILL. */
  readonly stop: () => Promise<void>;
};

type Pending = {
  readonly name: CallName;
  readonly onEvent: (event: WorkerEvent) => void;
  readonly resolve: (output: never) => void;
  readonly reject: (error: Error) => void;
  isCancelled: boolean;
};

/** Starts a worker and speaks with it. @throws EnvironmentError 'worker.died' (from `result`) when the process ends before it answers. */
export function startWorker(start: StartProcess, worker: WorkerName, wait: (ms: number) => Promise<void> = sleep): WorkerClient {
  const child = start(worker);
  const pending = new Map<number, Pending>();
  let nextId = 1;
  let isOver = false;
  const ended = new Promise<WorkerEnd>((resolve) => child.onExit(resolve));
  void ended.then((end) => {
    isOver = true;
    for (const call of pending.values()) call.reject(call.isCancelled ? new CancellationError() : died(worker, end));
    pending.clear();
  });
  child.onMessage((raw) => receive(raw, pending));
  const post = (message: ToWorker): void => child.post(message);
  const stop = (): Promise<void> => endProcess({ child, ended, pending, post, wait, isOver: () => isOver });
  return {
    ended,
    stop,
    call: (name, input, onEvent) => {
      const id = nextId;
      nextId += 1;
      const result = new Promise<CallOutput<typeof name>>((resolve, reject) => {
        if (isOver) return reject(new EnvironmentError('worker.died', `The ${worker} process has ended. Try again.`));
        pending.set(id, { name, onEvent, resolve, reject, isCancelled: false });
        post({ kind: 'call', id, name, input });
      });
      const control = (control: Control): void => {
        const call = pending.get(id);
        if (call === undefined) return;
        post({ kind: 'control', id, control });
        if (control !== 'cancel') return;
        call.isCancelled = true;
        void Promise.race([result.catch(() => undefined), wait(PATIENCE_MS)]).then(() => {
          if (pending.has(id)) return stop(); // it does not listen (a native call): end it, which is safe
          return undefined;
        });
      };
      return { result, control };
    },
  };
}

function receive(raw: unknown, pending: Map<number, Pending>): void {
  const parsed = fromWorkerSchema.safeParse(raw);
  if (!parsed.success) {
    for (const call of pending.values()) call.reject(new InvariantError('worker.bad-message', `A worker said something unexpected: ${parsed.error.message}`));
    pending.clear();
    return;
  }
  const message = parsed.data;
  const call = pending.get(message.id);
  if (call === undefined) return; // an answer to a call that was given up
  if (message.kind === 'event') return call.onEvent(message.event);
  pending.delete(message.id);
  if (message.kind === 'failure') return call.reject(deserialiseError(message.error));
  const output = calls[call.name].output.safeParse(message.output);
  if (output.success) call.resolve(output.data as never); // the schema of this very call has just accepted it
  else call.reject(new InvariantError('worker.bad-answer', `The answer to "${call.name}" is not as agreed: ${output.error.message}`));
}

type Ending = {
  readonly child: WorkerProcess;
  readonly ended: Promise<WorkerEnd>;
  readonly pending: ReadonlyMap<number, Pending>;
  readonly post: (message: ToWorker) => void;
  readonly wait: (ms: number) => Promise<void>;
  readonly isOver: () => boolean;
};

async function endProcess({ child, ended, pending, post, wait, isOver }: Ending): Promise<void> {
  for (const [id, call] of pending) {
    call.isCancelled = true;
    post({ kind: 'control', id, control: 'cancel' });
  }
  if (pending.size > 0) await Promise.race([ended, wait(PATIENCE_MS)]);
  if (!isOver()) {
    child.kill('ask');
    await Promise.race([ended, wait(PATIENCE_MS)]);
  }
  if (!isOver()) child.kill('force');
  await ended;
}

function died(worker: WorkerName, end: WorkerEnd): EnvironmentError {
  const how = end.signal === null ? `with code ${String(end.code)}` : `by ${end.signal}`;
  const memory = end.signal === 'SIGKILL' ? ' The system may have run out of memory: close other programs, or choose the quick preset.' : '';
  return new EnvironmentError('worker.died', `The ${worker} process ended unexpectedly (${how}). Nothing that was saved is lost.${memory} Start it again; training goes on from its last checkpoint.`, {
    data: { worker, code: end.code, signal: end.signal, stderr: end.stderr },
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
