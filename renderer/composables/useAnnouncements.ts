/** What should somebody hear who does not see the page? Where they have come to, and that work has ended which they do not watch. */
import { nextTick, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue';
import { t } from '../locales/translate.ts';
import { isUnderWay, type JobRecord } from '../stores/job-record.ts';
import { usePlace } from './usePlace.ts';

/** A view may still be on its way; its heading is said when it has come. */
const HEADING_AFTER_MS = 400;

export function useAnnouncements(records: ComputedRef<readonly JobRecord[]>): { readonly said: Readonly<ShallowRef<string>>; readonly say: (sentence: string) => void } {
  const said = shallowRef('');
  const { place } = usePlace();

  /** The same sentence twice is two sentences: the region is emptied between. */
  function say(sentence: string): void {
    said.value = '';
    void nextTick(() => (said.value = sentence));
  }

  watch(place, () => {
    setTimeout(() => say(document.querySelector('main h1')?.textContent ?? ''), HEADING_AFTER_MS);
  });

  let running = new Set<string>();
  watch(records, (now) => {
    for (const { job } of now) {
      if (running.has(job.id) && !isUnderWay(job.state)) say(t('desktop.job-ended', { job: t(`job.${job.request.kind}`), state: t(`job.state-${job.state.status}`) }));
    }
    running = new Set(now.filter(({ job }) => isUnderWay(job.state)).map(({ job }) => job.id));
  });

  return { said, say };
}
