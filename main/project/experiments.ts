/** Which experiments can be run in this project, and where do their data and results lie? */
import { createHash } from 'node:crypto';
import { access, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { makeFolder, readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { InputError, IsoglossError, serialiseError } from '../../core/base/errors.ts';
import { parseExperiment, type Experiment } from '../../core/evaluation/experiments/experiment-file.ts';
import { findNeeds } from '../experiments/needs.ts';
import { unitsOf } from '../experiments/units.ts';
import { list, type ExperimentEntry, type ExperimentList, type ExperimentNeed } from '../contract/index.ts';

const FOLDER = 'experiments';
const PLACES_FILE = 'places.json';
const DATA_MARK = '{data}';
/** Stands for the folder of data while none is chosen, so that the rest of a file can be shown. */
const NO_FOLDER = '/{data}';
const ID_DIGITS = 12;
const MISSING_SHOWN = 20;

const placesSchema = z.object({ dataFolder: z.string().nullable(), own: list(z.string()) });
type Places = z.infer<typeof placesSchema>;

/** An experiment file, and where its results lie. */
export type ExperimentPlace = { readonly id: string; readonly origin: 'shipped' | 'own'; readonly file: string; readonly outputFolder: string; readonly dataFolder: string | null };

export type ExperimentFolders = { readonly projectFolder: string; /** Those that come with Isogloss. */ readonly shippedFolder: string };

/** The experiments that come with Isogloss lie beside its starter: core/evaluation/papers. */
export function shippedExperiments(starterFolder: string): string {
  return join(dirname(dirname(starterFolder)), 'evaluation', 'papers');
}

/** Everything that is offered, the shipped ones first, in the order of their names. */
export async function listExperiments(folders: ExperimentFolders): Promise<ExperimentList> {
  const places = await readPlaces(folders.projectFolder);
  const all = await placesOf(folders, places);
  return { dataFolder: places.dataFolder, experiments: await Promise.all(all.map(describe)) };
}

/** @throws InputError 'experiment.unknown'. */
export async function findExperiment(folders: ExperimentFolders, id: string): Promise<ExperimentPlace> {
  const found = (await placesOf(folders, await readPlaces(folders.projectFolder))).find((place) => place.id === id);
  if (found === undefined) throw new InputError('experiment.unknown', 'This experiment is not in the list any more. Add its file again.', { data: { id } });
  return found;
}

export async function chooseExperimentData(projectFolder: string, dataFolder: string): Promise<void> {
  await writePlaces(projectFolder, { ...(await readPlaces(projectFolder)), dataFolder });
}

/** @throws InputError 'experiment.invalid', 'file.not-json', 'file.missing': a file that cannot be used is not added. */
export async function addExperiment(projectFolder: string, file: string): Promise<void> {
  parseExperiment(await readJson(file), { file, dataFolder: NO_FOLDER });
  const places = await readPlaces(projectFolder);
  if (!places.own.includes(file)) await writePlaces(projectFolder, { ...places, own: [...places.own, file] });
}

export async function forgetExperiment(projectFolder: string, id: string): Promise<void> {
  const places = await readPlaces(projectFolder);
  await writePlaces(projectFolder, { ...places, own: places.own.filter((file) => ownId(file) !== id) });
}

/** The experiment of a place, as far as it can be read without its data. @throws InputError 'experiment.invalid'. */
export async function readExperimentAt({ file, dataFolder }: ExperimentPlace): Promise<Experiment> {
  return parseExperiment(await readJson(file), { file, dataFolder: dataFolder ?? NO_FOLDER });
}

async function placesOf({ projectFolder, shippedFolder }: ExperimentFolders, { dataFolder, own }: Places): Promise<readonly ExperimentPlace[]> {
  const shipped = (await readdir(shippedFolder).catch(() => [])).filter((name) => name.endsWith('.json')).sort(); // an installation without them
  const at = (id: string): string => join(projectFolder, FOLDER, id);
  return [
    ...shipped.map((name): ExperimentPlace => ({ id: name.replace(/\.json$/, '').replaceAll(/[^A-Za-z0-9_-]/g, '-'), origin: 'shipped', file: join(shippedFolder, name), outputFolder: '', dataFolder })),
    ...own.map((file): ExperimentPlace => ({ id: ownId(file), origin: 'own', file, outputFolder: '', dataFolder })),
  ].map((place) => ({ ...place, outputFolder: at(place.id) }));
}

const ownId = (file: string): string => `own-${createHash('sha256').update(file).digest('hex').slice(0, ID_DIGITS)}`;

async function describe(place: ExperimentPlace): Promise<ExperimentEntry> {
  const { id, origin, file, outputFolder, dataFolder } = place;
  try {
    const experiment = await readExperimentAt(place);
    const needsFolder = dataFolder === null && (await readFile(file, 'utf8')).includes(DATA_MARK);
    const missing = needsFolder ? [] : await missingOf(experiment);
    const { title, source, about, scale, rows, seeds, tasks } = experiment;
    return {
      status: needsFolder ? 'needs-folder' : missing.length > 0 ? 'needs-data' : 'ready',
      id, origin, file, title, source, about, scale,
      rows: rows.length,
      seeds: seeds.length,
      tasks: tasks.length,
      missing: missing.slice(0, MISSING_SHOWN),
      ...(await resultsAt(outputFolder, experiment)),
    };
  } catch (thrown) {
    if (!(thrown instanceof IsoglossError) || thrown.family === 'invariant') throw thrown;
    const { family, code, message, data } = serialiseError(thrown);
    return { status: 'unusable', id, origin, file, error: { family, code, message, data: { ...data } } };
  }
}

/** What an experiment needs and is not there: what it names itself, files of tasks, files that its recipes learn from. */
async function missingOf(experiment: Experiment): Promise<readonly ExperimentNeed[]> {
  const { missing, missingFiles } = await findNeeds(experiment);
  const learned = [...new Set([experiment.base, ...experiment.rows.map((row) => ('train' in row ? row.train : {}))].flatMap(corpusPaths))];
  const known = new Set([...missing.map(({ path }) => path), ...missingFiles]);
  const absent: string[] = [];
  for (const path of learned) if (!known.has(path) && !missing.some((need) => path.startsWith(`${need.path}/`)) && !(await access(path).then(() => true, () => false))) absent.push(path);
  return [...missing.map(({ path, what, from }) => ({ path, what, from })), ...[...missingFiles, ...absent].map((path) => ({ path, what: basename(path), from: '' }))];
}

/** Files under the keys of corpora in a recipe. */
function corpusPaths(recipe: Readonly<Record<string, unknown>>): readonly string[] {
  return ['retrieval', 'parallel', 'monolingual'].flatMap((key) => {
    const sources = recipe[key];
    return Array.isArray(sources) ? sources.flatMap((source: unknown) => (typeof source === 'object' && source !== null ? ['path', 'sourcePath', 'targetPath', 'pairs', 'folder'].flatMap((name) => stringIn(source, name)) : [])) : [];
  });
}

function stringIn(value: object, key: string): readonly string[] {
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? [found] : [];
}

/** How far it is, by the runs that were measured. */
async function resultsAt(outputFolder: string, experiment: Experiment): Promise<{ readonly results: 'none' | 'some' | 'all'; readonly measuredAt: number | null }> {
  const found = await stat(join(outputFolder, 'results.json')).catch(() => null); // nothing measured yet
  const names = (await readdir(join(outputFolder, 'runs')).catch(() => [])).filter((name) => /\.\d+\.json$/.test(name));
  if (found === null) return { results: names.length > 0 ? 'some' : 'none', measuredAt: null };
  const wanted = unitsOf(experiment).map(({ root, seed }) => `${root.name}.${String(seed)}.json`);
  return { results: wanted.every((name) => names.includes(name)) ? 'all' : 'some', measuredAt: found.mtimeMs };
}

async function readPlaces(projectFolder: string): Promise<Places> {
  const found = placesSchema.safeParse(await readJson(join(projectFolder, FOLDER, PLACES_FILE)).catch(() => null)); // none yet, or damaged: chosen again
  return found.success ? found.data : { dataFolder: null, own: [] };
}

async function writePlaces(projectFolder: string, places: Places): Promise<void> {
  await makeFolder(join(projectFolder, FOLDER));
  await writeJsonAtomic(join(projectFolder, FOLDER, PLACES_FILE), places);
}
