/** How is progress shown on a terminal? A line per phase and now and then one within it; never on stdout. */
import type { Progress } from '../../core/base/progress.ts';

const SAY_EVERY_MS = 2_000;

/** A listener that says at most one line every two seconds, and always one when the phase changes. */
export function createProgressLine(say: (line: string) => void, now: () => number = () => performance.now()): (progress: Progress & { readonly leftMs?: number | null }) => void {
  let phase = '';
  let saidAt = -Infinity;
  return (progress) => {
    const time = now();
    if (progress.phase === phase && time - saidAt < SAY_EVERY_MS) return;
    phase = progress.phase;
    saidAt = time;
    const total = progress.total === null ? '' : ` of ${Math.round(progress.total).toLocaleString('en')}`;
    const left = progress.leftMs === undefined || progress.leftMs === null ? '' : `, about ${describeDuration(progress.leftMs)} left`;
    say(`${progress.phase}: ${Math.round(progress.done).toLocaleString('en')}${total} ${progress.unit}${left}`);
  };
}

const MS_PER_SECOND = 1000;
const SECONDS_PER_MINUTE = 60;
const SECONDS_BELOW_WHICH_SECONDS_ARE_SAID = 90;

/** "40 s", "3 min". */
export function describeDuration(ms: number): string {
  const seconds = ms / MS_PER_SECOND;
  return seconds < SECONDS_BELOW_WHICH_SECONDS_ARE_SAID ? `${String(Math.ceil(seconds))} s` : `${String(Math.round(seconds / SECONDS_PER_MINUTE))} min`;
}

const PROBLEMS_SAID = 10;

/** Says the first problems one by one and at the end how many there were. @param consequence what becomes of the lines or files. */
export function createProblemLines(say: (line: string) => void, consequence = 'left out'): { readonly add: (message: string) => void; readonly end: () => void } {
  let count = 0;
  return {
    add: (message) => {
      count += 1;
      if (count <= PROBLEMS_SAID) say(`${consequence}: ${message}`);
    },
    end: () => {
      if (count > PROBLEMS_SAID) say(`${consequence}: ${(count - PROBLEMS_SAID).toLocaleString('en')} more; ${count.toLocaleString('en')} in all.`);
    },
  };
}
