/** Which parts has an Office Open XML package, and how do they refer to each other? (ECMA-376, transitional and strict) */
import { childrenOf, readXmlTree } from './xml.ts';
import type { FormatPlace } from './parsing.ts';
import type { XmlElement } from './xml.ts';
import type { ZipArchive } from './zip.ts';

/** An opened archive and what it is called in messages. */
export type Package = FormatPlace & { readonly zip: ZipArchive };

/** What a part refers to: `type` is the last word of the relation's address, `target` a name in the archive. */
export type Relation = { readonly id: string; readonly type: string; readonly target: string };

/** How a part is named in messages. */
export const partPath = (path: string, name: string): string => `${path} > ${name}`;

/** A small XML part as a tree; `doctype`: whether it may name one, as old books do. @throws as `readXmlTree` and `ZipArchive.stream`. */
export function readPart({ zip, path, area }: Package, name: string, doctype: 'refuse' | 'ignore' = 'refuse'): Promise<XmlElement> {
  return readXmlTree(zip.stream(name), { path: partPath(path, name), area, doctype });
}

/** The part a package begins with; `otherwise` where it names none that is there; null without either. */
export async function mainPart(opened: Package, otherwise: readonly string[]): Promise<string | null> {
  const target = (await relationsOf(opened, '')).find(({ type }) => type === 'officeDocument')?.target;
  if (target !== undefined && opened.zip.has(target)) return target;
  return otherwise.find((name) => opened.zip.has(name)) ?? null;
}

/** What a part refers to inside the package; '' is the package itself. Links that lead outside are left out. */
export async function relationsOf(opened: Package, part: string): Promise<readonly Relation[]> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const name = `${folder}_rels/${part.slice(folder.length)}.rels`;
  if (!opened.zip.has(name)) return [];
  return childrenOf(await readPart(opened, name), 'Relationship').flatMap(({ attributes }) => {
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
