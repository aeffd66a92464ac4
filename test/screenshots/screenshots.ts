/** What does every view look like? Walks through the sample project and saves pictures; see README.md here. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { AREAS, COMMON_PLACES, type Area } from '../../renderer/stores/place.ts';
import { CHROMIUM, openBrowser } from '../end-to-end/browser.ts';
import { makeHome, startProgram } from '../end-to-end/program.ts';

const PICTURES = fileURLToPath(new URL('../../build/screenshots', import.meta.url));
const README_PICTURES = fileURLToPath(new URL('readme', import.meta.url));
/** A picture of README.md: which view, in which language and theme; all of the first size. */
type ReadmePicture = { readonly view: string; readonly language: string; readonly theme: 'light' | 'dark' };
const LIGHT_ENGLISH = ['welcome', 'texts', 'train', 'watching', 'result', 'search', 'judge', 'share'];
const IN_README = new Map<string, ReadmePicture>([
  ...LIGHT_ENGLISH.map((view): [string, ReadmePicture] => [view, { view, language: 'en', theme: 'light' }]),
  ['search-ar-dark', { view: 'search', language: 'ar', theme: 'dark' }],
]);
const README_BYTES = 120_000;
const WEBP_QUALITY = 0.9;
/** In both themes and both sizes: one language of each direction. In one picture: the others. */
const LANGUAGES = ['en', 'ar'] as const;
const MORE_LANGUAGES = ['es', 'fr', 'sw'] as const;
const THEMES = ['light', 'dark'] as const;
const SIZES = [{ width: 1024, height: 700 }, { width: 1440, height: 900 }] as const;
/** Of core/sample/questions.jsonl: asked in English, answered in an Arabic document. */
const QUERY = 'How does each family know its own bread in the oven of the neighbourhood?';
const TRAINING_PATIENCE_MS = 300_000;
/** A curve of a few points says more than one of two. */
const WATCHED_MS = 3_000;
/** A skeleton that stays so long is what the view looks like. */
const MOST_LOOKS = 50;
const LOOK_MS = 100;

type View = {
  readonly name: string;
  /** Goes there by pressing what a person presses; in English. */
  readonly go: (page: Page) => Promise<void>;
  /** There when this is; also after a reload, in any language. */
  readonly shows: string;
  /** What a reload loses. */
  readonly restore?: (page: Page) => Promise<void>;
};

const isForReadme = process.argv.includes('--readme');

function fileOf(view: string, language: string, theme: string, width: number = SIZES[0].width): string {
  return join(PICTURES, `${view}.${language}.${theme}.${String(width)}.png`);
}

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
];

async function judgeOne(page: Page): Promise<void> {
  await page.locator('.view input[type=search], .view input[type=text]').first().fill(QUERY);
  await page.keyboard.press('Enter');
  await page.locator('.judged').first().waitFor();
}

/** Every area of a project that the walk does not pass through: what is there when it has come, and what makes it worth looking at. */
const AREA_VIEWS: Readonly<Record<Area, { readonly shows: string; readonly restore?: (page: Page) => Promise<void> } | null>> = {
  language: null,
  texts: null,
  train: null,
  result: null,
  search: null,
  phrases: { shows: 'main h1' },
  mine: { shows: 'main h1' },
  judge: { shows: 'main h1', restore: judgeOne },
  experiments: { shows: 'main h1' },
  share: { shows: '.share-sheet' },
};

/** After the walk: the other areas, the places beside projects, the first page with its projects. */
function laterViews(projectId: string): readonly View[] {
  const to = (address: string) => async (page: Page): Promise<void> => {
    await page.keyboard.press('Escape');
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
  };
  const areas = AREAS.flatMap((area): readonly View[] => {
    const row = AREA_VIEWS[area];
    return row === null ? [] : [{ name: area, shows: row.shows, ...(row.restore === undefined ? {} : { restore: row.restore }), go: async (page) => {
      await to(`#/project/${projectId}/${area}`)(page);
      await row.restore?.(page);
    } }];
  });
  return [...areas, ...COMMON_PLACES.map((place): View => ({ name: place, shows: 'main h1', go: to(`#/${place}`) })), { name: 'recent', shows: '.recent', go: to('#/') }];
}

/** A view counts as there when no skeleton stands for it any more. */
async function settled(page: Page, shows: string): Promise<void> {
  await page.locator(shows).first().waitFor();
  for (let looks = 0; looks < MOST_LOOKS && (await page.locator('.skeleton').count()) > 0; looks += 1) await page.waitForTimeout(LOOK_MS);
}

/** The interface in another language, as after choosing it in the settings. */
async function speak(page: Page, language: string, { shows, restore }: View): Promise<void> {
  await page.evaluate(`localStorage.setItem('isogloss.language', '${language}')`);
  await page.reload();
  await page.locator(`html[lang=${language}]`).waitFor();
  await restore?.(page);
  await settled(page, shows);
}

async function pictureForReadme(page: Page, view: View): Promise<void> {
  const wanted = [...IN_README.values()].filter((one) => one.view === view.name);
  if (wanted.length === 0) return;
  await settled(page, view.shows);
  await page.setViewportSize(SIZES[0]);
  for (const { language, theme } of wanted) {
    if (language !== LANGUAGES[0]) await speak(page, language, view);
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.screenshot({ path: fileOf(view.name, language, theme) });
  }
  if (wanted.some(({ language }) => language !== LANGUAGES[0])) await speak(page, LANGUAGES[0], view);
  process.stderr.write(`${view.name}\n`);
}

async function pictureInAll(page: Page, view: View): Promise<void> {
  await settled(page, view.shows);
  for (const language of LANGUAGES) {
    if (language !== LANGUAGES[0]) await speak(page, language, view);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      for (const size of SIZES) {
        await page.setViewportSize(size);
        await page.screenshot({ path: fileOf(view.name, language, theme, size.width) });
      }
    }
  }
  await page.emulateMedia({ colorScheme: THEMES[0], reducedMotion: 'reduce' });
  await page.setViewportSize(SIZES[0]);
  for (const language of MORE_LANGUAGES) {
    await speak(page, language, view);
    await page.screenshot({ path: fileOf(view.name, language, THEMES[0]) });
  }
  await speak(page, LANGUAGES[0], view);
  process.stderr.write(`${view.name}\n`);
}

/** The pictures of the README, as WebP made by the browser's own canvas. @throws when one is larger than a page should load. */
async function keepForReadme(context: BrowserContext): Promise<void> {
  await mkdir(README_PICTURES, { recursive: true });
  const page = await context.newPage(); // about:blank: no policy of ours stands in the way of a data URL
  for (const [name, { view, language, theme }] of IN_README) {
    const png = await readFile(fileOf(view, language, theme), 'base64');
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
const picture = isForReadme ? pictureForReadme : pictureInAll;
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
  const projectId = /project\/([\w-]+)/.exec(browser.page.url())?.[1] ?? '';
  for (const view of laterViews(projectId)) {
    await view.go(browser.page);
    await picture(browser.page, view);
  }
  if (browser.faults().length > 0) throw new Error(browser.faults().join('\n'));
  if (isForReadme) await keepForReadme(browser.context);
} finally {
  await browser.close();
  await program.stop();
  await home.remove();
}
