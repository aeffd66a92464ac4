/** How does one of the user's files become a document? Its content says what it is, its name only what it might be; then it is parsed. */
import { basename } from 'node:path';
import { describeBinary } from '../base/binary-kinds.ts';
import { InputError } from '../base/errors.ts';
import { emptyFile, printable, readText } from '../base/text-files.ts';
import type { FileProblem } from '../base/text-files.ts';
import { isBinaryTextGrid } from '../formats/textgrid.ts';
import { documentExtensions, documentFormats, formatOfName } from './formats.ts';
import type { DocumentFormatName } from './formats.ts';
import { containerKind, withZip } from './office-container.ts';
import { likelyEncodingOf, wasNeverUtf8 } from '../text/likely-encodings.ts';
import type { DocumentContent, ParsedDocument } from './parsed-document.ts';
import { sniffText } from './sniff-text.ts';
import { readHead } from './whole-file.ts';

/** Longer texts are refused: a document is held in memory whole. 128 MB is some 20,000 pages. */
export const DOCUMENT_LIMIT_BYTES = 128 * 1024 * 1024;

const HEAD_BYTES = 64 * 1024;
const PDF_HEAD_BYTES = 1024; // a PDF may begin with something else (ISO 32000, annex H)

export type ReadDocumentOptions = {
  /** Any label TextDecoder knows; left out: byte order mark, what the content declares, else UTF-8. */
  readonly encoding?: string;
};

/**
 * Reads a file of any row of `documentFormats`; texts also from gzip. A file with the wrong ending is read as what it is. Bytes that are
 * not valid in the encoding become U+FFFD and are reported once with their number and first line ('documents.invalid-bytes'); a text that
 * says nothing of its encoding, or claims UTF-8, and was never UTF-8 is read in the older encoding that fits best, and that is said ('documents.guessed-encoding').
 *
 * @throws InputError 'documents.unknown-format', 'documents.binary-file' (a program, a picture, a sound ... whatever its name),
 *   'documents.wrong-content', 'documents.unknown-archive', 'documents.empty-file', 'documents.utf-16-without-bom',
 *   'documents.too-large', 'documents.damaged-gzip', 'file.missing'; what the readers of the formats throw;
 *   the signal's reason once aborted.
 */
export async function readDocument(path: string, signal: AbortSignal, options: ReadDocumentOptions = {}): Promise<ParsedDocument> {
  signal.throwIfAborted();
  const named = formatOfName(basename(path));
  if (named === null) {
    throw new InputError('documents.unknown-format', `${path}: expected a file ending in ${documentExtensions.join(', ')}, found "${printable(basename(path))}".`, { data: { path } });
  }
  const found = await sniffBytes(path, signal);
  const { format, content } = found === null ? await readAsText({ path, named, signal, options }) : { format: found, content: await readAsFile(found, path, signal) };
  if (content.blocks.length === 0) throw nothingRead(path, content);
  return {
    path,
    format,
    title: content.title ?? printable(basename(path).replace(/(?:\.gz)?$/i, '').replace(/\.[^.]+$/, '')),
    ...(content.language === undefined ? {} : { language: content.language }),
    blocks: content.blocks,
    problems: content.problems ?? [],
  };
}

/** Why there is no text: what was wrong inside, else that there is none. */
function nothingRead(path: string, { problems: [first] = [] }: DocumentContent): InputError {
  return first === undefined ? emptyFile(path, 'documents', 'no text') : new InputError(first.code, first.message, { data: { path, line: first.line } });
}

/** Does a file begin as a text that no row but those of plain lines reads? Only its first bytes are looked at. */
export async function startsAsPlainText(path: string): Promise<boolean> {
  const head = await readHead(path, HEAD_BYTES);
  return binaryStart(head) === null && sniffText(new TextDecoder().decode(head)) === null;
}

/** What the first bytes say: a row of the table, or an archive whose kind is inside; null for a text or what no row reads. */
function binaryStart(head: Uint8Array): 'pdf' | 'rtf' | 'textgrid-binary' | 'archive' | 'old-office' | null {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, PDF_HEAD_BYTES)).toString('latin1');
  const kind = describeBinary(head);
  if (start.includes('%PDF-') && (kind ?? 'PDF').includes('PDF')) return 'pdf';
  if (/^\s*\{\\rtf/.test(start)) return 'rtf';
  if (isBinaryTextGrid(head)) return 'textgrid-binary';
  if (/^PK(?:\u0003\u0004|\u0005\u0006)/.test(start)) return 'archive';
  return kind?.includes('old Office') === true ? 'old-office' : null;
}

/** The format of a file that is no text, from its first bytes; null for a text. @throws InputError for what no row reads. */
async function sniffBytes(path: string, signal: AbortSignal): Promise<DocumentFormatName | null> {
  const found = binaryStart(await readHead(path, HEAD_BYTES));
  if (found === 'archive') {
    const kind = await withZip(path, signal, containerKind);
    if (kind !== null) return kind;
    throw new InputError('documents.unknown-archive', `${path}: expected a document, found a ZIP archive that holds none. Unpack it, and choose the files inside.`, { data: { path } });
  }
  return found;
}

function readAsFile(format: DocumentFormatName, path: string, signal: AbortSignal): Promise<DocumentContent> {
  const { reader } = documentFormats[format];
  if (reader.kind === 'file') return reader.read(path, signal);
  throw wrongContent(path, format);
}

const wrongContent = (path: string, named: DocumentFormatName): InputError => new InputError('documents.wrong-content', `${path}: expected a file of the kind "${named}", found plain text. Give it the ending .txt, or choose another file.`, { data: { path } });

type TextReading = { readonly path: string; readonly named: DocumentFormatName; readonly signal: AbortSignal; readonly options: ReadDocumentOptions };

/** Formats whose content is text of any kind: what their first lines prove goes before their name. */
const ANY_TEXT = new Set<DocumentFormatName>(['text', 'xml', 'toolbox', 'usfm']);

async function readAsText({ path, named, signal, options }: TextReading): Promise<{ readonly format: DocumentFormatName; readonly content: DocumentContent }> {
  const namedReader = documentFormats[named].reader;
  const declared = namedReader.kind === 'text' ? namedReader.declaredEncoding : undefined;
  const textOptions = { area: 'documents' as const, limitBytes: DOCUMENT_LIMIT_BYTES, ...(options.encoding === undefined ? {} : { encoding: options.encoding }), ...(declared === undefined ? {} : { declared }) };
  const asSaid = await readText(path, signal, textOptions);
  const guessed = options.encoding === undefined && asSaid.isDamaged && wasNeverUtf8(asSaid.text) ? await likelyEncodingOf(path, signal, 'documents') : null;
  const { text, isDamaged } = guessed === null ? asSaid : await readText(path, signal, { ...textOptions, encoding: guessed });
  const lines = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  const nulFree = lines.includes('\0') ? lines.replaceAll('\0', '') : lines;
  const format = ANY_TEXT.has(named) || namedReader.kind === 'file' ? (sniffText(nulFree) ?? (named === 'old-office' ? 'text' : named)) : named;
  const { reader } = documentFormats[format];
  if (reader.kind === 'file') throw wrongContent(path, named);
  const content = reader.parse(nulFree, path);
  const problems: FileProblem[] = [...(content.problems ?? [])];
  if (isDamaged) problems.unshift(damagedProblem(path, lines));
  if (guessed !== null) problems.unshift(guessedProblem(path, asSaid.text, guessed));
  if (nulFree !== lines) problems.unshift(nulProblem(path, lines));
  return { format, content: { ...content, problems } };
}

function damagedProblem(path: string, text: string): FileProblem {
  const count = text.split('\uFFFD').length - 1;
  return problemAt({ path, text, at: text.indexOf('\uFFFD'), code: 'documents.invalid-bytes', expected: 'text in its encoding', found: `${count} places with bytes that are not, shown as U+FFFD` });
}

function guessedProblem(path: string, text: string, encoding: string): FileProblem {
  const count = text.split('\uFFFD').length - 1;
  return problemAt({ path, text, at: text.indexOf('\uFFFD'), code: 'documents.guessed-encoding', expected: 'UTF-8', found: `${count} bytes that are not; read as ${encoding}, which fits best (save the file as UTF-8 if letters are wrong)` });
}

function nulProblem(path: string, text: string): FileProblem {
  return problemAt({ path, text, at: text.indexOf('\0'), code: 'documents.nul-byte', expected: 'text without NUL', found: `${text.split('\0').length - 1} NUL characters, left out` });
}

function problemAt({ path, text, at, code, expected, found }: { readonly path: string; readonly text: string; readonly at: number; readonly code: string; readonly expected: string; readonly found: string }): FileProblem {
  const line = text.slice(0, Math.max(0, at)).split('\n').length;
  return { code, path, line, found, expected, message: `${path}: line ${line}: expected ${expected}, found ${found}.` };
}
