/** What does a running Isogloss consist of? Everything behind the contract, built once and closed once. */
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { rm, stat } from 'node:fs/promises';
import type { AppInfo, Job, Settings } from '../contract/index.ts';
import { createJournal } from '../jobs/journal.ts';
import { createLibraryWatch, type LibraryWatch } from '../jobs/library-watch.ts';
import { lookAtLibrary } from '../jobs/look-at-library.ts';
import { createPrepare } from '../jobs/prepare.ts';
import { createJobRegistry, type JobRegistry } from '../jobs/registry.ts';
import { createLog, type Log } from '../log/rotating-log.ts';
import { hasCheckpoint } from '../project/models.ts';
import { hasPhraseCheckpoint } from '../project/phrases.ts';
import { shippedExperiments } from '../project/experiments.ts';
import { createProjects, type Projects } from '../project/projects.ts';
import { createRecentProjects, type RecentProjects } from '../project/recent.ts';
import { hasSample } from '../project/sample.ts';
import { commonIncoming } from '../project/uploads.ts';
import type { UserFolders } from '../project/user-folder.ts';
import { measureJudgements } from './judgements.ts';
import { openSettings, type SettingsFile } from './settings.ts';
import { createWishes, type Wishes } from './wishes.ts';
import { createService, type Service } from '../workers/service.ts';
import type { StartProcess } from '../workers/process.ts';

const INSPECTOR_IDLE_MS = 30_000;
const SEARCHER_IDLE_MS = 10 * 60_000;
const BYTES_PER_MB = 1024 * 1024;

export type ApplicationOptions = {
  readonly mode: AppInfo['mode'];
  readonly version: string;
  readonly startProcess: StartProcess;
  readonly folders: UserFolders;
  readonly home: string;
  /** The shipped sample, the shipped English starter. */
  readonly sampleFolder: string;
  readonly starterFolder: string;
  readonly systemLanguage: string;
  /** How long a folder must be quiet before it is looked at; for tests. */
  readonly libraryQuietMs?: number;
  /** Told of our own faults and of a journal that cannot be written; carries no text of documents. */
  readonly onFault: (error: Error) => void;
  /** `chosen`: the window may name only paths that it was shown; absent: any (tests of the program itself). */
  readonly paths?: 'chosen';
  /** Told whenever a job begins, moves on or ends. */
  readonly onJob?: (job: Job) => void;
  /** Told whenever the list of recent projects has changed. */
  readonly onRecent?: () => void;
  readonly onSettings?: (settings: Settings) => void;
  /** Versions for "copy diagnostics", beside those of Node. */
  readonly versions?: Readonly<Record<string, string | undefined>>;
};

export type Services = {
  readonly info: AppInfo;
  readonly options: ApplicationOptions;
  readonly recent: RecentProjects;
  readonly projects: Projects;
  readonly jobs: JobRegistry;
  readonly inspector: Service;
  readonly searcher: Service;
  readonly libraryWatch: LibraryWatch;
  readonly settings: SettingsFile;
  readonly wishes: Wishes;
  readonly log: Log;
  /** Grows when the index of a project has changed, so that the search worker opens it anew. */
  readonly indexGeneration: (projectId: string) => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly close: () => Promise<void>;
};

export async function createServices(given: ApplicationOptions): Promise<Services> {
  const { folders, startProcess } = given;
  const now = (): number => Date.now();
  const log = createLog({ folder: join(folders.data, 'log'), now });
  const options: ApplicationOptions = {
    ...given,
    onFault: (error) => {
      log.write('error', 'program.fault', error.stack ?? error.message);
      given.onFault(error);
    },
  };
  const steady = (): number => performance.now();
  const recent = createRecentProjects(folders.data, options.onRecent);
  const projects = createProjects({ recent, now });
  const inspector = createService({ startProcess, worker: 'inspect', idleMs: INSPECTOR_IDLE_MS, now: steady });
  const searcher = createService({ startProcess, worker: 'search', idleMs: SEARCHER_IDLE_MS, now: steady });
  const threads = physicalCores();
  const generations = new Map<string, number>();
  const openAnew = (projectId: string): void => void generations.set(projectId, (generations.get(projectId) ?? 0) + 1);
  const libraryWatch = createLibraryWatch({ ...(options.libraryQuietMs === undefined ? {} : { quietMs: options.libraryQuietMs }), look: (projectId) => lookAtLibrary({ projectId, projects, inspector, start: (request) => jobs.start(request), tried }).catch((error: unknown) => options.onFault(error instanceof Error ? error : new Error(String(error)))) });
  const tried = new Map<string, string>();
  const noteJob = createJobNotes(log);
  const jobs = await createJobRegistry({
    journal: createJournal(join(folders.data, 'jobs'), (error) => options.onFault(error instanceof Error ? error : new Error(String(error)))),
    prepare: createPrepare({
      projects,
      startProcess,
      usualThreads: threads,
      starterFolder: options.starterFolder,
      experimentsFolder: shippedExperiments(options.starterFolder),
      madeBy: `Isogloss ${options.version}`,
      now,
      onTrained: (projectId) => libraryWatch.lookSoon(projectId),
      onGrown: openAnew,
      onIndexed: (projectId) => {
        openAnew(projectId);
        libraryWatch.lookSoon(projectId); // what changed while it was indexed
        void measureJudgements({ projectId, projects, searcher, generation: generations.get(projectId) ?? 0, now }).catch((error: unknown) => options.onFault(error instanceof Error ? error : new Error(String(error))));
      },
    }),
    canResume: async ({ kind, projectId }) => {
      const folder = kind === 'train' || kind === 'phrases' ? await recent.folderOf(projectId) : null;
      return folder !== null && (kind === 'phrases' ? hasPhraseCheckpoint(folder) : hasCheckpoint(folder));
    },
    onChange: (job) => {
      noteJob(job);
      options.onJob?.(job);
    },
    now,
  });
  const info: AppInfo = {
    name: 'Isogloss',
    version: options.version,
    mode: options.mode,
    platform: platformOf(process.platform),
    cores: availableParallelism(),
    memoryMB: Math.round(totalmem() / BYTES_PER_MB),
    threads,
    hasSample: await hasSample(options.sampleFolder),
    hasStarter: await stat(join(options.starterFolder, 'starter.json')).then(() => true, () => false),
    systemLanguage: options.systemLanguage,
  };
  const settings = await openSettings(folders.data);
  await rm(commonIncoming(folders.data), { recursive: true, force: true });
  log.write('info', 'program.started', `Isogloss ${options.version}, ${options.mode}, ${process.platform} ${process.arch}`);
  return {
    info,
    options,
    settings,
    wishes: createWishes(),
    log,
    recent,
    projects,
    jobs,
    inspector,
    searcher,
    libraryWatch,
    indexGeneration: (projectId) => generations.get(projectId) ?? 0,
    now,
    close: async () => {
      libraryWatch.close();
      await jobs.close();
      await Promise.all([inspector.stop(), searcher.stop()]);
      await projects.closeAll();
      log.write('info', 'program.ended');
      await log.settle();
    },
  };
}

/** One line of the log per change of a job's state, none for its progress. */
function createJobNotes(log: Log): (job: Job) => void {
  const last = new Map<string, string>();
  return ({ id, request, state }) => {
    if (last.get(id) === state.status) return;
    last.set(id, state.status);
    if (state.status === 'failed') log.write('error', `job.${request.kind}-failed`, state.error.family === 'input' ? state.error.code : `${state.error.code} ${state.error.message}`);
    else log.write('info', `job.${request.kind}-${state.status}`);
  };
}

function platformOf(platform: NodeJS.Platform): AppInfo['platform'] {
  return platform === 'linux' || platform === 'darwin' || platform === 'win32' ? platform : 'other';
}

/** Hyper-threads do not multiply faster; half of the logical cores where there are more than two, at least one. */
function physicalCores(): number {
  const logical = availableParallelism();
  return Math.max(1, logical <= 2 || cpus().length === 0 ? logical : Math.ceil(logical / 2));
}
