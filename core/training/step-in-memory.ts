/** What happens when the memory does not suffice for a step? It is tried again with less at once, as long as the encoder can take less. */
import { IsoglossError } from '../base/errors.ts';
import type { ReportTraining } from './events.ts';
import type { StepResult, TrainedInSteps } from './trainable-encoder.ts';

const OUT_OF_MEMORY: ReadonlySet<string> = new Set(['runtime.out-of-memory', 'memory.kernel-memory-full']);

/** @throws what `encoder.step` throws, when it is no lack of memory or nothing is left to halve. */
export async function stepInMemory<Part>(options: { readonly encoder: Pick<TrainedInSteps<Part>, 'step' | 'shrink'>; readonly parts: readonly Part[]; readonly step: number; readonly learningRate: number; readonly report: ReportTraining }): Promise<StepResult> {
  const { encoder, report, ...step } = options;
  for (;;) {
    try {
      return await encoder.step(step);
    } catch (thrown) {
      if (!(thrown instanceof IsoglossError) || !OUT_OF_MEMORY.has(thrown.code) || !encoder.shrink()) throw thrown;
      report({ kind: 'message', code: 'training.less-memory', message: `The memory did not suffice at step ${step.step + 1}; training goes on with half as much text in the encoder at once, and the same updates.` });
    }
  }
}
