/** What does a person see of a library that changes under them, and of what they judge? Files come, move and break; passages are right or wrong. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { createProjects } from '../../main/project/projects.ts';
import { createRecentProjects } from '../../main/project/recent.ts';
import { expectAccessible } from './accessible.ts';
import { CHROMIUM, openBrowser, PATIENCE_MS, type Browser } from './browser.ts';
import { makeHome, startProgram, type Program } from './program.ts';

describe.skipIf(CHROMIUM === undefined)('a person whose documents change', () => {
  let home: Awaited<ReturnType<typeof makeHome>>;
  let program: Program;
  let browser: Browser;
  let documents: string;
  let projectFolder: string;

  beforeAll(async () => {
    home = await makeHome();
    documents = join(home.home, 'documents');
    await mkdir(join(documents, 'stories'), { recursive: true });
    await writeFile(join(documents, 'river.txt'), 'the small boat crosses the wide river\n');
    await writeFile(join(documents, 'stories', 'house.txt'), 'a big house stands on the hill\n');
    // a project with a model, as training would leave it
    const projects = createProjects({ recent: createRecentProjects(home.home), now: () => Date.now() });
    const project = await projects.create({ name: 'Lake archive', languages: ['sw'], parentFolder: join(home.home, 'projects') });
    projectFolder = project.folder;
    await writeModelFolder(join(projectFolder, 'models', 'model-1'), await testModel());
    await projects.change(project.file.id, (file) => ({ ...file, model: 'models/model-1' }));
    await projects.closeAll();
    program = await startProgram({ home: home.home });
    browser = await openBrowser({ width: 1024, height: 900 });
  });

  afterAll(async () => {
    await browser.close();
    await program.stop();
    await home.remove();
  });

  async function search(query: string): Promise<void> {
    const field = browser.page.getByRole('searchbox');
    await field.fill(query);
    await field.press('Enter');
  }

  const hitOf = (path: string) => browser.page.locator('.hit', { hasText: path });

  it('chooses a folder, reads it, and is told that changes are noticed', async () => {
    const { page } = browser;
    await page.goto(program.link);
    await page.getByRole('link', { name: /Lake archive/ }).click();
    await page.getByRole('link', { name: /Search/ }).click();
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.locator('.folder-entry', { hasText: 'documents' }).click();
    await page.getByRole('button', { name: 'Use this folder' }).click();
    await page.getByRole('button', { name: 'Read the documents' }).click();
    await page.locator('.library-words', { hasText: '2 documents' }).waitFor();
    await page.getByText('Changes in the folder are noticed by themselves.').waitFor();
    await expectAccessible(page);
  });

  it('puts a new file into the folder, and finds it without doing anything', async () => {
    const { page } = browser;
    await writeFile(join(documents, 'lake.txt'), 'they carry clean water from the well\n');
    await page.locator('.library-words', { hasText: '3 documents' }).waitFor();
    await search('clean water');
    await hitOf('lake.txt').waitFor();
  });

  it('renames it, and nothing is embedded again: its rows keep the place they had', async () => {
    const { page } = browser;
    await rename(join(documents, 'lake.txt'), join(documents, 'stories', 'well.txt'));
    const journal = join(projectFolder, 'library', 'index', 'journal.jsonl');
    for (;;) {
      const lines = (await readFile(journal, 'utf8')).split('\n');
      if (lines.some((line) => line.includes('"path":"stories/well.txt"') && line.includes('"storedPath":"lake.txt"'))) break;
      await page.waitForTimeout(200);
    }
    for (;;) {
      await search('clean water');
      await page.locator('.hit').first().waitFor();
      if (await hitOf('stories/well.txt').count() > 0) break;
      await page.waitForTimeout(500);
    }
    expect(await hitOf('lake.txt').count()).toBe(0);
  });

  it('sees a file that is damaged, with the reason, and may try it again', async () => {
    const { page } = browser;
    await writeFile(join(documents, 'damaged.pdf'), 'this is no PDF at all\n');
    const left = page.locator('.library summary', { hasText: '1 document was left out' });
    await left.waitFor();
    await left.click();
    await page.locator('.left-out', { hasText: 'damaged.pdf' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try again: damaged.pdf' }).click();
    await page.locator('.left-out', { hasText: 'damaged.pdf' }).waitFor();
  });

  it('narrows the search, asks for more like a passage, and opens one at its place', async () => {
    const { page } = browser;
    await search('the house on the hill by the river');
    await hitOf('river.txt').waitFor();
    await page.getByText('Narrow the search').click();
    await page.locator('.filters-field', { hasText: 'Folder' }).locator('select').selectOption('stories');
    await hitOf('river.txt').waitFor({ state: 'detached' });
    await hitOf('stories/house.txt').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Search everywhere' }).click();
    await hitOf('river.txt').getByRole('button', { name: 'More like this' }).click();
    await page.getByText('Passages like the one in').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Back to the search'); // what was pressed is gone: the keyboard goes on from here
    expect(await hitOf('river.txt').count()).toBe(0);
    await page.getByRole('button', { name: 'Back to the search' }).click();
    await hitOf('river.txt').getByRole('button', { name: 'Open here' }).click();
    await page.locator('.excerpt mark', { hasText: 'the small boat' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('judges what was found: how well each way of searching does is measured and shown; files can be exported', async () => {
    const { page } = browser;
    await page.locator('.query-chip', { hasText: 'All, to judge' }).click();
    await search('which boat crosses the river');
    await hitOf('river.txt').getByRole('button', { name: 'Right' }).click();
    await hitOf('stories/house.txt').getByRole('button', { name: 'Wrong' }).click();
    await page.getByText('You have judged 2 passages, for 1 question').click();
    await page.getByRole('button', { name: 'Measure now' }).click();
    await page.getByText(/For your own questions meaning and words together reach/).waitFor();
    expect((await page.locator('.history-table tbody tr').first().locator('td').allTextContents()).slice(1, 4).every((score) => Number(score) > 0)).toBe(true);
    await hitOf('stories/house.txt').getByRole('button', { name: 'Wrong' }).click(); // taken back
    await page.getByText('You have judged 1 passage, for 1 question').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Export (TREC, BEIR)' }).click();
    await page.getByText('Written to').waitFor();
    expect((await readdir(join(projectFolder, 'exports', 'judgements'))).sort()).toEqual(['corpus.jsonl', 'qrels', 'qrels.txt', 'queries.jsonl', 'training.jsonl']);
    await page.reload();
    await page.getByText('You have judged 1 passage, for 1 question').waitFor();
  });

  it('says which spellings are one, and finds what is spelled otherwise', async () => {
    const { page } = browser;
    await page.locator('.query-chip', { hasText: /^Words$/ }).click();
    await search('bxat');
    await page.getByText('Nothing fits').waitFor();
    await page.getByText('Spellings that count as the same').click();
    await page.locator('.spelling-text').fill('oa = xa');
    await page.getByRole('button', { name: 'Save the spellings' }).click();
    await expect.poll(() => readFile(join(projectFolder, 'project.json'), 'utf8'), { timeout: PATIENCE_MS }).toContain('xa'); // the button rests while it saves, too
    await page.locator('.spelling button[disabled]').waitFor();
    await search('bxat');
    await hitOf('river.txt').waitFor();
    expect(await hitOf('river.txt').textContent()).toContain('the small boat');
    await expectAccessible(page);
  });

  it('reads the same from right to left, in Arabic', async () => {
    const { page } = browser;
    await page.evaluate("localStorage.setItem('isogloss.language', 'ar')");
    await page.reload();
    await page.locator('html[lang=ar]').waitFor();
    await search('boat river');
    await page.locator('.hit').first().waitFor();
    expect(await page.evaluate('document.documentElement.dir')).toBe('rtl');
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(true);
    await expectAccessible(page);
  });

  it('broke no rule of the security policy on the way', () => {
    expect(browser.faults()).toEqual([]);
    expect(browser.strangers()).toEqual([]);
  });
});
