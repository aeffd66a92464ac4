/** How soon is the application there? From spawn to the first answered request, and to the first content in headless Chromium. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { wholeNumber, type Command } from '../../main/cli/command.ts';
import { median } from './measures.ts';
import { startServed } from './served-program.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const DEFAULT_RUNS = 5;
const MOST_RUNS = 100;
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

type Run = { readonly linkMs: number; readonly answerMs: number; readonly firstPaintMs: number | null };

export const startupBenchmark: Command = {
  summary: 'From `npm start` to the first answer and the first content (everything built).',
  usage: '[--runs N] [--json]',
  options: { runs: { type: 'string' } },
  run: async (values, { signal, say }) => {
    const count = wholeNumber(values, 'runs', { least: 1, most: MOST_RUNS }) ?? DEFAULT_RUNS;
    const browser = findBrowser();
    if (browser === null) say('No Chromium was found; first content is not measured.');
    await runOnce(null); // builds what is stale, warms the disk
    const runs: Run[] = [];
    for (let run = 0; run < count; run += 1) {
      signal.throwIfAborted();
      runs.push(await runOnce(browser));
      say(`run ${run + 1} of ${count}: ${Math.round(runs.at(-1)?.answerMs ?? 0)} ms`);
    }
    const paints = runs.map(({ firstPaintMs }) => firstPaintMs).filter((value) => value !== null);
    const json = {
      runs: count,
      linkMs: Math.round(median(runs.map(({ linkMs }) => linkMs))),
      firstAnswerMs: Math.round(median(runs.map(({ answerMs }) => answerMs))),
      firstContentfulPaintMs: paints.length === 0 ? null : Math.round(median(paints)),
    };
    const paint = json.firstContentfulPaintMs === null ? '' : `; the browser shows content ${json.firstContentfulPaintMs} ms after it is sent there`;
    return { json, text: `First answer ${json.firstAnswerMs} ms after "npm start" (median of ${count})${paint}.` };
  },
};

async function runOnce(browser: string | null): Promise<Run> {
  return inTemporaryFolder(async (folder) => {
    const start = performance.now();
    const program = await startServed(folder);
    try {
      const response = await fetch(new URL('/', program.link));
      await response.text();
      const answerMs = performance.now() - start;
      return { linkMs: program.linkMs, answerMs, firstPaintMs: browser === null ? null : await firstContentfulPaint(browser, program.link, join(folder, 'profile')) };
    } finally {
      await program.stop();
    }
  });
}

/** From navigation to the first text or picture, ms, with an empty cache. */
async function firstContentfulPaint(executablePath: string, link: string, profile: string): Promise<number> {
  const context = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await context.newPage();
    await page.goto(link);
    return await page.evaluate<number>(`new Promise((resolve) => new PerformanceObserver((list) => {
      const entry = list.getEntriesByName('first-contentful-paint')[0];
      if (entry) resolve(entry.startTime);
    }).observe({ type: 'paint', buffered: true }))`);
  } finally {
    await context.close();
  }
}

function findBrowser(): string | null {
  const told = process.env['ISOGLOSS_CHROMIUM'];
  if (told !== undefined) return told;
  const places = (process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => BROWSERS.map((name) => join(folder, name)));
  return places.find((path) => existsSync(path)) ?? null;
}
