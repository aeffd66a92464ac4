/** Facts about opening, changing and removing projects. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOCK_FILE } from './lock.ts';
import { PROJECT_FILE, VERSION } from './project-file.ts';
import { createProjects, type Projects } from './projects.ts';
import { createRecentProjects, type RecentProjects } from './recent.ts';

let home: string;
let recent: RecentProjects;
let projects: Projects;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'isogloss-projects-'));
  recent = createRecentProjects(join(home, 'data'));
  projects = createProjects({ recent, now: () => 1000 });
});
afterEach(async () => {
  await projects.closeAll();
  await rm(home, { recursive: true, force: true });
});

const create = (name = 'Kisukuma') => projects.create({ name, languages: ['suk'], parentFolder: join(home, 'projects') });

async function rewrite(folder: string, change: Readonly<Record<string, unknown>>): Promise<string> {
  const path = join(folder, PROJECT_FILE);
  const text = JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...change });
  await writeFile(path, text);
  return text;
}

/** Another program of Isogloss. */
const another = (): Projects => createProjects({ recent: createRecentProjects(join(home, 'data')), now: () => 2000 });

describe('a new project', () => {
  it('is a folder of its own, listed among the recent ones', async () => {
    const first = await create();
    const second = await create();
    expect(second.folder).not.toBe(first.folder);
    expect((await recent.list()).map(({ folder, state }) => ({ folder, state }))).toEqual([
      { folder: second.folder, state: 'present' },
      { folder: first.folder, state: 'present' },
    ]);
  });

  it('gets a folder name from any script, and never one that leads elsewhere', async () => {
    expect((await create('ภาษาไทย')).folder).toMatch(/ภาษาไทย$/);
    expect((await create('../../etc/passwd')).folder).toBe(join(home, 'projects', 'etc-passwd'));
    expect((await create('...')).folder).toBe(join(home, 'projects', 'project'));
  });
});

describe('an open project', () => {
  it('is the same when opened twice', async () => {
    const project = await create();
    expect(await projects.open(project.folder)).toBe(await projects.get(project.file.id));
  });

  it('keeps every change when many come at once', async () => {
    const project = await create();
    await Promise.all(Array.from({ length: 20 }, (_, i) => projects.change(project.file.id, (file) => ({ ...file, languages: [...file.languages, `x-l${String(i)}`] }))));
    const saved: unknown = JSON.parse(await readFile(join(project.folder, PROJECT_FILE), 'utf8'));
    expect(saved).toMatchObject({ languages: { length: 21 } });
  });

  it('is found again by its id after a restart', async () => {
    const project = await create();
    await projects.closeAll();
    const later = another();
    expect((await later.get(project.file.id)).folder).toBe(project.folder);
    await later.closeAll();
  });

  it('is read-only for a second Isogloss, which is told why and changes nothing', async () => {
    const project = await create();
    const second = another();
    const seen = await second.open(project.folder);
    expect(seen.access).toMatchObject({ kind: 'read-only', reason: { code: 'project.open-elsewhere' } });
    await expect(second.change(project.file.id, (file) => ({ ...file, name: 'changed' }))).rejects.toMatchObject({ code: 'project.read-only' });
    await second.closeAll();
    expect(await readdir(project.folder)).toContain(LOCK_FILE);
    expect((await projects.get(project.file.id)).file.name).toBe('Kisukuma');
  });

  it('that was copied with its folder becomes a project of its own', async () => {
    const project = await create();
    const copy = join(home, 'projects', 'copy');
    await cp(project.folder, copy, { recursive: true, filter: (path) => !path.endsWith(LOCK_FILE) });
    const opened = await projects.open(copy);
    expect(opened.file.id).not.toBe(project.file.id);
    expect(opened.access.kind).toBe('writable');
  });
});

describe('a project of a newer Isogloss', () => {
  it('is shown as far as it is understood, and not one byte of it changes', async () => {
    const project = await create();
    await projects.closeAll();
    const text = await rewrite(project.folder, { version: VERSION + 1, invented: { later: true } });
    const opened = await projects.open(project.folder);
    expect(opened.access).toMatchObject({ kind: 'read-only', reason: { code: 'project.newer' } });
    await expect(projects.change(opened.file.id, (file) => file)).rejects.toMatchObject({ code: 'project.read-only' });
    await projects.closeAll();
    expect(await readFile(join(project.folder, PROJECT_FILE), 'utf8')).toBe(text);
    expect(await readdir(project.folder)).toEqual([PROJECT_FILE]);
  });

  it('that is not understood says so', async () => {
    const project = await create();
    await projects.closeAll();
    await rewrite(project.folder, { version: VERSION + 1, corpora: 'elsewhere' });
    await expect(projects.open(project.folder)).rejects.toMatchObject({ code: 'project.newer' });
  });
});

describe('what is no project', () => {
  it('says what was expected and what to do', async () => {
    await expect(projects.open(home)).rejects.toMatchObject({ code: 'project.not-a-project' });
    await expect(projects.open(join(home, 'nowhere'))).rejects.toMatchObject({ code: 'file.missing' });
    await expect(projects.get('unknown')).rejects.toMatchObject({ code: 'project.unknown' });
  });

  it('or a damaged one is not touched', async () => {
    const project = await create();
    await projects.closeAll();
    for (const text of ['', '{', '[]', '{"format":"isogloss-project","version":1}', '{"format":"other","version":1}']) {
      await writeFile(join(project.folder, PROJECT_FILE), text);
      await expect(projects.open(project.folder)).rejects.toMatchObject({ family: 'input' });
      expect(await readFile(join(project.folder, PROJECT_FILE), 'utf8')).toBe(text);
    }
  });
});

describe('removing', () => {
  it('from the list leaves the folder as it is', async () => {
    const project = await create();
    await projects.remove(project.file.id, 'recent');
    expect(await recent.list()).toEqual([]);
    expect(await readdir(project.folder)).toEqual([PROJECT_FILE]);
  });

  it('the folder deletes what Isogloss made and nothing else', async () => {
    const project = await create();
    await writeFile(join(project.folder, 'my notes.txt'), 'mine');
    await projects.remove(project.file.id, 'folder');
    expect(await readdir(project.folder)).toEqual(['my notes.txt']);
  });
});
