/** Can a person bring a pretrained model in a folder, hear what is missing or what it costs, and train it through the window? */
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { CHROMIUM, openBrowser, type Browser } from './browser.ts';
import { makeHome, startProgram, type Program } from './program.ts';

/** Two layers of width 8, weights by chance. */
const TINY = fileURLToPath(new URL('../reference/backbones/xlm-roberta', import.meta.url));
const STEPS = 10;
const TRAINING_PATIENCE_MS = 240_000;

describe.skipIf(CHROMIUM === undefined)('a model that a person brings', () => {
  let home: Awaited<ReturnType<typeof makeHome>>;
  let program: Program;
  let browser: Browser;

  beforeAll(async () => {
    home = await makeHome();
    await cp(TINY, join(home.home, 'tiny-xlm-r'), { recursive: true });
    await mkdir(join(home.home, 'half-copied'));
    program = await startProgram({ home: home.home });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await program.stop();
    await home.remove();
  });

  it('is refused by name while it is not whole, then trained by ten steps, with a curve, its device and its result', async () => {
    const { page } = browser;
    await page.goto(program.link);
    await page.getByRole('button', { name: /Open the sample project/ }).click();
    await page.getByRole('link', { name: /Train/ }).first().click();
    await page.getByRole('radio', { name: /A model you bring/ }).click();
    await page.getByRole('button', { name: 'Choose the folder of the model…' }).click();
    await page.getByRole('button', { name: 'half-copied' }).click();
    await page.getByText('This folder is empty.').waitFor();
    await page.getByRole('button', { name: 'Look at this folder' }).click();
    await page.getByRole('heading', { name: 'This model cannot be used yet' }).waitFor();
    expect(await page.getByRole('dialog').locator('code').allTextContents()).toEqual(['config.json', 'tokenizer.json', 'model.safetensors']);

    await page.getByRole('button', { name: 'Choose another folder' }).click();
    await page.getByRole('button', { name: 'Up' }).click();
    await page.getByRole('button', { name: 'tiny-xlm-r' }).click();
    await page.getByRole('button', { name: 'Look at this folder' }).click();
    await page.getByRole('heading', { name: 'This model can be trained here' }).waitFor();
    const answer = (await page.getByRole('dialog').textContent()) ?? '';
    for (const said of ['2 layers of width 8', 'of memory when everything learns', 'for 1,000 steps of 48 questions', 'pieces stay']) expect(answer).toContain(said);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Use this model' }).click();

    await page.locator('summary', { hasText: 'Where it calculates' }).click();
    await page.getByRole('radio', { name: /^Processor/ }).click();
    await page.locator('summary', { hasText: 'Settings for experts' }).click();
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('budget/steps');
    const steps = page.getByRole('spinbutton', { name: 'Steps', exact: true });
    await steps.fill(String(STEPS));
    await steps.press('Enter');
    await page.getByRole('radio', { name: /Balanced.*Steps: 10/s }).click();
    await page.getByRole('button', { name: /^Train \(/ }).click();
    await page.locator('.curve').first().waitFor({ timeout: TRAINING_PATIENCE_MS });
    expect(await page.locator('.watch-machine').or(page.getByRole('heading', { name: 'Training is finished' })).first().textContent()).not.toBe('');
    await page.getByRole('heading', { name: 'Training is finished' }).waitFor({ timeout: TRAINING_PATIENCE_MS });
    await page.getByRole('link', { name: 'See the result' }).click();
    await page.locator('.shares').first().waitFor();
    expect(browser.faults()).toEqual([]);
    expect(browser.strangers()).toEqual([]);
  });
});
