/** What became of the last thing the person asked for? One union: nothing yet, working, failed. */
import { shallowRef, type ShallowRef } from 'vue';
import type { ErrorRecord } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';

export type ActionState = { readonly status: 'idle' } | { readonly status: 'working' } | { readonly status: 'failed'; readonly problem: ErrorRecord };

export type Action = {
  readonly state: Readonly<ShallowRef<ActionState>>;
  /** Runs the task; a second one while the first works is ignored. Resolves to whether it went well. */
  readonly run: (task: () => Promise<unknown>) => Promise<boolean>;
};

export function useAction(): Action {
  const state = shallowRef<ActionState>({ status: 'idle' });

  async function run(task: () => Promise<unknown>): Promise<boolean> {
    if (state.value.status === 'working') return false;
    state.value = { status: 'working' };
    try {
      await task();
      state.value = { status: 'idle' };
      return true;
    } catch (thrown) {
      const problem = problemFrom(thrown);
      state.value = problem.family === 'cancellation' ? { status: 'idle' } : { status: 'failed', problem };
      return false;
    }
  }

  return { state, run };
}
