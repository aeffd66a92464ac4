/** Which blocks does an Excel workbook have? One for each row with a value, sheet by sheet. */
import { openXlsx } from '../formats/xlsx.ts';
import { createBlockCollector, readWithin } from './block-collector.ts';
import { packageTitle, withZip } from './office-container.ts';
import type { DocumentContent } from './parsed-document.ts';

const CELL_GAP = ' | ';

/** Reads an .xlsx (also .xlsm), hidden sheets too. @throws InputError of zip, XML and `openXlsx`. */
export async function readXlsx(path: string, signal: AbortSignal): Promise<DocumentContent> {
  return await withZip(path, signal, async (opened) => {
    const collector = createBlockCollector(path);
    const title = await packageTitle(opened, 'docProps/core.xml');
    const workbook = await openXlsx(opened);
    const content = await readWithin(collector, async () => {
      for (const sheet of workbook.sheets) {
        for await (const { row, cells } of workbook.rows(sheet)) {
          collector.add('row', cells.map(({ text }) => text.trim()).filter((text) => text !== '').join(CELL_GAP), { line: 0, sheet: sheet.name, row });
        }
      }
    });
    return { ...content, ...(title === undefined ? {} : { title }) };
  });
}
