/** Is the window where it was, and does its page come back? */
import { describe, expect, it, vi } from 'vitest';
import { PAGE_BUDGET, recoverPage } from './recovery.ts';
import { FakeContents, FakeWindow, type Listened } from './test-electron.ts';
import { bringToFront, followWindow } from './window.ts';
import { placeWindow, type WindowState } from './window-state.ts';

describe('the place of the window', () => {
  const state = (change: Partial<WindowState>): WindowState => ({ x: 100, y: 100, width: 1000, height: 700, isMaximized: false, zoomLevel: 0, ...change });
  const laptop = { x: 0, y: 0, width: 1366, height: 768 };
  const beside = { x: 1366, y: -200, width: 1920, height: 1080 };

  it('is where it was while a display is there', () => {
    expect(placeWindow(state({}), [laptop])).toEqual({ x: 100, y: 100, width: 1000, height: 700 });
    expect(placeWindow(state({ x: 1500, y: -150 }), [laptop, beside])).toEqual({ x: 1500, y: -150, width: 1000, height: 700 });
  });

  it.each([
    ['on a display that is gone', state({ x: 1500, y: -150 })],
    ['above every display', state({ y: -900 })],
    ['below', state({ y: 760 })],
    ['with a corner too small to be taken', state({ x: 1300 })],
  ])('%s is left to the system', (_, saved) => {
    const placement = placeWindow(saved, [laptop]);
    expect(placement).toEqual({ width: 1000, height: 700 });
  });

  it('is never larger than the display and never smaller than the window can be', () => {
    expect(placeWindow(state({ x: 0, y: 0, width: 4000, height: 3000 }), [laptop])).toMatchObject({ width: 1366, height: 768 });
    expect(placeWindow(state({ width: 10, height: 10 }), [laptop])).toMatchObject({ width: 800, height: 560 });
    expect(placeWindow(null, [])).toEqual({ width: 1200, height: 800 });
  });

  it('is kept some time after it moved, once', () => {
    vi.useFakeTimers();
    const listened: Listened = { app: new Set(), window: new Set(), contents: new Set(), notification: new Set(), ipcMain: new Set() };
    const window = new FakeWindow({}, listened);
    const kept: WindowState[] = [];
    followWindow(window, (next) => kept.push(next));
    for (let at = 0; at < 50; at += 1) window.emit('move');
    window.emit('resize');
    expect(kept).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(kept).toHaveLength(1);
    window.emit('move');
    window.destroyed = true;
    vi.advanceTimersByTime(1_000);
    expect(kept).toHaveLength(1);
    vi.useRealTimers();
    window.minimized = true;
    bringToFront(window);
    expect(window.calls).toEqual(['restore', 'show', 'focus']);
  });
});

describe('a page that dies', () => {
  it('is loaded anew a few times within a minute, then the person is asked', async () => {
    const contents = new FakeContents(new Set());
    const notes: string[] = [];
    let time = 0;
    let asked = 0;
    let anew = 0;
    const answers = [true, false];
    recoverPage({ contents, now: () => time, note: (reason) => notes.push(reason), ask: () => Promise.resolve(answers[asked++] ?? false), startAnew: () => (anew += 1) });
    const die = (reason = 'oom'): void => void contents.emit('render-process-gone', {}, { reason, exitCode: 1 });
    die('clean-exit');
    expect(notes).toEqual([]);
    for (let at = 0; at < PAGE_BUDGET; at += 1) die();
    expect(contents.reloads).toBe(PAGE_BUDGET);
    die();
    await expect.poll(() => contents.reloads).toBe(PAGE_BUDGET + 1);
    time += 61_000;
    for (let at = 0; at <= PAGE_BUDGET; at += 1) die();
    await expect.poll(() => anew).toBe(1);
    expect(asked).toBe(2);
  });
});
