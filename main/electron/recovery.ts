/** What happens when the window's page dies? It is loaded anew, a few times; then the person is asked. Work goes on in its own processes. */
import type { ContentsPart } from './electron-parts.ts';

/** Deaths within the window of time after which nothing is done without asking. */
export const PAGE_BUDGET = 3;
export const PAGE_WINDOW_MS = 60_000;

export type RecoveryOptions = {
  readonly contents: Pick<ContentsPart, 'on' | 'reload'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly note: (reason: string) => void;
  /** Asks the person; resolves to whether the page should be loaded once more. */
  readonly ask: () => Promise<boolean>;
  readonly startAnew: () => void;
};

export function recoverPage({ contents, now, note, ask, startAnew }: RecoveryOptions): void {
  let deaths: number[] = [];
  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return;
    note(`${reason}, exit code ${String(exitCode)}`);
    deaths = [...deaths.filter((time) => now() - time < PAGE_WINDOW_MS), now()];
    if (deaths.length <= PAGE_BUDGET) return contents.reload();
    deaths = [];
    void ask().then((isWanted) => (isWanted ? contents.reload() : startAnew()));
  });
}
