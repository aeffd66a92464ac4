/** Which trainings has the project seen, and what differs between two of them? */
import { shallowRef, type Ref } from 'vue';
import type { Run, RunComparison } from '../../main/contract/index.ts';
import { IDLE, type Loadable } from '../stores/loadable.ts';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

export type Runs = {
  readonly runs: Ref<Loadable<readonly Run[]>>;
  readonly comparison: Ref<Loadable<RunComparison>>;
  readonly loadRuns: (projectId: string) => Promise<void>;
  readonly compare: (projectId: string, a: string, b: string) => Promise<void>;
};

export function useRuns(): Runs {
  const { client } = useBridge();
  const runs = shallowRef<Loadable<readonly Run[]>>(IDLE);
  const comparison = shallowRef<Loadable<RunComparison>>(IDLE);
  return {
    runs,
    comparison,
    loadRuns: (projectId) => loadInto(runs, async () => (await client.run.list({ projectId })).runs),
    async compare(projectId, a, b) {
      comparison.value = IDLE;
      await loadInto(comparison, () => client.run.compare({ projectId, a, b }));
    },
  };
}
