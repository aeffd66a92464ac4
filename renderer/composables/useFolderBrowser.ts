/** What is in the folder that the person looks at while choosing? */
import { shallowRef, type ShallowRef } from 'vue';
import type { FolderView } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, type Loadable } from '../stores/loadable.ts';
import { useBridge } from './useBridge.ts';

export type FolderBrowser = { readonly view: Readonly<ShallowRef<Loadable<FolderView>>>; readonly browse: (path: string | null) => Promise<void> };

export function useFolderBrowser(show: 'folders' | 'all'): FolderBrowser {
  const { client } = useBridge();
  const view = shallowRef<Loadable<FolderView>>(IDLE);
  let newest = 0;

  async function browse(path: string | null): Promise<void> {
    newest += 1;
    const mine = newest;
    view.value = LOADING;
    const answer = await client.files.browse({ path, show }).then(ready, (thrown: unknown) => failed<FolderView>(problemFrom(thrown)));
    if (mine === newest) view.value = answer; // only the folder asked for last
  }

  return { view, browse };
}
