/**
 * Was the page ever too busy to answer a person? Every task of its main thread, with the time it took and the processor time it used.
 * On a machine that does other work too, a task may take long because others had the processor: that is not the page's doing, so the
 * processor time is what is judged, and both are reported.
 */
import type { CDPSession, Page } from 'playwright-core';

const MICROSECONDS = 1_000;
/** From this on a browser calls a task long, and a person feels it. */
export const LONG_TASK_MS = 50;

/** A loop of fixed length, the fastest of several runs, on two quiet cores of the machine of test/bench/README.md. */
const LOOP = '(() => { let least = Infinity; for (let run = 0; run < 8; run += 1) { const start = performance.now(); let sum = 0; for (let at = 0; at < 5e6; at += 1) sum = (sum * 31 + at) | 0; if (sum !== 1) least = Math.min(least, performance.now() - start); } return least; })()';
const LOOP_MS = 5.5;

/** How many times slower than that machine this one is now, at least 1: others that share a core slow it down too. */
export async function slowness(page: Page): Promise<number> {
  return Math.max(1, Number(await page.evaluate(LOOP)) / LOOP_MS);
}

export type LongTasks = {
  /** Tasks of the main thread that were seen. */
  readonly tasks: number;
  readonly longestCpuMs: number;
  readonly longestWallMs: number;
  /** Longer than LONG_TASK_MS by the clock. */
  readonly long: number;
};

/** Of what was seen with the window in several stretches, the worst. */
export function worstOf(stretches: readonly LongTasks[]): LongTasks {
  const most = (pick: (tasks: LongTasks) => number): number => Math.max(...stretches.map(pick));
  const all = (pick: (tasks: LongTasks) => number): number => stretches.reduce((sum, tasks) => sum + pick(tasks), 0);
  return { tasks: all(({ tasks }) => tasks), longestCpuMs: most(({ longestCpuMs }) => longestCpuMs), longestWallMs: most(({ longestWallMs }) => longestWallMs), long: all(({ long }) => long) };
}

/** What a person does while a training runs: goes to another view, types, opens what hangs over it, and comes back. */
export async function useWindow(page: Page): Promise<void> {
  await page.locator('.rail-entry', { hasText: 'Language' }).click();
  await page.getByRole('heading', { name: 'Language', exact: true }).waitFor();
  await page.getByLabel('Add another language').pressSequentially('kisu');
  await page.getByRole('button', { name: 'Help' }).click();
  await page.keyboard.press('Escape');
  await page.locator('.rail-entry', { hasText: 'Train' }).click();
}

type TraceEvent = { readonly name: string; readonly ph: string; readonly tid: number; readonly pid: number; readonly dur?: number; readonly tdur?: number; readonly args?: { readonly name?: string } };

/** Watches from now on; `stop` says what was seen. */
export async function watchTasks(page: Page): Promise<{ readonly stop: () => Promise<LongTasks> }> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[]))); // what the tracing protocol sends
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'] } });
  return {
    stop: async () => {
      const done = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
      await session.send('Tracing.end');
      await done;
      await session.detach();
      return summary(events);
    },
  };
}

function summary(events: readonly TraceEvent[]): LongTasks {
  const mains = new Set(events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(({ pid, tid }) => `${String(pid)} ${String(tid)}`));
  const tasks = events.filter(({ name, ph, pid, tid }) => ph === 'X' && (name === 'RunTask' || name === 'ThreadControllerImpl::RunTask') && mains.has(`${String(pid)} ${String(tid)}`));
  const longest = (pick: (event: TraceEvent) => number | undefined): number => tasks.reduce((most, event) => Math.max(most, (pick(event) ?? 0) / MICROSECONDS), 0);
  return { tasks: tasks.length, longestCpuMs: longest(({ tdur }) => tdur), longestWallMs: longest(({ dur }) => dur), long: tasks.filter(({ dur = 0 }) => dur / MICROSECONDS > LONG_TASK_MS).length };
}
