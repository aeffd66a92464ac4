/** Is the index of a library still what its folders are? Starts an indexing job when it is not. */
import { InputError } from '../../core/base/errors.ts';
import type { Job, JobRequest } from '../contract/index.ts';
import { readLibraryReport } from '../project/library.ts';
import { modelFolderOf, readModelCard } from '../project/models.ts';
import type { Projects } from '../project/projects.ts';
import type { Service } from '../workers/service.ts';

export type LookOptions = {
  readonly projectId: string;
  readonly projects: Pick<Projects, 'get'>;
  readonly inspector: Pick<Service, 'ask'>;
  readonly start: (request: JobRequest) => Promise<Job>;
  /** What was tried already by itself, by project: a job that the person cancelled or that failed is not begun again until something changes. */
  readonly tried: Map<string, string>;
};

/** A library that was never indexed waits for the person; one that is watched follows its folders and the project's model. */
export async function lookAtLibrary({ projectId, projects, inspector, start, tried }: LookOptions): Promise<void> {
  const { folder, file, access } = await projects.get(projectId);
  const report = await readLibraryReport(folder);
  const model = await readModelCard(modelFolderOf(folder, file));
  if (access.kind === 'read-only' || !file.library.isWatched || file.library.folders.length === 0 || report === null || model === null) return;
  const { fingerprint } = await inspector.ask('look', { folders: file.library.folders });
  const state = JSON.stringify([fingerprint, model.modelId, file.spelling]);
  if (state === JSON.stringify([report.fingerprint, report.modelId, report.spelling])) return;
  if (tried.get(projectId) === state) return;
  try {
    await start({ kind: 'index', projectId });
    tried.set(projectId, state);
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown; // it runs already (then it is looked at once more when that is done), or cannot now
  }
}
