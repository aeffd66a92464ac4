/** What is in this folder, for the folder browser? Names and sizes, nothing is opened. */
import { access, constants, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { InputError, toIsoglossError } from '../../core/base/errors.ts';
import { nameOfBytes, pathOnDisk, shownName } from '../../core/base/file-names.ts';
import type { FolderEntry, FolderView } from '../contract/index.ts';

const ENTRIES_SHOWN = 2_000;
const DRIVE_FOLDERS = ['/media', '/mnt', '/Volumes', '/run/media'];

/** @throws InputError 'file.missing', 'file.not-a-folder'; EnvironmentError 'disk.no-permission'. */
export async function viewFolder(options: { readonly path: string | null; readonly show: 'folders' | 'all'; readonly home: string }): Promise<FolderView> {
  const path = resolve(options.path ?? options.home);
  const names = await readdir(pathOnDisk(path), { encoding: 'buffer' }).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR') throw new InputError('file.not-a-folder', `${path}: expected a folder, found a file.`, { data: { path } });
    throw toIsoglossError(thrown);
  });
  const visible = names.map(nameOfBytes).filter((name) => !name.startsWith('.') && !name.startsWith('$')).sort(compareNames);
  const entries = (await Promise.all(visible.slice(0, ENTRIES_SHOWN).map((name) => describeEntry(join(path, name), shownName(name))))).filter((entry) => entry !== null);
  const wanted = options.show === 'all' ? entries : entries.filter(({ kind }) => kind === 'folder');
  const parent = dirname(path);
  return {
    path,
    parent: parent === path ? null : parent,
    entries: [...wanted.filter(({ kind }) => kind === 'folder'), ...wanted.filter(({ kind }) => kind === 'file')],
    isCut: visible.length > ENTRIES_SHOWN,
    isWritable: await access(pathOnDisk(path), constants.W_OK).then(() => true, () => false),
    places: await listPlaces(options.home),
  };
}

async function describeEntry(path: string, name: string): Promise<FolderEntry | null> {
  const found = await stat(pathOnDisk(path)).catch(() => null); // a broken link or a folder of somebody else: not shown
  if (found === null) return null;
  if (found.isDirectory()) return { kind: 'folder', name, path };
  return found.isFile() ? { kind: 'file', name, path, sizeBytes: found.size, modifiedAt: Math.max(0, found.mtimeMs) } : null;
}

async function listPlaces(home: string): Promise<FolderView['places']> {
  const usual = [
    { kind: 'home', name: 'Home', path: home },
    { kind: 'documents', name: 'Documents', path: join(home, 'Documents') },
    { kind: 'desktop', name: 'Desktop', path: join(home, 'Desktop') },
    { kind: 'downloads', name: 'Downloads', path: join(home, 'Downloads') },
  ] as const;
  const drives = (await Promise.all(DRIVE_FOLDERS.map((folder) => readdir(folder).then((names) => names.map((name) => ({ kind: 'drive' as const, name, path: join(folder, name) })), () => [])))).flat();
  const present = await Promise.all([...usual, ...drives].map(async (place) => ((await stat(place.path).then((found) => found.isDirectory(), () => false)) ? place : null)));
  return present.filter((place) => place !== null);
}

function compareNames(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' });
}
