/** Which blocks does an OpenDocument file have? Texts (.odt), tables (.ods) and slides (.odp): one content.xml, one reader. */
import { InputError } from '../base/errors.ts';
import { partPath } from '../formats/office-package.ts';
import type { Package } from '../formats/office-package.ts';
import { readXml } from '../formats/xml.ts';
import type { XmlAttributes, XmlEvents } from '../formats/xml.ts';
import { createBlockCollector, readWithin } from './block-collector.ts';
import type { BlockCollector } from './block-collector.ts';
import { packageTitle, withZip } from './office-container.ts';
import type { DocumentContent, DocumentPlace } from './parsed-document.ts';
import { createRowWriter } from './row-writer.ts';

const CONTENT = 'content.xml';
const CELL_GAP = ' | ';
const MOST_SPACES = 1000;
const MOST_REPEATED_ROWS = 1_048_576; // rows of a sheet
/** Elements whose content is not shown where it stands: deleted text, remarks, marks of notes, names of pictures, readings above characters, forms, headers and footers of sheets. */
const HIDDEN = new Set(['tracked-changes', 'annotation', 'note-citation', 'title', 'desc', 'ruby-text', 'forms', 'scripts', 'font-face-decls', 'automatic-styles', 'styles', 'master-styles', 'settings', 'event-listeners', 'sequence-decls', 'variable-decls', 'user-field-decls', 'date-time-decl', 'tracked-change']);

type OpenParagraph = { readonly parts: string[]; readonly level: number; readonly place: DocumentPlace; readonly isNote: boolean };

/** Reads an .odt, .ods or .odp. @throws InputError 'documents.encrypted'; of zip and XML. */
export async function readOpenDocument(path: string, signal: AbortSignal, kind: 'odt' | 'ods' | 'odp'): Promise<DocumentContent> {
  return await withZip(path, signal, async (opened) => {
    await expectNotEncrypted(opened);
    const collector = createBlockCollector(path);
    const title = await packageTitle(opened, 'meta.xml');
    const events = kind === 'ods' ? sheetEvents(collector) : textEvents(collector, kind);
    const content = await readWithin(collector, () => readXml(opened.zip.stream(CONTENT), { path: partPath(path, CONTENT), area: 'documents' }, events));
    return { ...content, ...(title === undefined ? {} : { title }) };
  });
}

async function expectNotEncrypted({ zip, path, area }: Package): Promise<void> {
  const name = 'META-INF/manifest.xml';
  if (!zip.has(name)) return;
  let isEncrypted = false;
  const onOpen = (local: string): void => {
    if (local === 'encryption-data') isEncrypted = true;
  };
  await readXml(zip.stream(name), { path: partPath(path, name), area, doctype: 'ignore' }, { onOpen }); // old writers name a DTD here
  if (isEncrypted) throw new InputError('documents.encrypted', `${path}: expected a document that opens without a password, found an encrypted one. Save it again without a password.`, { data: { path } });
}

/** The characters an element stands for: runs of spaces, tabs, line ends. */
function charactersOf(local: string, attributes: XmlAttributes): string {
  if (local === 's') return ' '.repeat(Math.min(MOST_SPACES, Math.max(1, Number(attributes['text:c'] ?? 1) || 1)));
  return local === 'tab' ? '\t' : local === 'line-break' ? '\n' : '';
}

function textEvents(collector: BlockCollector, kind: 'odt' | 'odp'): XmlEvents {
  const open: OpenParagraph[] = [];
  const rows = createRowWriter(collector);
  let waiting: { readonly text: string; readonly place: DocumentPlace }[] = []; // notes of the paragraphs that are open
  let hidden = 0;
  let page = 1;
  let hasPages = false;
  let lists = 0;
  let notes = 0;
  let inTitle = false;
  const place = (): DocumentPlace => (kind === 'odp' ? { line: 0, slide: page } : hasPages ? { line: 0, page } : { line: 0 });
  const close = (): void => {
    const paragraph = open.pop();
    if (paragraph === undefined) return;
    const text = paragraph.parts.join('');
    if (paragraph.isNote && open.length > 0) waiting.push({ text, place: paragraph.place });
    else if (rows.isInCell()) rows.add(text);
    else if (paragraph.level > 0) collector.heading(paragraph.level, text, paragraph.place);
    else collector.add(paragraph.isNote ? 'note' : lists > 0 && kind === 'odt' ? 'list' : 'paragraph', text, paragraph.place);
    if (open.length > 0) return;
    for (const note of waiting) collector.add('note', note.text, note.place);
    waiting = [];
  };
  return {
    onOpen: (local, attributes, name) => {
      if (hidden > 0 || HIDDEN.has(local)) {
        hidden += 1;
        return;
      }
      if (name === 'draw:page') {
        page = hasPages ? page + 1 : 1;
        hasPages = true;
        collector.resetHeadings();
      } else if (local === 'soft-page-break') {
        hasPages = true;
        page += 1;
      } else if (name === 'draw:frame') inTitle = attributes['presentation:class'] === 'title';
      else if (local === 'note' || local === 'notes') notes += 1;
      else if (local === 'p' || local === 'h') open.push({ parts: [], level: notes > 0 ? 0 : local === 'h' ? Math.max(1, Number(attributes['text:outline-level'] ?? 1) || 1) : inTitle ? 1 : 0, place: place(), isNote: notes > 0 });
      else if (local === 'list') lists += 1;
      else if (name === 'table:table') rows.openTable();
      else if (local === 'table-row') rows.openRow(place());
      else if (local === 'table-cell') rows.openCell();
      else open.at(-1)?.parts.push(charactersOf(local, attributes));
    },
    onText: (text) => {
      if (hidden === 0) open.at(-1)?.parts.push(text.replace(/\s+/g, ' '));
    },
    onClose: (local, name) => {
      if (hidden > 0) hidden -= 1;
      else if (local === 'p' || local === 'h') close();
      else if (local === 'note' || local === 'notes') notes -= 1;
      else if (local === 'list') lists -= 1;
      else if (name === 'draw:frame') inTitle = false;
      else if (name === 'table:table') rows.closeTable();
      else if (local === 'table-row') rows.closeRow();
      else if (local === 'table-cell') rows.closeCell();
    },
  };
}

function sheetEvents(collector: BlockCollector): XmlEvents {
  let sheet = '';
  let row = 0;
  let repeated = 1;
  let cells: string[] = [];
  let parts: string[] | null = null; // of the open paragraph
  let hidden = 0;
  return {
    onOpen: (local, attributes, name) => {
      if (hidden > 0 || HIDDEN.has(local)) hidden += 1;
      else if (name === 'table:table') {
        sheet = attributes['table:name'] ?? '';
        row = 0;
      } else if (local === 'table-row') {
        repeated = Math.min(MOST_REPEATED_ROWS, Math.max(1, Number(attributes['table:number-rows-repeated'] ?? 1) || 1));
        cells = [];
      } else if (local === 'table-cell') cells.push('');
      else if (local === 'p') parts = [];
      else parts?.push(charactersOf(local, attributes));
    },
    onText: (text) => {
      if (hidden === 0) parts?.push(text.replace(/\s+/g, ' '));
    },
    onClose: (local) => {
      if (hidden > 0) hidden -= 1;
      else if (local === 'p' && parts !== null && cells.length > 0) {
        cells[cells.length - 1] = [cells.at(-1) ?? '', parts.join('')].filter((text) => text !== '').join('\n');
        parts = null;
      } else if (local === 'table-row') {
        collector.add('row', cells.map((cell) => cell.trim()).filter((cell) => cell !== '').join(CELL_GAP), { line: 0, sheet, row: row + 1 });
        row += repeated;
      }
    },
  };
}
