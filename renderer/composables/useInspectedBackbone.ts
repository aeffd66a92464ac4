/** What is in the model folder that the person chose? Asked for once; a newer question leaves an older answer behind. */
import { shallowRef, type ShallowRef } from 'vue';
import type { BackboneInspection } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, type Loadable } from '../stores/loadable.ts';
import { useBridge } from './useBridge.ts';

export type InspectedBackbone = {
  readonly found: Readonly<ShallowRef<Loadable<BackboneInspection>>>;
  /** `projectId` null: without counting what a smaller vocabulary would save. */
  readonly inspect: (folder: string, projectId: string | null) => Promise<void>;
  /** Forgets the answer; a look that is under way ends. */
  readonly forget: () => void;
};

export function useInspectedBackbone(): InspectedBackbone {
  const { client } = useBridge();
  const found = shallowRef<Loadable<BackboneInspection>>(IDLE);
  let current: AbortController | null = null;

  async function inspect(folder: string, projectId: string | null): Promise<void> {
    current?.abort();
    const mine = new AbortController();
    current = mine;
    found.value = LOADING;
    const answer = await client.backbone.inspect({ folder, ...(projectId === null ? {} : { projectId }) }, { signal: mine.signal }).then(ready, (thrown: unknown) => failed<BackboneInspection>(problemFrom(thrown)));
    if (current === mine) found.value = answer;
  }

  function forget(): void {
    current?.abort();
    current = null;
    found.value = IDLE;
  }

  return { found, inspect, forget };
}
