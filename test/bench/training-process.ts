/** The measured process of training: one run by a recipe, then its peak memory and processor time. */
import { z } from 'zod';
import { readRecipe } from '../../core/training/recipe.ts';
import { runTraining } from '../../core/training/run-training.ts';
import { starterFolder } from '../../main/cli/places.ts';
import { answerTask } from './child.ts';
import { median } from './measures.ts';

const KILOBYTES_PER_MB = 1024;
const MICROSECONDS_PER_SECOND = 1e6;

const taskSchema = z.object({ recipePath: z.string(), outputFolder: z.string(), threads: z.number() });

answerTask(async (task) => {
  const { recipePath, outputFolder, threads } = taskSchema.parse(task);
  const speeds: number[] = [];
  const start = performance.now();
  const summary = await runTraining({
    recipe: await readRecipe(recipePath),
    outputFolder,
    starterFolder,
    threads,
    device: 'cpu',
    resume: false,
    signal: new AbortController().signal,
    report: (event) => {
      if (event.kind === 'step') speeds.push(event.tokensPerSecond);
      if (event.kind === 'plan') process.send?.({ note: `${event.steps} steps, about ${event.estimatedMinutes.toFixed(1)} minutes` });
    },
  });
  const { user, system } = process.cpuUsage();
  return {
    steps: summary?.steps ?? 0,
    tokensPerSecond: median(speeds),
    peakMemoryMB: process.resourceUsage().maxRSS / KILOBYTES_PER_MB,
    cpuSeconds: (user + system) / MICROSECONDS_PER_SECOND,
    wallSeconds: (performance.now() - start) / 1000,
  };
});
