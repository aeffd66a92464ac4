/** Do the rows of a workbook come out as a person sees them? */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeZip } from './test-archives.ts';
import { makeWorkbook } from './test-office.ts';
import { openXlsx } from './xlsx.ts';
import { openZip } from './zip.ts';

async function rowsOf(entries: Parameters<typeof makeZip>[0]): Promise<unknown> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-xlsx-'));
  const path = join(folder.path, 'a.xlsx');
  await writeFile(path, makeZip(entries));
  const zip = await openZip(path, new AbortController().signal, { area: 'corpus' });
  try {
    const workbook = await openXlsx({ zip, path, area: 'corpus' });
    const found: unknown[] = [];
    for (const sheet of workbook.sheets) for await (const { row, cells } of workbook.rows(sheet)) found.push([sheet.name, sheet.state, row, cells.map(({ column, text }) => `${column}:${text}`).join(' ')]);
    return found;
  } finally {
    zip.close();
  }
}

test('shared and inline texts, numbers, truth values, results and dates; sheets in their order; phonetic readings and empty cells left out', async () => {
  const sheet = '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c><c r="D2"/></row><row r="5"><c r="AA5"><v>0.30000000000000004</v></c><c t="b"><v>1</v></c><c t="str"><f>A1</f><v>result</v></c></row><row r="6"><c r="A6" s="1"><v>44367</v></c><c r="B6" s="1"><v>44367.5</v></c><c r="C6" s="2"><v>0.25</v></c></row><row r="7"/>';
  const second = '<row><c><v>1</v></c><c><v>2</v></c></row>';
  expect(await rowsOf(makeWorkbook([{ name: 'Ñ', rows: sheet }, { name: 'Two', state: 'hidden', rows: second }], ['<si><t>shared</t><rPh sb="0" eb="1"><t>reading</t></rPh></si>']))).toEqual([
    ['Ñ', 'visible', 2, '1:shared 3:inline'],
    ['Ñ', 'visible', 5, '27:0.3 28:TRUE 29:result'],
    ['Ñ', 'visible', 6, '1:2021-06-20 2:2021-06-20 12:00:00 3:06:00:00'],
    ['Two', 'hidden', 1, '1:1 2:2'],
  ]);
});

test('whatever a writer calls the prefix of relations', async () => {
  const renamed = makeWorkbook([{ name: 'One', rows: '<row><c><v>1</v></c></row>' }]).map(({ name, content }) => ({ name, content: String(content).replaceAll(' r:id=', ' d3p1:id=') }));
  expect(await rowsOf(renamed)).toEqual([['One', 'visible', 1, '1:1']]);
});

test('another archive is no workbook', async () => {
  await expect(rowsOf([{ name: 'a', content: 'x' }])).rejects.toMatchObject({ code: 'corpus.not-xlsx' });
});
