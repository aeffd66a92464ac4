/** How are a project's training settings changed? One change after another, each from what is kept, so that quick ones lose nothing. */
import type { Project, TrainingSettings } from '../../main/contract/index.ts';
import { valueOf } from '../stores/loadable.ts';
import { useAction, type Action } from './useAction.ts';
import { useOpenProject } from './useOpenProject.ts';

export type SettingsChange = (settings: TrainingSettings) => TrainingSettings;

/** `change` saves and asks for the plan anew; `state` is that of the last one; `settled` resolves when nothing is left to save. */
export function useTrainingSettings(project: () => Project): { readonly state: Action['state']; readonly change: (edit: SettingsChange) => Promise<void>; readonly settled: () => Promise<void> } {
  const { open, update, loadPlan } = useOpenProject();
  const action = useAction();
  let last: Promise<void> = Promise.resolve();

  function change(edit: SettingsChange): Promise<void> {
    const next = last.then(async () => {
      await action.run(async () => {
        const present = valueOf(open.value) ?? project();
        if (present.id !== project().id) return; // another project was opened meanwhile
        await update({ settings: edit(present.settings) });
        await loadPlan(present.id);
      });
    });
    last = next;
    return next;
  }

  return { state: action.state, change, settled: () => last };
}
