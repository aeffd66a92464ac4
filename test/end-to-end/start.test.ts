/** What does `npm start` print, where does it stop, and what does it refuse? No browser is needed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { makeHome } from './program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SETTLE_MS = 500; // whatever would follow the link has followed by then

type Run = { readonly child: ChildProcess; readonly stdout: () => string; readonly stderr: () => string; readonly ended: Promise<number | null> };

const homes: Awaited<ReturnType<typeof makeHome>>[] = [];
const runs: Run[] = [];

afterEach(async () => {
  for (const { child, ended } of runs.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  for (const home of homes.splice(0)) await home.remove();
});

/** `npm start -- ARGS`, as a script would run it. */
async function npmStart(...args: readonly string[]): Promise<Run> {
  const home = await makeHome();
  homes.push(home);
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))); // what an outer npm has set
  const child = spawn('npm', ['start', '--', ...args], { cwd: ROOT, env: { ...environment, ISOGLOSS_HOME: home.home }, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const run = { child, stdout: () => stdout, stderr: () => stderr, ended };
  runs.push(run);
  return run;
}

async function linkOf(run: Run): Promise<string> {
  const isOver = run.ended.then((code) => Promise.reject(new Error(`Ended with ${String(code)}: ${run.stderr()}`)));
  const isThere = (async () => {
    while (!run.stdout().includes('\n')) await new Promise((resolve) => setTimeout(resolve, 50));
  })();
  await Promise.race([isThere, isOver]);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return run.stdout();
}

describe('npm start -- --served --no-open --port 0', () => {
  it('prints exactly one line, the link, serves the window, and stops when asked', async () => {
    const run = await npmStart('--served', '--no-open', '--port', '0');
    const output = await linkOf(run);
    expect(output).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n$/);
    const { origin } = new URL(output);
    const page = await fetch(origin);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>');
    run.child.kill('SIGTERM');
    await run.ended;
    await expect(fetch(origin)).rejects.toThrow();
    expect(run.stdout()).toBe(output);
  });

  it('takes the port it is given, and says so when it is in use', async () => {
    const first = await npmStart('--served', '--no-open', '--port', '0');
    const { port } = new URL(await linkOf(first));
    const second = await npmStart('--served', '--no-open', '--port', port);
    expect(await second.ended).toBe(2);
    expect(second.stdout()).toBe('');
    expect(second.stderr()).toMatch(/port is in use/);
  });

  it.each([[['--porte', '1']], [['--port', 'http']], [['--port', '70000']]])('refuses %j with a sentence and exit 2', async (args) => {
    const run = await npmStart('--served', '--no-open', ...args);
    expect(await run.ended).toBe(2);
    expect(run.stdout()).toBe('');
    expect(run.stderr()).toMatch(/--porte|--port: expected a number/);
    expect(run.stderr()).not.toMatch(/\n\s+at /);
  });
});
