/** What is known of one job? Events go in, a plain record comes out; the same for a job watched from its start and one met midway. */
import type { CorpusProblem, HeldBackSentence, IndexEvent, Job, JobEvent, JobState, TrainingEvent } from '../../main/contract/index.ts';
import { assertNever } from '../assert-never.ts';

export type StepEvent = Extract<TrainingEvent, { kind: 'step' }>;
export type JobProgress = { readonly phase: string; readonly done: number; readonly total: number | null; readonly unit: string; readonly leftMs: number | null };
export type JobProblem = Omit<CorpusProblem, 'path'> & { readonly path: string | null };
/** `data`: the places of the sentence. */
export type JobMessage = { readonly code: string; readonly message: string; readonly data: Readonly<Record<string, string | number>> };
export type PlannedTraining = Omit<Extract<TrainingEvent, { kind: 'plan' }>, 'kind'>;
/** Each held-back sentence with the rank it had at first. */
export type HeldBackNow = HeldBackSentence & { readonly firstRank: number };

export type MapEvent = Extract<TrainingEvent, { kind: 'map' }>;

export type JobRecord = {
  readonly job: Job;
  readonly progress: JobProgress | null;
  readonly plan: PlannedTraining | null;
  readonly steps: readonly StepEvent[];
  readonly heldBack: readonly HeldBackNow[];
  /** The map of held-back sentences, as it was at first and as it is now; null before the first look. */
  readonly map: { readonly first: MapEvent; readonly now: MapEvent } | null;
  readonly problems: readonly JobProblem[];
  readonly messages: readonly JobMessage[];
};

/** More points than a curve has pixels are of no use; when there are this many every second one goes. */
export const STEPS_KEPT = 1_200;
export const PROBLEMS_KEPT = 500;
export const MESSAGES_KEPT = 100;

export function emptyRecord(job: Job): JobRecord {
  return { job, progress: progressOf(job.state), plan: null, steps: [], heldBack: [], map: null, problems: [], messages: [] };
}

/** The record after one event; a snapshot starts anew from what it carries. */
export function applyJobEvent(record: JobRecord, event: JobEvent): JobRecord {
  switch (event.kind) {
    case 'snapshot': {
      const afterTraining = event.training.reduce(applyTrainingEvent, emptyRecord(event.job));
      return event.index.reduce(applyIndexEvent, afterTraining);
    }
    case 'state':
      return { ...record, job: { ...record.job, state: event.state }, progress: progressOf(event.state) ?? record.progress };
    case 'training':
      return applyTrainingEvent(record, event.event);
    case 'index':
      return applyIndexEvent(record, event.event);
    default:
      return assertNever(event);
  }
}

function applyTrainingEvent(record: JobRecord, event: TrainingEvent): JobRecord {
  switch (event.kind) {
    case 'progress':
      return { ...record, progress: { phase: event.phase, done: event.done, total: event.total, unit: event.unit, leftMs: event.leftMs } };
    case 'plan':
      return { ...record, plan: { steps: event.steps, estimatedMinutes: event.estimatedMinutes, estimatedMemoryMB: event.estimatedMemoryMB } };
    case 'step':
      return {
        ...record,
        progress: { phase: 'training', done: event.step, total: event.steps, unit: 'steps', leftMs: event.leftMs },
        steps: thinned([...record.steps.filter((point) => point.step < event.step), event]),
      };
    case 'held-back':
      return { ...record, heldBack: withFirstRanks(record.heldBack, event.sentences) };
    case 'map':
      return { ...record, map: { first: record.map?.first ?? event, now: event } };
    case 'evaluation':
      return record;
    case 'problem':
      return { ...record, problems: withProblem(record.problems, event) };
    case 'message':
      return { ...record, messages: [...record.messages, { code: event.code, message: event.message, data: event.data ?? {} }].slice(-MESSAGES_KEPT) };
    default:
      return assertNever(event);
  }
}

function applyIndexEvent(record: JobRecord, event: IndexEvent): JobRecord {
  switch (event.kind) {
    case 'progress':
      return { ...record, progress: { phase: event.phase, done: event.done, total: event.total, unit: event.unit, leftMs: event.leftMs } };
    case 'problem':
      return { ...record, problems: withProblem(record.problems, event) };
    default:
      return assertNever(event);
  }
}

function progressOf(state: JobState): JobProgress | null {
  if (state.status === 'running' && state.progress !== null) return { ...state.progress, leftMs: state.leftMs };
  if (state.status === 'paused' && state.progress !== null) return { ...state.progress, leftMs: null };
  return null;
}

function thinned(steps: readonly StepEvent[]): readonly StepEvent[] {
  return steps.length <= STEPS_KEPT ? steps : steps.filter((_, index) => index % 2 === 0 || index === steps.length - 1);
}

function withFirstRanks(before: readonly HeldBackNow[], now: readonly HeldBackSentence[]): readonly HeldBackNow[] {
  return now.map((sentence) => {
    const earlier = before.find((other) => other.source === sentence.source && other.target === sentence.target && other.sourceLanguage === sentence.sourceLanguage);
    return { ...sentence, firstRank: earlier?.firstRank ?? sentence.rank };
  });
}

function withProblem(problems: readonly JobProblem[], { code, message, path, line }: JobProblem): readonly JobProblem[] {
  return problems.length >= PROBLEMS_KEPT ? problems : [...problems, { code, message, path, line }];
}

/** Whether a job still wants attention: it runs, waits or stands still. */
export function isUnderWay(state: JobState): boolean {
  return state.status === 'queued' || state.status === 'running' || state.status === 'paused';
}
