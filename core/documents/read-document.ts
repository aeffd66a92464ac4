/** How does one of the user's files become a document? Format by name, checked against the content; decoded; parsed. */
import { basename } from 'node:path';
import { InputError } from '../base/errors.ts';
import { emptyFile, printable, readText } from '../base/text-files.ts';
import type { FileProblem } from '../base/text-files.ts';
import { documentExtensions, documentFormats, formatOfName } from './formats.ts';
import { looksLikeHtml } from './html.ts';
import type { ParsedDocument } from './parsed-document.ts';

/** Longer documents are refused: a document is held in memory whole. 32 MB is some 5,000 pages. */
export const DOCUMENT_LIMIT_BYTES = 32 * 1024 * 1024;

export type ReadDocumentOptions = {
  /** Any label TextDecoder knows; left out: byte order mark, what the content declares, else UTF-8. */
  readonly encoding?: string;
};

/**
 * Reads a .txt, .md, .html, .csv or .tsv file (also gzip). Bytes that are not valid in the encoding become U+FFFD and are
 * reported once with their number and first line ('documents.invalid-bytes').
 *
 * @throws InputError 'documents.unknown-format', 'documents.binary-file' (a PDF, ZIP, program ... whatever its name),
 *   'documents.empty-file', 'documents.utf-16-without-bom', 'documents.too-large', 'documents.damaged-gzip', 'file.missing';
 *   the signal's reason once aborted.
 */
export async function readDocument(path: string, signal: AbortSignal, options: ReadDocumentOptions = {}): Promise<ParsedDocument> {
  const named = formatOfName(basename(path));
  if (named === null) {
    throw new InputError('documents.unknown-format', `${path}: expected a file ending in ${documentExtensions.join(', ')}, found "${printable(basename(path))}".`, { data: { path } });
  }
  const { declaredEncoding } = documentFormats[named];
  const { text, isDamaged } = await readText(path, signal, {
    area: 'documents',
    limitBytes: DOCUMENT_LIMIT_BYTES,
    ...(options.encoding === undefined ? {} : { encoding: options.encoding }),
    ...(declaredEncoding === undefined ? {} : { declared: declaredEncoding }),
  });
  const lines = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  const nulFree = lines.includes('\0') ? lines.replaceAll('\0', '') : lines;
  const format = named === 'text' && looksLikeHtml(nulFree) ? 'html' : named;
  const content = documentFormats[format].parse(nulFree, path);
  const problems: FileProblem[] = [...(content.problems ?? [])];
  if (isDamaged) problems.unshift(damagedProblem(path, lines));
  if (nulFree !== lines) problems.unshift(nulProblem(path, lines));
  if (content.blocks.length === 0) throw emptyFile(path, 'documents', 'no text');
  return {
    path,
    format,
    title: content.title ?? printable(basename(path).replace(/(?:\.gz)?$/i, '').replace(/\.[^.]+$/, '')),
    ...(content.language === undefined ? {} : { language: content.language }),
    blocks: content.blocks,
    problems,
  };
}

function damagedProblem(path: string, text: string): FileProblem {
  const count = text.split('\uFFFD').length - 1;
  return problemAt({ path, text, at: text.indexOf('\uFFFD'), code: 'documents.invalid-bytes', expected: 'text in its encoding', found: `${count} places with bytes that are not, shown as U+FFFD` });
}

function nulProblem(path: string, text: string): FileProblem {
  return problemAt({ path, text, at: text.indexOf('\0'), code: 'documents.nul-byte', expected: 'text without NUL', found: `${text.split('\0').length - 1} NUL characters, left out` });
}

function problemAt({ path, text, at, code, expected, found }: { readonly path: string; readonly text: string; readonly at: number; readonly code: string; readonly expected: string; readonly found: string }): FileProblem {
  const line = text.slice(0, Math.max(0, at)).split('\n').length;
  return { code, path, line, found, expected, message: `${path}: line ${line}: expected ${expected}, found ${found}.` };
}
