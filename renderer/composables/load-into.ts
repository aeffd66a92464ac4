/** How does an answer of the program become a Loadable? What is already there stays while it is asked for again. */
import type { Ref } from 'vue';
import { problemFrom } from '../bridge.ts';
import { failed, LOADING, ready, type Loadable } from '../stores/loadable.ts';

export async function loadInto<T>(target: Ref<Loadable<T>>, ask: () => Promise<T>): Promise<void> {
  if (target.value.status !== 'ready') target.value = LOADING;
  try {
    target.value = ready(await ask());
  } catch (thrown) {
    target.value = failed(problemFrom(thrown));
  }
}
