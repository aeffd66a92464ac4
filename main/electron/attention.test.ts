/** What is said of long work outside the window: taskbar, sleep, notifications? */
import { describe, expect, it } from 'vitest';
import type { Job, JobState } from '../contract/index.ts';
import { createAttention } from './attention.ts';
import { createFakeElectron, FakeWindow, type FakeElectron } from './test-electron.ts';
import { wordsOf } from './words.ts';

describe('long work', () => {
  const jobOf = (state: JobState, kind: 'train' | 'index' = 'train'): Job => ({ id: 'j', request: kind === 'train' ? { kind, projectId: 'p', preset: 'quick', resume: false } : { kind, projectId: 'p' }, startedAt: 0, endedAt: null, state });
  const running = (done: number, total: number | null): JobState => ({ status: 'running', progress: { phase: 'training', done, total, unit: 'steps' }, leftMs: null });
  function watch(options: { readonly focused: boolean; readonly tookMs: number }): { readonly fake: FakeElectron; readonly window: FakeWindow; readonly onJob: (job: Job) => void; readonly shown: string[] } {
    const fake = createFakeElectron({ appPath: '/nowhere' });
    const window = new FakeWindow({}, fake.listened);
    window.focused = options.focused;
    const shown: string[] = [];
    const { onJob } = createAttention({ electron: fake.parts, window: () => window, say: wordsOf('en'), projectName: () => Promise.resolve('Lake'), show: (id) => shown.push(id), now: () => options.tookMs });
    return { fake, window, onJob, shown };
  }

  it('is on the taskbar, keeps the computer awake while it runs, and not while it is paused', () => {
    const { fake, window, onJob } = watch({ focused: true, tookMs: 60_000 });
    onJob(jobOf({ status: 'queued' }));
    expect(fake.blockers.size).toBe(0);
    onJob(jobOf(running(1, null)));
    onJob(jobOf(running(50, 200)));
    expect(fake.blockers.size).toBe(1);
    onJob(jobOf({ status: 'paused', progress: { phase: 'training', done: 50, total: 200, unit: 'steps' } }));
    expect(fake.blockers.size).toBe(0);
    onJob(jobOf(running(60, 200)));
    expect(fake.blockers.size).toBe(1);
    onJob(jobOf({ status: 'cancelled' }));
    expect(fake.blockers.size).toBe(0);
    expect(window.progress).toEqual([[-1, undefined], [2, 'indeterminate'], [0.25, 'normal'], [0.25, 'paused'], [0.3, 'normal'], [-1, undefined]]);
    expect(fake.notifications).toEqual([]);
  });

  it('says when it ends, to a person who looks elsewhere; pressing leads to it', async () => {
    const { fake, window, onJob, shown } = watch({ focused: false, tookMs: 60_000 });
    onJob(jobOf(running(1, 2)));
    onJob(jobOf({ status: 'failed', error: { family: 'environment', code: 'disk.full', message: 'm', data: {} }, canResume: true }));
    await expect.poll(() => fake.notifications.map(({ options, isShown }) => [options.title, options.body, isShown])).toEqual([['Training stopped', 'Lake: press to see why and what to do.', true]]);
    expect(window.calls).toEqual(['flash true']);
    fake.notifications[0]?.emit('click');
    expect(shown).toEqual(['j']);
  });

  it.each([
    ['was short', { focused: false, tookMs: 3_000 }],
    ['is looked at', { focused: true, tookMs: 60_000 }],
  ])('that %s says nothing', async (_, options) => {
    const { fake, onJob } = watch(options);
    onJob(jobOf(running(1, 2), 'index'));
    onJob(jobOf({ status: 'finished', result: { kind: 'plan', steps: 1, estimatedMinutes: 1, estimatedMemoryMB: 1 } }, 'index'));
    await Promise.resolve();
    expect(fake.notifications).toEqual([]);
  });
});
