/** How does a training outlive its process? Started again from the last saved state, with one sentence: on the CPU after a card was lost, with half as much at once after memory ran out. */
import { EnvironmentError } from '../../core/base/errors.ts';
import { startWorker, type RunningCall } from './client.ts';
import type { CallInput, CallName, CallOutput, WorkerEvent, WorkerName } from './messages.ts';
import type { StartProcess } from './process.ts';

/** Ends that somebody asked for (Ctrl-C reaches the whole group of processes). */
const ASKED: readonly unknown[] = ['SIGINT', 'SIGTERM'];
/** How a system ends a process when memory runs out. */
const KILLED = 'SIGKILL';
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
 * training goes on in a new process on the CPU; when it is killed on the CPU, as systems do when memory runs out, it goes on once with half
 * as much at once. Both from the last checkpoint; another death is an error.
 */
export function trainInWorker<Name extends 'train' | 'phrase-training'>(start: StartProcess, name: Name, { input, onEvent }: { readonly input: CallInput<Name>; readonly onEvent: (event: WorkerEvent) => void }): RunningCall<CallOutput<Name>> {
  let usesCard = false;
  const listen = (event: WorkerEvent): void => {
    if (event.kind === 'training' && event.event.kind === 'message' && CARD_CODES.has(event.event.code)) usesCard = true;
    onEvent(event);
  };
  const onlyPlan = 'onlyPlan' in input && input.onlyPlan;
  let current = callInWorker(start, name, { input, onEvent: listen });
  const again = (changes: Partial<Pick<CallInput<Name>, 'device' | 'takesLess'>>): Promise<CallOutput<Name>> => {
    current = callInWorker(start, name, { input: { ...input, ...changes, resume: !onlyPlan }, onEvent });
    return current.result;
  };
  const say = (code: string, message: string): void => onEvent({ kind: 'training', event: { kind: 'message', code, message } });
  const result = current.result.catch((thrown: unknown) => {
    if (!(thrown instanceof EnvironmentError) || thrown.code !== 'worker.died' || ASKED.includes(thrown.data['signal'])) throw thrown;
    if (usesCard && input.device !== 'cpu') {
      const onward = onlyPlan ? 'the plan is made again with the processor' : 'training goes on with the processor from the last saved state';
      say('device.lost', `The process that used the graphics card ended unexpectedly (${String(thrown.data['signal'] ?? thrown.data['code'])}), so ${onward}.`);
      return again({ device: 'cpu' });
    }
    if (thrown.data['signal'] !== KILLED || input.takesLess === true) throw thrown;
    const onward = onlyPlan ? 'The plan is made again' : 'Training goes on from the last saved state';
    say('training.out-of-memory', `The system ended the training, probably because memory ran out. ${onward} with half as much text at once. Close other programs if you can.`);
    return again({ takesLess: true });
  });
  return { result, control: (control) => current.control(control) };
}
