/**
 * Is the window fit for everybody and for long days? Keyboard alone, every view in both themes and directions, hostile documents, letters,
 * an hour of training. The program runs in this process, so that a trainer can be played whose hour takes seconds; all other workers are real.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { RPCHandler } from '@orpc/server/ws';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { createServices, type Services } from '../../main/api/application.ts';
import { openSample } from '../../main/api/projects.ts';
import { createRouter } from '../../main/api/router.ts';
import { listPages } from '../../main/served/pages.ts';
import { serve, type ServedApplication } from '../../main/served/server.ts';
import { nodeProcesses } from '../../main/workers/process.ts';
import { AREAS, COMMON_PLACES } from '../../renderer/stores/place.ts';
import { expectAccessible } from './accessible.ts';
import { CHROMIUM, openBrowser, PATIENCE_MS, type Browser } from './browser.ts';
import { LONG_TASK_MS, slowness, useWindow, watchTasks } from './long-tasks.ts';
import { playedTrainer, type PlayedTrainer } from './played-trainer.ts';
import { makeHome } from './program.ts';

const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** What a first visit may fetch before it shows something, compressed; the fonts come beside it. */
const FIRST_LOAD_BYTES = 260_000;
const TAB_LIMIT = 80;
/** Steps of the hour: one a second. */
const HOUR_STEPS = 3_600;
/** Growth of the page's memory between a tenth of the hour and its end. */
const GROWTH_BYTES = 4_000_000;

const HOSTILE = `<img src=x onerror="document.title='owned'">\n\n<script>document.title='owned'</script>\n\n<svg onload="document.title='owned'"><a href="javascript:document.title='owned'">the hostile boat</a></svg>\n\nz${'\u0300'.repeat(400)}algo \u202eevil\u202c\n`;

describe.skipIf(CHROMIUM === undefined)('the window', () => {
  let home: Awaited<ReturnType<typeof makeHome>>;
  let services: Services;
  let served: ServedApplication;
  let browser: Browser;
  let trainer: PlayedTrainer;
  let projectId: string;

  beforeAll(async () => {
    home = await makeHome();
    trainer = playedTrainer();
    const real = nodeProcesses((name) => inRepository(`main/workers/${name}.ts`));
    services = await createServices({
      mode: 'served', version: '0.0.0-test', paths: 'chosen', startProcess: (name) => (name === 'train' ? trainer.start() : real(name)), folders: { data: home.home, projects: join(home.home, 'projects') }, home: home.home,
      sampleFolder: inRepository('core/sample'), starterFolder: inRepository('core/training/starter'), systemLanguage: 'en-GB', onFault: () => undefined,
    });
    const { id, folder } = await openSample(services);
    projectId = id;
    await mkdir(join(home.home, 'archive'));
    await writeFile(join(home.home, 'archive', 'river.txt'), 'the small boat crosses the wide river\n');
    await writeFile(join(home.home, 'archive', 'house.txt'), 'a big house stands on the hill by the river\n');
    await writeFile(join(home.home, 'archive', 'hostile.md'), HOSTILE);
    await writeModelFolder(join(folder, 'models', 'model-1'), await testModel());
    await services.projects.change(id, (file) => ({ ...file, model: 'models/model-1', library: { folders: [], isWatched: false } }));
    served = await serve({ port: 0, pages: await listPages(inRepository('build/renderer')), connect: (socket) => void new RPCHandler(createRouter(services)).upgrade(socket) });
    browser = await openBrowser({ width: 1024, height: 700 });
  });

  afterAll(async () => {
    await browser.close();
    await served.close();
    await services.close();
    await home.remove();
  });

  const go = async (page: Page, address: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    await page.locator('main h1').first().waitFor({ state: 'attached' });
  };

  it('is built so that it holds nothing that its policy forbids, and its first load is small', async () => {
    const pages = await listPages(inRepository('build/renderer'));
    const scripts = [...pages.entries()].filter(([path]) => path.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(5);
    for (const [path, { file }] of scripts) expect((await readFile(file, 'utf8')).match(/\beval\(|new Function\(|document\.write\(/g) ?? [], path).toEqual([]);
    const html = await readFile(pages.get('/')?.file ?? '', 'utf8');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|javascript:|style="/);
    const first = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map(([, path]) => path ?? '');
    let bytes = 0;
    for (const path of first) bytes += gzipSync(await readFile(pages.get(`/${path}`)?.file ?? '')).length;
    process.stderr.write(`first load: ${String(first.length)} files, ${String(Math.round(bytes / 1000))} kB compressed\n`);
    expect(first.some((path) => path.includes('ar-') || path.includes('TrainView'))).toBe(false);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
  });

  it('is used by the keyboard alone, from the first page to a judged passage and back', async () => {
    const { page } = browser;
    await page.goto(served.newLink());
    await page.locator('.recent').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toContain('skip-link');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
    await tabTo(page, page.locator('.recent-name').first());
    await page.keyboard.press('Enter');
    await page.locator('.rail').waitFor();
    await page.locator('main h1').waitFor();
    await tabTo(page, page.locator('.rail-entry', { hasText: 'Search' }), { backwards: true });
    await page.keyboard.press('Enter');
    const choose = page.getByRole('button', { name: 'Choose a folder' });
    await choose.waitFor();
    await tabTo(page, choose);
    await page.keyboard.press('Enter');
    await tabTo(page, page.locator('.folder-entry', { hasText: 'archive' }));
    await page.keyboard.press('Enter');
    await page.locator('.folder-path', { hasText: 'archive' }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Use this folder' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'Read the documents' }));
    await page.keyboard.press('Enter');
    await page.getByRole('searchbox').waitFor();
    await tabTo(page, page.getByRole('searchbox'));
    await page.keyboard.type('small boat on the wide river');
    await page.keyboard.press('Enter');
    await page.locator('.hit', { hasText: 'river.txt' }).waitFor();
    const right = page.locator('.hit', { hasText: 'river.txt' }).getByRole('button', { name: 'Right' });
    await tabTo(page, right);
    await page.keyboard.press('Space');
    await page.locator('.undo-note', { hasText: 'Marked as right.' }).waitFor();
    await expectPressed(right, 'true');
    await page.keyboard.press('Control+z');
    await expectPressed(right, 'false');
    await page.locator('.undo-note').waitFor({ state: 'detached' });
    await tabTo(page, page.locator('.hit', { hasText: 'river.txt' }).getByRole('button', { name: 'Open here' }));
    await page.keyboard.press('Enter');
    await page.locator('.excerpt mark').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.excerpt').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Open here'); // where it was before
  });

  it('shows what a hostile document holds as text', async () => {
    const { page } = browser;
    await page.getByRole('searchbox').fill('the hostile boat');
    await page.getByRole('searchbox').press('Enter');
    const hit = page.locator('.hit', { hasText: 'hostile.md' });
    await hit.waitFor();
    await hit.getByRole('button', { name: 'Open here' }).click();
    await page.locator('.excerpt mark').waitFor();
    expect(await page.locator('.excerpt img, .excerpt script, .excerpt svg, .hit .user-text img').count()).toBe(0);
    expect(await page.title()).not.toContain('owned');
    await page.keyboard.press('Escape');
  });

  it('takes text as it is composed, whatever keyboard makes it, and letters from the palette where the person writes', async () => {
    const { page } = browser;
    const field = page.getByRole('searchbox');
    await field.fill('');
    await field.focus();
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', { text: 'ŋg', selectionStart: 2, selectionEnd: 2 });
    await page.keyboard.press('Enter'); // ends the composition, asks nothing
    await session.send('Input.insertText', { text: 'ŋgɔ́n' });
    expect(await field.inputValue()).toContain('ŋgɔ́n');
    await session.detach();
    await field.fill('maji ');
    await page.getByRole('button', { name: 'Letters' }).click();
    const letter = page.locator('.palette-letter[lang=ar]').first();
    await letter.click();
    expect(await field.inputValue()).toBe(`maji ${((await letter.textContent()) ?? '').replace('\u25cc', '')}`);
    expect(await field.inputValue()).toMatch(/^maji [\p{L}\p{M}]+$/u);
    expect(await hasFocus(field)).toBe(true);
    await expectAccessible(page);
  });

  it('fetches the face of a script when a letter of it is to be shown, and the font that was chosen for a language is used', async () => {
    const { page } = browser;
    const fetched = async (name: string): Promise<boolean> => Boolean(await page.evaluate(`performance.getEntriesByType('resource').some(({ name }) => name.includes('${name}'))`));
    expect(await fetched('noto-sans-ethiopic')).toBe(false);
    await page.getByRole('searchbox').fill('አማርኛ');
    await expect.poll(() => fetched('noto-sans-ethiopic'), { timeout: PATIENCE_MS }).toBe(true);
    expect(await fetched('noto-sans-cherokee')).toBe(false);
    await go(page, `#/project/${projectId}/language`);
    const look = page.locator('.look').first();
    await look.locator('summary').click();
    await look.locator('select').selectOption('Scheherazade New');
    await go(page, `#/project/${projectId}/texts`);
    await expect.poll(() => page.evaluate("getComputedStyle(document.querySelector('.corpus .user-text[lang=ar]')).fontFamily"), { timeout: PATIENCE_MS }).toContain('Scheherazade New');
    await expect.poll(() => fetched('scheherazade-new'), { timeout: PATIENCE_MS }).toBe(true);
  });

  it('finds words on the page, as the desktop’s menu asks it to', async () => {
    const { page } = browser;
    services.wishes.send({ kind: 'find' });
    await page.locator('.find-field').waitFor();
    await page.keyboard.type('swahili');
    await expect.poll(() => page.locator('.find-count').textContent(), { timeout: PATIENCE_MS }).toMatch(/^1 of \d+$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.find-count').textContent(), { timeout: PATIENCE_MS }).toMatch(/^2 of \d+$/);
    expect(await page.evaluate("CSS.highlights.get('find-current').size")).toBe(1);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.locator('.find-field').waitFor({ state: 'detached' });
    services.wishes.send({ kind: 'go', to: 'activity' });
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
  });

  it('is fit for everybody on every view, in both themes and both directions', async () => {
    const { page } = browser;
    const places = ['#/', '#/new', ...COMMON_PLACES.map((place) => `#/${place}`), ...AREAS.map((area) => `#/project/${projectId}/${area}`)];
    expect(places.length).toBeGreaterThan(12);
    for (const [language, theme] of [['en', 'light'], ['ar', 'dark']] as const) {
      await page.evaluate(`localStorage.setItem('isogloss.language', '${language}')`);
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.reload();
      await page.locator(`html[lang=${language}]`).waitFor();
      for (const place of places) {
        await go(page, place);
        await expect.poll(() => page.locator('.skeleton').count(), { timeout: PATIENCE_MS }).toBe(0);
        expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'), `${place} ${language}`).toBe(true);
        await expectAccessible(page);
      }
    }
    await page.evaluate("localStorage.setItem('isogloss.language', 'en')");
    await page.emulateMedia({ colorScheme: 'light' });
    await page.reload();
  });

  it('stays as large as it is during an hour of training, and is never too busy for the person', async () => {
    const { page } = browser;
    await go(page, `#/project/${projectId}/train`);
    await page.getByRole('button', { name: /^Train \(/ }).click();
    await page.getByRole('heading', { name: 'Training', exact: true }).waitFor();
    const session = await page.context().newCDPSession(page);
    const memory = async (): Promise<number> => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    const shown = (step: number): Promise<unknown> => page.locator('.progress', { hasText: new Intl.NumberFormat('en-GB').format(step) }).first().waitFor();
    await trainer.steps({ from: 1, to: HOUR_STEPS / 10, of: HOUR_STEPS });
    await shown(HOUR_STEPS / 10);
    const before = await memory();
    const watch = await watchTasks(page);
    const rest = trainer.steps({ from: HOUR_STEPS / 10 + 1, to: HOUR_STEPS, of: HOUR_STEPS });
    await useWindow(page);
    await rest;
    await shown(HOUR_STEPS);
    const tasks = await watch.stop();
    const slow = await slowness(page);
    const after = await memory();
    process.stderr.write(`an hour of training: memory ${(before / 1e6).toFixed(1)} -> ${(after / 1e6).toFixed(1)} MB; ${String(tasks.tasks)} tasks, longest ${tasks.longestCpuMs.toFixed(0)} ms of processor time (${tasks.longestWallMs.toFixed(0)} ms by the clock), ${String(tasks.long)} long ones; machine ${slow.toFixed(1)} times slower than usual\n`);
    expect(tasks.tasks).toBeGreaterThan(100);
    expect(tasks.longestCpuMs).toBeLessThan(LONG_TASK_MS * slow);
    expect(after - before).toBeLessThan(GROWTH_BYTES);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel the training' }).click();
    await page.getByRole('button', { name: /^Train \(/ }).waitFor();
  });

  it('asked nobody but this computer, and broke no rule of the security policy', () => {
    expect(browser.strangers()).toEqual([]);
    expect(browser.faults()).toEqual([]);
    expect(homedir()).not.toBe(home.home);
  });
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, wanted: Locator, { backwards = false }: { readonly backwards?: boolean } = {}): Promise<void> {
  await wanted.waitFor();
  for (let presses = 0; presses < TAB_LIMIT; presses += 1) {
    if (await hasFocus(wanted)) return;
    await page.keyboard.press(backwards ? 'Shift+Tab' : 'Tab');
  }
  throw new Error(`${String(TAB_LIMIT)} presses of Tab did not reach ${wanted.toString()}; the focus is on ${String(await page.evaluate('document.activeElement.outerHTML.slice(0, 120)'))}`);
}

async function hasFocus(wanted: Locator): Promise<boolean> {
  return wanted.evaluate((element: unknown) => {
    const page: unknown = Reflect.get(globalThis, 'document'); // runs in the page
    return typeof page === 'object' && page !== null && Reflect.get(page, 'activeElement') === element;
  });
}

async function expectPressed(button: Locator, pressed: 'true' | 'false'): Promise<void> {
  await expect.poll(() => button.getAttribute('aria-pressed'), { timeout: PATIENCE_MS }).toBe(pressed);
}
