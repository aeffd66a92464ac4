/** How is a worker started in Electron? As a utility process, in the shape that main/workers knows. */
import type { UtilityProcess } from 'electron';
import type { WorkerName } from '../workers/messages.ts';
import { keepTail, memoryFlags, scrubbedEnvironment, type StartProcess } from '../workers/process.ts';

/** `utilityProcess.fork` and what it gives, as far as they are used. */
export type Fork = (script: string, args: string[], options: { env: Record<string, string>; serviceName: string; stdio: ['ignore', 'ignore', 'pipe']; execArgv: string[] }) => Child;
export type Child = Pick<UtilityProcess, 'postMessage' | 'kill' | 'stderr' | 'pid'> & {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
};

/** Utility processes know only one way to end; after the polite wait a process that is still there is killed by the system. */
export function utilityProcesses(fork: Fork, scriptOf: (name: WorkerName) => string): StartProcess {
  return (name) => {
    const child = fork(scriptOf(name), [], { env: scrubbedEnvironment(process.env), serviceName: `isogloss-${name}`, stdio: ['ignore', 'ignore', 'pipe'], execArgv: [...memoryFlags(name)] });
    const tail = keepTail(child.stderr);
    return {
      post: (message) => child.postMessage(message),
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => void child.on('exit', (code: number) => listener({ code, signal: null, stderr: tail() })),
      kill: (how) => {
        if (how === 'ask' || child.pid === undefined) child.kill();
        else process.kill(child.pid, 'SIGKILL');
      },
    };
  };
}
