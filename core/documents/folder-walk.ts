/** Which documents are in this folder? A bounded walk in a fixed order; what is left out is named with the reason. */
import { opendir, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { InputError, toIsoglossError } from '../base/errors.ts';
import { nameOfBytes, pathOnDisk, shownName } from '../base/file-names.ts';
import { printable } from '../base/text-files.ts';
import { formatOfName } from './formats.ts';

/** Why something was left out; keys for translation in the renderer. */
export type SkipReason = 'format' | 'hidden' | 'link-loop' | 'too-deep' | 'too-many' | 'no-permission' | 'not-a-file' | 'gone' | 'empty';

/** `relativePath` uses '/'; `shown` is it with control and direction characters escaped, safe for messages and lists. */
export type FolderEntry =
  | { readonly kind: 'document'; readonly path: string; readonly relativePath: string; readonly shown: string; readonly sizeBytes: number; readonly modifiedMs: number }
  | { readonly kind: 'skipped'; readonly path: string; readonly relativePath: string; readonly shown: string; readonly reason: SkipReason };

export type WalkLimits = { readonly depth: number; readonly entriesPerFolder: number; readonly entries: number };

const DEFAULT_LIMITS: WalkLimits = { depth: 64, entriesPerFolder: 200_000, entries: 1_000_000 };

/** Files and folders that systems and programs keep for themselves; they are passed over without a word. */
const SYSTEM_NAMES = new Set(['thumbs.db', 'desktop.ini', '__macosx', '$recycle.bin', 'system volume information', 'node_modules', 'lost+found', 'icon\r']);

const isHiddenName = (name: string): boolean => name.startsWith('.') || name.startsWith('~$') || SYSTEM_NAMES.has(name.toLowerCase());

type Place = { readonly path: string; readonly depth: number };

/**
 * Walks a folder, depth first, names in code unit order, so that two walks of the same folder give the same order. Links are
 * followed, each folder once ('link-loop'). Hidden and system files are passed over silently. Holds the names of one folder per level.
 *
 * @throws InputError 'file.missing', 'documents.not-a-folder' for the root; the signal's reason once aborted.
 */
export async function* walkFolder(root: string, signal: AbortSignal, limits: Partial<WalkLimits> = {}): AsyncGenerator<FolderEntry> {
  const { depth: depthLimit, entriesPerFolder, entries: entryLimit } = { ...DEFAULT_LIMITS, ...limits };
  const rootFacts = await statOrThrow(root);
  if (!rootFacts.isDirectory()) throw new InputError('documents.not-a-folder', `${root}: expected a folder, found a file.`, { data: { path: root } });
  const visited = new Set<string>([identity(rootFacts)]);
  const skipped = (path: string, reason: SkipReason): FolderEntry => ({ kind: 'skipped', path, ...namesOf(root, path), reason });
  const waiting: Place[] = [{ path: root, depth: 0 }]; // a stack, last first
  let seen = 0;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    signal.throwIfAborted();
    const { path, depth } = place;
    if (depth > 0) {
      seen += 1;
      if (seen > entryLimit) return yield skipped(path, 'too-many');
      const facts = await statOrReason(path);
      if (typeof facts === 'string') {
        yield skipped(path, facts);
        continue;
      }
      if (!facts.isDirectory()) {
        yield fileEntry(root, path, facts);
        continue;
      }
      if (visited.has(identity(facts))) {
        yield skipped(path, 'link-loop');
        continue;
      }
      visited.add(identity(facts));
      if (depth > depthLimit) {
        yield skipped(path, 'too-deep');
        continue;
      }
    }
    const names = await namesInFolder(path, entriesPerFolder);
    if (names === null) yield skipped(path, 'no-permission');
    else {
      if (names.isCut) yield skipped(path, 'too-many');
      for (const name of names.list.sort().reverse()) waiting.push({ path: join(path, name), depth: depth + 1 });
    }
  }
}

function fileEntry(root: string, path: string, facts: Stats): FolderEntry {
  const names = namesOf(root, path);
  if (!facts.isFile()) return { kind: 'skipped', path, ...names, reason: 'not-a-file' };
  if (formatOfName(path) === null) return { kind: 'skipped', path, ...names, reason: 'format' };
  if (facts.size === 0) return { kind: 'skipped', path, ...names, reason: 'empty' };
  return { kind: 'document', path, ...names, sizeBytes: facts.size, modifiedMs: facts.mtimeMs };
}

function namesOf(root: string, path: string): { readonly relativePath: string; readonly shown: string } {
  const relativePath = relative(root, path).split(sep).join('/');
  return { relativePath, shown: printable(shownName(relativePath), Infinity) };
}

/** Device and inode say which folder it is, however it was reached. */
const identity = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

async function statOrThrow(path: string): Promise<Stats> {
  try {
    return await stat(pathOnDisk(path));
  } catch (thrown) {
    throw toIsoglossError(thrown);
  }
}

async function statOrReason(path: string): Promise<Stats | SkipReason> {
  try {
    return await stat(pathOnDisk(path));
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
    if (code === 'ELOOP') return 'link-loop';
    if (code === 'EACCES' || code === 'EPERM') return 'no-permission';
    if (code === 'ENAMETOOLONG') return 'too-deep';
    if (code === 'ENOENT') return 'gone';
    throw toIsoglossError(thrown);
  }
}

/** The names in a folder but hidden ones; null without permission; `isCut` when there are more than the limit. */
async function namesInFolder(path: string, limit: number): Promise<{ readonly list: string[]; readonly isCut: boolean } | null> {
  try {
    const list: string[] = [];
    for await (const entry of await opendir(pathOnDisk(path), { encoding: 'latin1' })) {
      const name = nameOfBytes(Buffer.from(entry.name, 'latin1')); // byte by byte
      if (isHiddenName(name)) continue;
      if (list.length === limit) return { list, isCut: true };
      list.push(name);
    }
    return { list, isCut: false };
  } catch (thrown) {
    const error = toIsoglossError(thrown);
    if (error.code === 'disk.no-permission') return null;
    if (error.code === 'file.missing') return { list: [], isCut: false };
    throw error;
  }
}
