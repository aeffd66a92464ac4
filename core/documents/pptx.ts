/** Which blocks does a PowerPoint file have? Slides in their order: title, texts, tables, diagrams, then the speaker's notes. */
import { mainPart, partPath, readPart, relationsOf } from '../formats/office-package.ts';
import type { Package } from '../formats/office-package.ts';
import { childrenOf, qualified, readXml } from '../formats/xml.ts';
import type { XmlEvents } from '../formats/xml.ts';
import { createBlockCollector, readWithin } from './block-collector.ts';
import type { BlockCollector } from './block-collector.ts';
import { MAIN_PARTS, packageTitle, withZip } from './office-container.ts';
import type { DocumentContent, DocumentPlace } from './parsed-document.ts';
import { createRowWriter } from './row-writer.ts';

const TITLES = new Set(['title', 'ctrTitle']);
/** Places that repeat on every slide: date, footer, number, header, the picture of the slide on its notes. */
const REPEATED = new Set(['dt', 'ftr', 'sldNum', 'hdr', 'sldImg']);

/** Reads a .pptx (also .pptm, .ppsx). @throws InputError of zip and XML. */
export async function readPptx(path: string, signal: AbortSignal): Promise<DocumentContent> {
  return await withZip(path, signal, async (opened) => {
    const main = (await mainPart(opened, [MAIN_PARTS.pptx])) ?? MAIN_PARTS.pptx;
    const collector = createBlockCollector(path);
    const title = await packageTitle(opened, 'docProps/core.xml');
    const content = await readWithin(collector, async () => {
      for (const [i, slide] of (await slidesOf(opened, main)).entries()) await readSlide({ opened, collector, part: slide, place: { line: 0, slide: i + 1 } });
    });
    return { ...content, ...(title === undefined ? {} : { title }) };
  });
}

/** The parts of the slides, in the order they are shown. */
async function slidesOf(opened: Package, main: string): Promise<readonly string[]> {
  const relations = new Map((await relationsOf(opened, main)).map(({ id, target }) => [id, target]));
  const list = childrenOf(await readPart(opened, main), 'sldIdLst')[0];
  if (list === undefined) return [];
  return childrenOf(list, 'sldId').map(({ attributes }) => relations.get(qualified(attributes, 'r:id') ?? '') ?? '').filter((part) => opened.zip.has(part));
}

async function readSlide({ opened, collector, part, place }: { readonly opened: Package; readonly collector: BlockCollector; readonly part: string; readonly place: DocumentPlace }): Promise<void> {
  const { zip, path, area } = opened;
  collector.resetHeadings();
  const relations = (await relationsOf(opened, part)).filter(({ target }) => zip.has(target));
  const read = (name: string, isNote: boolean): Promise<void> => readXml(zip.stream(name), { path: partPath(path, name), area }, shapeEvents(collector, place, isNote));
  await read(part, false);
  for (const { type, target } of relations) if (type === 'diagramData') await read(target, false);
  for (const { type, target } of relations) if (type === 'notesSlide') await read(target, true);
}

function shapeEvents(collector: BlockCollector, place: DocumentPlace, isNote: boolean): XmlEvents {
  const rows = createRowWriter(collector);
  let placeholder = '';
  let parts: string[] | null = null; // of the open paragraph
  let titleParts: string[] = [];
  let inText = 0;
  let hidden = 0;
  const isHidden = (local: string, type: string | undefined): boolean => local === 'Fallback' || (local === 'fld' && type === 'slidenum');
  const close = (): void => {
    const text = (parts ?? []).join('');
    parts = null;
    if (REPEATED.has(placeholder)) return;
    if (rows.isInCell()) rows.add(text);
    else if (TITLES.has(placeholder) && !isNote) titleParts.push(text);
    else collector.add(isNote ? 'note' : 'paragraph', text, place);
  };
  return {
    onOpen: (local, attributes, name) => {
      if (hidden > 0 || isHidden(local, attributes['type'])) hidden += 1;
      else if (name === 'p:sp') placeholder = '';
      else if (local === 'ph') placeholder = attributes['type'] ?? '';
      else if (name === 'a:p') parts = [];
      else if (name === 'a:br') parts?.push('\n');
      else if (name === 'a:t') inText += 1;
      else if (name === 'a:tbl') rows.openTable();
      else if (name === 'a:tr') rows.openRow(place);
      else if (name === 'a:tc') rows.openCell();
    },
    onText: (text) => {
      if (hidden === 0 && inText > 0) parts?.push(text);
    },
    onClose: (_local, name) => {
      if (hidden > 0) hidden -= 1;
      else if (name === 'a:p') close();
      else if (name === 'a:t') inText -= 1;
      else if (name === 'a:tbl') rows.closeTable();
      else if (name === 'a:tr') rows.closeRow();
      else if (name === 'a:tc') rows.closeCell();
      else if (name === 'p:sp') {
        collector.heading(1, titleParts.join('\n'), place);
        titleParts = [];
        placeholder = '';
      }
    },
  };
}
