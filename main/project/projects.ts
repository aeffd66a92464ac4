/** Which projects are open, and how are they opened, changed and closed? */
import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InputError, serialiseError, toIsoglossError } from '../../core/base/errors.ts';
import type { ErrorRecord, GivenNames } from '../contract/index.ts';
import { takeLock, type Lock } from './lock.ts';
import { newerProject, newProjectFile, PROJECT_FILE, readProjectFile, writeProjectFile, type ProjectFile } from './project-file.ts';
import type { RecentProjects } from './recent.ts';

/** What Isogloss makes inside a project folder, and so may delete. */
export const OWN_FOLDERS = ['incoming', 'models', 'library', 'judgements', 'mining', 'runs', 'experiments'] as const;

export type OpenProject = {
  readonly folder: string;
  readonly file: ProjectFile;
  readonly access: { readonly kind: 'writable' } | { readonly kind: 'read-only'; readonly reason: ErrorRecord };
};

export type Projects = {
  readonly create: (facts: { readonly name: string; readonly languages: readonly string[]; readonly names?: GivenNames; readonly parentFolder: string }) => Promise<OpenProject>;
  /** Opening twice gives the same project. */
  readonly open: (folder: string) => Promise<OpenProject>;
  /** Opens a recent project when it is not open yet. @throws InputError 'project.unknown'. */
  readonly get: (id: string) => Promise<OpenProject>;
  /** Saves what `edit` makes of the file. @throws the reason when the project is read-only. */
  readonly change: (id: string, edit: (file: ProjectFile) => ProjectFile) => Promise<OpenProject>;
  readonly remove: (id: string, what: 'recent' | 'folder') => Promise<void>;
  readonly closeAll: () => Promise<void>;
};

type Held = { project: OpenProject; readonly lock: Lock | null; last: Promise<unknown> };

export function createProjects({ recent, now }: { readonly recent: RecentProjects; readonly now: () => number }): Projects {
  const held = new Map<string, Held>();
  const opening = new Map<string, Promise<OpenProject>>();

  async function openFolder(folder: string): Promise<OpenProject> {
    for (const { project } of held.values()) if (project.folder === folder) return remembered(project);
    const { file, isNewer, wasMigrated } = await readProjectFile(folder);
    const lock = isNewer ? newerProject(folder, file.version) : await takeLock(folder).catch(toIsoglossError);
    const isLocked = 'release' in lock;
    const project: OpenProject = { folder, file, access: isLocked ? { kind: 'writable' } : { kind: 'read-only', reason: recordOf(lock) } };
    if (isLocked && wasMigrated) await writeProjectFile(folder, file);
    const twin = held.get(file.id);
    if (twin !== undefined && twin.project.folder !== folder) {
      // a copied project folder: it gets an identity of its own
      const copy = { ...project, file: { ...file, id: randomUUID() } };
      if (isLocked) await writeProjectFile(folder, copy.file);
      held.set(copy.file.id, { project: copy, lock: isLocked ? lock : null, last: Promise.resolve() });
      return remembered(copy);
    }
    held.set(file.id, { project, lock: isLocked ? lock : null, last: Promise.resolve() });
    return remembered(project);
  }

  async function remembered(project: OpenProject): Promise<OpenProject> {
    const { id, name, languages, names } = project.file;
    await recent.remember({ id, name, folder: project.folder, languages, names, openedAt: now() });
    return project;
  }

  async function open(path: string): Promise<OpenProject> {
    const folder = await realpath(resolve(path)).catch((thrown: unknown) => {
      throw toIsoglossError(thrown);
    });
    const present = opening.get(folder) ?? openFolder(folder).finally(() => opening.delete(folder));
    opening.set(folder, present);
    return present;
  }

  async function require(id: string): Promise<Held> {
    const known = held.get(id);
    if (known !== undefined) return known;
    const folder = await recent.folderOf(id);
    const opened = folder === null ? null : await open(folder);
    const found = opened === null ? undefined : held.get(opened.file.id);
    if (found === undefined) throw new InputError('project.unknown', 'This project is not in the list of recent projects. Open it by its folder.', { data: { projectId: id } });
    return found;
  }

  return {
    open,
    create: async ({ name, languages, names = {}, parentFolder }) => {
      const folder = await newFolder(parentFolder, name);
      try {
        await writeProjectFile(folder, newProjectFile({ id: randomUUID(), name, languages, names, createdAt: now() }));
      } catch (thrown) {
        await rm(folder, { recursive: true, force: true }); // ours, made two lines above, and without a project in it
        throw thrown;
      }
      return open(folder);
    },
    get: async (id) => (await require(id)).project,
    change: async (id, edit) => {
      const entry = await require(id);
      const next = entry.last.then(async () => {
        if (entry.project.access.kind === 'read-only') throw new InputError('project.read-only', entry.project.access.reason.message, { data: { path: entry.project.folder } });
        const before = entry.project.file;
        const file = edit(before);
        await writeProjectFile(entry.project.folder, file);
        entry.project = { ...entry.project, file };
        return file.name === before.name && file.languages === before.languages ? entry.project : remembered(entry.project);
      });
      entry.last = next.catch(() => undefined); // its caller hears of it; the next change starts from what is on disk
      return next;
    },
    remove: async (id, what) => {
      if (what === 'folder') {
        const { project, lock } = await require(id);
        if (project.access.kind === 'read-only') throw new InputError('project.read-only', project.access.reason.message, { data: { path: project.folder } });
        for (const name of OWN_FOLDERS) await rm(join(project.folder, name), { recursive: true, force: true });
        await rm(join(project.folder, PROJECT_FILE), { force: true });
        await lock?.release();
        await rmdir(project.folder).catch(() => undefined); // stays when anything else is in it
      } else {
        await held.get(id)?.lock?.release();
      }
      held.delete(id);
      await recent.forget(id);
    },
    closeAll: async () => {
      for (const { lock, last } of held.values()) {
        await last;
        await lock?.release();
      }
      held.clear();
    },
  };
}

/** A folder that was not there before, named after the project: letters and digits of any script, "-" for the rest. */
async function newFolder(parent: string, name: string): Promise<string> {
  const stem = name.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'project';
  try {
    await mkdir(parent, { recursive: true });
    for (let number = 1; ; number += 1) {
      const folder = join(parent, number === 1 ? stem : `${stem}-${String(number)}`);
      if (await stat(folder).then(() => true, () => false)) continue;
      await mkdir(folder);
      return folder;
    }
  } catch (thrown) {
    throw toIsoglossError(thrown);
  }
}

function recordOf(thrown: unknown): ErrorRecord {
  const { family, code, message, data } = serialiseError(thrown);
  return { family, code, message, data: { ...data } };
}
