/** Which experiments can be run here, and what did one find? */
import { shallowRef, type Ref } from 'vue';
import type { ExperimentList, ExperimentResults } from '../../main/contract/index.ts';
import { IDLE, ready, type Loadable } from '../stores/loadable.ts';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

export type Experiments = {
  readonly list: Ref<Loadable<ExperimentList>>;
  readonly results: Ref<Loadable<ExperimentResults>>;
  readonly load: (projectId: string) => Promise<void>;
  readonly chooseData: (projectId: string, folder: string) => Promise<void>;
  readonly add: (projectId: string, file: string) => Promise<void>;
  readonly remove: (projectId: string, experimentId: string) => Promise<void>;
  readonly show: (projectId: string, experimentId: string) => Promise<void>;
  readonly hide: () => void;
};

export function useExperiments(): Experiments {
  const { client } = useBridge();
  const list = shallowRef<Loadable<ExperimentList>>(IDLE);
  const results = shallowRef<Loadable<ExperimentResults>>(IDLE);
  return {
    list,
    results,
    load: (projectId) => loadInto(list, () => client.experiment.list({ projectId })),
    async chooseData(projectId, folder) {
      list.value = ready(await client.experiment.chooseData({ projectId, folder }));
    },
    async add(projectId, file) {
      list.value = ready(await client.experiment.add({ projectId, file }));
    },
    async remove(projectId, experimentId) {
      list.value = ready(await client.experiment.remove({ projectId, experimentId }));
    },
    show: (projectId, experimentId) => loadInto(results, () => client.experiment.results({ projectId, experimentId })),
    hide() {
      results.value = IDLE;
    },
  };
}
