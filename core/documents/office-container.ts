/** Which kind of document is this ZIP archive, and where are its parts? Told by what is inside, not by its name. */
import { InputError } from '../base/errors.ts';
import { childrenOf, readXmlTree } from '../formats/xml.ts';
import type { XmlElement } from '../formats/xml.ts';
import { openZip } from '../formats/zip.ts';
import type { ZipArchive } from '../formats/zip.ts';

export type ContainerKind = 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'epub';

/** What a part refers to: `type` is the last word of the relation's address, `target` a name in the archive. */
export type Relation = { readonly id: string; readonly type: string; readonly target: string };

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
const PART_FOLDERS: readonly { readonly folder: string; readonly kind: ContainerKind }[] = [
  { folder: 'word/document.xml', kind: 'docx' },
  { folder: 'xl/workbook.xml', kind: 'xlsx' },
  { folder: 'ppt/presentation.xml', kind: 'pptx' },
];

const MIMETYPE_CHARACTERS = 100;

/** A small XML part as a tree. @throws as `readXmlTree` and `ZipArchive.stream`. */
export function readPart(zip: ZipArchive, path: string, name: string): Promise<XmlElement> {
  return readXmlTree(zip.stream(name), { path: partPath(path, name), area: 'documents' });
}

/** How a part is named in messages. */
export const partPath = (path: string, name: string): string => `${path} > ${name}`;

/** Runs `read` with the opened archive and closes it. Errors of a part carry the path of the archive. @throws as `openZip` and `read`. */
export async function withZip<Result>(path: string, signal: AbortSignal, read: (zip: ZipArchive) => Promise<Result>): Promise<Result> {
  const zip = await openZip(path, signal, { area: 'documents' });
  try {
    return await read(zip);
  } catch (thrown) {
    if (!(thrown instanceof InputError) || thrown.data['path'] === path) throw thrown;
    throw new InputError(thrown.code, thrown.message, { cause: thrown, data: { ...thrown.data, path } });
  } finally {
    zip.close();
  }
}

/** The kind of document in an archive; null for an archive that is none. */
export async function containerKind(zip: ZipArchive, path: string): Promise<ContainerKind | null> {
  if (zip.has('mimetype')) {
    const mimetype = Buffer.from(await zip.read('mimetype')).toString('latin1').slice(0, MIMETYPE_CHARACTERS).trim();
    const known = OPEN_DOCUMENT_TYPES.find((row) => row.mimetype.test(mimetype));
    if (known !== undefined) return known.kind;
  }
  if (zip.has('META-INF/container.xml')) return 'epub';
  if (zip.has('[Content_Types].xml')) {
    const main = (await mainPart(zip, path)) ?? '';
    const types = await readPart(zip, path, '[Content_Types].xml');
    const contentType = childrenOf(types, 'Override').find(({ attributes }) => attributes['PartName'] === `/${main}`)?.attributes['ContentType'] ?? '';
    const known = MAIN_PART_TYPES.find((row) => row.contentType.test(contentType));
    if (known !== undefined) return known.kind;
  }
  return PART_FOLDERS.find(({ folder }) => zip.has(folder))?.kind ?? null;
}

/** The part an Office Open XML package (ECMA-376 or ISO strict) begins with; null if it names none that is there. */
export async function mainPart(zip: ZipArchive, path: string): Promise<string | null> {
  const relations = await relationsOf(zip, path, '');
  const target = relations.find(({ type }) => type === 'officeDocument')?.target;
  if (target !== undefined && zip.has(target)) return target;
  return PART_FOLDERS.find(({ folder }) => zip.has(folder))?.folder ?? null;
}

/** What a part of an Office Open XML package refers to inside it; '' is the package itself. Links that lead outside are left out. */
export async function relationsOf(zip: ZipArchive, path: string, part: string): Promise<readonly Relation[]> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const name = `${folder}_rels/${part.slice(folder.length)}.rels`;
  if (!zip.has(name)) return [];
  const root = await readPart(zip, path, name);
  return childrenOf(root, 'Relationship').flatMap(({ attributes }) => {
    const { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode } = attributes;
    return mode === 'External' ? [] : [{ id, type: type.slice(type.lastIndexOf('/') + 1), target: resolvePart(folder, target) }];
  });
}

/** A name in the archive from a reference relative to a folder; '..' never leads out of the archive. */
export function resolvePart(folder: string, reference: string): string {
  const plain = decode(reference.replace(/[?#].*$/, ''));
  const steps = (plain.startsWith('/') ? plain : `${folder}${plain}`).split('/');
  const names: string[] = [];
  for (const step of steps) {
    if (step === '..') names.pop();
    else if (step !== '' && step !== '.') names.push(step);
  }
  return names.join('/');
}

function decode(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch (thrown) {
    if (thrown instanceof URIError) return reference; // a per cent sign that is just that
    throw thrown;
  }
}

/** The title of a package from its properties (docProps/core.xml, meta.xml); undefined when it has none. */
export async function packageTitle(zip: ZipArchive, path: string, name: string): Promise<string | undefined> {
  if (!zip.has(name)) return undefined;
  const find = (element: XmlElement): string | undefined => {
    for (const child of childrenOf(element)) {
      if (child.name === 'dc:title') return child.children.filter((text) => typeof text === 'string').join('');
      const inside = find(child);
      if (inside !== undefined) return inside;
    }
    return undefined;
  };
  const title = find(await readPart(zip, path, name))?.replace(/\s+/g, ' ').trim();
  return title === '' ? undefined : title;
}
