/** The other side of line-peer.ts: takes tasks, one JSON object per line, does each, and answers with what it took. */
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { measure } from './measures.ts';

const KILOBYTES_PER_MB = 1024;
const taskSchema = z.looseObject({ do: z.string() });

/** Each action gives the number that is compared (a loss, a sum), or 0. */
export async function answerLines(actions: Readonly<Record<string, (task: unknown) => Promise<number>>>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const task = taskSchema.parse(JSON.parse(line));
    const { value, spent } = await measure(() => actions[task.do]?.(task) ?? Promise.reject(new TypeError(`No action ${task.do}.`)));
    process.stdout.write(`${JSON.stringify({ ...spent, loss: value, peakMB: process.resourceUsage().maxRSS / KILOBYTES_PER_MB })}\n`);
  }
}
