/** Where was the window, and is there still a display for it? Kept in the user's data folder, checked against the displays of today. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { IsoglossError } from '../../core/base/errors.ts';

export const SMALLEST = { width: 800, height: 560 } as const;
const USUAL = { width: 1200, height: 800 } as const;
/** So much of the window's top edge must lie on a display to be taken by it. */
const GRIP = { width: 120, height: 32 } as const;
const ZOOM_LIMIT = 5;

const stateSchema = z.object({ x: z.number().int(), y: z.number().int(), width: z.number().int().positive(), height: z.number().int().positive(), isMaximized: z.boolean(), zoomLevel: z.number().min(-ZOOM_LIMIT).max(ZOOM_LIMIT) });
export type WindowState = z.infer<typeof stateSchema>;
export type Rectangle = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** Where the window opens; `x` and `y` are absent where the system should choose. */
export type Placement = { readonly width: number; readonly height: number; readonly x?: number; readonly y?: number };

/**
 * The saved bounds where a person can still reach the window's top edge, at most as large as the display; otherwise the saved size in a
 * place of the system's choice. Lengths in device-independent pixels.
 * @param areas the displays' work areas; empty: nothing is known, and the size alone is used.
 */
export function placeWindow(saved: WindowState | null, areas: readonly Rectangle[]): Placement {
  const wanted = saved ?? USUAL;
  const home = saved === null ? undefined : areas.find((area) => overlap(saved, area).width >= GRIP.width && saved.y >= area.y && saved.y + GRIP.height <= area.y + area.height);
  const room = home ?? areas[0];
  const width = Math.max(SMALLEST.width, Math.min(wanted.width, room?.width ?? wanted.width));
  const height = Math.max(SMALLEST.height, Math.min(wanted.height, room?.height ?? wanted.height));
  return saved === null || home === undefined ? { width, height } : { width, height, x: saved.x, y: saved.y };
}

function overlap(a: Rectangle, b: Rectangle): { readonly width: number } {
  return { width: Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) };
}

/** What was kept; null when nothing was, or it cannot be read. */
export async function readWindowState(path: string): Promise<WindowState | null> {
  try {
    return stateSchema.safeParse(await readJson(path)).data ?? null;
  } catch (thrown) {
    if (thrown instanceof IsoglossError) return null; // not there yet, or half a file
    throw thrown;
  }
}

export async function writeWindowState(path: string, state: WindowState): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeJsonAtomic(path, state);
}
