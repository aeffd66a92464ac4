/** How is the window opened, kept in its place and brought to the front? One factory, one page. */
import type { WindowClass, WindowPart } from './electron-parts.ts';
import { START_PAGE } from './protocol.ts';
import { windowOptions } from './security.ts';
import type { Placement, WindowState } from './window-state.ts';

/** Moving a window says so at every pixel. */
const SETTLED_MS = 500;

export type OpenOptions = { readonly preloadPath: string; readonly placement: Placement; readonly isMaximized: boolean; readonly zoomLevel: number };

/** Shown when its first picture is ready, so that nothing flashes. */
export async function openWindow(Window: WindowClass, { preloadPath, placement, isMaximized, zoomLevel }: OpenOptions): Promise<WindowPart> {
  const window = new Window({ ...windowOptions(preloadPath), ...placement });
  window.once('ready-to-show', () => {
    if (isMaximized) window.maximize();
    window.webContents.setZoomLevel(zoomLevel);
    window.show();
  });
  await window.loadURL(START_PAGE);
  return window;
}

/** What a second start of the program does: the first window comes to the front. */
export function bringToFront(window: WindowPart): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** Calls `keep` with the window's place and zoom, some time after each change and at once when it closes. */
export function followWindow(window: WindowPart, keep: (state: WindowState) => void): void {
  let timer: NodeJS.Timeout | null = null;
  const now = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (window.isDestroyed()) return;
    const { x, y, width, height } = window.getNormalBounds();
    keep({ x, y, width, height, isMaximized: window.isMaximized(), zoomLevel: window.webContents.getZoomLevel() });
  };
  const soon = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(now, SETTLED_MS);
    timer.unref();
  };
  window.on('resize', soon);
  window.on('move', soon);
  window.on('close', now);
}
