/** What meets a person who brings texts of their own, returns with an old link, or whose program was restarted? */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { CHROMIUM, openBrowser, type Browser } from './browser.ts';
import { asQuestions, asTmx, asTsv, LAKE_DOCUMENTS, LAKE_PAIRS } from './lake-texts.ts';
import { makeHome, startProgram, type Program } from './program.ts';

const TRAINING_PATIENCE_MS = 240_000;
const IN_TSV = 230;
const ARABIC_PAIRS = 220;

const SAMPLE = fileURLToPath(new URL('../../core/sample', import.meta.url));

/** The words of the interface in one language, by section and name. */
async function wordsOf(language: string): Promise<(section: string, name: string) => string> {
  const words = JSON.parse(await readFile(fileURLToPath(new URL(`../../renderer/locales/${language}.json`, import.meta.url)), 'utf8')) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  return (section, name) => {
    const word = words[section]?.[name];
    if (word === undefined) throw new Error(`No word ${section}.${name} in ${language}.`);
    return word;
  };
}

const pairs = asTsv(LAKE_PAIRS.slice(0, IN_TSV));
const inTmx = LAKE_PAIRS.slice(IN_TSV);

describe.skipIf(CHROMIUM === undefined)('a person with texts of their own', () => {
  let home: Awaited<ReturnType<typeof makeHome>>;
  let program: Program;
  let browser: Browser;

  beforeAll(async () => {
    home = await makeHome();
    await mkdir(join(home.home, 'texts'));
    await writeFile(join(home.home, 'texts', 'binary.tsv'), new Uint8Array([0, 1, 2, 3, 0, 255, 254, 0, 9, 10]));
    await writeFile(join(home.home, 'texts', 'memory.tmx'), asTmx(inTmx, 'x-kilakuva'));
    await writeFile(join(home.home, 'texts', 'questions.jsonl'), asQuestions(LAKE_PAIRS.slice(0, 60)));
    await mkdir(join(home.home, 'lake'));
    await cp(join(SAMPLE, 'documents', 'ar'), join(home.home, 'arabic'), { recursive: true });
    for (const [name, text] of Object.entries(LAKE_DOCUMENTS)) await writeFile(join(home.home, 'lake', name), text);
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
    await card.getByText('The house is near the boat.').waitFor();
    expect(await card.textContent()).toContain('1 line left out');
    await card.locator('select').nth(0).selectOption('en');
    await card.locator('select').nth(1).selectOption({ label: 'Kilakuva' });
    await expectAccessible(page);
    await card.getByRole('button', { name: `Add ${String(IN_TSV)} pairs` }).click();
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

  it('chooses a translation memory and questions of their own from the folder browser', async () => {
    const { page } = browser;
    for (const [box, file, add] of [[1, 'memory.tmx', `Add ${String(inTmx.length)} pairs`], [0, 'questions.jsonl', 'Add 60 questions']] as const) {
      await page.locator('.box').nth(box).getByRole('button', { name: 'Choose files' }).click();
      await page.locator('.folder-entry', { hasText: 'texts' }).click();
      await page.locator('.folder-entry', { hasText: file }).click();
      await page.getByRole('button', { name: 'Look inside' }).click();
      const card = page.locator('.pending');
      await card.getByRole('button', { name: add }).waitFor();
      if (box === 1) await card.locator('select').nth(1).selectOption({ label: 'Kilakuva' });
      else if (await card.locator('select').count() > 0) await card.locator('select').first().selectOption('en');
      await card.getByRole('button', { name: add }).click();
      await card.waitFor({ state: 'detached' });
    }
    expect(await page.locator('.corpus').count()).toBe(3);
  });

  it('trains on them in seconds, reads a folder in which one file is broken, and finds the right text across languages', async () => {
    const { page } = browser;
    await page.getByRole('link', { name: 'Go on to training' }).click();
    await page.getByRole('radio', { name: /Quick/ }).click();
    await page.getByRole('button', { name: /^Train \(/ }).click();
    await page.getByRole('heading', { name: 'Training is finished' }).waitFor({ timeout: TRAINING_PATIENCE_MS });
    await page.getByRole('link', { name: /^Search/ }).first().click();
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.locator('.folder-entry', { hasText: 'lake' }).click();
    await page.getByRole('button', { name: 'Use this folder' }).click();
    await page.getByRole('button', { name: 'Read the documents' }).click();
    await page.locator('.library-words', { hasText: '4 documents' }).waitFor();
    await page.locator('.library summary', { hasText: '1 document was left out' }).waitFor();
    for (const [query, file] of [['The boat is near the market.', 'boat.txt'], ['bread belongs to the child', 'bread.txt'], ['samkaki ziwani', 'notes.html']] as const) {
      await page.getByRole('searchbox').fill(query);
      await page.getByRole('searchbox').press('Enter');
      await page.locator('.hit').first().getByText(file).waitFor();
    }
    await expectAccessible(page);
  });

  it('goes back and takes a corpus away: it is said what that changes, and nothing that was made is lost', async () => {
    const { page } = browser;
    await page.getByRole('link', { name: /Texts/ }).click();
    await page.locator('.corpus', { hasText: 'memory.tmx' }).getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: /Remove/ }).click();
    await page.locator('.corpus', { hasText: 'memory.tmx' }).waitFor({ state: 'detached' });
    expect(await page.locator('.corpus').count()).toBe(2);
    await page.locator('.rail-entry', { hasText: 'Train' }).getByText('needs you').waitFor({ state: 'attached' });
    await page.getByRole('link', { name: /Result/ }).click();
    await page.getByText('Knows English').waitFor();
    await page.getByText('Your texts have changed since this model learned.').waitFor();
    await page.getByRole('link', { name: /^Search/ }).first().click();
    await page.getByRole('searchbox').fill('mukate');
    await page.getByRole('searchbox').press('Enter');
    await page.locator('.hit').first().getByText('bread.txt').waitFor();
    await page.getByRole('link', { name: /Train/ }).first().click();
    await page.getByRole('button', { name: 'Plan another training' }).click();
    await page.getByRole('button', { name: /^Train \(/ }).waitFor();
  });

  it('finds the project again among the recent ones, where they left it', async () => {
    const { page } = browser;
    await page.goto(`http://127.0.0.1:${String(program.port)}/#/`);
    await page.getByRole('link', { name: /Kilakuva/ }).click();
    await page.locator('.rail-entry[aria-current=page]').waitFor();
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
  });

  it('makes a second project, about Arabic and in the Arabic interface, from its name to a right search result', async () => {
    const { page } = browser;
    const say = await wordsOf('ar');
    await page.locator('.rail-home').click();
    await page.getByRole('button', { name: say('welcome', 'new') }).click();
    await page.getByLabel(say('new', 'which-language')).fill('العربية');
    await page.locator('.finder-row').first().click();
    await page.getByRole('button', { name: say('new', 'create') }).click();
    await page.locator('.box').first().waitFor();
    for (const [box, name, file] of [[1, 'أزواج.en-ar.tsv', 'parallel.en-ar.tsv'], [0, 'questions.jsonl', null]] as const) {
      const text = file === null ? asQuestions(LAKE_PAIRS.slice(0, 60)) : (await readFile(join(SAMPLE, file), 'utf8')).split('\n').slice(0, ARABIC_PAIRS).join('\n');
      const transfer = await page.evaluateHandle(`(() => {
        const data = new DataTransfer();
        data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
        return data;
      })()`);
      await page.locator('.box').nth(box).dispatchEvent('drop', { dataTransfer: transfer });
      const card = page.locator('.pending');
      await card.locator('.button-main').waitFor();
      const selects = card.locator('select');
      if (box === 0 && await selects.count() > 0 && (await selects.first().inputValue()) === '') await selects.first().selectOption('en');
      await card.locator('.button-main').click();
      await card.waitFor({ state: 'detached' });
    }
    expect(await page.evaluate("getComputedStyle(document.querySelector('.corpus .user-text[lang=ar]')).direction")).toBe('rtl');
    expect(await page.evaluate("getComputedStyle(document.querySelector('.corpus .user-text[lang=en]')).direction")).toBe('ltr');
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(true);
    await expectAccessible(page);
    await page.getByRole('link', { name: say('texts', 'next') }).click();
    await page.getByRole('radio', { name: new RegExp(`^\\s*${say('train', 'preset-quick')}`) }).first().click();
    await page.locator('.view-actions .button-main').click();
    await page.getByRole('heading', { name: say('watch', 'title-finished') }).waitFor({ timeout: TRAINING_PATIENCE_MS });
    await expectAccessible(page);
    await page.getByRole('link', { name: say('step', 'search') }).first().click();
    await page.getByRole('button', { name: say('search', 'choose-folder') }).click();
    await page.locator('.folder-entry', { hasText: 'arabic' }).click();
    await page.getByRole('button', { name: say('search', 'use-folder') }).click();
    await page.getByRole('button', { name: say('library', 'index') }).click();
    const question = (await readFile(join(SAMPLE, 'questions.jsonl'), 'utf8')).split('\n').filter(Boolean).map((line) => JSON.parse(line) as { text: string; language: string; document: string }).find(({ language, document }) => language === 'ar' && document.includes('/ar/'));
    await page.getByRole('searchbox').fill(question?.text ?? '');
    await page.getByRole('searchbox').press('Enter');
    await page.locator('.hit', { hasText: question?.document.split('/').at(-1) ?? 'none' }).first().waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('.hit .user-text')).direction")).toBe('rtl');
    await expectAccessible(page);
    await page.getByRole('button', { name: say('settings', 'button') }).click();
    await page.locator('.settings select').last().selectOption('en');
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
    await page.getByText('Isogloss does not answer').first().waitFor();
    program = await startProgram({ home: home.home, port: program.port });
    await page.getByRole('heading', { name: 'This link has been used already' }).waitFor();
    await page.goto('about:blank');
    await page.goto(program.link);
    await page.getByRole('link', { name: /Kilakuva/ }).waitFor();
  });
});
