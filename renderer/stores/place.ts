/** Where is the person? The place is also the address, so that reloading and the back button keep it. */
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';

export const AREAS = ['language', 'texts', 'train', 'result', 'search', 'phrases', 'mine', 'judge', 'experiments', 'share'] as const;
export type Area = (typeof AREAS)[number];

/** Places that belong to no project. */
export const COMMON_PLACES = ['activity', 'log', 'about'] as const;
export type CommonPlace = (typeof COMMON_PLACES)[number];

export type Place = { readonly kind: 'welcome' } | { readonly kind: 'new-project' } | { readonly kind: CommonPlace } | { readonly kind: 'project'; readonly projectId: string; readonly area: Area };

/** `#/`, `#/new`, `#/activity`, `#/log`, `#/about`, `#/project/ID/AREA`; anything else is the welcome. */
export function placeOf(fragment: string): Place {
  const [first, projectId, area] = fragment.replace(/^#\/?/, '').split('/');
  if (first === 'new') return { kind: 'new-project' };
  const common = COMMON_PLACES.find((name) => name === first);
  if (common !== undefined) return { kind: common };
  const known = AREAS.find((name) => name === area);
  if (first === 'project' && projectId !== undefined && projectId !== '') return { kind: 'project', projectId, area: known ?? 'language' };
  return { kind: 'welcome' };
}

export function fragmentOf(place: Place): string {
  if (place.kind === 'welcome') return '#/';
  if (place.kind === 'new-project') return '#/new';
  if (place.kind !== 'project') return `#/${place.kind}`;
  return `#/project/${place.projectId}/${place.area}`;
}

export const usePlaceStore = defineStore('place', () => ({
  place: shallowRef<Place>({ kind: 'welcome' }),
}));
