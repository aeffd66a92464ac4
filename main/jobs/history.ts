/** What of a job's past is kept for a window that opens later? Enough to draw everything, never without bound. */
import type { IndexEvent, TrainingEvent } from '../contract/index.ts';
import { HISTORY_STEPS, PROBLEMS_SHOWN } from '../contract/limits.ts';

export type History = { readonly training: readonly TrainingEvent[]; readonly index: readonly IndexEvent[] };

export const emptyHistory: History = { training: [], index: [] };

const EVALUATIONS_KEPT = 200;
const MESSAGES_KEPT = 100;

/**
 * The history after one more training event. Kept: the last progress; the last plan; steps, every second one dropped when
 * there are more than HISTORY_STEPS; the first and the last held-back ranks and map; the first problems; all evaluations and messages
 * within bounds. The order stays that of time.
 */
export function withTrainingEvent(history: History, event: TrainingEvent): History {
  return { ...history, training: keepTraining(history.training, event) };
}

/** As `withTrainingEvent`: the last progress and the first problems. */
export function withIndexEvent(history: History, event: IndexEvent): History {
  if (event.kind === 'problem' && countOf(history.index, 'problem') >= PROBLEMS_SHOWN) return history;
  const before = event.kind === 'progress' ? history.index.filter((old) => old.kind !== 'progress') : history.index;
  return { ...history, index: [...before, event] };
}

function keepTraining(events: readonly TrainingEvent[], event: TrainingEvent): readonly TrainingEvent[] {
  switch (event.kind) {
    case 'progress':
    case 'plan':
      return [...events.filter((old) => old.kind !== event.kind), event];
    case 'step':
      return thinSteps([...events, event]);
    case 'held-back':
    case 'map': {
      const first = events.findIndex((old) => old.kind === event.kind);
      return [...events.filter((old, index) => old.kind !== event.kind || index === first), event];
    }
    case 'evaluation':
      return countOf(events, 'evaluation') < EVALUATIONS_KEPT ? [...events, event] : events;
    case 'problem':
      return countOf(events, 'problem') < PROBLEMS_SHOWN ? [...events, event] : events;
    case 'message':
      return countOf(events, 'message') < MESSAGES_KEPT ? [...events, event] : events;
    default:
      return events;
  }
}

function thinSteps(events: readonly TrainingEvent[]): readonly TrainingEvent[] {
  if (countOf(events, 'step') <= HISTORY_STEPS) return events;
  let position = 0;
  return events.filter((event) => {
    if (event.kind !== 'step') return true;
    position += 1;
    return position % 2 === 1;
  });
}

function countOf(events: readonly { readonly kind: string }[], kind: string): number {
  return events.reduce((count, event) => (event.kind === kind ? count + 1 : count), 0);
}
