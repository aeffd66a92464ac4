/** Are real pages read as their makers wrote them, and the hostile files refused? Runs only where the data folder lies beside the checkout. */
import { existsSync } from 'node:fs';
import { copyFile, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { documentText } from './parsed-document.ts';
import { readDocument } from './read-document.ts';

const folder = fileURLToPath(new URL('../../../shared/data/formats/', import.meta.url));
const never = new AbortController().signal;

test.skipIf(!existsSync(join(folder, 'html/test.html')))('a long page has its title, language, headings and sentences', async () => {
  const document = await readDocument(join(folder, 'html/test.html'), never);
  expect([document.title, document.language]).toEqual(['DOCX Demo', 'en']);
  const headings = document.blocks.filter(({ kind }) => kind === 'heading');
  expect(headings.length).toBe(17);
  expect(headings.slice(0, 3).map(({ text, location }) => [text, location.headings.length])).toEqual([['Demonstration of DOCX support in calibre', 0], ['Text Formatting', 0], ['Inline formatting', 1]]);
  const text = documentText(document).replace(/\s+/g, ' ');
  for (const sentence of [
    'There is support for images, tables, lists, footnotes, endnotes, links, dropcaps and various types of text and paragraph level formatting.',
    'An interruption in our regularly scheduled listing, for this essential and very relevant public service announcement.',
  ]) expect(text).toContain(sentence);
  expect(document.blocks.every(({ text: block }) => !block.includes('{'))).toBe(true);
});

test.skipIf(!existsSync(join(folder, 'hostile')))('hostile archives are refused under any name, and an office file called .txt is read as what it is', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'isogloss-hostile-'));
  const called = async (name: string): Promise<string> => {
    const renamed = join(temporary.path, `${basename(name)}.txt`);
    await copyFile(join(folder, name), renamed);
    return renamed;
  };
  await expect(readDocument(await called('hostile/oversized_archive.docx'), never)).rejects.toMatchObject({ code: 'documents.zip-bomb' });
  await expect(readDocument(await called('hostile/many_entries_archive.docx'), never)).rejects.toMatchObject({ code: 'documents.zip-too-many-entries' });
  await expect(readDocument(await called('hostile/zip-slip.zip'), never)).rejects.toMatchObject({ code: 'documents.zip-unsafe-name' });
  await expect(readDocument(join(folder, 'hostile/xmlbomb.xml'), never)).rejects.toMatchObject({ code: 'documents.xml-entities' });
  expect((await readDocument(await called('docx/tables.docx'), never)).format).toBe('docx');
});
