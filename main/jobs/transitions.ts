/** What may be done to a job in which state? */
import { InputError } from '../../core/base/errors.ts';
import type { JobKind, JobState } from '../contract/job.ts';

export type JobAction = 'pause' | 'resume' | 'cancel' | 'stop-and-keep';

/** Total over the states, so that a new state must say what is allowed in it. */
const ALLOWED: { readonly [Status in JobState['status']]: readonly JobAction[] } = {
  queued: ['cancel'],
  running: ['pause', 'cancel', 'stop-and-keep'],
  paused: ['resume', 'cancel', 'stop-and-keep'],
  finished: [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

/** Only training can be ended early with something to keep; the others begin where they were, or are short. */
const POSSIBLE: { readonly [Kind in JobKind]: readonly JobAction[] } = {
  train: ['pause', 'resume', 'cancel', 'stop-and-keep'],
  plan: ['cancel'],
  index: ['pause', 'resume', 'cancel'],
  mine: ['cancel'],
  phrases: ['pause', 'resume', 'cancel', 'stop-and-keep'],
  calibrate: ['cancel'],
  share: ['cancel'],
  bring: ['cancel'],
  experiment: ['cancel'],
};

/** @throws InputError 'job.not-possible' when the action makes no sense now. */
export function requireAllowed(action: JobAction, job: { readonly kind: JobKind; readonly status: JobState['status'] }): void {
  if (POSSIBLE[job.kind].includes(action) && ALLOWED[job.status].includes(action)) return;
  throw new InputError('job.not-possible', `A job of kind "${job.kind}" that is ${job.status} cannot be asked to "${action}".`, { data: { action, status: job.status, jobKind: job.kind } });
}

export function isOver(state: JobState): boolean {
  return state.status === 'finished' || state.status === 'failed' || state.status === 'cancelled' || state.status === 'interrupted';
}
