/** What does a test see the program through? Debian's Chromium, headless, with a fresh profile; and what must never appear in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';

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

export async function openBrowser(options: { readonly theme?: 'light' | 'dark'; readonly width?: number; readonly height?: number } = {}): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('No browser: ISOGLOSS_CHROMIUM is not set.');
  const profile = await mkdtemp(join(tmpdir(), 'isogloss-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
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

/** Whatever the view, nobody may be shut out: axe-core finds nothing to complain of. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations, passes } = await new AxeBuilder({ page }).analyze();
  expect(passes.length).toBeGreaterThan(5);
  expect(violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}
