/** Facts about what follows from a project: its recipe, advice, estimates, folders. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathOnDisk } from '../../core/base/file-names.ts';
import { parseRecipe } from '../../core/training/recipe.ts';
import { checkpointFolderOf } from '../../core/training/run-training.ts';
import { ADVICE_PLACES } from '../contract/index.ts';
import { adviseOn, canTrain } from './advice.ts';
import { viewFolder } from './folders.ts';
import { newProjectFile, type CorpusEntry, type ProjectFile } from './project-file.ts';
import { projectPaths, recipeOf } from './recipe.ts';
import { textsHaveChanged, textsMark } from './trained-on.ts';
import { userFolders } from './user-folder.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-facts-'));
  await mkdir(join(folder, 'incoming', 'questions'), { recursive: true });
  for (const name of ['pairs.tsv', 'a.en', 'a.sw', 'text.txt', 'q.jsonl']) await writeFile(join(folder, 'incoming', name), 'x');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const corpus = (change: Partial<CorpusEntry>): CorpusEntry => ({
  id: 'c',
  role: 'pairs',
  format: 'tsv',
  paths: ['incoming/pairs.tsv'],
  languages: { kind: 'two', source: 'en', target: 'sw' },
  counts: { records: 500, problems: 0, sizeBytes: 1 },
  rows: [],
  problems: [],
  licence: null,
  addedAt: 0,
  fingerprints: [],
  ...change,
});
const project = (...corpora: readonly CorpusEntry[]): ProjectFile => ({ ...newProjectFile({ id: 'p', name: 'P', languages: ['sw'], createdAt: 0 }), corpora });
describe('a model and the texts of its project', () => {
  const of = (sha256: string): CorpusEntry => corpus({ fingerprints: [{ path: 'incoming/pairs.tsv', sizeBytes: 1, modifiedAt: 1, sha256 }] });
  const trained = { ...project(of('a')), model: 'models/model-1', trainedOn: textsMark([of('a')]) };

  it('belong together whatever the files are called and whoever may use them', () => {
    expect(textsHaveChanged(trained)).toBe(false);
    expect(textsHaveChanged({ ...trained, corpora: [{ ...of('a'), paths: ['/elsewhere/b.tsv'], licence: 'CC0' }] })).toBe(false);
  });

  it('are told apart when a text is new, gone, or read otherwise', () => {
    const others = [[of('a'), of('b')], [], [of('b')], [{ ...of('a'), encoding: 'utf-16le' }], [{ ...of('a'), languages: { kind: 'two', source: 'sw', target: 'en' } }]] as const;
    for (const corpora of others) expect(textsHaveChanged({ ...trained, corpora: [...corpora] })).toBe(true);
  });

  it('are not doubted where there is no model, or nobody knows what it learned from', () => {
    expect(textsHaveChanged({ ...trained, model: null, corpora: [] })).toBe(false);
    expect(textsHaveChanged({ ...trained, trainedOn: null, corpora: [] })).toBe(false);
  });
});

const facts = { missingFiles: [], hasStarter: true, nameOf: (tag: string) => tag };

describe('the recipe of a project', () => {
  it('is one that the command line accepts, with every format', async () => {
    const file = project(
      corpus({}),
      corpus({ format: 'moses', paths: ['incoming/a.en', 'incoming/a.sw'] }),
      corpus({ role: 'texts', format: 'sentences', paths: ['incoming/text.txt'], languages: { kind: 'one', language: 'sw' } }),
      corpus({ role: 'questions', format: 'jsonl-pairs', paths: ['incoming/q.jsonl'], languages: { kind: 'one', language: 'en' } }),
      corpus({ role: 'questions', format: 'beir-folder', paths: ['incoming/questions'], languages: { kind: 'one', language: 'en' } }),
    );
    const recipe = await parseRecipe({ text: JSON.stringify(recipeOf({ folder, file, preset: 'quick' })), recipePath: 'recipe.json', folder });
    expect(recipe.parallel).toHaveLength(2);
    expect(recipe.monolingual).toHaveLength(1);
    expect(recipe.retrieval).toHaveLength(2);
    expect(recipe.encoder).toMatchObject({ kind: 'static', width: 512 });
    expect(recipe.budget).toEqual({ steps: 120 });
  });

  it('leaves questions out where there are none, so that the starter is used', async () => {
    const recipe = await parseRecipe({ text: JSON.stringify(recipeOf({ folder, file: project(corpus({})), preset: 'balanced' })), recipePath: 'recipe.json', folder });
    expect(recipe.retrieval).toBeUndefined();
  });

  it('learns from judgements beside question data, and from those alone never', async () => {
    const judged = join(folder, 'incoming', 'q.jsonl');
    const questions = corpus({ role: 'questions', format: 'jsonl-pairs', paths: ['incoming/q.jsonl'], languages: { kind: 'one', language: 'en' } });
    const recipe = await parseRecipe({ text: JSON.stringify(recipeOf({ folder, file: project(corpus({}), questions), preset: 'quick', judged })), recipePath: 'recipe.json', folder });
    expect(recipe.retrieval).toMatchObject([{ pairs: judged }, { pairs: judged }]);
    expect(recipeOf({ folder, file: project(corpus({})), preset: 'quick', judged })['retrieval']).toBeUndefined();
  });

  it('is refused while a language is unsaid', () => {
    expect(() => recipeOf({ folder, file: project(corpus({ languages: { kind: 'two', source: 'en', target: null } })), preset: 'quick' })).toThrow(/pairs\.tsv: expected to know which language/);
  });
});

describe('the checkpoints of a project', () => {
  it('lie where core/training puts them', () => {
    expect(projectPaths(folder).checkpoints).toBe(checkpointFolderOf(projectPaths(folder).training));
  });
});

describe('advice', () => {
  const codes = (file: ProjectFile, change: Partial<typeof facts> = {}): readonly string[] => adviseOn(file, { ...facts, ...change }).map(({ code }) => code);

  it('blocks an empty project, and nothing else does when there are pairs', () => {
    expect(canTrain(adviseOn(project(), facts))).toBe(false);
    expect(canTrain(adviseOn(project(corpus({})), facts))).toBe(true);
  });

  it('blocks a project without questions where no starter is shipped', () => {
    expect(codes(project(corpus({})), { hasStarter: false })[0]).toBe('texts.no-questions');
  });

  it('blocks on unsaid languages and missing files, and says those first', () => {
    const file = project(corpus({}), corpus({ languages: { kind: 'two', source: null, target: 'sw' } }));
    const advice = adviseOn(file, { ...facts, missingFiles: ['gone.tsv'] });
    expect(advice.filter(({ blocks }) => blocks).map(({ code }) => code)).toEqual(['texts.file-missing', 'texts.language-unsaid']);
    expect(advice[0]?.blocks).toBe(true);
  });

  it('says what was measured of the language contrastive loss where a static encoder has it switched on', () => {
    const file = project(corpus({}));
    const withWeight = (weight: number): ProjectFile => ({ ...file, settings: { ...file.settings, changed: { ...file.settings.changed, static: { 'losses/language/weight': weight } } } });
    expect(codes(withWeight(0.1))).toContain('train.language-loss');
    expect(codes(withWeight(0))).not.toContain('train.language-loss');
    expect(codes({ ...withWeight(0.1), settings: { ...withWeight(0.1).settings, encoder: 'backbone' } })).not.toContain('train.language-loss');
  });

  it('says how many pairs are missing, in numbers', () => {
    expect(codes(project(corpus({ counts: { records: 100, problems: 0, sizeBytes: 1 } })))).toEqual(['texts.few-pairs']);
    expect(adviseOn(project(corpus({ counts: { records: 100, problems: 0, sizeBytes: 1 } })), facts)[0]?.message).toContain('200 more');
    expect(codes(project(corpus({ counts: { records: 5_000, problems: 0, sizeBytes: 1 } })))).toEqual([]);
  });

  it('comes with the data that its sentence needs, so that the window can say it in any language', () => {
    const pairs = (records: number, language: string): CorpusEntry => corpus({ languages: { kind: 'two', source: 'en', target: language }, counts: { records, problems: 0, sizeBytes: 1 } });
    const settings = { ...project().settings, changed: { ...project().settings.changed, static: { 'losses/language/weight': 0.1 } } };
    const many = { ...project(pairs(100, 'sw'), pairs(700, 'th'), corpus({ languages: { kind: 'two', source: null, target: 'sw' }, counts: { records: 0, problems: 0, sizeBytes: 1 } })), languages: ['sw', 'th', 'ar'], settings };
    const all = [...adviseOn(many, { ...facts, missingFiles: ['gone.tsv'], hasStarter: false }), ...adviseOn(project(), facts)];
    expect(new Set(all.map(({ code }) => code)).size).toBe(Object.keys(ADVICE_PLACES).length - 2); // all but the one of a single file and the one of an encoder with layers
    for (const { code, data, languages } of all) {
      const places: readonly string[] = ADVICE_PLACES[code];
      expect(Object.keys(data).sort(), code).toEqual(places.filter((place) => place !== 'language').sort());
      if (places.includes('language')) expect(languages.length, code).toBeGreaterThan(0);
    }
    expect(all.find(({ code }) => code === 'texts.few-pairs')).toMatchObject({ languages: ['sw'], data: { pairs: 100, more: 200 } });
  });
});

describe('the folder browser', () => {
  it('shows folders first, and neither hidden entries nor broken links', async () => {
    const place = join(folder, 'browse');
    await mkdir(join(place, 'b'), { recursive: true });
    for (const name of ['a10.txt', 'a2.txt', '.hidden']) await writeFile(join(place, name), 'x');
    await symlink(join(place, 'nowhere'), join(place, 'broken'));
    const view = await viewFolder({ path: place, show: 'all', home: folder });
    expect(view.entries.map(({ name }) => name)).toEqual(['b', 'a2.txt', 'a10.txt']);
    expect(view.parent).toBe(folder);
    expect((await viewFolder({ path: place, show: 'folders', home: folder })).entries.map(({ name }) => name)).toEqual(['b']);
  });

  it.skipIf(process.platform !== 'linux')('shows a folder whose name is not UTF-8 with its bytes in words, and opens it', async () => {
    const place = join(folder, 'odd');
    const inner = join(place, 'carpeta ni\uf7f1o');
    await mkdir(place);
    await mkdir(pathOnDisk(inner));
    await writeFile(pathOnDisk(join(inner, 'caf\uf7e9.txt')), 'x');
    expect((await viewFolder({ path: place, show: 'folders', home: folder })).entries).toEqual([{ kind: 'folder', name: 'carpeta ni\\xF1o', path: inner }]);
    expect((await viewFolder({ path: inner, show: 'all', home: folder })).entries.map(({ name }) => name)).toEqual(['caf\\xE9.txt']);
  });

  it('says what is wrong with a place that cannot be shown', async () => {
    await expect(viewFolder({ path: join(folder, 'nowhere'), show: 'all', home: folder })).rejects.toMatchObject({ code: 'file.missing' });
    await expect(viewFolder({ path: join(folder, 'incoming', 'a.en'), show: 'all', home: folder })).rejects.toMatchObject({ code: 'file.not-a-folder' });
  });
});

describe('the user folder', () => {
  it('follows the habits of each system, and ISOGLOSS_HOME before all', () => {
    const home = join('users', 'ana');
    expect(userFolders({ environment: {}, platform: 'linux', home }).data).toBe(join(home, '.local', 'share', 'isogloss'));
    expect(userFolders({ environment: { XDG_DATA_HOME: 'xdg' }, platform: 'linux', home }).data).toBe(join('xdg', 'isogloss'));
    expect(userFolders({ environment: { APPDATA: 'roaming' }, platform: 'win32', home }).data).toBe(join('roaming', 'Isogloss'));
    expect(userFolders({ environment: {}, platform: 'darwin', home }).data).toBe(join(home, 'Library', 'Application Support', 'Isogloss'));
    expect(userFolders({ environment: { ISOGLOSS_HOME: 'stick' }, platform: 'linux', home })).toEqual({ data: 'stick', projects: join('stick', 'projects') });
  });
});
