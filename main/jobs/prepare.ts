/** Which worker does which job, with what, and what follows when it is done? */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { assertNever, InputError, InvariantError } from '../../core/base/errors.ts';
import type { DeviceNote, JobRequest, TrainingEvent } from '../contract/index.ts';
import { usualDevice } from '../contract/recipe-settings.ts';
import { hasCheckpoint, keepModel, tidyModels } from '../project/models.ts';
import { writeJudgedQuestions } from '../project/judged-questions.ts';
import type { ProjectFile } from '../project/project-file.ts';
import type { OpenProject, Projects } from '../project/projects.ts';
import { reckonedMinutes, threadsOf } from '../project/estimates.ts';
import { servingModel } from '../project/index-places.ts';
import { corpusName } from '../project/inspection.ts';
import { projectPaths, recipeOf } from '../project/recipe.ts';
import { keepRun } from '../project/runs.ts';
import { textsMark } from '../project/trained-on.ts';
import type { CallInput } from '../workers/messages.ts';
import type { StartProcess } from '../workers/process.ts';
import { expectSoundBackbone } from '../workers/sound-backbone.ts';
import { trainInWorker } from '../workers/train-in-worker.ts';
import { prepareCalibration } from './prepare-calibration.ts';
import { prepareExperiment } from './prepare-experiment.ts';
import { prepareIndex } from './prepare-index.ts';
import { prepareMining } from './prepare-mining.ts';
import { preparePhrases } from './prepare-phrases.ts';
import { prepareShare } from './prepare-share.ts';
import type { PreparedJob } from './registry.ts';
import { runInWorker } from './run-in-worker.ts';

export type PrepareOptions = {
  readonly projects: Projects;
  readonly startProcess: StartProcess;
  readonly usualThreads: number;
  readonly starterFolder: string;
  /** Those that come with Isogloss. */
  readonly experimentsFolder: string;
  /** "Isogloss 0.1.0", for data sheets. */
  readonly madeBy: string;
  readonly now: () => number;
  /** Called after the model of a project has changed, and after its index has. */
  readonly onTrained: (projectId: string) => void;
  readonly onIndexed: (projectId: string) => void;
  /** A first reading has got further, by half of what it had read. */
  readonly onGrown: (projectId: string) => void;
};

const SECONDS_A_MINUTE = 60;

/** Makes jobs ready. @throws InputError when a project is read-only, lacks texts, a model or a folder. */
export function createPrepare(options: PrepareOptions): (request: JobRequest) => Promise<PreparedJob> {
  return async (request) => {
    const project = await options.projects.get(request.projectId);
    if (project.access.kind === 'read-only') throw new InputError('project.read-only', project.access.reason.message, { data: { path: project.folder } });
    switch (request.kind) {
      case 'train':
        return prepareTraining(options, project, request);
      case 'plan':
        return preparePlan(options, project, request);
      case 'index':
        return prepareIndex(options, project);
      case 'mine':
        return prepareMining(options, project, request);
      case 'phrases':
        return preparePhrases(options, project, request);
      case 'calibrate':
        return prepareCalibration(options, project, request);
      case 'share':
        return prepareShare(options, project, request);
      case 'bring':
        throw new InputError('job.not-possible', 'Bringing something in is begun on the page of all projects, not inside a project.');
      case 'experiment':
        return prepareExperiment(options, project, request);
      default:
        return assertNever(request, 'job request');
    }
  };
}

async function prepareTraining(options: PrepareOptions, project: OpenProject, request: Extract<JobRequest, { kind: 'train' }>): Promise<PreparedJob> {
  const { folder, file } = project;
  const paths = projectPaths(folder);
  const resume = request.resume && (await hasCheckpoint(folder));
  const input = await trainInput(options, project, { preset: request.preset, keepsJudged: resume });
  const device = createDeviceNote();
  return {
    run: (onEvent) =>
      runInWorker<'train'>((call) => trainInWorker(options.startProcess, 'train', call), {
        makeReady: async () => {
          await expectSoundBackbone(options.startProcess, input.recipePath);
          await rm(paths.training, { recursive: true, force: true }); // a whole model that was never taken into use; checkpoints lie elsewhere
          return { ...input, resume };
        },
        onEvent: (event) => {
          if (event.kind === 'training') device.hear(event.event);
          onEvent(event);
        },
        finish: async ({ summary, keptEarly }) => {
          if (summary === null) throw new InvariantError('training.no-summary', 'Training ended without a summary.');
          const model = await keepModel(folder, `model-${String(options.now())}`);
          const measured: ProjectFile['measured'] = keptEarly || resume ? file.measured : { encoder: file.settings.encoder, preset: request.preset, steps: summary.steps, minutes: summary.wallSeconds / SECONDS_A_MINUTE, memoryMB: summary.peakMemoryMB, basis: 'last-run', reckonedMinutes: reckonedMinutes(file, request.preset) };
          await options.projects.change(file.id, (present) => ({ ...present, model, trainedOn: textsMark(file.corpora), measured, device: device.note() }));
          await keepRun({ folder, model, preset: request.preset, keptEarly, corpora: file.corpora.map(({ paths, counts }) => ({ name: corpusName(paths), records: counts.records })), at: options.now() });
          options.onTrained(file.id);
          await tidyModels(folder, [join(folder, model), await servingModel(folder)]);
          return { kind: 'train', summary: { ...summary, model: join(folder, model) }, keptEarly };
        },
      }),
  };
}

async function preparePlan(options: PrepareOptions, project: OpenProject, request: Extract<JobRequest, { kind: 'plan' }>): Promise<PreparedJob> {
  const input = await trainInput(options, project, { preset: request.preset, keepsJudged: await hasCheckpoint(project.folder) });
  return {
    run: (onEvent) => {
      let plan: Extract<TrainingEvent, { kind: 'plan' }> | null = null;
      const device = createDeviceNote();
      return runInWorker<'train'>((call) => trainInWorker(options.startProcess, 'train', call), {
        makeReady: async () => {
          await expectSoundBackbone(options.startProcess, input.recipePath);
          return { ...input, outputFolder: `${input.outputFolder}-plan`, resume: false, onlyPlan: true };
        },
        onEvent: (event) => {
          if (event.kind === 'training') device.hear(event.event);
          if (event.kind === 'training' && event.event.kind === 'plan') plan = event.event;
          onEvent(event);
        },
        finish: async () => {
          if (plan === null) throw new InvariantError('training.no-plan', 'The trial run ended without a plan.');
          const { steps, estimatedMinutes, estimatedMemoryMB } = plan;
          await options.projects.change(project.file.id, (present) => ({ ...present, measured: { encoder: project.file.settings.encoder, preset: request.preset, steps, minutes: estimatedMinutes, memoryMB: estimatedMemoryMB, basis: 'trial', reckonedMinutes: reckonedMinutes(project.file, request.preset) }, device: device.note() }));
          return { kind: 'plan', steps, estimatedMinutes, estimatedMemoryMB };
        },
      });
    },
  };
}

/** Remembers the last sentence about devices: which one was chosen, and why. */
function createDeviceNote(): { readonly hear: (event: TrainingEvent) => void; readonly note: () => DeviceNote | null } {
  let note: DeviceNote | null = null;
  return {
    hear: (event) => {
      if (event.kind === 'message' && event.code.startsWith('device.')) note = { code: event.code, message: event.message, data: event.data ?? {} };
    },
    note: () => note,
  };
}

/** @param keepsJudged true: a run that can be resumed learns from what was judged when it began. */
async function trainInput(options: PrepareOptions, { folder, file }: OpenProject, { preset, keepsJudged }: { readonly preset: Extract<JobRequest, { kind: 'train' }>['preset']; readonly keepsJudged: boolean }): Promise<CallInput<'train'>> {
  const paths = projectPaths(folder);
  await mkdir(paths.models, { recursive: true });
  await writeJsonAtomic(paths.recipe, recipeOf({ folder, file, preset, judged: await writeJudgedQuestions(folder, { keep: keepsJudged }) }));
  return { recipePath: paths.recipe, outputFolder: paths.training, starterFolder: options.starterFolder, threads: threadsOf(file.settings, options.usualThreads), device: file.settings.device ?? usualDevice(file.settings.encoder), resume: false, onlyPlan: false, questions: file.questions === null ? null : { file: join(folder, file.questions), folder } };
}
