/** How is a document read so that a bad one harms nobody? In a process of its own, with limits of time and memory; plain lines at once. */
import { fork } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { deserialiseError, InputError, InvariantError } from '../base/errors.ts';
import { pathOnDisk } from '../base/file-names.ts';
import { documentFormats, formatOfName } from './formats.ts';
import { isParseAnswer } from './parser-messages.ts';
import type { ParseRequest } from './parser-messages.ts';
import type { ParsedDocument } from './parsed-document.ts';
import { readDocument, startsAsPlainText } from './read-document.ts';
import type { ReadDocumentOptions } from './read-document.ts';

export type DocumentReader = {
  /**
   * As `readDocument`, which reads plain lines right here and everything else in the other process, one file at a time.
   * @throws what `readDocument` throws; InputError 'documents.reading-took-too-long', 'documents.reading-failed' (the process died of this
   *   file: out of memory, or a fault of a library); each carries the path, and the next file is read by a fresh process.
   */
  readonly read: (path: string, signal: AbortSignal, options?: ReadDocumentOptions) => Promise<ParsedDocument>;
  /** Ends the process; a reader that is asked again starts another. */
  readonly dispose: () => void;
};

export type ReaderLimits = {
  readonly memoryMB: number;
  /** For any file; each megabyte adds `msPerMB`. */
  readonly baseMs: number;
  readonly msPerMB: number;
};

const DEFAULT_LIMITS: ReaderLimits = { memoryMB: 1024, baseMs: 30_000, msPerMB: 10_000 };
const LONGEST_MS = 30 * 60_000;
const BYTES_PER_MB = 1024 * 1024;
const LOOK_MS = 250;
const PAGE_BYTES = 4096; // of /proc/<pid>/statm on the systems that have it
const OUTSIDE_HEAP_MB = 512; // programs, and bytes that are unpacked

/** A process or a thread that parses, in one shape. */
type Parser = {
  readonly post: (request: ParseRequest) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  /** Called once. */
  readonly onEnd: (listener: (how: string) => void) => void;
  readonly kill: () => void;
  readonly pid: number | undefined;
};

type Pending = { readonly id: number; readonly path: string; readonly resolve: (document: ParsedDocument) => void; readonly reject: (error: Error) => void };

/** In Electron a program may start no Node process: there a thread with a limited heap takes its place. */
export type ReaderPlace = 'process' | 'thread';

const usualPlace = (): ReaderPlace => (process.versions['electron'] === undefined ? 'process' : 'thread');

/** Makes a reader; its process starts with the first file that needs one. */
export function createDocumentReader(wanted: Partial<ReaderLimits> = {}, place: ReaderPlace = usualPlace()): DocumentReader {
  const limits = { ...DEFAULT_LIMITS, ...wanted };
  let parser: Parser | null = null;
  let pending: Pending | null = null;
  let nextId = 1;
  let queue: Promise<unknown> = Promise.resolve();

  const settle = (id: number, act: (call: Pending) => void): void => {
    if (pending?.id !== id) return; // an answer to a file that was given up
    const call = pending;
    pending = null;
    act(call);
  };
  const start = (): Parser => {
    const started = place === 'process' ? startProcess(limits) : startThread(limits);
    started.onMessage((message) => {
      if (isParseAnswer(message)) return settle(message.id, (call) => (message.kind === 'document' ? call.resolve(message.document) : call.reject(deserialiseError(message.error))));
      if (parser === started) stop();
      if (pending !== null) settle(pending.id, (call) => call.reject(died(call.path, 'it said something unexpected')));
    });
    started.onEnd((how) => {
      if (parser !== started) return;
      parser = null;
      if (pending !== null) settle(pending.id, (call) => call.reject(died(call.path, how)));
    });
    return started;
  };
  const stop = (): void => {
    const running = parser;
    parser = null;
    running?.kill();
  };

  const readThere = async (path: string, signal: AbortSignal, options: ReadDocumentOptions): Promise<ParsedDocument> => {
    signal.throwIfAborted();
    const timeMs = await timeFor(path, limits);
    parser ??= start();
    const running = parser;
    const id = nextId;
    nextId += 1;
    const giveUp = (error: unknown): void => settle(id, (call) => {
      stop();
      call.reject(error instanceof Error ? error : new InvariantError('base.unexpected', String(error)));
    });
    const onAbort = (): void => giveUp(signal.reason);
    const timer = setTimeout(() => giveUp(tookTooLong(path, timeMs)), timeMs);
    const watch = setInterval(() => {
      void residentBytes(running.pid).then((bytes) => {
        if (bytes > (limits.memoryMB + OUTSIDE_HEAP_MB) * BYTES_PER_MB) giveUp(died(path, 'it needed too much memory'));
      });
    }, LOOK_MS);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise<ParsedDocument>((resolve, reject) => {
        pending = { id, path, resolve, reject };
        running.post({ id, path, options });
      });
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', onAbort);
    }
  };

  return {
    read: async (path, signal, options = {}) => {
      const named = formatOfName(basename(path));
      if (named === null || (documentFormats[named].isPlain && (await startsAsPlainText(path)))) return await readDocument(path, signal, options);
      const turn = queue.then(() => readThere(path, signal, options));
      queue = turn.catch(() => undefined); // the next file does not care how this one went
      return await turn;
    },
    dispose: stop,
  };
}

const died = (path: string, how: string): InputError => new InputError('documents.reading-failed', `${path}: expected a file that can be read, but reading it broke down (${how}). The other files are read. Try again, or save the file anew in another format.`, { data: { path } });

const tookTooLong = (path: string, timeMs: number): InputError => new InputError('documents.reading-took-too-long', `${path}: expected a file that can be read within ${Math.round(timeMs / 1000)} s, but it was not. The other files are read. Try again, or split the file.`, { data: { path } });

async function timeFor(path: string, { baseMs, msPerMB }: ReaderLimits): Promise<number> {
  const size = await stat(pathOnDisk(path)).then(({ size: bytes }) => bytes, () => 0); // what is wrong with the path is said by the reading
  return Math.min(LONGEST_MS, baseMs + (msPerMB * size) / BYTES_PER_MB);
}

/** Memory of a process where the system tells it (Linux), else 0: there only the limit of the heap holds. */
async function residentBytes(pid: number | undefined): Promise<number> {
  if (pid === undefined || process.platform !== 'linux') return 0;
  const facts = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''); // it has just ended
  return Number(facts.split(' ')[1] ?? 0) * PAGE_BYTES;
}

/** The entry point: a source beside this one, or, in a build, beside the other workers. */
function scriptPath(): string {
  const here = import.meta.url;
  return fileURLToPath(new URL(here.endsWith('.ts') ? 'parser-process.ts' : '../workers/parser-process.mjs', here));
}

/** The parser may read files; it may not write, start programs or load native code. */
function startProcess({ memoryMB }: ReaderLimits): Parser {
  const child = fork(scriptPath(), [], {
    env: process.env['SYSTEMROOT'] === undefined ? {} : { SYSTEMROOT: process.env['SYSTEMROOT'] }, // Windows programs do not start without it
    execArgv: ['--disable-warning=ExperimentalWarning', '--permission', '--allow-fs-read=*', `--max-old-space-size=${memoryMB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  child.unref();
  child.channel?.unref(); // the timer of a reading keeps this process up, an idle parser does not
  return {
    pid: child.pid,
    post: (request) => void child.send(request, () => undefined), // a process that is gone is told by its end
    onMessage: (listener) => void child.on('message', listener),
    onEnd: (listener) => {
      let isOver = false;
      const once = (how: string): void => {
        if (!isOver) listener(how);
        isOver = true;
      };
      child.on('error', (error) => once(error.message));
      child.on('exit', (code, signal) => once(signal === null ? `the process ended with code ${String(code)}` : `the process was ended by ${signal}`));
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function startThread({ memoryMB }: ReaderLimits): Parser {
  const worker = new Worker(scriptPath(), { env: {}, stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: memoryMB } });
  worker.unref();
  return {
    pid: undefined,
    post: (request) => worker.postMessage(request),
    onMessage: (listener) => void worker.on('message', listener),
    onEnd: (listener) => {
      let reason = 'the thread ended';
      worker.on('error', (error: Error) => {
        reason = error.message;
      });
      worker.on('exit', () => listener(reason));
    },
    kill: () => void worker.terminate(),
  };
}
