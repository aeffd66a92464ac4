/** Which blocks does an EPUB book have? The text of its pages in reading order; no script, picture, frame or address of it is touched. */
import { TextDecoder } from 'node:util';
import { InputError } from '../base/errors.ts';
import { partPath, readPart, resolvePart } from '../formats/office-package.ts';
import type { Package } from '../formats/office-package.ts';
import { childrenOf, textOf, xmlEncoding } from '../formats/xml.ts';
import type { XmlElement } from '../formats/xml.ts';
import { createBlockCollector, readWithin } from './block-collector.ts';
import type { BlockCollector } from './block-collector.ts';
import { parseXhtml } from './html.ts';
import { withZip } from './office-container.ts';
import type { DocumentContent } from './parsed-document.ts';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
const PAGE_TYPES = new Set(['application/xhtml+xml', 'text/html', 'application/x-dtbook+xml', '']);

/** Reads an .epub (2 or 3). @throws InputError 'documents.not-epub', 'documents.encrypted'; of zip and XML. */
export async function readEpub(path: string, signal: AbortSignal): Promise<DocumentContent> {
  return await withZip(path, signal, async (opened) => {
    const packageName = await findPackage(opened);
    const root = await readPart(opened, packageName, 'ignore'); // OEB 1 names its DTD
    const locked = await encryptedParts(opened);
    const collector = createBlockCollector(path);
    const pages = spineOf(root, packageName);
    if (pages.length > 0 && pages.every((name) => locked.has(name))) throw new InputError('documents.encrypted', `${path}: expected a book that anyone may read, found one locked by its seller. Isogloss cannot open it.`, { data: { path } });
    const content = await readWithin(collector, async () => {
      for (const name of pages) await readPage({ opened, collector, name });
    });
    const metadata = childrenOf(root, 'metadata')[0];
    const word = (local: string): string => (metadata === undefined ? '' : childrenOf(metadata, local).map(textOf)[0] ?? '').replace(/\s+/g, ' ').trim();
    const [title, language] = [word('title'), word('language')];
    return { ...content, ...(title === '' ? {} : { title }), ...(language === '' ? {} : { language }) };
  });
}

async function findPackage(opened: Package): Promise<string> {
  const { zip, path } = opened;
  const container = await readPart(opened, CONTAINER);
  const named = childrenOf(container, 'rootfiles').flatMap((files) => childrenOf(files, 'rootfile')).map(({ attributes }) => resolvePart('', attributes['full-path'] ?? ''));
  const found = named.find((name) => zip.has(name)) ?? zip.entries.find(({ name }) => name.endsWith('.opf'))?.name;
  if (found === undefined) throw new InputError('documents.not-epub', `${path}: expected a package file (.opf) in the book, found none. Fetch or export the book again.`, { data: { path } });
  return found;
}

/** The pages of the book in reading order, by name in the archive. */
function spineOf(root: XmlElement, packageName: string): readonly string[] {
  const folder = packageName.slice(0, packageName.lastIndexOf('/') + 1);
  const manifest = childrenOf(root, 'manifest').flatMap((list) => childrenOf(list, 'item'));
  const pages = new Map(manifest.filter(({ attributes }) => PAGE_TYPES.has(attributes['media-type'] ?? '')).map(({ attributes }) => [attributes['id'] ?? '', resolvePart(folder, attributes['href'] ?? '')]));
  const order = childrenOf(root, 'spine').flatMap((spine) => childrenOf(spine, 'itemref')).map(({ attributes }) => pages.get(attributes['idref'] ?? ''));
  return [...new Set(order.filter((name) => name !== undefined))];
}

/** Parts that cannot be read as they lie there (locks of sellers, hidden fonts). */
async function encryptedParts(opened: Package): Promise<ReadonlySet<string>> {
  if (!opened.zip.has(ENCRYPTION)) return new Set();
  const names = new Set<string>();
  const collect = (element: XmlElement): void => {
    if (element.local === 'CipherReference') names.add(resolvePart('', element.attributes['URI'] ?? ''));
    childrenOf(element).forEach(collect);
  };
  collect(await readPart(opened, ENCRYPTION));
  return names;
}

async function readPage({ opened: { zip, path }, collector, name }: { readonly opened: Package; readonly collector: BlockCollector; readonly name: string }): Promise<void> {
  if (!zip.has(name)) {
    collector.problem('missing-part', { line: 0, expected: `the page "${name}"`, found: 'none in the book', advice: 'The rest is read.' });
    return;
  }
  const bytes = await zip.read(name);
  const page = parseXhtml(decodePage(bytes), partPath(path, name));
  collector.resetHeadings();
  for (const { kind, text, location } of page.blocks) {
    if (kind === 'heading') collector.heading(location.headings.length + 1, text, { line: 0 });
    else collector.add(kind, text, { line: 0 });
  }
  for (const { message } of page.problems ?? []) collector.problem('broken-part', { line: 0, expected: 'a page that can be read whole', found: message });
}

function decodePage(bytes: Uint8Array): string {
  const [a, b] = bytes;
  const label = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : (xmlEncoding(bytes) ?? 'utf-8');
  try {
    return new TextDecoder(label).decode(bytes).replace(/\r\n?/g, '\n').replaceAll('\0', '');
  } catch (thrown) {
    if (thrown instanceof RangeError) return new TextDecoder().decode(bytes);
    throw thrown;
  }
}
