/** How is something measured in a process of its own, so that its memory and processor time are its own? One message in, one out. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EnvironmentError } from '../../core/base/errors.ts';

/** Runs `script` (a file beside this one) with a task; `onNote` gets what it sends before its result. @throws EnvironmentError 'bench.child-failed'. */
export function runInChild(options: { readonly script: string; readonly task: object; readonly signal: AbortSignal; readonly onNote?: (note: unknown) => void }): Promise<unknown> {
  const child = fork(fileURLToPath(new URL(options.script, import.meta.url)), [], { execArgv: ['--disable-warning=ExperimentalWarning'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization: 'advanced', signal: options.signal });
  return new Promise((resolve, reject) => {
    let result: { readonly value: unknown } | null = null;
    child.on('message', (message) => {
      if (typeof message === 'object' && message !== null && 'result' in message) result = { value: message.result };
      else options.onNote?.(message);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (result !== null && code === 0) resolve(result.value);
      else reject(new EnvironmentError('bench.child-failed', `The measured process ended with ${String(code ?? signal)}; what it said stands above.`));
    });
    child.send(options.task);
  });
}

/** The other side: takes the one task and sends the result. */
export function answerTask(work: (task: object) => Promise<unknown>): void {
  process.once('message', (task) => {
    if (typeof task !== 'object' || task === null) throw new TypeError('A task is an object.');
    void work(task).then((result) => process.send?.({ result }, () => process.disconnect()));
  });
}
