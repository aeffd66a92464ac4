/** Does what was brought become a project of its own, beside what is there, or leave nothing behind? */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CancellationError } from '../../core/base/errors.ts';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { copyFolder, isProjectFileToCopy, lookAtBrought } from './brought.ts';
import { fillNewProject, type FillProjectOptions } from './fill-project.ts';
import { viewLibrary, writeLibraryReport } from './library.ts';
import { NO_SPELLING_RULES } from '../contract/index.ts';
import { createProjects, type Projects } from './projects.ts';
import { createRecentProjects } from './recent.ts';
import { listRuns } from './runs.ts';

const calm = new AbortController().signal;
const quiet = (): void => undefined;
const fill: FillProjectOptions['fill'] = async ({ kind, path, folder }) => {
  await copyFolder({ from: path, to: kind === 'project' ? folder : join(folder, 'model'), signal: calm, report: quiet, ...(kind === 'project' ? { mayCopy: isProjectFileToCopy } : {}) });
  return { manifest: null };
};
const open = (data: string): Projects => createProjects({ recent: createRecentProjects(data), now: () => 1000 });

describe('a project on a stick', () => {
  it('is copied into a folder of its own, and its library follows', async () => {
    using place = temporaryFolder();
    const projects = open(join(place.path, 'data'));
    const parentFolder = join(place.path, 'home');
    const stick = await projects.create({ name: 'Ziwa', languages: ['sw'], parentFolder: join(place.path, 'stick') });
    await mkdir(join(stick.folder, 'documents'));
    await writeFile(join(stick.folder, 'documents', 'a.txt'), 'maji');
    await projects.change(stick.file.id, (file) => ({ ...file, library: { folders: [{ name: '', path: join(stick.folder, 'documents') }], isWatched: true } }));
    const brought = await lookAtBrought(stick.folder, calm);
    expect(brought).toMatchObject({ kind: 'project', name: 'Ziwa', hasModel: false, isNewer: false });
    const before = await readFile(join(stick.folder, 'project.json'), 'utf8');
    const copies = [await fillNewProject({ brought, name: null, parentFolder, projects, now: () => 1, fill }), await fillNewProject({ brought, name: null, parentFolder, projects, now: () => 2, fill })];
    expect(new Set([stick, ...copies].map(({ file }) => file.id)).size).toBe(3);
    expect((await readdir(parentFolder)).sort()).toEqual(['Ziwa', 'Ziwa-2']);
    expect(copies[0]?.file.library.folders).toEqual([{ name: '', path: join(copies[0]?.folder ?? '', 'documents') }]);
    expect(await readFile(join(copies[1]?.folder ?? '', 'documents', 'a.txt'), 'utf8')).toBe('maji');
    expect(await readFile(join(stick.folder, 'project.json'), 'utf8')).toBe(before);
    await projects.closeAll();
  });

  it('that cannot be copied to the end leaves nothing', async () => {
    using place = temporaryFolder();
    const projects = open(join(place.path, 'data'));
    const stick = await projects.create({ name: 'Ziwa', languages: ['sw'], parentFolder: join(place.path, 'stick') });
    const parentFolder = join(place.path, 'home');
    const failing: FillProjectOptions['fill'] = async ({ folder }) => {
      await mkdir(join(folder, 'documents'));
      await writeFile(join(folder, 'documents', 'half'), 'x');
      throw new CancellationError();
    };
    await expect(fillNewProject({ brought: await lookAtBrought(stick.folder, calm), name: null, parentFolder, projects, now: () => 1, fill: failing })).rejects.toMatchObject({ family: 'cancellation' });
    expect(await readdir(parentFolder)).toEqual([]);
    await projects.closeAll();
  });
});

describe('a model on a stick', () => {
  it('becomes a project that can be used, with its training in the history', async () => {
    using place = temporaryFolder();
    const projects = open(join(place.path, 'data'));
    await writeModelFolder(join(place.path, 'retriever'), await testModel());
    const brought = await lookAtBrought(join(place.path, 'retriever', 'model.json'), calm);
    const project = await fillNewProject({ brought, name: 'Mine', parentFolder: join(place.path, 'home'), projects, now: () => 77, fill });
    expect(project.file).toMatchObject({ name: 'Mine', languages: ['sw'], model: 'models/model-77' });
    expect(await listRuns(project.folder, project.file.model)).toMatchObject([{ preset: 'shared', isPresent: true, hasModel: true, isComparable: false }]);
    await expect(fillNewProject({ brought: { kind: 'backbone', path: '/x' }, name: null, parentFolder: place.path, projects, now: () => 1, fill })).rejects.toMatchObject({ code: 'share.backbone' });
    await projects.closeAll();
  });
});

describe('an index that came without its documents', () => {
  it('answers, and asks for no folder', async () => {
    using place = temporaryFolder();
    const projects = open(join(place.path, 'data'));
    const { folder, file } = await projects.create({ name: 'Ziwa', languages: ['sw'], parentFolder: join(place.path, 'home') });
    const facts = { folder, file, modelId: 'm', watching: 'off' } as const;
    expect(await viewLibrary(facts)).toEqual({ status: 'none' });
    await mkdir(join(folder, 'library'));
    await writeLibraryReport(folder, { folders: [], modelId: 'm', spelling: NO_SPELLING_RULES, indexedAt: 5, fingerprint: '', chunks: 9, documents: 3, files: [], failures: [] });
    expect(await viewLibrary(facts)).toMatchObject({ status: 'indexed', folders: [], madeBy: 'this-model', chunks: 9, documents: 3, changes: { added: 0, changed: 0, removed: 0 } });
    expect(await viewLibrary({ ...facts, modelId: 'other' })).toMatchObject({ madeBy: 'other-model' });
    await projects.closeAll();
  });
});
