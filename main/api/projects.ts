/** What do the calls about projects and their texts do? Each is a few calls to main/project. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContractRouterClient } from '@orpc/contract';
import { InputError } from '../../core/base/errors.ts';
import { machineMemoryBytes } from '../../core/training/transformer/memory-plan.ts';
import type { Advice, BackboneInspection, contract, Library, Project, Result, TrainingPlan, TrainingSettings } from '../contract/index.ts';
import type { SettingProblem } from '../contract/recipe-checks.ts';
import { usualDevice } from '../contract/recipe-settings.ts';
import { canTrain, countPairs } from '../project/advice.ts';
import { makeCorpus, withChangedCorpus, withCorpus, withoutCorpus } from '../project/corpora.ts';
import { chooseLanguages, describeLanguage } from '../project/languages.ts';
import { viewLibrary } from '../project/library.ts';
import { modelFolderOf, readModelCard, readReport } from '../project/models.ts';
import { estimatePresets } from '../project/estimates.ts';
import type { OpenProject } from '../project/projects.ts';
import { corporaOf, problemsOf } from '../project/recipe.ts';
import { copySample, SAMPLE_NAME } from '../project/sample.ts';
import { absolutePaths } from '../project/recipe.ts';
import { commonIncoming } from '../project/uploads.ts';
import { viewProject } from '../project/view.ts';
import { inspectInWorker } from '../workers/inspect-in-worker.ts';
import type { Services } from './application.ts';

type Client = ContractRouterClient<typeof contract>;

/** The project as the window sees it now. */
export async function show(services: Services, project: OpenProject): Promise<Project> {
  const modelFolder = modelFolderOf(project.folder, project.file);
  const model = await readModelCard(modelFolder);
  const isFollowed = project.access.kind === 'writable' && project.file.library.isWatched;
  services.libraryWatch.follow({ projectId: project.file.id, folders: isFollowed ? project.file.library.folders : [] });
  const library = await viewLibrary({ folder: project.folder, file: project.file, modelId: model?.modelId ?? null, watching: services.libraryWatch.stateOf(project.file.id) });
  return viewProject(project, { model, library, hasReport: (await readReport(modelFolder)) !== null, hasStarter: services.info.hasStarter });
}

/** The user's copy of the sample: the one made before, where it still is. */
export async function openSample(services: Services): Promise<Project> {
  const { recent, projects, options, info } = services;
  if (!info.hasSample) throw new InputError('sample.missing', 'The sample project is not part of this installation.');
  for (const entry of await recent.list()) {
    if (entry.state === 'missing' || entry.name !== SAMPLE_NAME) continue;
    const earlier = await projects.open(entry.folder);
    if (earlier.file.isSample && earlier.file.corpora.length > 0) return show(services, earlier);
  }
  const project = await projects.create({ name: SAMPLE_NAME, languages: ['sw'], parentFolder: options.folders.projects });
  const sample = await copySample(options.sampleFolder, project.folder);
  let filled = await projects.change(project.file.id, (file) => ({
    ...file,
    isSample: true,
    languages: sample.languages,
    library: { folders: [{ name: '', path: sample.documentsFolder }], isWatched: true },
    questions: sample.questions,
    settings: { ...file.settings, preset: 'quick' },
    exampleQueries: sample.exampleQueries,
  }));
  for (const { path, role, languages } of sample.corpora) {
    const corpus = await makeCorpus(services.inspector, { folder: project.folder, paths: [path], role, languages, licence: 'CC0 1.0', projectLanguages: sample.languages, addedAt: services.now() });
    filled = await projects.change(project.file.id, (file) => withCorpus(file, corpus));
  }
  return show(services, filled);
}

export async function addCorpus(services: Services, input: Parameters<Client['corpus']['add']>[0]): Promise<Project> {
  const { projectId, paths, role, languages, licence, terms, encoding, mapping } = input;
  const project = await services.projects.get(projectId);
  const corpus = await makeCorpus(services.inspector, { folder: project.folder, paths, role, languages: canonical(languages), licence, terms, encoding, mapping, projectLanguages: project.file.languages, addedAt: services.now() });
  return show(services, await services.projects.change(projectId, (file) => withCorpus(file, corpus)));
}

/** Says anew what was said of a corpus; its file is looked at once more only where that changes what is read. */
export async function changeCorpus(services: Services, { projectId, corpusId, languages, mapping, encoding, terms }: Parameters<Client['corpus']['change']>[0]): Promise<Project> {
  const { folder, file } = await services.projects.get(projectId);
  const corpus = file.corpora.find(({ id }) => id === corpusId);
  if (corpus === undefined) throw new InputError('corpus.unknown', 'These texts are not part of the project any more. Add them again.', { data: { corpusId } });
  const said = {
    languages: languages === null || languages === undefined ? corpus.languages : canonical(languages),
    terms: terms ?? corpus.terms,
    licence: terms === null || terms === undefined ? corpus.licence : terms.licence,
  };
  const readsAnew = (mapping ?? null) !== null || (encoding ?? null) !== null || JSON.stringify(said.languages) !== JSON.stringify(corpus.languages);
  const changed = readsAnew
    ? await makeCorpus(services.inspector, { folder, paths: absolutePaths(folder, corpus.paths), role: corpus.role, format: corpus.format, ...said, encoding: encoding ?? corpus.encoding, mapping: mapping ?? corpus.mapping, projectLanguages: file.languages, addedAt: corpus.addedAt })
    : { ...corpus, licence: said.licence, ...(said.terms === undefined ? {} : { terms: said.terms }) };
  return show(services, await services.projects.change(projectId, (now) => withChangedCorpus(now, { ...changed, id: corpus.id })));
}

export async function removeCorpus(services: Services, { projectId, corpusId }: Parameters<Client['corpus']['remove']>[0]): Promise<Project> {
  return show(services, await services.projects.change(projectId, (file) => withoutCorpus(file, corpusId)));
}

export async function updateProject(services: Services, { projectId, name, languages, settings, spelling }: Parameters<Client['project']['update']>[0]): Promise<Project> {
  const project = await services.projects.change(projectId, (file) => ({
    ...file,
    name: name ?? file.name,
    ...(languages === null ? {} : chooseLanguages(languages, file.names)),
    settings: settings ?? file.settings,
    spelling: spelling ?? file.spelling,
  }));
  if (spelling !== null && spelling !== undefined) services.libraryWatch.lookSoon(projectId); // its search files are made anew
  return show(services, project);
}

export async function planTraining(services: Services, projectId: string): Promise<TrainingPlan> {
  const project = await services.projects.get(projectId);
  const { advice: found, totals } = await show(services, project);
  const { file } = project;
  const { settings } = file;
  const advice = settings.encoder === 'static' ? found : [...found.filter(({ code }) => code !== 'texts.no-questions'), ...(totals.questions === 0 && totals.pairs.some(({ pairs }) => pairs > 0) ? [NO_STARTER_FOR_LAYERS] : [])];
  const availableMemoryMB = machineMemoryBytes() / BYTES_PER_MB;
  const gone = await missingBackbone(settings);
  return {
    canStart: canTrain(advice) && project.access.kind === 'writable',
    advice,
    encoder: settings.encoder,
    presets: estimatePresets(file).map((estimate) => ({ ...estimate, problems: [...gone, ...problemsOf(file, estimate.preset), ...memoryProblem(estimate.estimatedMemoryMB, availableMemoryMB)] })),
    usesStarter: totals.questions === 0 && settings.encoder === 'static',
    pairs: countPairs(file).map(({ language, pairs }) => ({ source: file.bridge, target: language, pairs })),
    questions: totals.questions,
    sentences: totals.sentences,
    availableMemoryMB,
    device: { wish: settings.device ?? usualDevice(settings.encoder), last: file.device },
  };
}

const BYTES_PER_MB = 1e6;
const NO_STARTER_FOR_LAYERS: Advice = { code: 'train.no-questions', blocks: false, message: 'There are no questions with passages, so this encoder learns from pairs alone. The English starter that comes with Isogloss is for word vectors. Questions with their passages would help most.', languages: [], data: {} };

/** A model on a stick that is out. */
async function missingBackbone({ encoder, backbone }: TrainingSettings): Promise<readonly SettingProblem[]> {
  if (encoder !== 'backbone' || backbone === null) return [];
  const found = await stat(backbone.folder).catch(() => null); // whatever the reason, it cannot be read
  if (found?.isDirectory() === true) return [];
  return [{ code: 'backbone-gone', keys: [], message: `${backbone.folder}: the model is not there now. Put the stick or drive back in, or choose another folder.`, data: { folder: backbone.folder } }];
}

function memoryProblem(needed: number, available: number): readonly SettingProblem[] {
  if (needed <= available) return [];
  return [{ code: 'too-little-memory', keys: [], message: `This would take about ${String(Math.round(needed))} MB of memory; ${String(Math.round(available))} MB are there. A smaller vocabulary, a frozen token table, thin matrices (LoRA) or a smaller model take less.`, data: { needed: Math.round(needed), available: Math.round(available) } }];
}

/** Looks at a model that somebody brings; with a project, also what a vocabulary for its texts would save. */
export async function inspectBackbone(services: Services, { folder, setup = {}, projectId }: Parameters<Client['backbone']['inspect']>[0], signal?: AbortSignal): Promise<BackboneInspection> {
  const project = projectId === undefined ? null : await services.projects.get(projectId);
  const corpora = project === null ? null : countableCorpora(project);
  return inspectInWorker(services.options.startProcess, { folder, setup, corpora }, signal);
}

/** Larger corpora are not read for an estimate. */
const MOST_COUNTED_BYTES = 100e6;

function countableCorpora({ folder, file }: OpenProject): ReturnType<typeof corporaOf> | null {
  const bytes = file.corpora.reduce((sum, { counts }) => sum + counts.sizeBytes, 0);
  if (bytes === 0 || bytes > MOST_COUNTED_BYTES) return null;
  const said = file.corpora.filter(({ role, languages }) => role === 'questions' || (languages.kind === 'one' ? languages.language !== null : languages.source !== null && languages.target !== null));
  return corporaOf(folder, { ...file, corpora: said });
}

export async function readResult(services: Services, projectId: string): Promise<Result> {
  const project = await services.projects.get(projectId);
  const modelFolder = modelFolderOf(project.folder, project.file);
  const model = await readModelCard(modelFolder);
  return model === null ? { status: 'none' } : { status: 'ready', model, report: await readReport(modelFolder) };
}

export async function readLibrary(services: Services, project: OpenProject): Promise<Library> {
  return (await show(services, project)).library;
}

/** Where dropped files go. */
export async function incomingFolder(services: Services, projectId: string | null): Promise<string> {
  if (projectId === null) return commonIncoming(services.options.folders.data);
  const project = await services.projects.get(projectId);
  if (project.access.kind === 'read-only') throw new InputError('project.read-only', project.access.reason.message, { data: { path: project.folder } });
  return join(project.folder, 'incoming');
}

function canonical(languages: Parameters<Client['corpus']['add']>[0]['languages']): Parameters<Client['corpus']['add']>[0]['languages'] {
  const tag = (value: string | null): string | null => (value === null ? null : describeLanguage(value).tag);
  return languages.kind === 'one' ? { kind: 'one', language: tag(languages.language) } : { kind: 'two', source: tag(languages.source), target: tag(languages.target) };
}

