/** Which jobs run or have run, and what did they say? */
import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import { isUnderWay, type JobRecord } from './job-record.ts';

export const useJobsStore = defineStore('jobs', () => {
  /** Newest first. */
  const records = shallowRef<readonly JobRecord[]>([]);

  function put(record: JobRecord): void {
    const others = records.value.filter((other) => other.job.id !== record.job.id);
    records.value = [...others, record].sort((a, b) => b.job.startedAt - a.job.startedAt);
  }

  return {
    records,
    put,
    find: (jobId: string): JobRecord | null => records.value.find((record) => record.job.id === jobId) ?? null,
    underWay: computed(() => records.value.filter((record) => isUnderWay(record.job.state))),
  };
});
