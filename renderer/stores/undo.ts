/** What can be taken back? The person's last decisions, newest last. */
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';

/** `sentence`: what was done, as it is said to the person; `place`: where it was done (the address), so that it is offered there alone. */
export type Decision = { readonly sentence: string; readonly place: string; readonly takeBack: () => Promise<void> };

export const DECISIONS_KEPT = 50;

export const useUndoStore = defineStore('undo', () => ({
  decisions: shallowRef<readonly Decision[]>([]),
}));
