/** How is an hour of training shown within seconds? A trainer that speaks as the real one does, and says a step whenever it is told to. */
import type { TrainingEvent } from '../../main/contract/index.ts';
import type { WorkerProcess } from '../../main/workers/process.ts';

/** Held-back sentences are measured once a minute, messages come now and then. */
const STEPS_BETWEEN_RANKS = 60;
const STEPS_BETWEEN_MESSAGES = 100;
const SENTENCES = 10;
/** So many steps are said at once, then the others have their turn. */
const STEPS_AT_ONCE = 25;

export type PlayedTrainer = {
  readonly start: () => WorkerProcess;
  /** Says these steps as fast as they are taken up. */
  readonly steps: (range: { readonly from: number; readonly to: number; readonly of: number }) => Promise<void>;
};

export function playedTrainer(): PlayedTrainer {
  let say: (message: unknown) => void = () => undefined;
  let end: () => void = () => undefined;
  let call = 0;
  const event = (training: TrainingEvent): void => say({ kind: 'event', id: call, event: { kind: 'training', event: training } });
  return {
    start: () => ({
      post: (message) => {
        if (typeof message !== 'object' || message === null || !('kind' in message)) return;
        if (message.kind === 'call' && 'id' in message) call = Number(message.id);
        if (message.kind === 'control' && 'control' in message && message.control === 'cancel') end();
      },
      onMessage: (listener) => {
        say = listener;
      },
      onExit: (listener) => {
        end = () => listener({ code: 0, signal: null, stderr: '' });
      },
      kill: () => end(),
    }),
    steps: async ({ from, to, of }) => {
      for (let step = from; step <= to; step += 1) {
        const falling = 5 * Math.exp(-step / of);
        event({ kind: 'step', step, steps: of, losses: { retrieval: falling, semantic: falling / 2, language: 0.3 }, learningRate: 1e-3, tokensPerSecond: 20_000, leftMs: (of - step) * 1_000 });
        if (step % STEPS_BETWEEN_RANKS === 0) event({ kind: 'held-back', step, sentences: Array.from({ length: SENTENCES }, (_, at) => ({ source: `sentence ${String(at)}`, target: `sentensi ${String(at)}`, sourceLanguage: 'en', targetLanguage: 'sw', rank: 1 + ((at * 7 + step) % 40), of: 475 })) });
        if (step % STEPS_BETWEEN_MESSAGES === 0) event({ kind: 'message', code: 'training.note', message: `step ${String(step)}` });
        if (step % STEPS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
  };
}
