/**
 * What do the small experiments of the papers find? Runs them all, goes on where it was stopped, and writes one page.
 *
 *   npm run -s experiment:papers -- --data DIR --out DIR [--only NAME]... [--at-once 2] [--seeds N] [--report FILE] [--write-only]
 *
 * Each experiment runs in a process of its own with one thread. What stands above the mark in the report is written by hand and stays.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';

const root = resolve(import.meta.dirname, '../..');
const papers = join(root, 'core/evaluation/papers');
const program = join(root, 'main/cli/isogloss.ts');
const MARK = '<!-- below: written by papers.ts -->';
const DIGITS = 3;

const { values } = parseArgs({ options: { data: { type: 'string' }, out: { type: 'string' }, only: { type: 'string', multiple: true }, 'at-once': { type: 'string', default: '2' }, seeds: { type: 'string' }, report: { type: 'string' }, 'write-only': { type: 'boolean', default: false } } });
const data = resolve(values.data ?? '../shared/data');
const out = resolve(values.out ?? 'build/experiments/papers');
const report = resolve(values.report ?? join(import.meta.dirname, 'papers.md'));
const plots = join(import.meta.dirname, 'plots');
const small = namesEnding('.small.json').filter((name) => values.only === undefined || values.only.includes(name) || values.only.includes(name.replace(/\.small$/, '')));

const claimSchema = z.object({ text: z.string(), difference: z.number(), interval: z.object({ low: z.number(), high: z.number() }), verdict: z.string() });
const resultsSchema = z.object({ experiment: z.string(), title: z.string(), source: z.string(), seeds: z.array(z.number()), claims: z.array(claimSchema), facts: z.object({ cpuMinutes: z.number(), minutes: z.number(), node: z.string(), platform: z.string(), cpu: z.string() }) });
type Results = z.infer<typeof resultsSchema>;
const planSchema = z.object({ experiment: z.string(), memoryBytes: z.number(), hours: z.number(), graphicsCardHours: z.number(), missing: z.array(z.object({ what: z.string(), from: z.string() })), rows: z.array(z.object({ label: z.string(), parameters: z.number().nullable(), memoryBytes: z.number().nullable(), steps: z.number().nullable(), trainings: z.number(), hours: z.number(), graphicsCardHours: z.number() })) });

function namesEnding(ending: string): readonly string[] {
  return readdirSync(papers).filter((name) => name.endsWith(ending)).sort().map((name) => name.replace(/\.json$/, ''));
}

/** Runs the program with one thread; what it says goes into a log. Resolves to its standard output. */
function isogloss(args: readonly string[], log: string): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], { cwd: root, env: { ...process.env, OMP_NUM_THREADS: '1' }, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    let told = '';
    child.stdout.on('data', (chunk: Buffer) => { said += chunk.toString(); });
    child.stderr.on('data', (chunk: Buffer) => { told += chunk.toString(); });
    child.on('error', failed);
    child.on('close', (code) => {
      void writeFile(log, told).then(() => {
        if (code === 0) done(said);
        else failed(new Error(`${args.join(' ')} ended with ${String(code)}:\n${told.trim().split('\n').slice(-5).join('\n')}`));
      });
    });
  });
}

/** Every experiment, so many at once; one that fails is told and the others go on. */
async function runAll(): Promise<readonly string[]> {
  const waiting = [...small];
  const failed: string[] = [];
  let page = Promise.resolve(); // written by one at a time
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const started = performance.now();
      process.stderr.write(`${name} ...\n`);
      try {
        await mkdir(join(out, name), { recursive: true });
        await isogloss(['experiment', '--file', join(papers, `${name}.json`), '--data', data, '--out', join(out, name), '--threads', '1', ...(values.seeds === undefined ? [] : ['--seeds', values.seeds]), '--json'], join(out, name, 'log.txt'));
        process.stderr.write(`${name}: ${((performance.now() - started) / 60_000).toFixed(1)} minutes\n`);
        await (page = page.then(() => writePage(failed)));
      } catch (thrown) {
        failed.push(name);
        process.stderr.write(`${name}: ${String(thrown)}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: Number(values['at-once']) }, worker));
  return failed;
}

async function resultsOf(name: string): Promise<{ readonly results: Results; readonly page: string } | null> {
  const folder = join(out, name);
  if (!existsSync(join(folder, 'results.json')) || !existsSync(join(folder, 'report.md'))) return null;
  return { results: resultsSchema.parse(JSON.parse(await readFile(join(folder, 'results.json'), 'utf8'))), page: await readFile(join(folder, 'report.md'), 'utf8') };
}

async function writePage(failed: readonly string[]): Promise<void> {
  const found: { readonly name: string; readonly results: Results; readonly page: string }[] = [];
  for (const name of namesEnding('.small.json')) {
    const one = await resultsOf(name);
    if (one === null) continue;
    found.push({ name, ...one });
    if (!existsSync(join(out, name, 'plot.svg'))) continue;
    await mkdir(plots, { recursive: true });
    await copyFile(join(out, name, 'plot.svg'), join(plots, `${name}.svg`));
  }
  const missing = namesEnding('.small.json').filter((name) => !found.some((one) => one.name === name));
  const first = found[0]?.results.facts;
  const minutes = found.reduce((sum, { results }) => sum + results.facts.cpuMinutes, 0);
  const lines = [
    MARK,
    '',
    '## What was run',
    '',
    `${found.length} small experiments, ${minutes.toFixed(0)} CPU-minutes in all, one thread each; seeds ${[...new Set(found.flatMap(({ results }) => results.seeds))].join(', ')}. Node ${first?.node ?? ''}, onnxruntime-node ${versionOf('onnxruntime-node')}, ${first?.platform ?? ''}, ${first?.cpu ?? ''}; Isogloss at commit ${commit()}.`,
    ...(failed.length === 0 ? [] : ['', `Not finished: ${failed.join(', ')}.`]),
    ...(missing.length === 0 ? [] : ['', `Not run yet: ${missing.join(', ')}. \`npm run -s experiment:papers -- --data DIR --out DIR\` goes on with them.`]),
    '',
    '## Every claim, and what was found at this scale',
    '',
    '| source | claim | difference | 95 % interval | verdict |',
    '| --- | --- | --- | --- | --- |',
    ...found.flatMap(({ results }) => results.claims.map((claim) => `| ${results.source} (${results.experiment}, ${results.seeds.length} ${results.seeds.length === 1 ? 'seed' : 'seeds'}) | ${claim.text} | ${signed(claim.difference)} | ${signed(claim.interval.low)} to ${signed(claim.interval.high)} | ${claim.verdict} |`)),
    '',
    ...(await planLines()),
    ...found.flatMap(({ name, page }) => [sectionOf(name, page), '']),
  ];
  const above = existsSync(report) ? ((await readFile(report, 'utf8')).split(MARK)[0] ?? '').trimEnd() : '# The papers at small scale';
  await writeFile(report, `${above}\n\n${lines.join('\n').trimEnd()}\n`);
}

/** The page of one experiment as a section, headings a level lower, its plot from beside this report. */
function sectionOf(name: string, page: string): string {
  return page
    .split('\n')
    .map((line) => (line.startsWith('#') ? `#${line}` : line))
    .join('\n')
    .replaceAll('](plot.svg)', `](${relative(join(report, '..'), join(plots, `${name}.svg`))})`)
    .replace(/^## (.*)$/m, `## ${name}: $1`)
    .trim();
}

/** What the full twins would take, as their plans say without running. */
async function planLines(): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const name of namesEnding('.full.json')) {
    const file = join(out, `${name}.plan.json`);
    if (!existsSync(file)) {
      await mkdir(out, { recursive: true });
      await writeFile(file, await isogloss(['experiment', '--file', join(papers, `${name}.json`), '--data', data, '--plan', '--threads', '1', '--json'], join(out, `${name}.plan.log`)));
    }
    const plan = planSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    const largest = Math.max(0, ...plan.rows.map(({ parameters }) => parameters ?? 0));
    const trainings = plan.rows.reduce((sum, row) => sum + row.trainings, 0);
    lines.push(`| ${name} | ${plan.rows.length} | ${trainings} | ${(largest / 1e6).toFixed(0)} M | ${(plan.memoryBytes / 2 ** 30).toFixed(1)} GB | ${duration(plan.hours)} | ${duration(plan.graphicsCardHours)} | ${plan.missing.map(({ what }) => what).join('; ') || 'nothing'} |`);
  }
  if (lines.length === 0) return [];
  return ['## At the scale of the papers: what the plans say', '', 'Not run here: `experiment --plan` says for each row what it takes; below, the whole experiments, on one core of this machine and on one graphics card (37 TFLOP/s in training).', '', '| experiment | rows | trainings | largest model | memory | one core | one graphics card | to be brought |', '| --- | --- | --- | --- | --- | --- | --- | --- |', ...lines, ''];
}

function duration(hours: number): string {
  if (hours < 1) return `${Math.round(hours * 60)} min`;
  return hours < 100 ? `${hours.toFixed(1)} h` : `${Math.round(hours / 24).toLocaleString('en')} days`;
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(DIGITS)}`;
}

function versionOf(name: string): string {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(execFileSync(process.execPath, ['-p', `JSON.stringify(require(${JSON.stringify(join(root, 'node_modules', name, 'package.json'))}))`], { encoding: 'utf8' })));
  return version;
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown'; // not a checkout
  }
}

const failed = values['write-only'] ? [] : await runAll();
await writePage(failed);
process.stdout.write(`${report}, with ${cpus().length} cores at hand\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
