/**
 * When does a library index itself? When its folders are seen to change: events of the system where they work, and a look
 * every few minutes that needs none. What changed is found by indexing itself, which compares contents.
 */
import { watch, type FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nameOfBytes, pathOnDisk } from '../../core/base/file-names.ts';
import type { Watching } from '../contract/index.ts';

export type WatchedFolder = { readonly name: string; readonly path: string };

export type WatchedLibrary = {
  readonly projectId: string;
  readonly folders: readonly WatchedFolder[];
};

export type LibraryWatchOptions = {
  /** Looks, and starts an indexing job where something is not as it was indexed. Must not throw. */
  readonly look: (projectId: string) => Promise<void>;
  /** So long must it be quiet after an event before a look: files are copied in bursts. */
  readonly quietMs?: number;
  /** So long at most after the first event, however busy the folder is. */
  readonly mostQuietMs?: number;
  /** Between looks that no event asks for. */
  readonly everyMs?: number;
};

export type LibraryWatch = {
  /** Watches a library, or what has become of it; no folders: no more. */
  readonly follow: (library: WatchedLibrary) => void;
  /** Looks soon, as after an event. */
  readonly lookSoon: (projectId: string) => void;
  readonly stateOf: (projectId: string) => Watching;
  readonly close: () => void;
};

const QUIET_MS = 1_500;
const MOST_QUIET_MS = 20_000;
const EVERY_MS = 5 * 60_000;
/** Folders watched one by one where the system cannot watch a tree (Linux); beyond, looking alone must do. */
const MOST_WATCHED_FOLDERS = 4_000;

type Entry = {
  readonly key: string;
  readonly watchers: Map<string, FSWatcher>;
  state: Watching;
  firstEventAt: number | null;
  timer: NodeJS.Timeout | null;
  readonly interval: NodeJS.Timeout;
  isClosed: boolean;
};

export function createLibraryWatch({ look, quietMs = QUIET_MS, mostQuietMs = MOST_QUIET_MS, everyMs = EVERY_MS }: LibraryWatchOptions): LibraryWatch {
  const entries = new Map<string, Entry>();

  function stop(projectId: string): void {
    const entry = entries.get(projectId);
    if (entry === undefined) return;
    entries.delete(projectId);
    entry.isClosed = true;
    if (entry.timer !== null) clearTimeout(entry.timer);
    clearInterval(entry.interval);
    for (const watcher of entry.watchers.values()) watcher.close();
  }

  /** A look after a quiet while; events in between put it off, but not for ever. */
  function soon(projectId: string): void {
    const entry = entries.get(projectId);
    if (entry === undefined) return;
    const now = performance.now();
    entry.firstEventAt ??= now;
    if (entry.timer !== null) clearTimeout(entry.timer);
    const wait = Math.max(0, Math.min(quietMs, entry.firstEventAt + mostQuietMs - now));
    entry.timer = setTimeout(() => {
      entry.timer = null;
      entry.firstEventAt = null;
      void look(projectId);
    }, wait).unref();
  }

  return {
    follow: ({ projectId, folders }) => {
      const key = JSON.stringify(folders);
      if (entries.get(projectId)?.key === key) return;
      stop(projectId);
      if (folders.length === 0) return;
      const entry: Entry = { key, watchers: new Map(), state: 'looking', firstEventAt: null, timer: null, interval: setInterval(() => soon(projectId), everyMs).unref(), isClosed: false };
      entries.set(projectId, entry);
      void watchFolders(entry, folders, () => soon(projectId));
      soon(projectId); // what changed while nobody looked
    },
    lookSoon: soon,
    stateOf: (projectId) => entries.get(projectId)?.state ?? 'off',
    close: () => {
      for (const projectId of [...entries.keys()]) stop(projectId);
    },
  };
}

async function watchFolders(entry: Entry, folders: readonly WatchedFolder[], onEvent: () => void): Promise<void> {
  const isTree = process.platform === 'darwin' || process.platform === 'win32'; // there the system watches a whole tree at once
  const results = await Promise.all(folders.map(({ path }) => (isTree ? watchOne(entry, path, { recursive: true, onEvent }) : watchTree(entry, path, onEvent))));
  if (!entry.isClosed && results.every(Boolean)) entry.state = 'events';
}

/** Every folder of a tree by itself; new folders are watched as they come. @returns whether all of it is watched. */
async function watchTree(entry: Entry, root: string, onEvent: () => void): Promise<boolean> {
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (entry.isClosed || entry.watchers.has(path)) continue;
    const folder = path;
    if (entry.watchers.size >= MOST_WATCHED_FOLDERS) return false;
    const onChange = (type?: string, name?: string | null): void => {
      onEvent();
      if (type === 'rename' && typeof name === 'string') {
        // a folder of that name may be another one now
        entry.watchers.get(join(folder, name))?.close();
        entry.watchers.delete(join(folder, name));
      }
      void watchTree(entry, folder, onEvent); // folders that are new in it
    };
    if (!watchOne(entry, folder, { recursive: false, onEvent: onChange })) return false;
    waiting.push(...(await foldersIn(folder)));
  }
  if (!entry.isClosed) for (const path of await foldersIn(root)) if (!entry.watchers.has(path) && !(await watchTree(entry, path, onEvent))) return false;
  return true;
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(pathOnDisk(path), { withFileTypes: true, encoding: 'buffer' }).catch(() => []); // gone, or not ours to read: the walk tells it
  return entries.filter((found) => found.isDirectory()).map((found) => nameOfBytes(found.name)).filter((name) => !name.startsWith('.')).map((name) => join(path, name));
}

/** @returns false where the system has no more watches, or none for this disk. */
function watchOne(entry: Entry, path: string, { recursive, onEvent }: { readonly recursive: boolean; readonly onEvent: (type?: string, name?: string | null) => void }): boolean {
  try {
    const watcher = watch(pathOnDisk(path), { recursive, persistent: false, encoding: 'buffer' }, (type, name) => onEvent(type, name === null ? null : nameOfBytes(name)));
    const forget = (): void => {
      watcher.close();
      entry.watchers.delete(path);
    };
    watcher.on('error', () => {
      forget();
      onEvent(); // the folder was removed, or its disk
    });
    entry.watchers.set(path, watcher);
    return true;
  } catch {
    return false; // out of watches, or a disk without events: looking must do
  }
}
