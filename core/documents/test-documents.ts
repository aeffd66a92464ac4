/** How do tests make documents of every format? Small ones, by hand. */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeZip } from '../formats/test-archives.ts';
import type { TestEntry } from '../formats/test-archives.ts';
import { packageParts, relationsPart } from '../formats/test-office.ts';
import type { Block, ParsedDocument } from './parsed-document.ts';
import { readDocument } from './read-document.ts';

/** The document of a file with this name and content. */
export async function readBytes(name: string, content: string | Uint8Array): Promise<ParsedDocument> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-document-'));
  await writeFile(join(folder.path, name), content);
  return await readDocument(join(folder.path, name), new AbortController().signal);
}

/** Kind, text and, as one string each, what else a block says. */
export const rows = (blocks: readonly Block[], ...keys: readonly (keyof Block['location'])[]): unknown[][] => blocks.map(({ kind, text, location }) => [kind, text, ...keys.map((key) => location[key])]);

export const docxParts = (body: string, more: { readonly styles?: string; readonly footnotes?: string; readonly core?: string } = {}): readonly TestEntry[] => [
  ...packageParts('word/document.xml', 'wordprocessingml.document'),
  { name: 'word/document.xml', content: `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>` },
  relationsPart('word/_rels/document.xml.rels', [['s', 'styles', 'styles.xml'], ['f', 'footnotes', 'footnotes.xml']]),
  ...(more.styles === undefined ? [] : [{ name: 'word/styles.xml', content: `<w:styles>${more.styles}</w:styles>` }]),
  ...(more.footnotes === undefined ? [] : [{ name: 'word/footnotes.xml', content: `<w:footnotes>${more.footnotes}</w:footnotes>` }]),
  ...(more.core === undefined ? [] : [{ name: 'docProps/core.xml', content: `<cp:coreProperties><dc:title>${more.core}</dc:title></cp:coreProperties>` }]),
];
export const makeDocx = (...args: Parameters<typeof docxParts>): Buffer => makeZip(docxParts(...args));

export const makeOdt = (content: string, { kind = 'text', manifest = '' } = {}): Buffer =>
  makeZip([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}`, isStored: true },
    { name: 'content.xml', content: `<office:document-content><office:body>${content}</office:body></office:document-content>` },
    { name: 'meta.xml', content: '<office:document-meta><office:meta><dc:title>A title</dc:title></office:meta></office:document-meta>' },
    { name: 'META-INF/manifest.xml', content: `<manifest:manifest>${manifest}</manifest:manifest>` },
  ]);

/** A presentation: the inside of each slide's shape tree, and its notes or ''. Slides are listed in reverse of their file names. */
export const makePptx = (slides: readonly { readonly shapes: string; readonly notes?: string }[]): Buffer => {
  const file = (i: number): string => `slide${slides.length - i}.xml`;
  return makeZip([
    ...packageParts('ppt/presentation.xml', 'presentationml.presentation'),
    { name: 'ppt/presentation.xml', content: `<p:presentation><p:sldIdLst>${slides.map((_, i) => `<p:sldId id="${i}" r:id="r${i}"/>`).join('')}</p:sldIdLst></p:presentation>` },
    relationsPart('ppt/_rels/presentation.xml.rels', slides.map((_, i) => [`r${i}`, 'slide', `slides/${file(i)}`])),
    ...slides.flatMap(({ shapes, notes }, i) => [
      { name: `ppt/slides/${file(i)}`, content: `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>` },
      ...(notes === undefined ? [] : [relationsPart(`ppt/slides/_rels/${file(i)}.rels`, [['n', 'notesSlide', `../notesSlides/${file(i)}`]]), { name: `ppt/notesSlides/${file(i)}`, content: `<p:notes>${notes}</p:notes>` }]),
    ]),
  ]);
};
export const shape = (type: string, ...paragraphs: readonly string[]): string => `<p:sp><p:nvSpPr><p:nvPr>${type === '' ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`;

/** A book: pages by file name in reading order. */
export const makeEpub = (pages: readonly (readonly [string, string])[], more: readonly TestEntry[] = []): Buffer =>
  makeZip([
    { name: 'mimetype', content: 'application/epub+zip', isStored: true },
    { name: 'META-INF/container.xml', content: '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>' },
    { name: 'OEBPS/book.opf', content: `<package><metadata><dc:title>Book</dc:title><dc:language>sw</dc:language></metadata><manifest>${[...pages].reverse().map(([name]) => `<item id="${name}" href="${encodeURI(name)}" media-type="application/xhtml+xml"/>`).join('')}</manifest><spine>${pages.map(([name]) => `<itemref idref="${name}"/>`).join('')}</spine></package>` },
    ...pages.flatMap(([name, content]) => (content === '' ? [] : [{ name: `OEBPS/${name}`, content }])),
    ...more,
  ]);

/** A line of text on a page of a PDF: where it begins, in points. */
export type PdfLine = { readonly x: number; readonly y: number; readonly text: string; readonly size?: number };

/** A PDF in Helvetica with one content stream for each page; `more` is put into the catalog, `pages` may replace the page tree's dictionary. */
export function makePdf(pages: readonly (readonly PdfLine[])[], { catalog = '', tree }: { readonly catalog?: string; readonly tree?: string } = {}): Buffer {
  const streams = pages.map((lines) => lines.map(({ x, y, text, size = 12 }) => `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`).join('\n'));
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ');
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    tree ?? `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...streams.flatMap((stream, i) => [`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`, `<< /Length ${Buffer.byteLength(stream, 'latin1')} >>\nstream\n${stream}\nendstream`]),
  ];
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
