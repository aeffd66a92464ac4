/** `isogloss share` and `isogloss import`: a model as one portable file, and such a file as a new project; or a model as a folder for other programs. */
import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { makeFolder } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import type { Progress } from '../../core/base/progress.ts';
import { readIndexManifest } from '../../core/retrieval/store/index-manifest.ts';
import { NO_SPELLING_RULES } from '../contract/index.ts';
import { fillNewProject } from '../project/fill-project.ts';
import { makeDataSheet } from '../project/data-sheet.ts';
import { describeLanguage } from '../project/languages.ts';
import { modelFolderOf } from '../project/models.ts';
import type { PortableIndex } from '../project/portable-file.ts';
import { readProjectFile } from '../project/project-file.ts';
import { createProjects } from '../project/projects.ts';
import { createRecentProjects } from '../project/recent.ts';
import { shareableIndex, sheetOf } from '../project/share-plan.ts';
import { userFolders } from '../project/user-folder.ts';
import { lookAtBrought } from '../project/brought.ts';
import { fillFromBrought, runShareTask } from '../workers/run-share-task.ts';
import type { ShareTask } from '../workers/messages.ts';
import { choice, optional, required, type Command, type OptionValues } from './command.ts';
import { createProgressLine } from './progress.ts';
import { programVersion } from './places.ts';

const LAYOUTS = ['portable', 'hugging-face', 'onnx', 'both'] as const;

export const shareCommand: Command = {
  summary: 'Writes a model with its data sheet as one portable file, or as a folder for other programs (Hugging Face, ONNX).',
  usage: '--project DIR | --model DIR  --out FILE [--with-index | --index DIR] [--without-texts] [--name NAME] [--layout portable|hugging-face|onnx|both] [--licence ID] [--licence-unknown] [--json]',
  options: { project: { type: 'string' }, model: { type: 'string' }, out: { type: 'string' }, index: { type: 'string' }, 'with-index': { type: 'boolean' }, 'without-texts': { type: 'boolean' }, name: { type: 'string' }, layout: { type: 'string' }, licence: { type: 'string' }, 'licence-unknown': { type: 'boolean' } },
  run: async (values, { signal, say }) => {
    const out = resolve(required(values, 'out', 'the file (or, for a layout, the folder) to write'));
    const result = await runShareTask(await taskOf(values, out), { signal, report: sayProgress(say) });
    return { json: result, text: `Written: ${result.paths.join(', ')} (${(result.sizeBytes / 2 ** 20).toFixed(1)} MB)` };
  },
};

async function taskOf(values: OptionValues, out: string): Promise<ShareTask> {
  const layout = choice(values, 'layout', LAYOUTS);
  const { modelFolder, sheet, index, project } = await subjectOf(values);
  if (layout !== 'portable') {
    return { kind: 'layout', out, modelFolder, formats: layout === 'both' ? ['safetensors', 'onnx'] : [layout === 'onnx' ? 'onnx' : 'safetensors'], licence: optional(values, 'licence'), allowsUnknownLicence: values['licence-unknown'] === true, title: sheet.name, notes: sheet.terms === null ? [] : [sheet.terms.sentence] };
  }
  await makeFolder(dirname(out));
  return { kind: 'portable', out, sheet, modelFolder, index, project };
}

type Subject = Pick<Extract<ShareTask, { kind: 'portable' }>, 'modelFolder' | 'sheet' | 'index' | 'project'>;

async function subjectOf(values: OptionValues): Promise<Subject> {
  const [projectFolder, model] = [optional(values, 'project'), optional(values, 'model')];
  if ((projectFolder === null) === (model === null)) throw new InputError('cli.missing-option', 'Expected --project or --model, found ' + (projectFolder === null ? 'neither.' : 'both.'), { data: { option: 'project' } });
  const facts = { madeAt: Date.now(), madeBy: `Isogloss ${programVersion()}` };
  const texts = values['without-texts'] !== true;
  if (projectFolder !== null) {
    const folder = resolve(projectFolder);
    const { file } = await readProjectFile(folder);
    const modelFolder = modelFolderOf(folder, file);
    if (modelFolder === null) throw new InputError('share.no-model', `${folder}: expected a project with a trained model, found none. Train first, then share it.`, { data: { path: folder } });
    const open = { folder, file: { ...file, name: optional(values, 'name') ?? file.name }, access: { kind: 'writable' } } as const;
    const index = values['with-index'] === true ? await shareableIndex(open, modelFolder) : null;
    if (values['with-index'] === true && index === null) throw new InputError('share.no-index', `${folder}: expected an index that this model made, found none. Index the documents first, or share without.`, { data: { path: folder } });
    const { languages, names, bridge, spelling, exampleQueries } = file;
    return { modelFolder, index, project: { languages, names, bridge, spelling, exampleQueries }, sheet: await sheetOf(open, { ...facts, folder, modelFolder, contents: { texts, index: countsOf(index?.facts ?? null) } }) };
  }
  const modelFolder = resolve(model ?? '');
  const indexFolder = optional(values, 'index');
  const index = indexFolder === null ? null : await indexAt(resolve(indexFolder));
  const sheet = await makeDataSheet({ modelFolder, name: optional(values, 'name') ?? basename(modelFolder), languageName: (tag) => describeLanguage(tag).name, records: new Map(), ...facts, contents: { texts, index: countsOf(index?.facts ?? null) } });
  if (index !== null && index.facts.modelId !== sheet.model.modelId) throw new InputError('index.other-model', `${index.folder}: expected an index that this model made, found one of another model. Index the documents with this model first.`, { data: { path: index.folder } });
  const languages = sheet.languages.map(({ tag }) => tag).filter((tag) => tag !== sheet.pivot);
  return { modelFolder, index, sheet, project: { languages: languages.length === 0 ? [sheet.pivot] : languages, names: {}, bridge: sheet.pivot, spelling: NO_SPELLING_RULES, exampleQueries: [] } };
}

const countsOf = (facts: PortableIndex | null): { readonly documents: number; readonly chunks: number } | null => (facts === null ? null : { documents: facts.documents, chunks: facts.chunks });

async function indexAt(folder: string): Promise<{ readonly folder: string; readonly facts: PortableIndex }> {
  const { modelId, rules, finishedAt, createdAt, counts } = await readIndexManifest(folder);
  return { folder, facts: { modelId, spelling: rules ?? NO_SPELLING_RULES, indexedAt: Date.parse(finishedAt ?? createdAt), chunks: counts.chunks, documents: counts.files, files: [] } };
}

export const importCommand: Command = {
  summary: 'Takes in what was shared (a portable file, a project, a model) as a new project of this computer; nothing is overwritten.',
  usage: 'FILE [--to FOLDER] [--name NAME] [--json]',
  options: { file: { type: 'string' }, to: { type: 'string' }, name: { type: 'string' } },
  positional: 'file',
  run: async (values, { signal, say }) => {
    const path = resolve(required(values, 'file', 'the file or folder to take in'));
    const folders = userFolders({ environment: process.env, platform: process.platform, home: homedir() });
    const to = optional(values, 'to');
    const brought = await lookAtBrought(path, signal);
    const projects = createProjects({ recent: createRecentProjects(folders.data), now: () => Date.now() });
    try {
      const project = await fillNewProject({ brought, name: optional(values, 'name'), parentFolder: to === null ? folders.projects : resolve(to), projects, now: () => Date.now(), fill: (task) => fillFromBrought(task, { signal, report: sayProgress(say) }) });
      return { json: { projectId: project.file.id, folder: project.folder, name: project.file.name }, text: `Taken in: ${project.folder}` };
    } finally {
      await projects.closeAll();
    }
  },
};

function sayProgress(say: (line: string) => void): (event: { readonly kind: string } & Partial<Progress>) => void {
  const line = createProgressLine(say);
  return ({ kind, phase, done, total, unit }) => {
    if (kind === 'progress' && phase !== undefined && done !== undefined && total !== undefined && unit !== undefined) line({ phase, done, total, unit });
  };
}
