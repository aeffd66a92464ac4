/** Which blocks does a Word document have? Headings by style or outline level, paragraphs, lists, table rows, notes; pages where Word left its marks. */
import { mainPart, partPath, readPart, relationsOf } from '../formats/office-package.ts';
import type { Package } from '../formats/office-package.ts';
import { childrenOf, qualified, readXml } from '../formats/xml.ts';
import type { XmlAttributes, XmlEvents } from '../formats/xml.ts';
import { createBlockCollector, readWithin } from './block-collector.ts';
import type { BlockCollector } from './block-collector.ts';
import { MAIN_PARTS, packageTitle, withZip } from './office-container.ts';
import type { DocumentContent, DocumentLocation, DocumentPlace } from './parsed-document.ts';
import { createRowWriter } from './row-writer.ts';

const HIGHEST_LEVEL = 9;
const HEADING_NAME = /^heading (\d)$/i;
const BODY_LEVEL = '9'; // an outline level of its own for "body text"

/** Elements whose content is not shown: deleted or moved text, field codes, the second form of a drawing, the reading above a character. */
const HIDDEN = new Set(['del', 'moveFrom', 'instrText', 'delInstrText', 'delText', 'Fallback', 'rt', 'fldData']);
const CHARACTERS: Readonly<Record<string, string>> = { tab: '\t', cr: '\n', br: '\n', noBreakHyphen: '\u2011', softHyphen: '\u00AD', ptab: '\t' };

/** A paragraph that is open; text boxes put one inside another. */
type OpenParagraph = { readonly parts: string[]; level: number; isList: boolean; readonly page: number; readonly notes: string[] };

/** Reads a .docx (also .docm, .dotx; transitional or strict). @throws InputError of zip and XML ('documents.damaged-zip', 'documents.zip-bomb', 'documents.xml-too-deep' ...). */
export async function readDocx(path: string, signal: AbortSignal): Promise<DocumentContent> {
  return await withZip(path, signal, async (opened) => {
    const main = (await mainPart(opened, [MAIN_PARTS.docx])) ?? MAIN_PARTS.docx;
    const relations = await relationsOf(opened, main);
    const partOf = (type: string): string | undefined => relations.find((relation) => relation.type === type && opened.zip.has(relation.target))?.target;
    const collector = createBlockCollector(path);
    const title = await packageTitle(opened, 'docProps/core.xml');
    const levels = await headingLevels(opened, partOf('styles'));
    const notes = new Map<string, string>();
    for (const kind of ['footnote', 'endnote'] as const) await readNotes({ opened, part: partOf(`${kind}s`), kind, notes });
    const content = await readWithin(collector, () => readBody({ opened, part: main, collector, levels, notes }));
    return { ...withoutLonePages(content), ...(title === undefined ? {} : { title }) };
  });
}

/** A document without page marks has no pages to speak of. */
function withoutLonePages(content: Pick<DocumentContent, 'blocks' | 'problems'>): Pick<DocumentContent, 'blocks' | 'problems'> {
  if (content.blocks.some(({ location }) => (location.page ?? 1) > 1)) return content;
  return { ...content, blocks: content.blocks.map((block) => ({ ...block, location: unpaged(block.location) })) };
}

const unpaged = ({ line, paragraph = 0, headings }: DocumentLocation): DocumentLocation => ({ line, paragraph, headings });

/** Heading levels (1 to 9) by style identifier: from the style's name or outline level, or those of the style it is based on. */
async function headingLevels(opened: Package, part: string | undefined): Promise<ReadonlyMap<string, number>> {
  if (part === undefined) return new Map();
  const styles = new Map<string, { readonly level: number | null; readonly basedOn: string }>();
  for (const { attributes, children } of childrenOf(await readPart(opened, part), 'style')) {
    let level: number | null = null;
    let basedOn = '';
    for (const child of children) {
      if (typeof child === 'string') continue;
      const value = qualified(child.attributes, 'w:val') ?? '';
      if (child.local === 'name') level = Number(HEADING_NAME.exec(value)?.[1] ?? 0) || level;
      if (child.local === 'basedOn') basedOn = value;
      const outline = child.local === 'pPr' ? qualified(childrenOf(child, 'outlineLvl')[0]?.attributes ?? {}, 'w:val') : undefined;
      if (outline !== undefined) level ??= outlineLevel(outline);
    }
    styles.set(qualified(attributes, 'w:styleId') ?? '', { level, basedOn });
  }
  const levels = new Map<string, number>();
  for (const id of styles.keys()) {
    let style = styles.get(id);
    for (let step = 0; style !== undefined && style.level === null && step < HIGHEST_LEVEL; step += 1) style = styles.get(style.basedOn);
    if (style?.level !== null && style?.level !== undefined && style.level > 0) levels.set(id, style.level);
  }
  return levels;
}

/** 0 to 8 are levels 1 to 9; anything else is body text, here 0. */
function outlineLevel(value: string): number {
  return value !== BODY_LEVEL && /^\d$/.test(value) ? Number(value) + 1 : 0;
}

async function readNotes({ opened: { zip, path, area }, part, kind, notes }: { readonly opened: Package; readonly part: string | undefined; readonly kind: 'footnote' | 'endnote'; readonly notes: Map<string, string> }): Promise<void> {
  if (part === undefined) return;
  const collector = createBlockCollector(path);
  let id = '';
  let from = 0;
  const inner = bodyEvents({ collector, levels: new Map(), onNote: () => undefined, place: () => ({ line: 0 }) });
  await readWithin(collector, () => readXml(zip.stream(part), { path: partPath(path, part), area }, {
    ...inner,
    onOpen: (local, attributes, name) => {
      if (local === kind) {
        id = (qualified(attributes, 'w:type') ?? 'normal') === 'normal' ? (qualified(attributes, 'w:id') ?? '') : ''; // separators are notes too
        from = collector.blocks.length;
      }
      inner.onOpen?.(local, attributes, name);
    },
    onClose: (local, name) => {
      inner.onClose?.(local, name);
      if (local === kind && id !== '') notes.set(`${kind}${id}`, collector.blocks.slice(from).map(({ text }) => text).join('\n'));
    },
  }));
}

type Body = { readonly opened: Package; readonly part: string; readonly collector: BlockCollector; readonly levels: ReadonlyMap<string, number>; readonly notes: ReadonlyMap<string, string> };

async function readBody({ opened: { zip, path, area }, part, collector, levels, notes }: Body): Promise<void> {
  const onNote = (key: string, place: DocumentPlace): void => collector.add('note', notes.get(key) ?? '', place);
  await readXml(zip.stream(part), { path: partPath(path, part), area }, bodyEvents({ collector, levels, onNote, place: (page) => ({ line: 0, page }) }));
}

type BodyOptions = {
  readonly collector: BlockCollector;
  readonly levels: ReadonlyMap<string, number>;
  readonly onNote: (key: string, place: DocumentPlace) => void;
  readonly place: (page: number) => DocumentPlace;
};

function bodyEvents({ collector, levels, onNote, place }: BodyOptions): XmlEvents {
  const open: OpenParagraph[] = [];
  const rows = createRowWriter(collector);
  let hidden = 0; // how deep inside hidden elements
  let inText = 0;
  let page = 1;
  let inTabs = 0; // <w:tab> inside <w:tabs> is a setting
  const close = (): void => {
    const paragraph = open.pop();
    if (paragraph === undefined) return;
    const text = paragraph.parts.join('');
    const at = place(paragraph.page);
    if (rows.isInCell()) rows.add(text);
    else if (paragraph.level > 0) collector.heading(paragraph.level, text, at);
    else collector.add(paragraph.isList ? 'list' : 'paragraph', text, at);
    for (const key of paragraph.notes) onNote(key, at);
  };
  const onProperty = (local: string, attributes: XmlAttributes, paragraph: OpenParagraph): void => {
    const value = qualified(attributes, 'w:val') ?? '';
    if (local === 'pStyle') paragraph.level = levels.get(value) ?? paragraph.level;
    else if (local === 'outlineLvl') paragraph.level = outlineLevel(value);
    else if (local === 'numId') paragraph.isList = value !== '0';
    else if (local === 'footnoteReference' || local === 'endnoteReference') paragraph.notes.push(`${local.replace('Reference', '')}${qualified(attributes, 'w:id') ?? ''}`);
    else if (local in CHARACTERS) paragraph.parts.push(CHARACTERS[local] ?? '');
  };
  return {
    onOpen: (local, attributes, name) => {
      if (hidden > 0 || HIDDEN.has(local)) {
        hidden += 1;
        return;
      }
      const paragraph = open.at(-1);
      if (local === 'p' && !name.startsWith('a:')) open.push({ parts: [], level: 0, isList: false, page, notes: [] });
      else if (local === 't') inText += 1;
      else if (local === 'tabs') inTabs += 1;
      else if (local === 'lastRenderedPageBreak') page += 1;
      else if (local === 'tr') rows.openRow(place(page));
      else if (local === 'tc') rows.openCell();
      else if (local === 'tbl') rows.openTable();
      else if (paragraph !== undefined && inTabs === 0) onProperty(local, attributes, paragraph);
    },
    onText: (text) => {
      if (hidden === 0 && inText > 0) open.at(-1)?.parts.push(text);
    },
    onClose: (local, name) => {
      if (hidden > 0) hidden -= 1;
      else if (local === 'p' && !name.startsWith('a:')) close();
      else if (local === 't') inText -= 1;
      else if (local === 'tabs') inTabs -= 1;
      else if (local === 'tc') rows.closeCell();
      else if (local === 'tr') rows.closeRow();
      else if (local === 'tbl') rows.closeTable();
    },
  };
}
