/** Are the languages of the model brought together, what did it bring, and is it used? */
import { shallowRef, type ShallowRef } from 'vue';
import type { CalibrationStatus } from '../../main/contract/index.ts';
import { IDLE, ready, type Loadable } from '../stores/loadable.ts';
import { useProjectsStore } from '../stores/projects.ts';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

export type Calibration = {
  readonly status: Readonly<ShallowRef<Loadable<CalibrationStatus>>>;
  readonly load: () => Promise<void>;
  /** @throws what the program says. */
  readonly use: (isUsed: boolean) => Promise<void>;
};

export function useCalibration(projectId: () => string): Calibration {
  const { client } = useBridge();
  const projects = useProjectsStore();
  const status = shallowRef<Loadable<CalibrationStatus>>(IDLE);
  const load = (): Promise<void> => loadInto(status, () => client.calibration.status({ projectId: projectId() }));
  return {
    status,
    load,
    async use(isUsed) {
      projects.open = ready(await client.calibration.use({ projectId: projectId(), use: isUsed }));
      await load();
    },
  };
}
