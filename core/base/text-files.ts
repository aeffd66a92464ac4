/** What are the bytes of this text file, and in which encoding are they? Plain or gzip (known by its magic, not its name), in constant memory. */
import { open, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { ignoreProgress } from './progress.ts';
import type { ReportProgress } from './progress.ts';
import { describeBinary, GZIP_MAGIC } from './binary-kinds.ts';
import { InputError, toIsoglossError } from './errors.ts';
import { pathOnDisk } from './file-names.ts';

/** Which part of the program reads: it is the first half of every error code ("corpus.empty-file", "documents.empty-file"). */
export type FileArea = 'corpus' | 'documents' | 'recipe' | 'share';

/** One thing wrong inside a file that is otherwise used. `line` counts from 1; `byteOffset` from 0, in the unpacked bytes. */
export type FileProblem = {
  readonly code: string;
  readonly path: string;
  readonly line: number;
  /** What stands there, made printable, at most 200 characters. */
  readonly found: string;
  readonly expected: string;
  readonly message: string;
  readonly byteOffset?: number;
  /** The number of the translation unit, in formats that have units. */
  readonly unit?: number;
  /** The identifier that is unknown or repeated, in formats that have identifiers. */
  readonly id?: string;
};

export type TextFileOptions = {
  readonly area: FileArea;
  /** Any label TextDecoder knows ("utf-16le", "windows-1252" ...). Left out: UTF-8, or what the byte order mark says. */
  readonly encoding?: string;
  /** The encoding that the content itself declares (HTML meta, XML declaration), if any; a byte order mark goes before it. */
  readonly declared?: (sample: Uint8Array) => string | undefined;
  /** Told how far the reading is, in bytes of the file as it lies on the disk; phase 'reading'. */
  readonly report?: ReportProgress;
};

/** How the bytes become text: the label for TextDecoder, bytes per code unit, and how many bytes of byte order mark to skip. */
export type TextEncoding = { readonly label: string; readonly unit: 1 | 2; readonly skip: number };

export const FOUND_LIMIT = 200;
const READ_BYTES = 256 * 1024;
const NUL_SHARE_OF_BINARY = 0.001; // reliability.md section 4, fault 6
const SAMPLE_BYTES = 64 * 1024;
const ONE_SIDED = 0.8; // share of the NUL bytes on odd (or on even) places that tells UTF-16 from chance; U+1F600 has one on the other side
const MIN_NUL_SHARE_OF_UTF16 = 0.01; // spaces and line ends of a script beyond Latin-1

/** Text made safe to show in a message: control and direction characters escaped, cut to `limit` characters. */
export function printable(text: string, limit = FOUND_LIMIT): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
  return cut.replace(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069\uD800-\uDFFF]/gu, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

/**
 * The unpacked bytes of a file, in pieces of at most 256 KB. A piece is valid only until the next one is asked for.
 * The file must stay as it was when opened: size, time of change and existence are compared at the end.
 *
 * @throws InputError '<area>.not-a-file', 'file.missing', '<area>.damaged-gzip' (with the place), '<area>.file-changed'.
 * @throws the signal's reason once aborted; EnvironmentError from the disk.
 */
export async function* readBytes(path: string, signal: AbortSignal, { area, report = ignoreProgress }: TextFileOptions): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const file = await openRegular(path, area);
  try {
    const before = await file.stat();
    const magic = new Uint8Array(GZIP_MAGIC.length);
    const { bytesRead } = await file.read(magic, 0, magic.length, 0);
    const isGzip = bytesRead === magic.length && GZIP_MAGIC.every((byte, i) => magic[i] === byte);
    let read = 0;
    const plain = counted(readPlain(file), (length) => {
      read += length;
      report({ phase: 'reading', done: read, total: before.size, unit: 'bytes' });
    });
    for await (const piece of isGzip ? unpack(plain, path, area) : plain) {
      signal.throwIfAborted();
      yield piece;
    }
    const after = await file.stat();
    if (after.nlink === 0) throw changed(path, area, 'it was deleted or replaced');
    if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) throw changed(path, area, `it had ${before.size} bytes at the start and has ${after.size} now`);
    if (!isGzip && read !== before.size) throw changed(path, area, `${before.size} bytes were announced, ${read} came`);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw toIsoglossError(thrown);
  } finally {
    await file.close();
  }
}

/**
 * The encoding of a text, from its first bytes. @param sample the first piece of the file.
 * @throws InputError '<area>.empty-file', '<area>.binary-file' (says what it is), '<area>.utf-16-without-bom', '<area>.unknown-encoding'.
 */
export function detectEncoding(path: string, sample: Uint8Array, { area, encoding, declared }: TextFileOptions): TextEncoding {
  if (sample.length === 0) throw emptyFile(path, area, 'no bytes');
  const [a, b, c, d] = sample;
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) {
    throw new InputError(`${area}.unknown-encoding`, `${path}: expected UTF-8 or UTF-16, found UTF-32. Save the file again as UTF-8.`, { data: { path } });
  }
  const kind = describeBinary(sample);
  if (kind !== null) throw binaryFile(path, area, kind);
  if (a === 0xff && b === 0xfe) return { label: 'utf-16le', unit: 2, skip: 2 };
  if (a === 0xfe && b === 0xff) return { label: 'utf-16be', unit: 2, skip: 2 };
  const named = encoding === undefined ? declared?.(sample) : knownLabel(path, area, encoding);
  const label = named !== undefined && isKnownLabel(named) ? new TextDecoder(named).encoding : undefined;
  if (label === 'utf-16le' || label === 'utf-16be') return { label, unit: 2, skip: 0 };
  const guess = label === undefined ? guessUtf16(sample) : null;
  if (guess !== null) {
    const other = guess === 'utf-16le' ? 'utf-16be' : 'utf-16le';
    throw new InputError(
      `${area}.utf-16-without-bom`,
      `${path}: expected UTF-8, found what looks like UTF-16 without a byte order mark: ${guess} probably, ${other} possibly. Choose the encoding, or save the file again as UTF-8.`,
      { data: { path, encodings: [guess, other] } },
    );
  }
  const head = sample.subarray(0, SAMPLE_BYTES);
  const nuls = head.includes(0) ? head.reduce((count, byte) => count + Number(byte === 0), 0) : 0;
  if (nuls / head.length > NUL_SHARE_OF_BINARY) throw binaryFile(path, area, `${nuls} NUL bytes in the first ${head.length}`);
  const hasUtf8Mark = a === 0xef && b === 0xbb && c === 0xbf;
  return hasUtf8Mark ? { label: 'utf-8', unit: 1, skip: 3 } : { label: label ?? 'utf-8', unit: 1, skip: 0 };
}

/** A decoder that throws on any wrong byte: nothing ever becomes U+FFFD in silence. */
export function strictDecoder(encoding: TextEncoding): TextDecoder {
  return new TextDecoder(encoding.label, { fatal: true, ignoreBOM: true });
}

/** A piece of decoded text; `isDamaged`: some U+FFFD in it stands for bytes that are not valid in the encoding. */
export type TextPiece = { readonly text: string; readonly isDamaged: boolean };

/** The text of a file in pieces, for parsers that find their own way (XML). @throws what readBytes and detectEncoding throw. */
export async function* readTextPieces(path: string, signal: AbortSignal, options: TextFileOptions): AsyncGenerator<TextPiece> {
  let encoding: TextEncoding | null = null;
  let strict = new TextDecoder('utf-8');
  let held = new Uint8Array(0); // the start of a character whose rest is in the next piece
  for await (const piece of readBytes(path, signal, options)) {
    const isFirst = encoding === null;
    encoding ??= detectEncoding(path, piece, options);
    if (isFirst) strict = strictDecoder(encoding);
    const bytes = Buffer.concat([held, isFirst ? piece.subarray(encoding.skip) : piece]);
    const whole = DOUBLE_BYTE.has(encoding.label) ? endOfPlainText(bytes) : wholeCharacters(bytes, encoding);
    held = new Uint8Array(bytes.subarray(whole));
    yield decodePiece(bytes.subarray(0, whole), strict, encoding);
  }
  if (encoding === null) throw emptyFile(path, options.area, 'no bytes');
  if (held.length > 0) yield decodePiece(held, strict, encoding);
}

/**
 * A whole text file as one string, for files that are read as one thing (a document). Wrong bytes are counted, not hidden.
 *
 * @param options.limitBytes files with more unpacked bytes are refused.
 * @returns the text and `isDamaged`: some bytes were not valid in the encoding and became U+FFFD.
 * @throws what readBytes and detectEncoding throw; InputError '<area>.too-large'.
 */
export async function readText(path: string, signal: AbortSignal, options: TextFileOptions & { readonly limitBytes: number }): Promise<TextPiece> {
  const { area, limitBytes } = options;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of readBytes(path, signal, options)) {
    if (size === 0) detectEncoding(path, piece, options); // refuses what is no text before the rest is read
    size += piece.length;
    if (size > limitBytes) throw new InputError(`${area}.too-large`, `${path}: expected at most ${limitBytes} bytes of text, found more. Split the file.`, { data: { path, limitBytes } });
    pieces.push(new Uint8Array(piece));
  }
  const bytes = Buffer.concat(pieces);
  const encoding = detectEncoding(path, bytes, options);
  return decodePiece(bytes.subarray(encoding.skip), strictDecoder(encoding), encoding);
}

function decodePiece(bytes: Uint8Array, strict: TextDecoder, encoding: TextEncoding): TextPiece {
  try {
    return { text: strict.decode(bytes), isDamaged: false };
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return { text: new TextDecoder(encoding.label, { ignoreBOM: true }).decode(bytes), isDamaged: true };
  }
}

/** Encodings whose characters of several bytes begin nowhere that one could tell from their bytes alone. */
const DOUBLE_BYTE = new Set(['gbk', 'gb18030', 'big5', 'euc-jp', 'euc-kr', 'shift_jis']);
const NEVER_WITHIN = 0x30; // smaller bytes (spaces, line ends, most signs) are no part of such a character

/** Behind the last byte that is a character of its own; all of them where there is none. */
function endOfPlainText(bytes: Uint8Array): number {
  const at = bytes.findLastIndex((byte) => byte < NEVER_WITHIN);
  return at < 0 ? bytes.length : at + 1;
}

/** How many of these bytes are whole characters: less a started UTF-8 sequence or a started UTF-16 pair at the end. */
export function wholeCharacters(bytes: Uint8Array, { unit, label }: TextEncoding): number {
  if (unit === 2) {
    const even = bytes.length & ~1;
    const high = bytes[even - (label === 'utf-16le' ? 1 : 2)] ?? 0;
    return high >= 0xd8 && high <= 0xdb ? even - 2 : even;
  }
  if (label !== 'utf-8') return bytes.length;
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** InputError '<area>.empty-file': `found` says what little there is. */
export function emptyFile(path: string, area: FileArea, found: string): InputError {
  return new InputError(`${area}.empty-file`, `${path}: expected text, found ${found}. Choose a file with text in it.`, { data: { path } });
}

function binaryFile(path: string, area: FileArea, found: string): InputError {
  return new InputError(`${area}.binary-file`, `${path}: expected text, found ${found}. Export it as plain text, or choose another file.`, { data: { path, found } });
}

function changed(path: string, area: FileArea, how: string): InputError {
  return new InputError(`${area}.file-changed`, `${path}: the file changed while it was read: ${how}. Nothing of this reading should be kept; read it again.`, { data: { path } });
}

async function openRegular(path: string, area: FileArea): Promise<FileHandle> {
  try {
    const place = pathOnDisk(path);
    const facts = await stat(place);
    if (facts.isDirectory()) throw new InputError(`${area}.not-a-file`, `${path}: expected a file, found a folder.`, { data: { path } });
    if (!facts.isFile()) throw new InputError(`${area}.not-a-file`, `${path}: expected a file, found a device or pipe.`, { data: { path } });
    return await open(place, 'r');
  } catch (thrown) {
    throw toIsoglossError(thrown);
  }
}

async function* readPlain(file: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(READ_BYTES);
  let position = 0;
  while (true) {
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array>, count: (length: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    count(piece.length);
    yield piece;
  }
}

/** The stream queues pieces, so each needs memory of its own. */
async function* copied(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield new Uint8Array(piece);
}

async function* unpack(plain: AsyncIterable<Uint8Array>, path: string, area: FileArea): AsyncGenerator<Uint8Array> {
  const packed = Readable.from(copied(plain));
  const gunzip = createGunzip({ chunkSize: READ_BYTES });
  packed.on('error', (error) => gunzip.destroy(error));
  packed.pipe(gunzip);
  let unpacked = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
      unpacked += piece.length;
      yield piece;
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (!code.startsWith('Z_')) throw cause;
    const what = code === 'Z_BUF_ERROR' ? 'the file stops in the middle (a broken download or copy)' : 'its bytes are damaged';
    throw new InputError(`${area}.damaged-gzip`, `${path}: expected a whole gzip file, but ${what}, after ${unpacked} unpacked bytes. Fetch or copy the file again.`, {
      cause,
      data: { path, byteOffset: unpacked },
    });
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

function isKnownLabel(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

function knownLabel(path: string, area: FileArea, label: string): string {
  if (isKnownLabel(label)) return new TextDecoder(label).encoding;
  throw new InputError(`${area}.unknown-encoding`, `${path}: expected the name of an encoding such as "utf-8" or "windows-1252", found "${printable(label)}".`, { data: { path, encoding: label } });
}

/** NUL bytes on odd places only speak for little endian, on even places only for big endian; the text must then be clean. */
function guessUtf16(sample: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const head = sample.subarray(0, Math.min(sample.length, SAMPLE_BYTES) & ~1);
  if (!head.includes(0)) return null;
  let even = 0;
  let odd = 0;
  for (let i = 0; i < head.length; i += 2) {
    if (head[i] === 0) even += 1;
    if (head[i + 1] === 0) odd += 1;
  }
  const nuls = even + odd;
  if (nuls === 0 || nuls / head.length < MIN_NUL_SHARE_OF_UTF16) return null;
  const guess = odd / nuls >= ONE_SIDED ? 'utf-16le' : even / nuls >= ONE_SIDED ? 'utf-16be' : null;
  if (guess === null) return null;
  const text = new TextDecoder(guess).decode(head);
  const isClean = !/[\u0000-\u0008\u000E-\u001F\uFFFE\uFFFF]/.test(text) && text.replace(/\uFFFD$/, '').isWellFormed() && !/\uFFFD[^]/.test(text);
  return isClean ? guess : null;
}
