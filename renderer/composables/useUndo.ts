/** How is a decision taken back? Offered after each one, by a button and by the keys everybody knows; never while text is typed. */
import { storeToRefs } from 'pinia';
import { computed, onScopeDispose, type ComputedRef } from 'vue';
import { DECISIONS_KEPT, useUndoStore, type Decision } from '../stores/undo.ts';
import { useAction, type Action } from './useAction.ts';

export type Undo = {
  /** The decision that would be taken back, or null. */
  readonly offered: ComputedRef<Decision | null>;
  /** Says what was done and how it is undone; offered at this address until another decision, or leaving. */
  readonly decided: (sentence: string, takeBack: () => Promise<void>) => void;
  readonly takeBack: () => Promise<void>;
  /** All decisions made elsewhere can no longer be seen, so they are not offered any more. */
  readonly forget: () => void;
  readonly state: Action['state'];
};

export function useUndo(): Undo {
  const { decisions } = storeToRefs(useUndoStore());
  const action = useAction();
  const offered = computed(() => decisions.value.at(-1) ?? null);
  return {
    offered,
    state: action.state,
    decided: (sentence, takeBack) => {
      decisions.value = [...decisions.value, { sentence, place: location.hash, takeBack }].slice(-DECISIONS_KEPT);
    },
    takeBack: async () => {
      const decision = offered.value;
      if (decision === null) return;
      const isBack = await action.run(decision.takeBack);
      if (isBack) decisions.value = decisions.value.filter((other) => other !== decision);
    },
    forget: () => {
      decisions.value = [];
    },
  };
}

/** Control or Command with Z, outside of fields where it belongs to the text; used once, by the frame. */
export function useUndoKeys(takeBack: () => Promise<void>): void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 'z' || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey) || isTyped(event.target)) return;
    event.preventDefault();
    void takeBack();
  };
  document.addEventListener('keydown', onKey);
  onScopeDispose(() => document.removeEventListener('keydown', onKey));
}

/** Where text is typed, the keys belong to it. */
export function isTyped(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button', 'submit'].includes(target.type);
}
