/** What stands around this passage in its document? */
import { realpath, stat } from 'node:fs/promises';
import { relative, resolve, isAbsolute } from 'node:path';
import { InputError, toIsoglossError } from '../../core/base/errors.ts';
import { nameOfBytes, pathOnDisk } from '../../core/base/file-names.ts';
import { createDocumentReader } from '../../core/documents/document-reader.ts';
import { isInFolder } from '../../core/documents/library-folders.ts';
import { documentText } from '../../core/documents/parsed-document.ts';
import { dominantScript, scriptDirection } from '../../core/text/scripts.ts';
import type { Excerpt } from '../contract/index.ts';
import type { ExcerptTask } from './messages.ts';

const CHARACTERS_AROUND = 1_500;

/** One for all passages; its process starts with the first file that needs it. */
const reader = createDocumentReader();

/** @throws InputError 'document.outside-library', 'file.missing'; what `DocumentReader.read` throws. */
export async function readExcerpt({ folders, path, location, indexedAt }: ExcerptTask, signal: AbortSignal): Promise<Excerpt> {
  const file = await insideFolders(folders, path);
  const document = await reader.read(file, signal);
  const text = documentText(document);
  const start = Math.min(location.start, text.length);
  const end = Math.min(Math.max(start, location.end), text.length);
  const passage = text.slice(start, end);
  return {
    path,
    title: document.title,
    before: text.slice(Math.max(0, start - CHARACTERS_AROUND), start).toWellFormed(),
    text: passage.toWellFormed(),
    after: text.slice(end, end + CHARACTERS_AROUND).toWellFormed(),
    direction: scriptDirection(dominantScript(passage)),
    hasChanged: indexedAt === null || (await stat(pathOnDisk(file))).mtimeMs > indexedAt,
  };
}

/** The folder that the path begins with, and the file in it. */
async function insideFolders(folders: ExcerptTask['folders'], path: string): Promise<string> {
  const folder = folders.find(({ name }) => isInFolder(path, name));
  if (folder === undefined) throw outside(path);
  return insideFolder(folder.path, folder.name === '' ? path : path.slice(folder.name.length + 1));
}

function outside(path: string): InputError {
  return new InputError('document.outside-library', `${path}: expected a file of the folders that are searched, found one outside them.`, { data: { path } });
}

/** The real path of a file of the library, and of no other: neither ".." nor a link leads out. */
async function insideFolder(folder: string, path: string): Promise<string> {
  try {
    const root = await realPathOf(folder);
    const file = await realPathOf(resolve(root, path));
    const way = relative(root, file);
    if (way === '' || way.startsWith('..') || isAbsolute(way) || isAbsolute(path)) throw outside(path);
    return file;
  } catch (thrown) {
    throw toIsoglossError(thrown);
  }
}

/** Byte by byte: a name need not be UTF-8. */
const realPathOf = async (path: string): Promise<string> => nameOfBytes(await realpath(pathOnDisk(path), 'buffer'));
