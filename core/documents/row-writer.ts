/** How does a table inside a document become text? A row is one paragraph, its cells joined; a row of long prose is its paragraphs. */
import type { BlockCollector } from './block-collector.ts';
import type { DocumentPlace } from './parsed-document.ts';

const CELL_GAP = ' | ';
const PROSE_CHARACTERS = 500; // in one cell of several paragraphs: a table that only lays out a page

export type RowWriter = {
  readonly openTable: () => void;
  readonly openRow: (place: DocumentPlace) => void;
  readonly openCell: () => void;
  /** A paragraph of the open cell. */
  readonly add: (text: string) => void;
  readonly isInCell: () => boolean;
  readonly closeCell: () => void;
  readonly closeRow: () => void;
  readonly closeTable: () => void;
};

type OpenRow = { readonly place: DocumentPlace; readonly cells: string[][]; isCellOpen: boolean };

/** Writes rows to a collector. A table inside a cell adds its rows to that cell. */
export function createRowWriter(collector: BlockCollector): RowWriter {
  const tables: (OpenRow | null)[] = []; // the open row of each open table, outermost first
  const openCellOf = (depth: number): string[] | undefined => {
    const row = tables[depth];
    return row?.isCellOpen === true ? row.cells.at(-1) : undefined;
  };
  const closeCell = (): void => {
    const row = tables.at(-1);
    if (row !== null && row !== undefined) row.isCellOpen = false;
  };
  const closeRow = (): void => {
    const row = tables.at(-1);
    if (row === null || row === undefined) return;
    tables[tables.length - 1] = null;
    const cells = row.cells.map((cell) => cell.map((text) => text.trim()).filter((text) => text !== '')).filter((cell) => cell.length > 0);
    const isProse = cells.some((cell) => cell.length > 1 && cell.reduce((sum, text) => sum + text.length, 0) > PROSE_CHARACTERS);
    const outer = openCellOf(tables.length - 2);
    const paragraphs = isProse ? cells.flat() : [cells.map((cell) => cell.join('\n')).join(CELL_GAP)];
    for (const text of paragraphs) {
      if (outer === undefined) collector.add('paragraph', text, row.place);
      else outer.push(text);
    }
  };
  return {
    openTable: () => void tables.push(null),
    openRow: (place) => {
      if (tables.length > 0) tables[tables.length - 1] = { place, cells: [], isCellOpen: false };
    },
    openCell: () => {
      const row = tables.at(-1);
      if (row === null || row === undefined) return;
      row.cells.push([]);
      row.isCellOpen = true;
    },
    add: (text) => void openCellOf(tables.length - 1)?.push(text),
    isInCell: () => openCellOf(tables.length - 1) !== undefined,
    closeCell,
    closeRow,
    closeTable: () => {
      closeRow();
      tables.pop();
    },
  };
}
