/** Where is a job watched? */
import type { Job, JobKind } from '../../main/contract/index.ts';
import type { Area, Place } from '../stores/place.ts';

/** Total over the kinds, so that a new one must say where it is watched. */
const AREA_OF: Readonly<Record<JobKind, Area>> = { train: 'train', plan: 'train', index: 'search', mine: 'mine', phrases: 'phrases', calibrate: 'result', share: 'share', bring: 'search', experiment: 'experiments' };

export function jobPlace({ request }: Pick<Job, 'request'>): Place {
  return { kind: 'project', projectId: request.projectId, area: AREA_OF[request.kind] };
}
