/** What do the calls about calibration do? */
import { InputError } from '../../core/base/errors.ts';
import type { CalibrationStatus, Project } from '../contract/index.ts';
import { findCalibration, isThere, outcomeOf } from '../project/calibration.ts';
import { modelFolderOf } from '../project/models.ts';
import type { Services } from './application.ts';
import { requireWritable } from './judgements.ts';
import { show } from './projects.ts';

export async function calibrationStatus({ projects }: Pick<Services, 'projects'>, projectId: string): Promise<CalibrationStatus> {
  const { folder, file } = await projects.get(projectId);
  const found = await findCalibration(folder, file);
  return {
    canCalibrate: modelFolderOf(folder, file) !== null && file.corpora.length > 0,
    hasPairs: file.corpora.some(({ role }) => role === 'pairs'),
    calibration: found === null ? null : outcomeOf(found, file),
  };
}

/** The library is then read again with the other model. @throws InputError 'project.read-only', 'calibration.none', 'calibration.model-gone'. */
export async function useCalibration(services: Services, { projectId, use }: { readonly projectId: string; readonly use: boolean }): Promise<Project> {
  const project = await services.projects.get(projectId);
  requireWritable(project);
  const found = await findCalibration(project.folder, project.file);
  if (found === null) throw new InputError('calibration.none', 'Expected a calibrated model, found none. Bring the languages together first.');
  const wanted = use ? found.model : found.from;
  if (!(await isThere(project.folder, wanted))) throw new InputError('calibration.model-gone', 'The model from before calibration is not there any more. Train again to have one.');
  const changed = await services.projects.change(projectId, (file) => ({ ...file, model: wanted }));
  services.libraryWatch.lookSoon(projectId);
  return show(services, changed);
}
