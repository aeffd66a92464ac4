/** Which kind of document is this ZIP archive? Told by what is inside, not by its name. */
import { InputError } from '../base/errors.ts';
import { mainPart, readPart } from '../formats/office-package.ts';
import type { Package } from '../formats/office-package.ts';
import { childrenOf } from '../formats/xml.ts';
import type { XmlElement } from '../formats/xml.ts';
import { openZip } from '../formats/zip.ts';

export type ContainerKind = 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'epub';

const OPEN_DOCUMENT_TYPES: readonly { readonly mimetype: RegExp; readonly kind: ContainerKind }[] = [
  { mimetype: /^application\/vnd\.oasis\.opendocument\.text\b/, kind: 'odt' },
  { mimetype: /^application\/vnd\.oasis\.opendocument\.spreadsheet\b/, kind: 'ods' },
  { mimetype: /^application\/vnd\.oasis\.opendocument\.presentation\b/, kind: 'odp' },
  { mimetype: /^application\/epub\+zip\b/, kind: 'epub' },
];

const MAIN_PART_TYPES: readonly { readonly contentType: RegExp; readonly kind: ContainerKind }[] = [
  { contentType: /wordprocessingml|ms-word\.(?:document|template)\./, kind: 'docx' },
  { contentType: /spreadsheetml|ms-excel\.(?:sheet|template|addin)\.macro/, kind: 'xlsx' },
  { contentType: /presentationml|ms-powerpoint\.(?:presentation|slideshow|template)\./, kind: 'pptx' },
];
/** The usual name of the main part, for packages that do not say which it is. */
export const MAIN_PARTS = { docx: 'word/document.xml', xlsx: 'xl/workbook.xml', pptx: 'ppt/presentation.xml' } as const;

const MIMETYPE_CHARACTERS = 100;

/** Runs `read` with the opened archive and closes it. Errors of a part carry the path of the archive. @throws as `openZip` and `read`. */
export async function withZip<Result>(path: string, signal: AbortSignal, read: (opened: Package) => Promise<Result>): Promise<Result> {
  const zip = await openZip(path, signal, { area: 'documents' });
  try {
    return await read({ zip, path, area: 'documents' });
  } catch (thrown) {
    if (!(thrown instanceof InputError) || thrown.data['path'] === path) throw thrown;
    throw new InputError(thrown.code, thrown.message, { cause: thrown, data: { ...thrown.data, path } });
  } finally {
    zip.close();
  }
}

/** The kind of document in an archive; null for an archive that is none. */
export async function containerKind(opened: Package): Promise<ContainerKind | null> {
  const { zip } = opened;
  if (zip.has('mimetype')) {
    const mimetype = Buffer.from(await zip.read('mimetype')).toString('latin1').slice(0, MIMETYPE_CHARACTERS).trim();
    const known = OPEN_DOCUMENT_TYPES.find((row) => row.mimetype.test(mimetype));
    if (known !== undefined) return known.kind;
  }
  if (zip.has('META-INF/container.xml')) return 'epub';
  if (zip.has('[Content_Types].xml')) {
    const main = (await mainPart(opened, Object.values(MAIN_PARTS))) ?? '';
    const types = await readPart(opened, '[Content_Types].xml');
    const contentType = childrenOf(types, 'Override').find(({ attributes }) => attributes['PartName'] === `/${main}`)?.attributes['ContentType'] ?? '';
    const known = MAIN_PART_TYPES.find((row) => row.contentType.test(contentType));
    if (known !== undefined) return known.kind;
  }
  return (['docx', 'xlsx', 'pptx'] as const).find((kind) => zip.has(MAIN_PARTS[kind])) ?? null;
}

/** The title of a package from its properties (docProps/core.xml, meta.xml); undefined when it has none. */
export async function packageTitle(opened: Package, name: string): Promise<string | undefined> {
  if (!opened.zip.has(name)) return undefined;
  const find = (element: XmlElement): string | undefined => {
    for (const child of childrenOf(element)) {
      if (child.name === 'dc:title') return child.children.filter((text) => typeof text === 'string').join('');
      const inside = find(child);
      if (inside !== undefined) return inside;
    }
    return undefined;
  };
  const title = find(await readPart(opened, name))?.replace(/\s+/g, ' ').trim();
  return title === '' ? undefined : title;
}
