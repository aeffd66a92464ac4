/** Does a record say the same, whether its job was watched from the start or met midway? */
import { describe, expect, it } from 'vitest';
import type { HeldBackSentence, Job, JobEvent, TrainingEvent } from '../../main/contract/index.ts';
import { applyJobEvent, emptyRecord, isUnderWay, PROBLEMS_KEPT, STEPS_KEPT, type JobRecord } from './job-record.ts';

const job: Job = { id: 'j1', request: { kind: 'train', projectId: 'p', preset: 'quick', resume: false }, startedAt: 1, endedAt: null, state: { status: 'running', progress: null, leftMs: null } };
const step = (at: number): TrainingEvent => ({ kind: 'step', step: at, steps: 5_000, losses: { retrieval: 10 - at / 1_000, semantic: 1, language: 0 }, learningRate: 0.01, tokensPerSecond: 1, leftMs: 1_000 });
const sentence = (rank: number): HeldBackSentence => ({ source: 'maji', target: 'water', sourceLanguage: 'sw', targetLanguage: 'en', rank, of: 200 });
const training = (event: TrainingEvent): JobEvent => ({ kind: 'training', event });
const after = (events: readonly JobEvent[]): JobRecord => events.reduce(applyJobEvent, emptyRecord(job));

describe('a job record', () => {
  it('is the same from a snapshot as from the events one by one', () => {
    const events: readonly TrainingEvent[] = [
      { kind: 'progress', phase: 'reading', done: 1, total: 2, unit: 'files', leftMs: null },
      { kind: 'plan', steps: 5_000, estimatedMinutes: 1, estimatedMemoryMB: 300 },
      step(1),
      { kind: 'held-back', step: 1, sentences: [sentence(90)] },
      step(2),
      { kind: 'held-back', step: 2, sentences: [sentence(3)] },
      { kind: 'problem', code: 'x', message: 'm', path: '/a', line: 2 },
      { kind: 'message', code: 'y', message: 'n' },
    ];
    const watched = after(events.map(training));
    expect(watched.steps).toHaveLength(2);
    expect(after([{ kind: 'snapshot', job, training: events, index: [] }])).toEqual(watched);
  });

  it('keeps the rank that each held-back sentence had at first', () => {
    const record = after([training({ kind: 'held-back', step: 1, sentences: [sentence(90)] }), training({ kind: 'held-back', step: 9, sentences: [sentence(1)] })]);
    expect(record.heldBack).toEqual([{ ...sentence(1), firstRank: 90 }]);
  });

  it('a step says how far training is', () => {
    expect(after([training(step(7))]).progress).toEqual({ phase: 'training', done: 7, total: 5_000, unit: 'steps', leftMs: 1_000 });
  });

  it('steps that are taken again after a resume replace what was known of them', () => {
    expect(after([step(1), step(2), step(3), step(2)].map(training)).steps.map((point) => point.step)).toEqual([1, 2]);
  });

  it('keeps a bounded number of points and problems, the last point among them', () => {
    const many = Array.from({ length: 4_000 }, (_, index) => training(step(index + 1)));
    const record = after(many);
    expect(record.steps.length).toBeLessThanOrEqual(STEPS_KEPT);
    expect(record.steps.length).toBeGreaterThan(STEPS_KEPT / 3);
    expect(record.steps.at(-1)?.step).toBe(4_000);
    const problems = Array.from({ length: PROBLEMS_KEPT + 50 }, (_, line) => training({ kind: 'problem', code: 'x', message: 'm', path: null, line }));
    expect(after(problems).problems).toHaveLength(PROBLEMS_KEPT);
  });

  it('a state replaces the state and keeps the rest', () => {
    const record = after([training(step(7)), { kind: 'state', state: { status: 'paused', progress: null } }]);
    expect(record.job.state.status).toBe('paused');
    expect(record.steps).toHaveLength(1);
    expect(record.progress?.done).toBe(7);
  });

  it('queued, running and paused are under way; nothing else is', () => {
    expect(isUnderWay({ status: 'queued' })).toBe(true);
    expect(isUnderWay({ status: 'paused', progress: null })).toBe(true);
    expect(isUnderWay({ status: 'cancelled' })).toBe(false);
    expect(isUnderWay({ status: 'interrupted', canResume: true })).toBe(false);
  });
});
