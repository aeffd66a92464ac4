/** Which jobs are there, and what is done to them? Start, pause, resume, cancel, keep, list, watch. */
import { randomUUID } from 'node:crypto';
import { CancellationError, InputError, serialiseError } from '../../core/base/errors.ts';
import type { ErrorRecord, Job, JobEvent, JobRequest, JobResult, JobState, Progress } from '../contract/index.ts';
import type { WorkerEvent } from '../workers/messages.ts';
import { emptyHistory, withIndexEvent, withTrainingEvent, type History } from './history.ts';
import type { Journal } from './journal.ts';
import { isOver, requireAllowed, type JobAction } from './transitions.ts';
import { createWatchers, type Watchers } from './watchers.ts';

const JOURNAL_INTERVAL_MS = 5_000;

/** Work that has been made ready: `run` starts it in its worker. */
export type PreparedJob = {
  readonly run: (onEvent: (event: WorkerEvent) => void) => RunningJob;
};
export type RunningJob = {
  readonly result: Promise<JobResult>;
  readonly control: (action: JobAction) => void;
};

export type RegistryOptions = {
  readonly journal: Journal;
  /** Checks a request and makes it ready. @throws InputError when it cannot be done. */
  readonly prepare: (request: JobRequest) => Promise<PreparedJob>;
  /** Whether a job that did not finish could go on from a checkpoint. */
  readonly canResume: (request: JobRequest) => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told of every new job, change of state and step of progress. */
  readonly onChange?: (job: Job) => void;
};

export type JobRegistry = {
  readonly start: (request: JobRequest) => Promise<Job>;
  /** Lists work that is done elsewhere and begins now; it waits for nothing that runs, and nothing waits for it. */
  readonly accompany: (request: JobRequest, run: PreparedJob['run']) => Job;
  readonly act: (jobId: string, action: JobAction) => Job;
  readonly list: (projectId: string | null) => readonly Job[];
  readonly watch: (jobId: string, signal: AbortSignal | undefined) => AsyncGenerator<JobEvent, void>;
  /** Cancels what runs and waits for it; what can be resumed stays resumable. */
  readonly close: () => Promise<void>;
};

type Entry = {
  job: Job;
  history: History;
  leftMs: number | null;
  progress: Progress | null;
  readonly watchers: Watchers;
  prepared: PreparedJob | null;
  running: RunningJob | null;
  /** Work of the queue: one piece at a time computes. */
  isQueued: boolean;
  settled: Promise<void>;
  journalledAt: number;
};

/** Reads the journal, shows what was interrupted, and is ready. */
export async function createJobRegistry(options: RegistryOptions): Promise<JobRegistry> {
  const { journal, prepare, canResume, now } = options;
  const entries = new Map<string, Entry>();
  let isClosing = false;

  for (const { job, history } of await journal.read()) {
    const entry = newEntry(isOver(job.state) ? job : { ...job, endedAt: job.endedAt ?? now(), state: { status: 'interrupted', canResume: await canResume(job.request) } }, history);
    entries.set(job.id, entry);
    if (entry.job !== job) journal.write({ job: entry.job, history });
  }

  function newEntry(job: Job, history: History): Entry {
    return { job, history, leftMs: null, progress: null, watchers: createWatchers(), prepared: null, running: null, isQueued: true, settled: Promise.resolve(), journalledAt: 0 };
  }

  function become(entry: Entry, state: JobState): void {
    entry.job = { ...entry.job, state, endedAt: isOver(state) ? now() : null };
    entry.watchers.publish({ kind: 'state', state });
    record(entry);
    options.onChange?.(entry.job);
  }

  function record(entry: Entry): void {
    entry.journalledAt = now();
    journal.write({ job: entry.job, history: entry.history });
  }

  function onEvent(entry: Entry, event: WorkerEvent): void {
    if (event.kind === 'training') {
      entry.history = withTrainingEvent(entry.history, event.event);
      if (event.event.kind === 'progress') setProgress(entry, event.event);
      if (event.event.kind === 'step') setProgress(entry, { phase: 'training', done: event.event.step, total: event.event.steps, unit: 'steps', leftMs: event.event.leftMs });
    } else {
      entry.history = withIndexEvent(entry.history, event.event);
      if (event.event.kind === 'progress') setProgress(entry, event.event);
    }
    entry.watchers.publish(event);
    if (now() - entry.journalledAt > JOURNAL_INTERVAL_MS) record(entry);
  }

  function setProgress(entry: Entry, { phase, done, total, unit, leftMs }: Progress & { readonly leftMs: number | null }): void {
    entry.progress = { phase, done, total, unit };
    entry.leftMs = leftMs;
    if (entry.job.state.status === 'running') entry.job = { ...entry.job, state: { status: 'running', progress: entry.progress, leftMs } };
    options.onChange?.(entry.job);
  }

  /** Starts the oldest queued job when nothing else computes. */
  function startNext(): void {
    if (isClosing || [...entries.values()].some((entry) => entry.isQueued && entry.running !== null && entry.job.state.status !== 'paused')) return;
    const next = [...entries.values()].filter((entry) => entry.job.state.status === 'queued').sort((a, b) => a.job.startedAt - b.job.startedAt)[0];
    if (next === undefined || next.prepared === null) return;
    begin(next, next.prepared.run);
  }

  function begin(entry: Entry, run: PreparedJob['run']): void {
    entry.running = run((event) => onEvent(entry, event));
    become(entry, { status: 'running', progress: null, leftMs: null });
    entry.settled = entry.running.result.then(
      (result) => finish(entry, { status: 'finished', result }),
      async (thrown: unknown) => finish(entry, await failure(entry, thrown)),
    );
  }

  function add(request: JobRequest): Entry {
    const entry = newEntry({ id: randomUUID(), request, startedAt: now(), endedAt: null, state: { status: 'queued' } }, emptyHistory);
    entries.set(entry.job.id, entry);
    return entry;
  }

  async function failure(entry: Entry, thrown: unknown): Promise<JobState> {
    if (thrown instanceof CancellationError) return isClosing ? { status: 'interrupted', canResume: await canResume(entry.job.request) } : { status: 'cancelled' };
    return { status: 'failed', error: withoutStack(thrown), canResume: await canResume(entry.job.request) };
  }

  function finish(entry: Entry, state: JobState): void {
    entry.running = null;
    entry.prepared = null;
    become(entry, state);
    startNext();
  }

  function find(jobId: string): Entry {
    const entry = entries.get(jobId);
    if (entry === undefined) throw new InputError('job.unknown', 'This job is not known any more. Start it again.', { data: { jobId } });
    return entry;
  }

  return {
    start: async (request) => {
      requireNoTwin(entries.values(), request);
      const prepared = await prepare(request);
      requireNoTwin(entries.values(), request); // another may have come while this one was made ready
      const entry = add(request);
      entry.prepared = prepared;
      record(entry);
      options.onChange?.(entry.job);
      startNext();
      return entry.job;
    },
    accompany: (request, run) => {
      const entry = add(request);
      entry.isQueued = false;
      begin(entry, run);
      return entry.job;
    },
    act: (jobId, action) => {
      const entry = find(jobId);
      requireAllowed(action, { kind: entry.job.request.kind, status: entry.job.state.status });
      if (entry.running === null) {
        entry.prepared = null;
        become(entry, { status: 'cancelled' });
        return entry.job;
      }
      entry.running.control(action);
      if (action === 'pause') {
        become(entry, { status: 'paused', progress: entry.progress });
        startNext();
      }
      if (action === 'resume') become(entry, { status: 'running', progress: entry.progress, leftMs: entry.leftMs });
      return entry.job;
    },
    list: (projectId) =>
      [...entries.values()]
        .map((entry) => entry.job)
        .filter((job) => projectId === null || job.request.projectId === projectId)
        .sort((a, b) => b.startedAt - a.startedAt),
    watch: (jobId, signal) => {
      const entry = find(jobId);
      return entry.watchers.watch({
        first: { kind: 'snapshot', job: entry.job, training: entry.history.training, index: entry.history.index },
        isLast: (event) => (event.kind === 'snapshot' && isOver(event.job.state)) || (event.kind === 'state' && isOver(event.state)),
        signal,
      });
    },
    close: async () => {
      isClosing = true;
      for (const entry of entries.values()) {
        entry.running?.control('cancel');
        if (entry.job.state.status === 'queued') become(entry, { status: 'interrupted', canResume: false });
      }
      await Promise.all([...entries.values()].map((entry) => entry.settled));
      await journal.settle();
    },
  };
}

/** Two trainings of one project would write the same folder. */
function requireNoTwin(entries: Iterable<Entry>, request: JobRequest): void {
  for (const { job } of entries) {
    if (job.request.projectId === request.projectId && job.request.kind === request.kind && !isOver(job.state)) {
      throw new InputError('job.already-running', 'This is already being done for this project. Wait for it, or cancel it first.', { data: { jobId: job.id } });
    }
  }
}

function withoutStack(thrown: unknown): ErrorRecord {
  const { family, code, message, data } = serialiseError(thrown);
  return { family, code, message, data: { ...data } };
}
