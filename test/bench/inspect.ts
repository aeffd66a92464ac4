/** How long does it take to look at a million pairs, and in how much memory? An invented file with invented faults. */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { seededRandom } from '../../core/base/random.ts';
import { wholeNumber, type Command } from '../../main/cli/command.ts';
import { runInChild } from './child.ts';
import { inventParagraph } from './invented-text.ts';
import { rounded } from './measures.ts';
import { readStarterModel } from './starter-model.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const DEFAULT_PAIRS = 1_000_000;
const MOST_PAIRS = 10_000_000;
const DISTINCT = 20_000; // invented sentences; pairs of them are new
const WORDS = 16;
const REPEAT_EVERY = 50;
const BREAK_EVERY = 1000;
const LINES_AT_ONCE = 5000;

export const inspectBenchmark: Command = {
  summary: 'Looking at a file of a million pairs: seconds and peak memory.',
  usage: '[--pairs N] [--json]',
  options: { pairs: { type: 'string' } },
  run: async (values, { signal, say }) => {
    const pairs = wholeNumber(values, 'pairs', { least: 1000, most: MOST_PAIRS }) ?? DEFAULT_PAIRS;
    const { words } = await readStarterModel();
    return inTemporaryFolder(async (folder) => {
      const path = join(folder, 'invented.en-sw.tsv');
      const megabytes = (await writePairs(path, words, pairs)) / 1e6;
      say(`${pairs} pairs written (${megabytes.toFixed(0)} MB); looking ...`);
      const result = measuredSchema(await runInChild({ script: './inspect-process.ts', task: { path }, signal }));
      const json = { pairs, megabytes: rounded(megabytes), ...result };
      return { json, text: `${pairs} pairs (${json.megabytes} MB) looked at in ${json.wallSeconds} s (${json.cpuSeconds} s of processor time) and ${json.peakMemoryMB} MB: ${json.records} records, ${json.duplicates} twice, ${json.problems} problems.` };
    });
  },
};

type Measured = { readonly wallSeconds: number; readonly cpuSeconds: number; readonly peakMemoryMB: number; readonly records: number; readonly duplicates: number; readonly problems: number };

function measuredSchema(value: unknown): Measured {
  const fields = new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  const number = (name: string): number => rounded(Number(fields.get(name)));
  return { wallSeconds: number('wallSeconds'), cpuSeconds: number('cpuSeconds'), peakMemoryMB: number('peakMemoryMB'), records: number('records'), duplicates: number('duplicates'), problems: number('problems') };
}

/** @returns how many bytes were written. */
async function writePairs(path: string, words: readonly string[], pairs: number): Promise<number> {
  const random = seededRandom(1, 'inspect');
  const sentences = Array.from({ length: DISTINCT }, () => inventParagraph(words, random, WORDS));
  const file = createWriteStream(path);
  let written = 0;
  for (let from = 0; from < pairs; from += LINES_AT_ONCE) {
    const lines = Array.from({ length: Math.min(LINES_AT_ONCE, pairs - from) }, (_, i) => {
      const line = from + i;
      if (line % BREAK_EVERY === BREAK_EVERY - 1) return 'a line without a tab';
      const pair = line % REPEAT_EVERY === REPEAT_EVERY - 1 ? line - 1 : line;
      return `${sentences[pair % DISTINCT] ?? ''} ${pair}\t${sentences[(pair * 7 + 1) % DISTINCT] ?? ''}`;
    });
    const text = `${lines.join('\n')}\n`;
    written += Buffer.byteLength(text);
    if (!file.write(text)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  return written;
}
