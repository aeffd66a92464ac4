/** Which mining does the person look at, and which two texts have they chosen for the next one? Kept while they are elsewhere. */
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { CorpusRow } from '../../main/contract/index.ts';

/** What is known of a chosen text: it is copied, looked at, readable, or cannot be used. */
export type TextState =
  | { readonly status: 'uploading'; readonly fractionDone: number }
  | { readonly status: 'looking' }
  | { readonly status: 'readable'; readonly sentences: number; readonly rows: readonly CorpusRow[] }
  | { readonly status: 'unusable'; readonly code: string; readonly message: string };

export type ChosenText = { readonly path: string | null; readonly name: string; readonly language: string | null; readonly state: TextState };
export type Side = 'source' | 'target';

export const useMiningStore = defineStore('mining', () => ({
  /** Project and mining, or null. */
  open: shallowRef<{ readonly projectId: string; readonly miningId: string } | null>(null),
  texts: shallowRef<{ readonly projectId: string; readonly source: ChosenText | null; readonly target: ChosenText | null } | null>(null),
}));

/** Both texts are there, readable, different, and in different languages. */
export function canMine(source: ChosenText | null, target: ChosenText | null): boolean {
  if (source === null || target === null || source.path === null || target.path === null) return false;
  return source.state.status === 'readable' && target.state.status === 'readable' && source.path !== target.path && source.language !== null && target.language !== null && source.language !== target.language;
}
