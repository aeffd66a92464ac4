/**
 * `npm test`: installs what is missing, then type checks, lint, architecture and unit tests, and end-to-end tests in headless
 * Chromium. Plain JavaScript for Node >= 20. Each type check and the lint count as one test. Last line: `N passed, N failed, N skipped`.
 *   npm test -- unit            only some stages: types, lint, build, unit, end-to-end
 *   npm test -- unit core/text  and only some files of them
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { COMPILE_CACHE, ensureBuilt, ensureInstalled, nodePath, RENDERER, root, run } from '../main/setup.mjs';

const MILLISECONDS = 1000;
/** A stage that hangs is a failure, not an endless wait. */
const STAGE_LIMIT_MS = 15 * 60 * MILLISECONDS;
const OUTPUT_SHOWN_CHARACTERS = 12_000;
const MESSAGE_SHOWN_CHARACTERS = 1_500;
const REPORTS = join(root, 'build', 'test');

const module = (path) => join(root, 'node_modules', path);

const totals = { passed: 0, failed: 0, skipped: 0 };
const failures = [];

/** The checks that count as one test each; the longest first. */
const CHECKS = [
  { stage: 'lint', name: 'lint', args: [module('eslint/bin/eslint.js'), '.'] },
  { stage: 'types', name: 'types of core, main and test', args: [module('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.json'] },
  { stage: 'types', name: 'types of the window', args: [module('vue-tsc/bin/vue-tsc.js'), '--noEmit', '-p', 'renderer/tsconfig.json'] },
  { stage: 'build', name: 'build of the Electron program', args: [module('vite/bin/vite.js'), 'build', '--config', 'main/electron/vite.config.ts', '--outDir', join(REPORTS, 'electron'), '--emptyOutDir', '--logLevel', 'warn'] },
  { stage: 'types', name: 'types of the contract, without Node', args: [module('typescript/bin/tsc'), '--noEmit', '-p', 'main/contract/tsconfig.json'] },
];

async function main() {
  const [, , ...words] = process.argv;
  const stages = words.filter((word) => ['types', 'lint', 'build', 'unit', 'end-to-end'].includes(word));
  const files = words.filter((word) => !stages.includes(word));
  const wants = (stage) => stages.length === 0 || stages.includes(stage);
  await ensureInstalled();
  await mkdir(REPORTS, { recursive: true });
  await runChecks(CHECKS.filter(({ stage }) => wants(stage)));
  if (wants('unit')) await runVitest({ name: 'architecture and unit tests', config: 'vitest.config.ts', files, env: {} });
  if (wants('end-to-end')) await runEndToEnd(files);
  for (const { name, text } of failures) print(`\nFAILED  ${name}\n${text}`);
  print(`${totals.failed === 0 ? '' : '\n'}${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

/** Each keeps one core busy: two at a time, in their order. */
async function runChecks(checks) {
  const waiting = [...checks];
  const next = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) await runCheck(check);
  };
  await Promise.all([next(), next()]);
}

async function runCheck({ name, args }) {
  const { code, output, seconds } = await capture(args, {});
  if (code === 0) totals.passed += 1;
  else fail(name, output);
  print(`${code === 0 ? 'passed' : 'FAILED'}  ${name} (${seconds} s)`);
}

async function runVitest({ name, config, files, env }) {
  const report = join(REPORTS, `${config.replace(/[^a-z-]+/gi, '-')}.json`);
  await rm(report, { force: true });
  const { code, output, seconds } = await capture([module('vitest/vitest.mjs'), 'run', '--config', config, '--reporter=json', `--outputFile=${report}`, ...files], env);
  const result = await readFile(report, 'utf8').then(JSON.parse, () => null);
  if (result === null) {
    fail(name, output);
    print(`FAILED  ${name}: no result (${seconds} s)`);
    return;
  }
  const counts = countVitest(result);
  if (code !== 0 && counts.failed === 0) {
    counts.failed += 1; // an error outside of any test
    failures.push({ name, text: output.slice(-OUTPUT_SHOWN_CHARACTERS) });
  }
  if (counts.passed + counts.failed + counts.skipped === 0) {
    counts.failed += 1;
    failures.push({ name, text: 'No test was found: a stage without tests proves nothing.' });
  }
  for (const key of Object.keys(totals)) totals[key] += counts[key];
  print(`${counts.failed === 0 ? 'passed' : 'FAILED'}  ${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped (${seconds} s)`);
}

function countVitest(result) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of result.testResults) {
    const path = file.name.startsWith(root) ? file.name.slice(root.length + 1) : file.name;
    if (file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed')) {
      counts.failed += 1;
      failures.push({ name: path, text: shorten(file.message ?? 'The file could not be loaded.') });
    }
    for (const test of file.assertionResults) {
      if (test.status === 'passed') counts.passed += 1;
      else if (test.status === 'failed') {
        counts.failed += 1;
        failures.push({ name: `${path}: ${test.fullName}`, text: shorten((test.failureMessages ?? []).join('\n')) });
      } else counts.skipped += 1;
    }
  }
  return counts;
}

async function runEndToEnd(files) {
  const chromium = findChromium() ?? (await installChromium());
  if (chromium === null) print('No browser: Chromium is missing and cannot be installed here (apt-get needs root). The end-to-end tests are skipped, not passed.');
  try {
    await ensureBuilt(RENDERER);
  } catch (error) {
    return fail('building the window', error.message);
  }
  return runVitest({ name: 'end-to-end tests', config: 'test/end-to-end/vitest.config.ts', files, env: chromium === null ? {} : { ISOGLOSS_CHROMIUM: chromium } });
}

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const named = process.env.ISOGLOSS_CHROMIUM;
  if (named !== undefined && existsSync(named)) return named;
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path)) ?? null;
}

/** Debian and its children, as root or with a sudo that asks nothing. */
async function installChromium() {
  const succeeds = (program, args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  if (!succeeds('apt-get', ['--version'])) return null;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !succeeds('sudo', ['-n', 'true'])) return null;
  const [program, before] = isRoot ? ['apt-get', []] : ['sudo', ['-n', 'apt-get']];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  print('Installing Chromium for the end-to-end tests (apt-get) ...');
  const install = ['install', '-y', '-q', '--no-install-recommends', 'chromium'];
  if ((await run(program, [...before, ...install], { env, stdio: 'ignore' })) !== 0) {
    await run(program, [...before, 'update', '-q'], { env, stdio: 'ignore' });
    await run(program, [...before, ...install], { env, stdio: 'ignore' });
  }
  return findChromium();
}

/** Runs a script under Node 24 and keeps what it says. */
function capture(args, env) {
  const start = Date.now();
  return new Promise((resolve) => {
    const child = spawn(nodePath(), args, { cwd: root, env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    const guard = setTimeout(() => child.kill('SIGKILL'), STAGE_LIMIT_MS);
    const finish = (code) => {
      clearTimeout(guard);
      resolve({ code, output, seconds: Math.round((Date.now() - start) / MILLISECONDS) });
    };
    child.once('error', (error) => {
      output += error.message;
      finish(1);
    });
    child.once('close', (code) => finish(code ?? 1));
  });
}

function fail(name, output) {
  totals.failed += 1;
  failures.push({ name, text: output.slice(0, OUTPUT_SHOWN_CHARACTERS) });
}

function shorten(text) {
  return text.length <= MESSAGE_SHOWN_CHARACTERS ? text : `${text.slice(0, MESSAGE_SHOWN_CHARACTERS)} ...`;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

main().catch((error) => {
  print(error.message);
  print(`${totals.passed} passed, ${totals.failed + 1} failed, ${totals.skipped} skipped`);
  process.exitCode = 1;
});
