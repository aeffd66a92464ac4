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

test.skipIf(!existsSync(join(folder, 'hostile')))('archives and office files called .txt are refused', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'isogloss-hostile-'));
  for (const name of ['hostile/oversized_archive.docx', 'hostile/many_entries_archive.docx', 'hostile/zip-slip.zip', 'docx/tables.docx']) {
    const source = join(folder, name);
    if (!existsSync(source)) continue;
    const renamed = join(temporary.path, `${basename(name)}.txt`);
    await copyFile(source, renamed);
    await expect(readDocument(renamed, never)).rejects.toMatchObject({ code: 'documents.binary-file' });
  }
});
