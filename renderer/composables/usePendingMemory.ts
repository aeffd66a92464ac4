/** What becomes of files that were looked at and not yet added when the page is loaded anew? This window remembers where they lie, and looks again. */
import { watch } from 'vue';
import type { CorpusRole } from '../../main/contract/index.ts';
import { usePendingStore, type CorpusSettings, type PendingCorpus } from '../stores/pending-corpora.ts';
import { usePendingCorpora } from './usePendingCorpora.ts';

const KEY = 'isogloss.pending';

export type RememberedCorpus = { readonly projectId: string; readonly role: CorpusRole; readonly paths: readonly string[]; readonly settings: CorpusSettings };

/** What is worth remembering: files of no corpus yet that could be read. */
export function remembered(all: readonly PendingCorpus[]): readonly RememberedCorpus[] {
  return all.flatMap(({ projectId, corpusId, role, state }) => (corpusId === null && (state.status === 'readable' || state.status === 'adding') ? [{ projectId, role, paths: state.inspection.paths, settings: state.settings }] : []));
}

function isRemembered(value: unknown): value is RememberedCorpus {
  return typeof value === 'object' && value !== null && 'projectId' in value && 'role' in value && 'paths' in value && Array.isArray(value.paths) && 'settings' in value && typeof value.settings === 'object' && value.settings !== null && 'languages' in value.settings;
}

/** What was written; nothing where it is not ours. */
export function readRemembered(text: string | null): readonly RememberedCorpus[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isRemembered) : [];
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return [];
    throw thrown;
  }
}

/** Used once, by the frame. */
export function usePendingMemory(storage: Pick<Storage, 'getItem' | 'setItem'> = sessionStorage): void {
  const store = usePendingStore();
  for (const { projectId, ...known } of readRemembered(storage.getItem(KEY))) void usePendingCorpora(() => projectId).takeUp(known);
  watch(() => store.all, (all) => storage.setItem(KEY, JSON.stringify(remembered(all))));
}
