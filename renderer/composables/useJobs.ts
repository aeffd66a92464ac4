/** Which jobs run, and how are they started, paused and ended? */
import { storeToRefs } from 'pinia';
import { computed, onScopeDispose, type ComputedRef } from 'vue';
import type { Job, JobKind, JobRequest } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { applyJobEvent, emptyRecord, isUnderWay, type JobRecord } from '../stores/job-record.ts';
import { useJobsStore } from '../stores/jobs.ts';
import { follow } from './follow.ts';
import { useBridge } from './useBridge.ts';
import { useOpenProject } from './useOpenProject.ts';

export type Jobs = {
  readonly records: ComputedRef<readonly JobRecord[]>;
  readonly underWay: ComputedRef<readonly JobRecord[]>;
  /** The newest job of a kind in a project, or null. */
  readonly latest: (projectId: string, kind: JobKind) => JobRecord | null;
  readonly start: (request: JobRequest) => Promise<void>;
  readonly pause: (jobId: string) => Promise<void>;
  readonly resume: (jobId: string) => Promise<void>;
  readonly cancel: (jobId: string) => Promise<void>;
  readonly stopAndKeep: (jobId: string) => Promise<void>;
  /** Reads files of the library again that could not be read; null: all of them. */
  readonly retryFiles: (projectId: string, paths: readonly string[] | null) => Promise<void>;
};

/** Jobs being followed, by id, so that none is followed twice whoever asks. */
const followed = new Map<string, AbortController>();

export function useJobs(): Jobs & { readonly loadAll: () => Promise<void>; readonly stopFollowing: () => void } {
  const { client, connection } = useBridge();
  const store = useJobsStore();
  const { records, underWay } = storeToRefs(store);
  const { refresh, loadResult, open } = useOpenProject();

  function watchJob(job: Job): void {
    if (followed.has(job.id)) return;
    const controller = new AbortController();
    followed.set(job.id, controller);
    if (store.find(job.id) === null) store.put(emptyRecord(job));
    void follow({
      connection,
      open: (signal) => client.job.watch({ jobId: job.id }, { signal }),
      signal: controller.signal,
      onEvent: (event) => store.put(applyJobEvent(store.find(job.id) ?? emptyRecord(job), event)),
    })
      .catch((thrown: unknown) => {
        const record = store.find(job.id);
        if (record !== null) store.put({ ...record, job: { ...job, state: { status: 'failed', error: problemFrom(thrown), canResume: false } } });
      })
      .finally(() => {
        followed.delete(job.id);
        if (!controller.signal.aborted && isUnderWay(job.state)) void afterEnd(job); // one that was over when it was met has changed nothing since
      });
  }

  /** What a job made is asked for anew once it ends: the project's steps, its result, its library. */
  async function afterEnd(job: Job): Promise<void> {
    if (open.value.status !== 'ready' || open.value.value.id !== job.request.projectId) return;
    await refresh();
    if (job.request.kind === 'train') await loadResult(job.request.projectId);
  }

  function keepState(job: Job): void {
    const record = store.find(job.id);
    store.put(record === null ? emptyRecord(job) : { ...record, job });
  }

  return {
    records: computed(() => records.value),
    underWay: computed(() => underWay.value),
    latest: (projectId, kind) => records.value.find(({ job }) => job.request.projectId === projectId && job.request.kind === kind) ?? null,
    async start(request) {
      watchJob(await client.job.start(request));
    },
    async retryFiles(projectId, paths) {
      watchJob(await client.library.retry({ projectId, paths: paths === null ? null : [...paths] }));
    },
    pause: async (jobId) => keepState(await client.job.pause({ jobId })),
    resume: async (jobId) => keepState(await client.job.resume({ jobId })),
    cancel: async (jobId) => keepState(await client.job.cancel({ jobId })),
    stopAndKeep: async (jobId) => keepState(await client.job.stopAndKeep({ jobId })),
    async loadAll() {
      const { jobs } = await client.job.list({ projectId: null });
      const shown = new Map<string, Job>(); // the newest training of each project, also one that is over: what it showed is shown again after a reload
      for (const job of jobs) if (job.request.kind === 'train' && job.startedAt > (shown.get(job.request.projectId)?.startedAt ?? 0)) shown.set(job.request.projectId, job);
      for (const job of jobs) {
        const isNew = store.find(job.id) === null;
        if (isUnderWay(job.state) || (isNew && shown.get(job.request.projectId) === job)) watchJob(job);
        else if (!followed.has(job.id)) keepState(job);
      }
    },
    stopFollowing() {
      for (const controller of followed.values()) controller.abort();
    },
  };
}

/** Keeps the list of jobs true, also after the connection was lost; used once, by the frame. */
export function useJobList(): void {
  const { connection } = useBridge();
  const { loadAll, stopFollowing } = useJobs();
  const refreshQuietly = (): void => {
    loadAll().catch((thrown: unknown) => {
      if (problemFrom(thrown).code !== 'contract.unreachable') throw thrown; // a lost connection is drawn by the frame
    });
  };
  const stop = connection.onChange((state) => {
    if (state.status === 'open') refreshQuietly();
  });
  refreshQuietly();
  onScopeDispose(() => {
    stop();
    stopFollowing();
  });
}
