/** How do tests run the command line, and on what? As a process, or, where the process is not what is asked about, here; a few dozen pairs, narrow vectors and few steps: under a second each. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runProgram } from './program.ts';

const program = fileURLToPath(new URL('./isogloss.ts', import.meta.url));

/** The words before the program's own: `node ... isogloss.ts`. */
export const PROGRAM: readonly [string, ...string[]] = [process.execPath, '--disable-warning=ExperimentalWarning', program];

export const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export type End = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
export type Running = { readonly kill: (signal: NodeJS.Signals) => void; readonly hasEnded: () => boolean; readonly end: Promise<End> };

/** Starts a process; `onStderr` sees what it has said so far. */
export function startProcess([command, ...words]: readonly [string, ...string[]], onStderr: (text: string, kill: Running['kill']) => void = () => undefined): Running {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
  let hasEnded = false;
  const end = new Promise<End>((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
      onStderr(stderr, kill);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      hasEnded = true;
      resolve({ code, stdout, stderr });
    });
  });
  return { kill, hasEnded: () => hasEnded, end };
}

/** Runs the program to its end. */
export function run(args: readonly string[], onStderr?: (text: string, kill: Running['kill']) => void): Promise<End> {
  return startProcess([...PROGRAM, ...args], onStderr).end;
}

/** Runs the program's words in this process, which saves starting one: the same end, but for signals, streams that fail, and what is written past them. */
export async function runHere(args: readonly string[]): Promise<End> {
  let stdout = '';
  let stderr = '';
  const code = await runProgram(args, {
    signal: new AbortController().signal,
    say: (line) => void (stderr += `${line}\n`),
    print: async (text) => void (stdout += `${text}\n`),
  });
  return { code, stdout, stderr };
}

/** Runs the program until stderr says `words` for the first time, then sends `signal`. */
export function runUntil(args: readonly string[], words: string, signal: NodeJS.Signals): Promise<End> {
  let isAsked = false;
  return run(args, (said, kill) => {
    if (isAsked || !said.includes(words)) return;
    isAsked = true;
    kill(signal);
  });
}

/** The one JSON value on stdout of a run with --json that went well. */
export function resultOf({ code, stdout, stderr }: End): unknown {
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout);
}

/** Ended with this code and these sentences on stderr, nothing on stdout, and no stack. */
export function expectRefusal(end: End, code: number, sentences: readonly RegExp[]): void {
  expect({ code: end.code, stdout: end.stdout }).toEqual({ code, stdout: '' });
  expect(sentences.length).toBeGreaterThan(0);
  for (const sentence of sentences) expect(end.stderr).toMatch(sentence);
  expect(end.stderr).not.toMatch(/\n\s+at |fault of Isogloss/);
}

/** English and Swahili sentences of the sample project. */
export const SAMPLE_PAIRS: readonly (readonly [string, string])[] = readFileSync(inRepository('core/sample/parallel.en-sw.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(0, 60)
  .map((line) => {
    const [english = '', swahili = ''] = line.split('\t');
    return [english, swahili];
  });

export const asTsv = (pairs: readonly (readonly string[])[]): string => `${pairs.map((pair) => pair.join('\t')).join('\n')}\n`;

/** Writes questions.jsonl (the start of each English sentence asks for the whole) and pairs.tsv. */
export function writeCorpora(folder: string): void {
  writeFileSync(join(folder, 'questions.jsonl'), SAMPLE_PAIRS.map(([english]) => `${JSON.stringify({ query: english.split(' ').slice(0, 4).join(' '), passage: english })}\n`).join(''));
  writeFileSync(join(folder, 'pairs.tsv'), asTsv(SAMPLE_PAIRS));
}

/** Writes a small recipe on `writeCorpora`'s files. @returns its path. */
export function writeRecipe(folder: string, name: string, changes: Readonly<Record<string, unknown>> = {}): string {
  const path = join(folder, name);
  const recipe = { encoder: { kind: 'static', width: 32, vocabularySize: 600 }, retrieval: [{ pairs: 'questions.jsonl' }], parallel: [{ path: 'pairs.tsv', source: 'en', target: 'sw' }], budget: { steps: 4 } };
  writeFileSync(path, JSON.stringify({ ...recipe, ...changes }));
  return path;
}
