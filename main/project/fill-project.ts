/** How does what was brought become a project of its own? A new folder is made, filled and taken into use; on any fault it is gone again. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import type { Brought } from '../contract/index.ts';
import { libraryPlace } from './index-places.ts';
import { writeLibraryReport } from './library.ts';
import type { PortableManifest } from './portable-file.ts';
import { readProjectFile, type ProjectFile } from './project-file.ts';
import type { OpenProject, Projects } from './projects.ts';
import { projectPaths } from './recipe.ts';
import { keepRun } from './runs.ts';

export type FillProjectOptions = {
  readonly brought: Brought;
  /** null: as it is called there. */
  readonly name: string | null;
  /** Where the new folder is made; what is there stays untouched. */
  readonly parentFolder: string;
  readonly projects: Pick<Projects, 'create' | 'change' | 'remove'>;
  readonly now: () => number;
  /** Told once the new project is there, before it is filled. */
  readonly onBegun?: (projectId: string) => void;
  /** Copies or unpacks into a folder that is new. */
  readonly fill: (task: { readonly kind: 'portable' | 'project' | 'model'; readonly path: string; readonly folder: string }) => Promise<{ readonly manifest: PortableManifest | null }>;
};

/** @throws InputError 'share.backbone'; what `fill` and making the project throw. */
export async function fillNewProject({ brought, name, parentFolder, projects, now, onBegun, fill }: FillProjectOptions): Promise<OpenProject> {
  const { path } = brought;
  if (brought.kind === 'backbone') throw new InputError('share.backbone', `${path}: this is a model of another program, to train from. Open or make a project, and choose it under "Train".`, { data: { path } });
  const foreign = brought.kind === 'portable' ? brought.sheet.languages.map(({ tag }) => tag).filter((tag) => tag !== brought.sheet.pivot) : brought.languages;
  const languages = foreign.length === 0 && brought.kind === 'portable' ? [brought.sheet.pivot] : foreign;
  const project = await projects.create({ name: name ?? brought.name, languages, parentFolder });
  const { folder } = project;
  onBegun?.(project.file.id);
  try {
    if (brought.kind === 'project') {
      await fill({ kind: 'project', path, folder });
      const { file } = await readProjectFile(path);
      return await projects.change(project.file.id, (fresh) => ({ ...rebased(file, path, folder), id: fresh.id, name: name ?? file.name, createdAt: fresh.createdAt }));
    }
    const model = `models/model-${String(now())}`;
    const incoming = join(projectPaths(folder).models, 'incoming');
    await makeFolder(projectPaths(folder).models);
    const { manifest } = await fill({ kind: brought.kind, path, folder: incoming });
    await rename(join(incoming, 'model'), join(folder, model));
    if (manifest !== null && manifest.index !== null) {
      await makeFolder(libraryPlace(folder));
      await rename(join(incoming, 'index'), join(libraryPlace(folder), 'index'));
      await writeLibraryReport(folder, { ...manifest.index, folders: [], fingerprint: '', failures: [] });
    }
    await rm(incoming, { recursive: true, force: true });
    await keepRun({ folder, model, preset: 'shared', keptEarly: false, corpora: [], at: now() });
    return await projects.change(project.file.id, (file) => ({ ...file, ...(manifest === null ? {} : settingsOf(manifest)), model, library: { folders: [], isWatched: false } }));
  } catch (thrown) {
    await projects.remove(project.file.id, 'folder');
    await rm(folder, { recursive: true, force: true }); // new, and made for this alone
    throw thrown;
  }
}

function settingsOf({ languages, names, bridge, spelling, exampleQueries }: PortableManifest): Partial<ProjectFile> {
  return { languages, names, bridge, spelling, exampleQueries };
}

/** Places inside the folder that was copied follow it; others stay where they are. */
function rebased(file: ProjectFile, from: string, to: string): ProjectFile {
  const place = (path: string): string => (path === from || path.startsWith(`${from}/`) || path.startsWith(`${from}\\`) ? join(to, path.slice(from.length)) : path);
  return { ...file, library: { ...file.library, folders: file.library.folders.map((folder) => ({ ...folder, path: place(folder.path) })) } };
}
