/** What does a test see the program through? Debian's Chromium, headless, with a fresh profile, which remembers what must never happen in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';

/** Set by test/run.mjs; undefined: no browser can be had, and the tests are skipped. */
export const CHROMIUM = process.env['ISOGLOSS_CHROMIUM'];

/** Against hangs; the two cores may be shared with much else. */
export const PATIENCE_MS = 60_000;

const QUIET = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export type Browser = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page and breaches of its security policy so far, expected to be none. */
  readonly faults: () => readonly string[];
  /** Requests that left this computer, expected to be none. */
  readonly strangers: () => readonly string[];
  readonly close: () => Promise<void>;
};

export async function openBrowser(options: { readonly theme?: 'light' | 'dark'; readonly width?: number; readonly height?: number; readonly executable?: string | undefined } = {}): Promise<Browser> {
  const { executable = CHROMIUM } = options;
  if (executable === undefined) throw new Error('No browser: ISOGLOSS_CHROMIUM is not set.');
  const profile = await mkdtemp(join(tmpdir(), 'isogloss-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: executable,
    headless: true,
    args: QUIET,
    locale: 'en-GB',
    colorScheme: options.theme ?? 'light',
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = context.pages()[0] ?? (await context.newPage());
  const faults: string[] = [];
  const strangers: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') strangers.push(request.url());
  });
  return {
    page,
    context,
    faults: () => faults,
    strangers: () => strangers,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
