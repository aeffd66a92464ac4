/** How are times and amounts summed up and rounded? */
const MICROSECONDS_PER_MS = 1000;

export const BYTES_PER_MB = 2 ** 20;
export const MS_PER_SECOND = 1000;

/** The value below which `share` (0 to 1) of the values lie; 0 for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Three significant digits: more would be noise. */
export const rounded = (value: number): number => Number(value.toPrecision(3));

/** Processor time of this process so far, all threads, user and system, ms. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICROSECONDS_PER_MS;
}

export type Spent = { readonly wallMs: number; readonly cpuMs: number };

/** What some work took. Processor time is the one that means something on a busy machine. */
export async function measure<T>(work: () => T | Promise<T>): Promise<{ readonly value: T; readonly spent: Spent }> {
  const start = { wall: performance.now(), cpu: cpuMs() };
  const value = await work();
  return { value, spent: { wallMs: performance.now() - start.wall, cpuMs: cpuMs() - start.cpu } };
}
