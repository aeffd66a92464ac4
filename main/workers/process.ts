/** How is a worker process started, spoken to and ended? The one adapter: Node's child process or Electron's utility process. */
import { fork } from 'node:child_process';
import type { WorkerName } from './messages.ts';

/** A process with two ears and an end. Both kinds of process are brought into this shape. */
export type WorkerProcess = {
  readonly post: (message: unknown) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  /** Called once, with what is known of the end. */
  readonly onExit: (listener: (end: WorkerEnd) => void) => void;
  /** Asks to end (SIGTERM) or ends at once (SIGKILL). */
  readonly kill: (how: 'ask' | 'force') => void;
};

/** `stderr`: the last lines it wrote. */
export type WorkerEnd = { readonly code: number | null; readonly signal: string | null; readonly stderr: string };

export type StartProcess = (name: WorkerName) => WorkerProcess;

const STDERR_KEPT_CHARACTERS = 4_000;
/** What a worker needs of the environment; tokens, proxies and NODE_OPTIONS of the user stay outside. */
const PASSED_VARIABLES = ['PATH', 'HOME', 'USERPROFILE', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'LC_ALL', 'SYSTEMROOT', 'XDG_RUNTIME_DIR', 'VK_ICD_FILENAMES', 'VK_DRIVER_FILES', 'CUDA_PATH', 'CUDA_VISIBLE_DEVICES', 'LD_LIBRARY_PATH', 'APPDATA', 'LOCALAPPDATA', 'NODE_COMPILE_CACHE'];

/** The environment of a worker: the named variables that are set, nothing else. */
export function scrubbedEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(PASSED_VARIABLES.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])));
}

/** The last `STDERR_KEPT_CHARACTERS` of what a stream says. */
export function keepTail(stream: NodeJS.ReadableStream | null): () => string {
  let tail = '';
  stream?.on('data', (chunk: Buffer | string) => {
    tail = (tail + chunk.toString()).slice(-STDERR_KEPT_CHARACTERS);
  });
  return () => tail;
}

/** Of JavaScript objects; what files hold lies outside and is limited by the other. */
const BACKBONE_HEAP_MB = 1024;
/** Of all that a process may write to (RLIMIT_DATA). */
const BACKBONE_DATA_KB = 4 * 1024 * 1024;

/** Of strings that are read, counted and gone: with V8's own choice, inspecting a million pairs takes 100 MB more, and no less time. */
const YOUNG_MB = 16;

/** Flags of a worker: those that read other people's models get little memory; the one that reads whole corpora keeps little of what it has read. */
export function memoryFlags(name: WorkerName): readonly string[] {
  if (name === 'backbone') return [`--max-old-space-size=${String(BACKBONE_HEAP_MB)}`];
  return name === 'inspect' ? [`--max-semi-space-size=${String(YOUNG_MB)}`] : [];
}

/** How a worker is started: where the system has a shell that can limit memory, workers for other people's models through it. */
function program(name: WorkerName): { readonly execPath: string; readonly execArgv: readonly string[] } {
  const flags = ['--disable-warning=ExperimentalWarning', ...memoryFlags(name)];
  if (name !== 'backbone' || process.platform !== 'linux') return { execPath: process.execPath, execArgv: flags };
  return { execPath: '/bin/sh', execArgv: ['-c', `ulimit -d ${String(BACKBONE_DATA_KB)} 2>/dev/null; exec "$0" "$@"`, process.execPath, ...flags] };
}

/** Workers as Node processes: no shell, no inherited flags but the quiet one, a scrubbed environment, stdout kept off ours. */
export function nodeProcesses(scriptOf: (name: WorkerName) => string): StartProcess {
  return (name) => {
    const { execPath, execArgv } = program(name);
    const child = fork(scriptOf(name), [], {
      env: scrubbedEnvironment(process.env),
      execPath,
      execArgv: [...execArgv],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    const tail = keepTail(child.stderr);
    return {
      post: (message) => {
        if (child.connected) child.send(message as object); // `send` takes any structured-cloneable value; ours are objects
      },
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => {
        let isOver = false;
        const once = (end: WorkerEnd): void => {
          if (!isOver) listener(end);
          isOver = true;
        };
        child.on('error', (error) => once({ code: null, signal: null, stderr: `${tail()}\n${error.message}` }));
        child.on('close', (code, signal) => once({ code, signal, stderr: tail() }));
      },
      kill: (how) => void child.kill(how === 'ask' ? 'SIGTERM' : 'SIGKILL'),
    };
  };
}
