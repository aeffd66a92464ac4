/** How is the program started and stopped for a test? As a person starts it, in a folder of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STOP_PATIENCE_MS = 10_000;

export type Program = {
  /** The one-time link, as printed. */
  readonly link: string;
  readonly port: number;
  readonly processId: number;
  /** Everything on stdout; exactly the link and a line end. */
  readonly output: () => string;
  /** What the program said beside it. */
  readonly complaints: () => string;
  readonly stop: () => Promise<void>;
};

/** An empty home for one test. */
export async function makeHome(): Promise<{ readonly home: string; readonly remove: () => Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'isogloss-test-'));
  return { home, remove: () => rm(home, { recursive: true, force: true }) };
}

/** Runs `npm start -- --served --no-open --port N` without npm between. Resolves when the link is there; rejects when it ends before. */
export async function startProgram({ home, port = 0 }: { readonly home: string; readonly port?: number }): Promise<Program> {
  const child = spawn(process.execPath, [join(ROOT, 'main/start.mjs'), '--served', '--no-open', '--port', String(port)], {
    cwd: ROOT,
    env: { ...process.env, ISOGLOSS_HOME: home, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const link = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('\n')) resolve(output.trim());
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`The program ended with ${String(code)} before it printed its link.\n${complaints}`)));
  });
  if (child.pid === undefined) throw new Error('The program has no process id.');
  return { link, port: Number(new URL(link).port), processId: child.pid, output: () => output, complaints: () => complaints, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
  await ended;
  clearTimeout(impatience);
}
