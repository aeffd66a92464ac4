/** How does the desktop show that something runs, and say when it ends? Taskbar progress, no sleep meanwhile, a notification at the end. */
import type { Job } from '../contract/index.ts';
import type { ElectronParts, WindowPart } from './electron-parts.ts';
import type { DesktopWord, Say } from './words.ts';

/** Shorter work ends before a person has looked away. */
const LONG_WORK_MS = 15_000;
/** What Electron takes for "something runs, nobody knows how long". */
const INDETERMINATE = 2;
const NO_PROGRESS = -1;

export type AttentionOptions = {
  readonly electron: Pick<ElectronParts, 'Notification' | 'powerSaveBlocker'>;
  /** Null while none is open. */
  readonly window: () => WindowPart | null;
  readonly say: Say;
  /** The project's name as the person gave it. */
  readonly projectName: (projectId: string) => Promise<string>;
  /** The notification was pressed. */
  readonly show: (jobId: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export type Attention = { readonly onJob: (job: Job) => void; readonly close: () => void };

export function createAttention(options: AttentionOptions): Attention {
  const { electron, window } = options;
  const underWay = new Map<string, Job>();
  let blocker: number | null = null;

  function keepAwake(): void {
    const isWorking = [...underWay.values()].some(({ state }) => state.status === 'running');
    if (isWorking && blocker === null) blocker = electron.powerSaveBlocker.start('prevent-app-suspension');
    if (!isWorking && blocker !== null) {
      electron.powerSaveBlocker.stop(blocker);
      blocker = null;
    }
  }

  function drawProgress(): void {
    const shown = window();
    if (shown === null || shown.isDestroyed()) return;
    const job = [...underWay.values()].find(({ state }) => state.status === 'running') ?? [...underWay.values()].find(({ state }) => state.status === 'paused');
    if (job === undefined) return shown.setProgressBar(NO_PROGRESS);
    const progress = job.state.status === 'running' || job.state.status === 'paused' ? job.state.progress : null;
    const fraction = progress === null || progress.total === null || progress.total <= 0 ? INDETERMINATE : Math.min(1, progress.done / progress.total);
    shown.setProgressBar(fraction, { mode: job.state.status === 'paused' ? 'paused' : fraction === INDETERMINATE ? 'indeterminate' : 'normal' });
  }

  async function notify(job: Job): Promise<void> {
    const shown = window();
    const isLong = options.now() - job.startedAt >= LONG_WORK_MS;
    if (!isLong || shown === null || shown.isDestroyed() || shown.isFocused()) return;
    shown.flashFrame(true);
    if (!electron.Notification.isSupported()) return;
    const isGood = job.state.status === 'finished';
    const title: DesktopWord = job.request.kind === 'train' ? (isGood ? 'train-finished' : 'train-failed') : isGood ? 'work-finished' : 'work-failed';
    const name = await options.projectName(job.request.projectId);
    const notification = new electron.Notification({ title: options.say(title), body: options.say(isGood ? 'see-project' : 'see-reason', { name }) });
    notification.on('click', () => options.show(job.id));
    notification.show();
  }

  return {
    onJob: (job) => {
      const wasUnderWay = underWay.has(job.id);
      const { status } = job.state;
      if (status === 'queued' || status === 'running' || status === 'paused') underWay.set(job.id, job);
      else underWay.delete(job.id);
      keepAwake();
      drawProgress();
      if (wasUnderWay && (status === 'finished' || status === 'failed')) void notify(job);
    },
    close: () => {
      underWay.clear();
      keepAwake();
    },
  };
}
