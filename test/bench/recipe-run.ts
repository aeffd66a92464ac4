/** What does training by a recipe take? Peak memory, processor time and speed, in a process of its own. */
import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { CommandContext, CommandResult } from '../../main/cli/command.ts';
import { runInChild } from './child.ts';
import { rounded } from './measures.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const SAMPLE = fileURLToPath(new URL('../../core/sample', import.meta.url));

const figuresSchema = z.object({ steps: z.number(), tokensPerSecond: z.number(), peakMemoryMB: z.number(), cpuSeconds: z.number(), wallSeconds: z.number() });

/** @param given  a recipe's path, or "sample" for the sample project. */
export async function measureRecipe(given: string, threads: number, { signal, say }: CommandContext): Promise<CommandResult> {
  return inTemporaryFolder(async (folder) => {
    const recipePath = given === 'sample' ? await writeSampleRecipe(folder) : resolve(given);
    const figures = figuresSchema.parse(
      await runInChild({ script: './training-process.ts', task: { recipePath, outputFolder: join(folder, 'model'), threads }, signal, onNote: (note) => say(z.object({ note: z.string() }).parse(note).note) }),
    );
    const json = {
      recipe: given,
      threads,
      peakMemoryMB: Math.round(figures.peakMemoryMB),
      cpuSeconds: rounded(figures.cpuSeconds),
      wallSeconds: rounded(figures.wallSeconds),
      steps: figures.steps,
      tokensPerSecond: Math.round(figures.tokensPerSecond),
    };
    return { json, text: `${json.steps} steps took ${json.cpuSeconds} s of processor time (${json.wallSeconds} s in all), at most ${json.peakMemoryMB} MB of memory, ${json.tokensPerSecond} tokens a second.` };
  });
}

/** Every pair of languages and every text of the sample, nothing else set. */
async function writeSampleRecipe(folder: string): Promise<string> {
  const names = (await readdir(SAMPLE)).sort();
  const parallel = names.flatMap((name) => {
    const [, source, target] = /^parallel\.([a-z]+)-([a-z]+)\.tsv$/.exec(name) ?? [];
    return source === undefined ? [] : [{ path: join(SAMPLE, name), source, target }];
  });
  const monolingual = names.flatMap((name) => {
    const language = /^monolingual\.([a-z]+)\.txt$/.exec(name)?.[1];
    return language === undefined ? [] : [{ path: join(SAMPLE, name), language }];
  });
  const path = join(folder, 'recipe.json');
  await writeFile(path, JSON.stringify({ parallel, monolingual }));
  return path;
}
