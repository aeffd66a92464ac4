/** How does a view come when it is first opened? As a part of its own, so that the first page is small; with a skeleton, and words when it cannot come. */
import { defineAsyncComponent, type Component } from 'vue';
import LoadingView from './LoadingView.vue';
import UnreachableView from './UnreachableView.vue';

/** A view that is there sooner shows no skeleton. */
const SKELETON_AFTER_MS = 150;
const TRIES = 3;
const BETWEEN_TRIES_MS = 1_000;

/** Views that nobody has opened yet. */
const rest = new Set<() => Promise<unknown>>();

/** @param load `() => import('./SomeView.vue')`. */
export function lazyView<View extends Component>(load: () => Promise<{ readonly default: View }>): View {
  rest.add(load);
  return defineAsyncComponent<View>({
    loader: async () => (await load()).default,
    loadingComponent: LoadingView,
    errorComponent: UnreachableView,
    delay: SKELETON_AFTER_MS,
    onError: (_error, retry, fail, attempts) => {
      if (attempts < TRIES) setTimeout(retry, BETWEEN_TRIES_MS);
      else fail();
    },
  });
}

/** Fetches all other views while the page has nothing to do, so that later each opens at once, also when the program is gone or was built anew. */
export async function loadRest(): Promise<void> {
  for (const load of rest) {
    await new Promise<void>((resolve) => ('requestIdleCallback' in window ? requestIdleCallback(() => resolve()) : setTimeout(resolve, BETWEEN_TRIES_MS)));
    rest.delete(load);
    await load().catch(() => undefined); // it is asked for again, with words, when it is opened
  }
}
