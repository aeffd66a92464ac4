/**
 * `npm start`: installs what is missing, builds what is stale, opens Isogloss. Plain JavaScript for Node >= 20.
 *   --served     in the system's browser, not in Electron
 *   --no-open    only print the link (implies --served)
 *   --port N     the port of the served application (0: any free one)
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { electronProgram } from './electron-program.mjs';
import { COMPILE_CACHE, ELECTRON_BUILD, ensureBuilt, ensureInstalled, nodePath, RENDERER, root, say } from './setup.mjs';

const BAD_INPUT = 2;
const PARENT_LOOK_MS = 2_000;

async function main() {
  const options = readOptions();
  await ensureInstalled();
  await ensureBuilt(RENDERER);
  const electron = options.isServed ? null : await electronProgram();
  if (electron === null) return pass(nodePath(), ['--disable-warning=ExperimentalWarning', join(root, 'main/served/main.ts'), ...options.served]);
  await ensureBuilt(ELECTRON_BUILD);
  return pass(electron, [root]);
}

function readOptions() {
  const { values } = parseArgs({ options: { served: { type: 'boolean', default: false }, 'no-open': { type: 'boolean', default: false }, port: { type: 'string' } } });
  const isServed = values.served || values['no-open'] || values.port !== undefined;
  return { isServed, served: [...(values['no-open'] ? ['--no-open'] : []), ...(values.port === undefined ? [] : ['--port', values.port])] };
}

/** Becomes the program: its output is ours, our signals are its, its end is ours; and it ends when whoever started us is gone. */
function pass(program, args) {
  if (!existsSync(program)) throw new Error(`${program} is missing. Delete node_modules and run the same command again.`);
  const child = spawn(program, args, { cwd: root, env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'], shell: false });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
  const starters = ancestors();
  setInterval(() => {
    if (ancestors() !== starters) child.kill('SIGTERM');
  }, PARENT_LOOK_MS).unref();
  return new Promise((resolve) => {
    child.once('error', (error) => {
      say(error.message);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Who started us, and who started them: npm puts a shell between itself and us, which outlives an npm that is killed. */
function ancestors() {
  const parent = process.ppid;
  try {
    const [, fields = ''] = readFileSync(`/proc/${parent}/stat`, 'utf8').split(/\) (?=[A-Za-z] \d)/);
    return `${parent} ${fields.split(' ')[1]}`;
  } catch {
    return String(parent); // no /proc: only the nearest can be watched
  }
}

main().then(
  (code) => process.exit(code),
  (error) => {
    say(error.message);
    process.exit(error.code?.startsWith?.('ERR_PARSE_ARGS') ? BAD_INPUT : 1);
  },
);
