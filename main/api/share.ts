/** What do the calls about sharing, the history of trainings and experiments do? */
import { rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CancellationError, InputError } from '../../core/base/errors.ts';
import { makeFolder } from '../../core/base/atomic-files.ts';
import type { BringEvent, Brought, Progress, Run, RunComparison, SharePlan } from '../contract/index.ts';
import { libraryPlace } from '../project/index-places.ts';
import { writeLibraryReport } from '../project/library.ts';
import type { PortableManifest } from '../project/portable-file.ts';
import { readProjectFile, type ProjectFile } from '../project/project-file.ts';
import type { OpenProject } from '../project/projects.ts';
import { projectPaths } from '../project/recipe.ts';
import { keepRun, listRuns } from '../project/runs.ts';
import { planSharing } from '../project/share-plan.ts';
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

async function takeIn(services: Services, { path, name, signal, report }: TakeIn): Promise<OpenProject> {
  const { projects, options } = services;
  const brought = await lookAtShared(services, path, signal);
  if (brought.kind === 'backbone') throw new InputError('share.backbone', `${path}: this is a model of another program, to train from. Open or make a project, and choose it under "Train".`, { data: { path } });
  const languages = brought.kind === 'portable' ? brought.sheet.languages.map(({ tag }) => tag).filter((tag) => tag !== brought.sheet.pivot) : brought.languages;
  const project = await projects.create({ name: name ?? brought.name, languages, parentFolder: options.folders.projects });
  const { folder } = project;
  try {
    const onEvent = (event: WorkerEvent): void => {
      if (event.kind === 'index' && event.event.kind === 'progress') report(event.event);
    };
    const fill = (target: string): Promise<CallOutput<'fillFromBrought'>> => askShareWorker(services, { name: 'fillFromBrought', input: { kind: brought.kind, path, folder: target }, signal, onEvent });
    if (brought.kind === 'project') {
      await fill(folder);
      const { file } = await readProjectFile(path);
      return await projects.change(project.file.id, (fresh) => ({ ...rebased(file, path, folder), id: fresh.id, name: name ?? file.name, createdAt: fresh.createdAt }));
    }
    const model = `models/model-${String(services.now())}`;
    const incoming = join(projectPaths(folder).models, 'incoming');
    await makeFolder(projectPaths(folder).models);
    const { manifest } = await fill(incoming);
    await rename(join(incoming, 'model'), join(folder, model));
    if (manifest?.index !== undefined && manifest.index !== null) await takeIndex({ folder, incoming, index: manifest.index });
    await rm(incoming, { recursive: true, force: true });
    await keepRun({ folder, model, preset: 'shared', keptEarly: false, corpora: [], at: services.now() });
    return await projects.change(project.file.id, (file) => ({ ...file, ...(manifest === null ? {} : settingsOf(manifest)), model, library: { folders: [], isWatched: false } }));
  } catch (thrown) {
    await projects.remove(project.file.id, 'folder');
    await rm(folder, { recursive: true, force: true }); // new, and made for this alone
    throw thrown;
  }
}

async function takeIndex({ folder, incoming, index }: { readonly folder: string; readonly incoming: string; readonly index: NonNullable<PortableManifest['index']> }): Promise<void> {
  await makeFolder(libraryPlace(folder));
  await rename(join(incoming, 'index'), join(libraryPlace(folder), 'index'));
  await writeLibraryReport(folder, { ...index, folders: [], fingerprint: '', failures: [] });
}

function settingsOf({ languages, names, bridge, spelling, exampleQueries }: PortableManifest): Partial<ProjectFile> {
  return { languages, names, bridge, spelling, exampleQueries };
}

/** Places inside the folder that was copied follow it; others stay where they are. */
function rebased(file: ProjectFile, from: string, to: string): ProjectFile {
  const place = (path: string): string => (path === from || path.startsWith(`${from}/`) || path.startsWith(`${from}\\`) ? join(to, path.slice(from.length)) : path);
  return { ...file, library: { ...file.library, folders: file.library.folders.map((folder) => ({ ...folder, path: place(folder.path) })) } };
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
