/** How is the window opened? One factory, one page. */
import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron';
import { START_PAGE } from './protocol.ts';
import { windowOptions } from './security.ts';

export type WindowClass = new (options: BrowserWindowConstructorOptions) => Pick<BrowserWindow, 'loadURL' | 'once' | 'show' | 'focus' | 'isMinimized' | 'restore'>;

/** Shown when its first picture is ready, so that nothing flashes. */
export async function openWindow(Window: WindowClass, preloadPath: string): Promise<InstanceType<WindowClass>> {
  const window = new Window(windowOptions(preloadPath));
  window.once('ready-to-show', () => window.show());
  await window.loadURL(START_PAGE);
  return window;
}

/** What a second start of the program does: the first window comes to the front. */
export function bringToFront(window: InstanceType<WindowClass>): void {
  if (window.isMinimized()) window.restore();
  window.focus();
}
