/** How does a training outlive the process that owns the graphics card? Started again on the CPU, from the last saved state, with one sentence. */
import { EnvironmentError } from '../../core/base/errors.ts';
import { startWorker, type RunningCall } from './client.ts';
import type { CallInput, CallName, CallOutput, TrainTask, WorkerEvent, WorkerName } from './messages.ts';
import type { StartProcess } from './process.ts';

/** Ends that somebody asked for (Ctrl-C reaches the whole group of processes). */
const ASKED: readonly unknown[] = ['SIGINT', 'SIGTERM'];
/** What a choice of a device says when it is not the CPU (core/runtime/choose-device.ts). */
const CARD_CODES: ReadonlySet<string> = new Set(['device.asked', 'device.fastest']);

/** One process for one call; it ends with the call, whatever happens. */
export function callInWorker<Name extends CallName & WorkerName>(start: StartProcess, name: Name, { input, onEvent }: { readonly input: CallInput<Name>; readonly onEvent: (event: WorkerEvent) => void }): RunningCall<CallOutput<Name>> {
  const client = startWorker(start, name);
  const call = client.call(name, input, onEvent);
  return { result: call.result.finally(() => client.stop()), control: call.control };
}

/**
 * Trains in a process of its own. When that process dies while it uses a graphics card (a driver can end it, a card can be lost), the
 * training goes on in a new process on the CPU, from its last checkpoint; a death on the CPU stays an error.
 */
export function trainInWorker(start: StartProcess, { input, onEvent }: { readonly input: TrainTask; readonly onEvent: (event: WorkerEvent) => void }): RunningCall<CallOutput<'train'>> {
  let usesCard = false;
  const listen = (event: WorkerEvent): void => {
    if (event.kind === 'training' && event.event.kind === 'message' && CARD_CODES.has(event.event.code)) usesCard = true;
    onEvent(event);
  };
  let current = callInWorker(start, 'train', { input, onEvent: listen });
  const result = current.result.catch((thrown: unknown) => {
    if (!usesCard || input.device === 'cpu' || !(thrown instanceof EnvironmentError) || thrown.code !== 'worker.died' || ASKED.includes(thrown.data['signal'])) throw thrown;
    const onward = input.onlyPlan ? 'The plan is made again with the processor.' : 'Training goes on with the processor, from the last saved state.';
    onEvent({ kind: 'training', event: { kind: 'message', code: 'device.lost', message: `The process that used the graphics card ended unexpectedly (${String(thrown.data['signal'] ?? thrown.data['code'])}). ${onward}` } });
    current = callInWorker(start, 'train', { input: { ...input, device: 'cpu', resume: !input.onlyPlan }, onEvent });
    return current.result;
  });
  return { result, control: (control) => current.control(control) };
}
