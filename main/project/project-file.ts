/** What stands in project.json, and how does an older one become a present one? */
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import { corpusCountsSchema, corpusFormatSchema, corpusLanguagesSchema, corpusMappingSchema, corpusProblemSchema, corpusRoleSchema, corpusRowSchema, corpusTermsSchema, deviceNoteSchema, encoderKindSchema, givenNamesSchema, keptTrainingSettingsSchema, list, NO_SPELLING_RULES, spellingRulesSchema, tagSchema, type GivenNames, type TrainingSettings } from '../contract/index.ts';

export const PROJECT_FILE = 'project.json';
export const VERSION = 3;
const FORMAT = 'isogloss-project';

/** A file as it was when it was added; times in milliseconds since 1970. */
export const fingerprintSchema = z.object({ path: z.string(), sizeBytes: z.number(), modifiedAt: z.number(), sha256: z.string() });
export type Fingerprint = z.infer<typeof fingerprintSchema>;

const corpusEntrySchema = z.object({
  id: z.string(),
  role: corpusRoleSchema,
  format: corpusFormatSchema,
  /** Relative to the project folder when inside it ("incoming/a.tsv"), else absolute. */
  paths: list(z.string()),
  languages: corpusLanguagesSchema,
  counts: corpusCountsSchema,
  rows: list(corpusRowSchema),
  problems: list(corpusProblemSchema),
  licence: z.string().nullable(),
  terms: corpusTermsSchema.optional(),
  encoding: z.string().nullable().optional(),
  mapping: corpusMappingSchema.optional(),
  addedAt: z.number(),
  fingerprints: list(fingerprintSchema),
});
export type CorpusEntry = z.infer<typeof corpusEntrySchema>;

const projectFileSchema = z.object({
  format: z.literal(FORMAT),
  version: z.number().int(),
  id: z.string(),
  name: z.string(),
  createdAt: z.number(),
  isSample: z.boolean(),
  languages: list(tagSchema),
  /** What the user calls languages that no list has. */
  names: givenNamesSchema.default({}),
  bridge: tagSchema,
  corpora: list(corpusEntrySchema),
  settings: keptTrainingSettingsSchema,
  /** The folder with the model in use, relative to the project folder. */
  model: z.string().nullable(),
  /** Of the texts that it learned from (trained-on.ts); null: not known. */
  trainedOn: z.string().nullable().default(null),
  /** Measured by the last plan or training here; `reckonedMinutes`: what was expected of a usual machine with the settings of then. */
  measured: z.object({ encoder: encoderKindSchema.default('static'), preset: z.string(), steps: z.number(), minutes: z.number(), memoryMB: z.number(), basis: z.enum(['trial', 'last-run']), reckonedMinutes: z.number().nullable().default(null) }).nullable(),
  /** Where the last training calculated, and why there. */
  device: deviceNoteSchema.nullable().default(null),
  library: z.object({
    /** `name` begins the paths of its documents; '' in a library of one folder. */
    folders: list(z.object({ name: z.string(), path: z.string() })),
    isWatched: z.boolean(),
  }),
  /** Which spellings match each other in search. */
  spelling: spellingRulesSchema.default(NO_SPELLING_RULES),
  /** Questions with known answers for the report, relative to the project folder, as are the documents that they name. */
  questions: z.string().nullable(),
  exampleQueries: list(z.object({ text: z.string(), language: tagSchema })),
});
export type ProjectFile = z.infer<typeof projectFileSchema>;

export const DEFAULT_SETTINGS: TrainingSettings = { preset: 'balanced', threads: null, device: null, encoder: 'static', backbone: null, changed: { static: {}, backbone: {}, transformer: {} } };

/** Row n makes version n + 1 of version n. */
const migrations: Readonly<Record<number, (old: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>>> = {
  /** One folder became several. */
  1: (old) => {
    const library = z.object({ folder: z.string().nullable() }).safeParse(old['library']);
    const folder = library.success ? library.data.folder : null;
    return { ...old, library: { folders: folder === null ? [] : [{ name: '', path: folder }], isWatched: true } };
  },
  /** Five settings of one kind of encoder became all settings of each kind. */
  2: (old) => {
    const settings = z.looseObject({ seed: z.number(), semanticWeight: z.number().nullable(), languageWeight: z.number().nullable(), temperature: z.number().nullable() }).safeParse(old['settings']);
    if (!settings.success) return old;
    const { seed, semanticWeight, languageWeight, temperature, ...rest } = settings.data;
    const said = { seed: seed === 1 ? null : seed, 'losses/semantic/weight': semanticWeight, 'losses/language/weight': languageWeight, 'losses/retrieval/temperature': temperature };
    const changed = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
    return { ...old, settings: { ...rest, changed: { static: changed, backbone: {}, transformer: {} } } };
  },
};

export type ReadProject = { readonly file: ProjectFile; readonly isNewer: boolean; readonly wasMigrated: boolean };

/**
 * Reads project.json of a folder.
 * @returns `isNewer`: made by a later Isogloss and still understood; it must not be written.
 * @throws InputError 'project.not-a-project', 'project.newer' (not understood), 'project.damaged'.
 */
export async function readProjectFile(folder: string): Promise<ReadProject> {
  const path = join(folder, PROJECT_FILE);
  const found = await readJson(path).catch((thrown: unknown) => {
    if (thrown instanceof InputError && thrown.code === 'file.missing') {
      throw new InputError('project.not-a-project', `${folder}: expected a project of Isogloss (a folder with ${PROJECT_FILE}), found none. Choose the project's own folder, or make a new project.`, { cause: thrown, data: { path: folder } });
    }
    throw thrown;
  });
  const version = z.object({ format: z.literal(FORMAT), version: z.number().int().positive() }).safeParse(found);
  if (!version.success) throw damaged(path, 'it does not say that it is a project of Isogloss');
  const isNewer = version.data.version > VERSION;
  const parsed = projectFileSchema.safeParse(isNewer ? found : migrate(found, version.data.version, path));
  if (parsed.success) return { file: parsed.data, isNewer, wasMigrated: version.data.version < VERSION };
  if (isNewer) throw newerProject(folder, version.data.version);
  throw damaged(path, z.prettifyError(parsed.error));
}

export async function writeProjectFile(folder: string, file: ProjectFile): Promise<void> {
  await writeJsonAtomic(join(folder, PROJECT_FILE), { ...file, version: VERSION });
}

/** A new project's file. */
export function newProjectFile(facts: { readonly id: string; readonly name: string; readonly languages: readonly string[]; readonly names?: GivenNames; readonly createdAt: number }): ProjectFile {
  return {
    format: FORMAT,
    version: VERSION,
    names: {},
    ...facts,
    isSample: false,
    bridge: 'en',
    corpora: [],
    settings: DEFAULT_SETTINGS,
    model: null,
    trainedOn: null,
    measured: null,
    device: null,
    library: { folders: [], isWatched: true },
    spelling: NO_SPELLING_RULES,
    questions: null,
    exampleQueries: [],
  };
}

export function newerProject(folder: string, version: number): InputError {
  return new InputError('project.newer', `${folder}: this project was last saved by a newer Isogloss (format ${String(version)}; this one knows ${String(VERSION)}). It is shown as far as it is understood and nothing in it is changed. Update Isogloss to work on it.`, { data: { path: folder, version } });
}

function migrate(found: unknown, from: number, path: string): unknown {
  let current: unknown = found;
  for (let version = from; version < VERSION; version += 1) {
    const step = migrations[version];
    if (step === undefined || typeof current !== 'object' || current === null) throw damaged(path, `no way leads from format ${String(version)}`);
    current = step({ ...current });
  }
  return current;
}

function damaged(path: string, why: string): InputError {
  return new InputError('project.damaged', `${path}: expected the description of a project, but ${why}. Put back a copy of the file; corpora and models beside it are untouched.`, { data: { path } });
}
