/** How does a call to a worker become the work of a job? */
import type { JobResult } from '../contract/index.ts';
import type { RunningCall } from '../workers/client.ts';
import type { CallInput, CallName, CallOutput, WorkerEvent } from '../workers/messages.ts';
import type { RunningJob } from './registry.ts';

export type CallOf<Name extends CallName> = { readonly input: CallInput<Name>; readonly onEvent: (event: WorkerEvent) => void };

export type Work<Name extends CallName> = {
  readonly makeReady: () => Promise<CallInput<Name>>;
  readonly onEvent: (event: WorkerEvent) => void;
  readonly finish: (output: CallOutput<Name>) => Promise<JobResult>;
};

/** The call in a process of its own, started when everything is ready. */
export function runInWorker<Name extends CallName>(start: (call: CallOf<Name>) => RunningCall<CallOutput<Name>>, work: Work<Name>): RunningJob {
  const call = work.makeReady().then((input) => start({ input, onEvent: work.onEvent }));
  const result = call.then((started) => started.result).then(work.finish);
  return { result, control: (action) => void call.then((started) => started.control(action), () => undefined) };
}
