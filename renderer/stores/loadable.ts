/** What can be known about something that comes from the program? One union, drawn in every state. */
import type { ErrorRecord } from '../../main/contract/index.ts';

export type Loadable<T> =
  | { readonly status: 'idle' }
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly value: T }
  | { readonly status: 'failed'; readonly problem: ErrorRecord };

export const IDLE: Loadable<never> = { status: 'idle' };
export const LOADING: Loadable<never> = { status: 'loading' };

export function ready<T>(value: T): Loadable<T> {
  return { status: 'ready', value };
}

export function failed<T>(problem: ErrorRecord): Loadable<T> {
  return { status: 'failed', problem };
}

/** The value, or null in every other state. */
export function valueOf<T>(loadable: Loadable<T>): T | null {
  return loadable.status === 'ready' ? loadable.value : null;
}
