/** Does training obey the person, and does a trainer that is killed lose nothing that was there? */
import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { CHROMIUM, openBrowser, type Browser } from './browser.ts';
import { makeHome, startProgram, type Program } from './program.ts';

const TRAINING_PATIENCE_MS = 240_000;

/** The process of the trainer that this program started, null while there is none; found by descent, so that no other program's is touched. */
function trainerOf(programId: number): number | null {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n').map((row) => {
    const [, id = '', parent = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? [];
    return { id: Number(id), parent: Number(parent), command };
  });
  const family = new Set([programId]);
  for (let grown = true; grown; ) {
    const more = rows.filter(({ id, parent }) => family.has(parent) && !family.has(id));
    for (const { id } of more) family.add(id);
    grown = more.length > 0;
  }
  const trainer = rows.find(({ id, command }) => family.has(id) && /workers[\\/]train/.test(command));
  return trainer?.id ?? null;
}

function kill(trainer: number | null): void {
  if (trainer === null) throw new Error('No trainer is running.');
  process.kill(trainer, 'SIGKILL');
}

async function startTraining(page: Page, preset: RegExp): Promise<void> {
  await page.getByRole('radio', { name: preset }).click();
  await page.getByRole('button', { name: /^Train \(/ }).click();
  await page.locator('.curve').first().waitFor({ timeout: TRAINING_PATIENCE_MS });
}

const stepsDone = async (page: Page): Promise<number> => Number(/([\d,]+) of/.exec((await page.locator('.progress').first().textContent()) ?? '')?.[1]?.replaceAll(',', ''));

describe.skipIf(CHROMIUM === undefined)('training', () => {
  let home: Awaited<ReturnType<typeof makeHome>>;
  let program: Program;
  let browser: Browser;

  beforeAll(async () => {
    home = await makeHome();
    program = await startProgram({ home: home.home });
    browser = await openBrowser({ theme: 'dark' });
    const { page } = browser;
    await page.goto(program.link);
    await page.getByRole('button', { name: /Open the sample project/ }).click();
    await page.getByRole('link', { name: /Train/ }).first().click();
    await startTraining(page, /Thorough/);
  });

  afterAll(async () => {
    await browser.close();
    await program.stop();
    await home.remove();
  });

  it('pauses, and stands still, also in a second window', async () => {
    const { page, context } = browser;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('heading', { name: 'Paused' }).waitFor();
    await expectAccessible(page);
    const before = await stepsDone(page);
    expect(before).toBeGreaterThan(0);
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByRole('heading', { name: 'Paused' }).waitFor();
    await other.locator('.curve').first().waitFor();
    expect(await stepsDone(other)).toBe(before);
    await other.close();
    expect(await stepsDone(page)).toBe(before);
  });

  it('goes on where it stood', async () => {
    const { page } = browser;
    const before = await stepsDone(page);
    await page.getByRole('button', { name: 'Go on', exact: true }).click();
    await page.getByRole('heading', { name: 'Training', exact: true }).waitFor();
    await expect.poll(() => stepsDone(page), { timeout: TRAINING_PATIENCE_MS }).toBeGreaterThan(before);
  });

  it('stops early and keeps what it has learnt', async () => {
    const { page } = browser;
    await page.getByRole('button', { name: 'Stop and keep this model' }).click();
    await page.getByRole('heading', { name: 'Training is finished' }).waitFor({ timeout: TRAINING_PATIENCE_MS });
    expect(await page.locator('main').textContent()).toContain('You stopped it after');
    await page.getByRole('link', { name: 'See the result' }).click();
    await page.getByText('Knows').waitFor();
  });

  it('whose process is killed goes on once by itself, then says so in words; the model that was there stays', async () => {
    const { page } = browser;
    await page.getByRole('link', { name: /Train/ }).first().click();
    await page.getByRole('button', { name: 'Plan another training' }).click();
    await startTraining(page, /Thorough/);
    const first = trainerOf(program.processId);
    kill(first);
    await expect.poll(() => [null, first].includes(trainerOf(program.processId)), { timeout: TRAINING_PATIENCE_MS }).toBe(false); // another has taken over
    await page.getByRole('heading', { name: 'Training', exact: true }).waitFor();
    kill(trainerOf(program.processId));
    await page.locator('[role=alert]').waitFor();
    expect(await page.locator('[role=alert]').textContent()).toContain('ended unexpectedly');
    await expectAccessible(page);
    await page.getByRole('link', { name: /Result/ }).click();
    await page.getByText('Knows').waitFor();
  });

  it('is cancelled only after asking, and can then be planned anew', async () => {
    const { page } = browser;
    await page.getByRole('link', { name: /Train/ }).first().click();
    await page.getByRole('button', { name: 'Plan another training' }).click();
    await startTraining(page, /Thorough/);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').waitFor();
    await expectAccessible(page);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Back' }).click();
    await page.getByRole('heading', { name: 'Training', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel the training' }).click();
    await page.getByRole('button', { name: /^Train \(/ }).waitFor({ timeout: TRAINING_PATIENCE_MS });
    expect(browser.faults()).toEqual([]);
  });
});
