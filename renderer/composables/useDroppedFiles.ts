/** What becomes of files that are let go over the window, beside the boxes that take them? A shared file is looked at; others go to the texts of the open project. */
import { onScopeDispose, ref, type Ref } from 'vue';
import { storeToRefs } from 'pinia';
import type { CorpusRole } from '../../main/contract/index.ts';
import { t } from '../locales/translate.ts';
import { valueOf } from '../stores/loadable.ts';
import { useProjectsStore } from '../stores/projects.ts';
import { droppedFiles } from './dropped-files.ts';
import { useOpenProject } from './useOpenProject.ts';
import { usePendingCorpora } from './usePendingCorpora.ts';
import { usePlace } from './usePlace.ts';

const SHARED = /\.isogloss$/i;
const QUESTIONS = /\.jsonl(\.gz)?$/i;
const TEXTS = /\.(txt|md|docx?|odt|pdf|epub|html?|usfm|sfm)(\.gz)?$/i;

/** The box that a file of this name most likely belongs to; what is inside it is looked at there. */
export function likelyRole(name: string): CorpusRole {
  if (QUESTIONS.test(name)) return 'questions';
  return TEXTS.test(name) ? 'texts' : 'pairs';
}

/** Used once, by the frame. `say`: tells the person why nothing was taken. */
export function useDroppedFiles(say: (sentence: string) => void): { readonly isOver: Ref<boolean> } {
  const { place, go } = usePlace();
  const { open } = useOpenProject();
  const { droppedShare } = storeToRefs(useProjectsStore());
  const isOver = ref(false);
  const projectId = (): string => (place.value.kind === 'project' ? place.value.projectId : '');
  const { drop } = usePendingCorpora(projectId);

  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

  function onOver(event: DragEvent): void {
    isOver.value = hasFiles(event) && !event.defaultPrevented; // a box that takes files has said so already
    if (hasFiles(event)) event.preventDefault(); // or the browser would leave the page for the file
  }

  function onLeave(event: DragEvent): void {
    if (event.relatedTarget === null) isOver.value = false;
  }

  function onDrop(event: DragEvent): void {
    const isTaken = event.defaultPrevented;
    isOver.value = false;
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (!isTaken && event.dataTransfer !== null) void droppedFiles(event.dataTransfer).then(take);
  }

  function take(files: readonly File[]): void {
    const shared = files.find(({ name }) => SHARED.test(name));
    if (shared !== undefined) {
      droppedShare.value = shared;
      return go({ kind: 'welcome' });
    }
    const project = valueOf(open.value);
    if (project === null || place.value.kind !== 'project' || project.access.kind !== 'writable') return say(t('desktop.drop-nowhere'));
    go({ kind: 'project', projectId: project.id, area: 'texts' });
    for (const role of ['questions', 'pairs', 'texts'] as const) {
      const mine = files.filter(({ name }) => likelyRole(name) === role);
      if (mine.length > 0) void drop(role, mine);
    }
  }

  window.addEventListener('dragover', onOver);
  window.addEventListener('dragleave', onLeave);
  window.addEventListener('drop', onDrop);
  onScopeDispose(() => {
    window.removeEventListener('dragover', onOver);
    window.removeEventListener('dragleave', onLeave);
    window.removeEventListener('drop', onDrop);
  });
  return { isOver };
}
