/** What do the calls about sharing, the history of trainings and experiments do? */
import { homedir } from 'node:os';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CancellationError } from '../../core/base/errors.ts';
import type { BringEvent, Brought, JobResult, Progress, Run, RunComparison, SharePlan } from '../contract/index.ts';
import { fillNewProject } from '../project/fill-project.ts';
import type { OpenProject } from '../project/projects.ts';
import { listRuns } from '../project/runs.ts';
import { planSharing } from '../project/share-plan.ts';
import { commonIncoming } from '../project/uploads.ts';
import { startWorker } from '../workers/client.ts';
import type { CallInput, CallName, CallOutput, WorkerEvent } from '../workers/messages.ts';
import type { Services } from './application.ts';
import { show } from './projects.ts';

/** What an exported file and its sheet say of the program that made them. */
export const madeBy = (services: Services): string => `${services.info.name} ${services.info.version}`;

export async function planShare(services: Services, projectId: string): Promise<SharePlan> {
  const project = await services.projects.get(projectId);
  return planSharing(project, { madeAt: services.now(), madeBy: madeBy(services), folder: join(homedirOf(services), 'Isogloss') });
}

function homedirOf({ options }: Services): string {
  return options.home === '' ? homedir() : options.home;
}

export async function lookAtShared(services: Services, path: string, signal: AbortSignal | undefined): Promise<Brought> {
  return askShareWorker(services, { name: 'lookAtBrought', input: { path }, signal, onEvent: () => undefined });
}

/** Takes in what was brought, as a project of its own; ends with the project. What was begun is removed when it fails or is left. */
export async function* bringIn(services: Services, { path, name }: { readonly path: string; readonly name: string | null }, signal: AbortSignal | undefined): AsyncGenerator<BringEvent, void> {
  const abort = new AbortController();
  const stop = signal === undefined ? abort.signal : AbortSignal.any([signal, abort.signal]);
  let latest: Progress | null = null;
  let wake: () => void = () => undefined;
  let isOver = false;
  const work = takeIn(services, { path, name, signal: stop, report: (progress) => {
    latest = progress;
    wake();
  } }).finally(() => {
    isOver = true;
    wake();
  });
  work.catch(() => undefined); // thrown below, where somebody listens
  try {
    for (;;) {
      const told: Progress | null = latest;
      latest = null;
      if (told !== null) yield { kind: 'progress', progress: told };
      else if (isOver) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    yield { kind: 'done', project: await show(services, await work) };
  } finally {
    if (!isOver) abort.abort(new CancellationError()); // the listener has left
  }
}

type TakeIn = { readonly path: string; readonly name: string | null; readonly signal: AbortSignal; readonly report: (progress: Progress) => void };

/** Stands among all work from the moment the new project is there, so that it is seen, and cancelled, wherever work is. */
async function takeIn(services: Services, { path, name, signal, report }: TakeIn): Promise<OpenProject> {
  const { projects, options, now, jobs } = services;
  const abort = new AbortController();
  const stop = AbortSignal.any([signal, abort.signal]);
  let tell: (event: WorkerEvent) => void = () => undefined;
  const onEvent = (event: WorkerEvent): void => {
    if (event.kind === 'index' && event.event.kind === 'progress') report(event.event);
    tell(event);
  };
  const ended = Promise.withResolvers<JobResult>();
  const onBegun = (projectId: string): void => {
    jobs.accompany({ kind: 'bring', projectId }, (onJobEvent) => {
      tell = onJobEvent;
      return { result: ended.promise, control: (action) => void (action === 'cancel' && abort.abort(new CancellationError())) };
    });
  };
  const filled = fillNewProject({ brought: await lookAtShared(services, path, stop), name, parentFolder: options.folders.projects, projects, now, onBegun, fill: (input) => askShareWorker(services, { name: 'fillFromBrought', input, signal: stop, onEvent }) });
  filled.then(() => ended.resolve({ kind: 'bring' }), ended.reject);
  ended.promise.catch(() => undefined); // where no job was begun, the failure is thrown here alone
  const project = await filled;
  if (dirname(path) === commonIncoming(options.folders.data)) await rm(path, { force: true }); // dropped for this alone
  return project;
}

/** One process for one call, so that a file made to do harm ends that process and nothing else. */
async function askShareWorker<Name extends CallName>({ options }: Services, { name, input, signal, onEvent }: { readonly name: Name; readonly input: CallInput<Name>; readonly signal: AbortSignal | undefined; readonly onEvent: (event: WorkerEvent) => void }): Promise<CallOutput<Name>> {
  const worker = startWorker(options.startProcess, 'share');
  const call = worker.call(name, input, onEvent);
  const cancel = (): void => call.control('cancel');
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted === true) cancel();
  try {
    return await call.result;
  } finally {
    signal?.removeEventListener('abort', cancel);
    await worker.stop();
  }
}

export async function listProjectRuns(services: Services, projectId: string): Promise<readonly Run[]> {
  const { folder, file } = await services.projects.get(projectId);
  return listRuns(folder, file.model);
}

export async function compareProjectRuns(services: Services, { projectId, a, b }: { readonly projectId: string; readonly a: string; readonly b: string }, signal: AbortSignal | undefined): Promise<RunComparison> {
  const { folder, file } = await services.projects.get(projectId);
  return services.inspector.ask('compareRuns', { projectFolder: folder, a, b, presentModel: file.model }, signal);
}
