/** What meets a person who brings texts of their own, returns with an old link, or whose program was restarted? */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { CHROMIUM, openBrowser, type Browser } from './browser.ts';
import { makeHome, startProgram, type Program } from './program.ts';

const GOOD_LINES = 40;

const pairs = [...Array.from({ length: GOOD_LINES }, (_, at) => `The house number ${String(at)} stands by the lake.\tNumba ya ${String(at)} ili kunyanza.`), 'a line without its translation'].join('\n');

describe.skipIf(CHROMIUM === undefined)('a person with texts of their own', () => {
  let home: Awaited<ReturnType<typeof makeHome>>;
  let program: Program;
  let browser: Browser;

  beforeAll(async () => {
    home = await makeHome();
    await mkdir(join(home.home, 'texts'));
    await writeFile(join(home.home, 'texts', 'binary.tsv'), new Uint8Array([0, 1, 2, 3, 0, 255, 254, 0, 9, 10]));
    program = await startProgram({ home: home.home });
    browser = await openBrowser({ theme: 'dark', width: 1024, height: 700 });
  });

  afterAll(async () => {
    await browser.close();
    await program.stop();
    await home.remove();
  });

  it('makes a project for a language that no list has', async () => {
    const { page } = browser;
    await page.goto(program.link);
    await page.getByRole('button', { name: /Start a new project/ }).click();
    await page.getByLabel('Your language').fill('Kilakuva');
    await page.locator('.finder-row', { hasText: 'In no list of languages' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create the project' }).click();
    await page.getByRole('heading', { name: 'Texts', exact: true }).waitFor();
    await expectAccessible(page);
  });

  it('drops a file: real rows, what was left out and why, and a button that says how many', async () => {
    const { page } = browser;
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(pairs)}], 'lake.tsv', { type: 'text/tab-separated-values' }));
      return data;
    })()`);
    await page.locator('.box').nth(1).dispatchEvent('drop', { dataTransfer: transfer });
    const card = page.locator('.pending');
    await card.getByText('The house number 0 stands by the lake.').waitFor();
    expect(await card.textContent()).toContain('1 line left out');
    await card.locator('select').nth(0).selectOption('en');
    await card.locator('select').nth(1).selectOption({ label: 'Kilakuva' });
    await expectAccessible(page);
    await card.getByRole('button', { name: `Add ${String(GOOD_LINES)} pairs` }).click();
    await page.locator('.corpus').waitFor();
    expect(await page.locator('.corpus').textContent()).toContain('Kilakuva');
  });

  it('chooses a file that is no text: it is refused in words and can be left out', async () => {
    const { page } = browser;
    await page.locator('.box').nth(1).getByRole('button', { name: 'Choose files' }).click();
    await page.locator('.folder-entry', { hasText: 'texts' }).click();
    await page.locator('.folder-entry', { hasText: 'binary.tsv' }).click();
    await page.getByRole('button', { name: 'Look inside' }).click();
    await page.locator('.pending [role=alert]').waitFor();
    expect(await page.locator('.pending').textContent()).toContain('This file cannot be used');
    await page.locator('.pending').getByRole('button', { name: 'Leave out' }).click();
    await page.locator('.pending').waitFor({ state: 'detached' });
  });

  it('finds the project again among the recent ones, at the step that needs them', async () => {
    const { page } = browser;
    await page.goto(`http://127.0.0.1:${String(program.port)}/#/`);
    await page.getByRole('link', { name: /Kilakuva/ }).click();
    await page.getByRole('heading', { name: 'Train', exact: true }).waitFor();
    await page.getByRole('link', { name: /Language/ }).click();
    await page.getByRole('heading', { name: 'Language', exact: true }).waitFor();
    await expectAccessible(page);
  });

  it('adds a second language that no list has, in another script, and its name is kept', async () => {
    const { page } = browser;
    const name = 'ภาษาริมทะเลสาบ';
    await page.getByLabel('Add another language').fill(name);
    await page.locator('.finder-row', { hasText: 'In no list of languages' }).click();
    await page.locator('.language-own', { hasText: name }).waitFor();
    await page.reload();
    await page.locator('.language-own', { hasText: name }).waitFor();
    await page.locator('.rail-home').click();
    await page.locator('.recent', { hasText: name }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Language', exact: true }).waitFor();
  });

  it('may turn the whole interface to Arabic, from right to left', async () => {
    const { page } = browser;
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Language of the interface').selectOption('ar');
    await page.getByRole('heading', { name: 'اللغة', exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.dir')).toBe('rtl');
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    const rail = await page.locator('nav').boundingBox();
    expect(rail?.x).toBeGreaterThan(512);
    await page.getByRole('button', { name: 'الإعدادات' }).click();
    await page.locator('select').last().selectOption('en');
    await page.keyboard.press('Escape');
  });

  it('broke no rule of the security policy on the way', () => {
    expect(browser.faults()).toEqual([]);
    expect(browser.strangers()).toEqual([]);
  });

  it('with a link that was used already meets a plain page that says what to do', async () => {
    const other = await openBrowser();
    try {
      await other.page.goto(program.link);
      await other.page.getByRole('heading', { name: 'This link has been used already' }).waitFor();
      await expectAccessible(other.page);
    } finally {
      await other.close();
    }
  });

  it('is told when the program is gone, and to use the new link when it was started anew', async () => {
    const { page } = browser;
    await program.stop();
    await page.getByText('Isogloss does not answer').waitFor();
    program = await startProgram({ home: home.home, port: program.port });
    await page.getByRole('heading', { name: 'This link has been used already' }).waitFor();
    await page.goto('about:blank');
    await page.goto(program.link);
    await page.getByRole('link', { name: /Kilakuva/ }).waitFor();
  });
});
