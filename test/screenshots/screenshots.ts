/** What does every view look like? Walks through the sample project and saves pictures; see README.md here. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { CHROMIUM, openBrowser } from '../end-to-end/browser.ts';
import { makeHome, startProgram } from '../end-to-end/program.ts';

const PICTURES = fileURLToPath(new URL('../../build/screenshots', import.meta.url));
const README_PICTURES = fileURLToPath(new URL('readme', import.meta.url));
const IN_README = ['welcome', 'watching', 'result', 'search'];
const README_BYTES = 120_000;
const WEBP_QUALITY = 0.9;
const LANGUAGES = ['en', 'ar'] as const;
const THEMES = ['light', 'dark'] as const;
const SIZES = [{ width: 1024, height: 700 }, { width: 1440, height: 900 }] as const;
/** Of core/sample/questions.jsonl: asked in English, answered in an Arabic document. */
const QUERY = 'How does each family know its own bread in the oven of the neighbourhood?';
const TRAINING_PATIENCE_MS = 300_000;
/** A curve of a few points says more than one of two. */
const WATCHED_MS = 3_000;

type View = {
  readonly name: string;
  /** Goes there by pressing what a person presses; in English. */
  readonly go: (page: Page) => Promise<void>;
  /** There when this is; also after a reload, in any language. */
  readonly shows: string;
  /** What a reload loses. */
  readonly restore?: (page: Page) => Promise<void>;
};

async function ask(page: Page): Promise<void> {
  const field = page.getByRole('searchbox');
  await field.waitFor();
  await field.fill(QUERY);
  await field.press('Enter');
  await page.locator('.hit').first().waitFor();
}

async function openHit(page: Page): Promise<void> {
  await ask(page);
  await page.locator('.hit').first().getByRole('button').last().click();
  await page.locator('.excerpt mark').waitFor();
}

const VIEWS: readonly View[] = [
  { name: 'new-project', shows: 'form.view', go: (page) => page.getByRole('button', { name: /Start a new project/ }).click() },
  { name: 'welcome', shows: 'h1', go: async (page) => void (await page.goBack()) },
  { name: 'language', shows: '.language-card', go: async (page) => {
    await page.getByRole('button', { name: /Open the sample project/ }).click();
    await page.getByRole('link', { name: /Language/ }).click();
  } },
  { name: 'texts', shows: '.corpus', go: (page) => page.getByRole('link', { name: /Texts/ }).click() },
  { name: 'train', shows: '.view-actions .button-main', go: (page) => page.getByRole('link', { name: 'Go on to training' }).click() },
  { name: 'watching', shows: '.curve', go: async (page) => {
    await page.getByRole('button', { name: /^Train \(/ }).click();
    await page.locator('.held-row').first().waitFor({ timeout: TRAINING_PATIENCE_MS });
    await page.locator('.curve').first().waitFor({ timeout: TRAINING_PATIENCE_MS });
    await page.waitForTimeout(WATCHED_MS);
  } },
  { name: 'result', shows: '.shares', go: async (page) => {
    await page.getByRole('link', { name: /Result/ }).click();
    await page.locator('.shares').first().waitFor({ timeout: TRAINING_PATIENCE_MS });
  } },
  { name: 'library', shows: '.library-words', go: (page) => page.getByRole('link', { name: 'Go on to search' }).click() },
  { name: 'search', shows: '.hit', restore: ask, go: async (page) => {
    await page.getByRole('button', { name: 'Read the documents' }).click();
    await ask(page);
  } },
  { name: 'passage', shows: '.excerpt mark', restore: openHit, go: (page) => openHit(page) },
  { name: 'recent', shows: '.recent', go: async (page) => {
    await page.keyboard.press('Escape');
    await page.locator('.rail-home').click();
  } },
];

/** The interface in another language, as after choosing it in the settings. */
async function speak(page: Page, language: string, { shows, restore }: View): Promise<void> {
  await page.evaluate(`localStorage.setItem('isogloss.language', '${language}')`);
  await page.reload();
  await page.locator(`html[lang=${language}]`).waitFor();
  await restore?.(page);
  await page.locator(shows).first().waitFor();
}

async function picture(page: Page, view: View): Promise<void> {
  await page.locator(view.shows).first().waitFor();
  for (const language of LANGUAGES) {
    if (language !== LANGUAGES[0]) await speak(page, language, view);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      for (const size of SIZES) {
        await page.setViewportSize(size);
        await page.screenshot({ path: join(PICTURES, `${view.name}.${language}.${theme}.${String(size.width)}.png`) });
      }
    }
  }
  await page.emulateMedia({ colorScheme: THEMES[0], reducedMotion: 'reduce' });
  await page.setViewportSize(SIZES[0]);
  await speak(page, LANGUAGES[0], view);
  process.stderr.write(`${view.name}\n`);
}

/** The pictures of the README, as WebP made by the browser's own canvas. @throws when one is larger than a page should load. */
async function keepForReadme(context: BrowserContext): Promise<void> {
  await mkdir(README_PICTURES, { recursive: true });
  const page = await context.newPage(); // about:blank: no policy of ours stands in the way of a data URL
  for (const name of IN_README) {
    const png = await readFile(join(PICTURES, `${name}.en.light.${String(SIZES[0].width)}.png`), 'base64');
    const webp: unknown = await page.evaluate(`(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${png}';
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', ${String(WEBP_QUALITY)}).replace('data:image/webp;base64,', '');
    })()`);
    const bytes = Buffer.from(String(webp), 'base64');
    if (bytes.length > README_BYTES) throw new Error(`${name}: ${String(bytes.length)} bytes; at most ${String(README_BYTES)}.`);
    await writeFile(join(README_PICTURES, `${name}.webp`), bytes);
  }
}

function findChromium(): string {
  const found = CHROMIUM ?? (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
  if (found === undefined) throw new Error('No browser: install Chromium, or say where one is in ISOGLOSS_CHROMIUM.');
  return found;
}

await mkdir(PICTURES, { recursive: true });
const home = await makeHome();
const program = await startProgram({ home: home.home });
const browser = await openBrowser({ executable: findChromium(), ...SIZES[0] });
try {
  await browser.page.goto(program.link);
  await browser.page.locator('h1').waitFor();
  for (const view of VIEWS) {
    await view.go(browser.page);
    await picture(browser.page, view);
  }
  if (browser.faults().length > 0) throw new Error(browser.faults().join('\n'));
  if (process.argv.includes('--readme')) await keepForReadme(browser.context);
} finally {
  await browser.close();
  await program.stop();
  await home.remove();
}
