/** How does the person go from one place to another? By the address, so that links, reloads and the back button work. */
import { storeToRefs } from 'pinia';
import { onScopeDispose, type Ref } from 'vue';
import { fragmentOf, placeOf, usePlaceStore, type Place } from '../stores/place.ts';

export function usePlace(): { readonly place: Ref<Place>; readonly go: (place: Place) => void } {
  const { place } = storeToRefs(usePlaceStore());
  return {
    place,
    go(next) {
      location.hash = fragmentOf(next);
      place.value = next;
    },
  };
}

/** Follows the address; used once, by the frame. */
export function useAddress(): void {
  const { place } = storeToRefs(usePlaceStore());
  const follow = (): void => {
    place.value = placeOf(location.hash);
  };
  follow();
  window.addEventListener('hashchange', follow);
  onScopeDispose(() => window.removeEventListener('hashchange', follow));
}
