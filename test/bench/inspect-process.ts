/** The measured process of `inspect`: one file in, seconds and memory out. */
import { scorePairs } from '../../core/alignment/pair-scores.ts';
import { inspectCorpus } from '../../core/corpus/inspect.ts';
import { answerTask } from './child.ts';

const MS = 1000;
const MICROSECONDS = 1e6;
const KILOBYTES = 1024;

answerTask(async (task) => {
  const path = 'path' in task ? String(task.path) : '';
  const started = performance.now();
  const found = await inspectCorpus({ paths: [path] }, new AbortController().signal, { scorePairs });
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return {
    wallSeconds: (performance.now() - started) / MS,
    cpuSeconds: (userCPUTime + systemCPUTime) / MICROSECONDS,
    peakMemoryMB: maxRSS / KILOBYTES,
    records: found.count,
    duplicates: found.statistics.duplicates,
    problems: found.problemCount,
  };
});
