/** What do the calls about experiments do? */
import type { ExperimentList, ExperimentResults } from '../contract/index.ts';
import { readExperimentResults } from '../project/experiment-results.ts';
import { addExperiment, chooseExperimentData, findExperiment, forgetExperiment, listExperiments, shippedExperiments } from '../project/experiments.ts';
import type { Services } from './application.ts';
import { requireWritable } from './judgements.ts';

async function foldersOf(services: Services, projectId: string) {
  const project = await services.projects.get(projectId);
  return { project, folders: { projectFolder: project.folder, shippedFolder: shippedExperiments(services.options.starterFolder) } };
}

export async function experimentsOf(services: Services, projectId: string): Promise<ExperimentList> {
  return listExperiments((await foldersOf(services, projectId)).folders);
}

/** Changes what is offered, then lists it. @throws the reason when the project is read-only. */
export async function changeExperiments(services: Services, projectId: string, change: (projectFolder: string) => Promise<void>): Promise<ExperimentList> {
  const { project, folders } = await foldersOf(services, projectId);
  requireWritable(project);
  await change(project.folder);
  return listExperiments(folders);
}

export const chooseData = (folder: string) => (projectFolder: string): Promise<void> => chooseExperimentData(projectFolder, folder);
export const addOwn = (file: string) => (projectFolder: string): Promise<void> => addExperiment(projectFolder, file);
export const forget = (id: string) => (projectFolder: string): Promise<void> => forgetExperiment(projectFolder, id);

export async function experimentResults(services: Services, { projectId, experimentId }: { readonly projectId: string; readonly experimentId: string }): Promise<ExperimentResults> {
  return readExperimentResults(await findExperiment((await foldersOf(services, projectId)).folders, experimentId));
}
