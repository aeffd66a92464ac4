/** What are the lines of this text file? Streamed in constant memory; a line that cannot be used is a problem, not an end. */
import { TextDecoder } from 'node:util';
import { InputError } from './errors.ts';
import { ignoreProgress } from './progress.ts';
import { detectEncoding, emptyFile, printable, readBytes, strictDecoder, wholeCharacters } from './text-files.ts';
import type { FileProblem, TextEncoding, TextFileOptions } from './text-files.ts';

/** Lines in file order: a string, or the problem that stands in its place. `firstLine` counts from 1. `notes`: what was mended in lines that are used. */
export type LineBatch = { readonly firstLine: number; readonly lines: readonly (string | FileProblem)[]; readonly notes: readonly FileProblem[] };

/** A record is never longer than this; a longer line is reported and skipped. */
export const LINE_LIMIT_BYTES = 16 * 1024 * 1024;

const LF = 10;
const CR = 13;
const HEX = 16;
const BYTES_SHOWN = 24;

/**
 * The lines of a file, plain or gzip, in batches of about 256 KB. Lines end at LF, CRLF or CR and nowhere else (U+2028 and
 * NEL are text). A byte order mark is removed. Blank lines are lines.
 *
 * A line with bytes that are not valid in the encoding, or of more than 16 MB, is a problem ('<area>.invalid-bytes',
 * '<area>.line-too-long') with its line and byte offset; reading goes on. NUL characters are left out of their line, and noted
 * with their number ('<area>.nul-byte').
 *
 * @throws InputError '<area>.empty-file' for no bytes or only blank lines; what readBytes and detectEncoding throw.
 */
export function readLineBatches(path: string, signal: AbortSignal, options: TextFileOptions): AsyncGenerator<LineBatch> {
  return splitLineBatches(path, readBytes(path, signal, options), options);
}

/** As readLineBatches, of bytes that come from elsewhere (a file inside an archive); `path` names them in messages. @throws as readLineBatches, and what the bytes throw. */
export async function* splitLineBatches(path: string, pieces: AsyncIterable<Uint8Array>, options: TextFileOptions): AsyncGenerator<LineBatch> {
  const splitter = new LineSplitter(path, options);
  let hasText = false;
  const seen = (batch: LineBatch): LineBatch => {
    hasText ||= batch.lines.some((line) => typeof line !== 'string' || line.trim() !== '');
    return batch;
  };
  try {
    for await (const piece of pieces) {
      const batch = splitter.push(piece);
      if (batch !== null) yield seen(batch);
    }
  } catch (thrown) {
    if (!(thrown instanceof InputError) || !thrown.code.endsWith('.damaged-gzip')) throw thrown;
    throw new InputError(thrown.code, `${thrown.message} The last whole line is ${splitter.lines}.`, { cause: thrown, data: { ...thrown.data, line: splitter.lines } });
  }
  const last = splitter.end();
  if (last !== null) yield seen(last);
  if (!hasText) throw emptyFile(path, options.area, splitter.lines === 0 ? 'no bytes' : 'only blank lines');
}

/** The number of lines of a file, by the rules of readLineBatches; reports no progress. @throws as readLineBatches. */
export async function countLines(path: string, signal: AbortSignal, options: TextFileOptions): Promise<number> {
  let count = 0;
  const silent = { ...options, report: ignoreProgress };
  for await (const batch of readLineBatches(path, signal, silent)) count += batch.lines.length;
  return count;
}

/** Bytes of whole lines; before them, possibly, a line too long to hold, of which only the length is known. */
type Block = { readonly longBytes: number; readonly bytes: Uint8Array };

/** Cuts pieces of bytes into batches of lines. Holds at most one unfinished line of LINE_LIMIT_BYTES. */
class LineSplitter {
  lines = 0;
  private readonly path: string;
  private readonly options: TextFileOptions;
  private encoding: TextEncoding | null = null;
  private decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private pending: Uint8Array[] = [];
  private pendingBytes = 0;
  private offset = 0; // of the first pending byte, in the unpacked file
  private skipping = false;
  private notes: FileProblem[] = [];

  constructor(path: string, options: TextFileOptions) {
    this.path = path;
    this.options = options;
  }

  push(piece: Uint8Array): LineBatch | null {
    const encoding = this.encoding ?? this.start(piece);
    let rest = this.offset === 0 && this.pendingBytes === 0 ? piece.subarray(encoding.skip) : piece;
    if (rest !== piece) this.offset = encoding.skip;
    if (encoding.unit === 2) rest = this.alignPending(rest);
    const cut = this.findCut(rest, encoding);
    if (cut < 0) {
      this.keep(rest);
      return null;
    }
    const batch = this.split(this.takePending(rest.subarray(0, cut)), encoding);
    this.keep(rest.subarray(cut));
    return batch;
  }

  end(): LineBatch | null {
    if (this.encoding === null) throw emptyFile(this.path, this.options.area, 'no bytes');
    if (this.pendingBytes === 0) return null;
    return this.split(this.takePending(new Uint8Array(0)), this.encoding);
  }

  private start(piece: Uint8Array): TextEncoding {
    this.encoding = detectEncoding(this.path, piece, this.options);
    this.decoder = strictDecoder(this.encoding);
    return this.encoding;
  }

  /** In UTF-16 a code unit may be split between two pieces: the odd byte is joined before looking for line ends. */
  private alignPending(piece: Uint8Array): Uint8Array {
    if (this.pendingBytes % 2 === 0) return piece;
    const last = this.pending.pop();
    if (last === undefined) return piece;
    this.pendingBytes -= last.length;
    return Buffer.concat([last, piece]);
  }

  /** The place after the last line end in this piece, or -1. A CR at the very end waits: an LF may follow. */
  private findCut(piece: Uint8Array, { unit, label }: TextEncoding): number {
    const view = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    if (unit === 1) {
      const lf = view.lastIndexOf(LF);
      if (lf >= 0) return lf + 1;
      const cr = view.subarray(0, -1).lastIndexOf(CR);
      if (cr >= 0) return cr + 1;
      return this.endsWithCR(1, 0) && piece.length > 0 ? 0 : -1;
    }
    const low = label === 'utf-16le' ? 0 : 1;
    let cr = -1;
    for (let i = (view.length & ~1) - 2; i >= 0; i -= 2) {
      if (view[i + 1 - low] !== 0) continue;
      if (view[i + low] === LF) return i + 2;
      if (cr < 0 && view[i + low] === CR && i + 2 < view.length - 1) cr = i + 2;
    }
    if (cr >= 0) return cr;
    return this.endsWithCR(2, low) && view.length > 1 ? 0 : -1;
  }

  private endsWithCR(unit: 1 | 2, low: 0 | 1): boolean {
    const last = this.pending.at(-1);
    if (last === undefined || last.length < unit) return false;
    return unit === 1 ? last.at(-1) === CR : last.at(-2 + low) === CR && last.at(-1 - low) === 0;
  }

  private keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.pendingBytes += piece.length;
    if (!this.skipping && this.pendingBytes <= LINE_LIMIT_BYTES) {
      this.pending.push(new Uint8Array(piece)); // a copy: the piece's memory is used again
      return;
    }
    this.skipping = true;
    const isOdd = this.pendingBytes % 2 === 1 && this.encoding?.unit === 2;
    // The last bytes are kept so that a CR or half a code unit at the border is still seen.
    const tail = new Uint8Array(piece.subarray(isOdd ? -1 : -2));
    this.pending = [tail];
  }

  /** What is pending with `end` behind it; of a line that grew too long only its length, and the bytes after it. */
  private takePending(end: Uint8Array): Block {
    const total = this.pendingBytes + end.length;
    const { pending, skipping, encoding } = this;
    const isCut = encoding !== null && this.endsWithCR(encoding.unit, encoding.label === 'utf-16be' ? 1 : 0) && end[encoding.label === 'utf-16be' ? 1 : 0] !== LF;
    this.pending = [];
    this.pendingBytes = 0;
    this.skipping = false;
    if (!skipping) return { longBytes: 0, bytes: pending.length === 0 ? end : Buffer.concat([...pending, end], total) };
    const next = encoding === null || isCut ? 0 : lineEnd(end, 0, encoding).next;
    return { longBytes: total - (end.length - next), bytes: end.subarray(next) };
  }

  private split({ longBytes, bytes }: Block, encoding: TextEncoding): LineBatch {
    const firstLine = this.lines + 1;
    const lines: (string | FileProblem)[] = [];
    if (longBytes > 0) {
      lines.push(this.problem('line-too-long', firstLine, this.offset, `a line of ${longBytes} bytes`, `at most ${LINE_LIMIT_BYTES} bytes in a line`));
      this.offset += longBytes;
    }
    const text = bytes.length <= LINE_LIMIT_BYTES ? this.tryDecode(bytes, encoding) : null;
    if (text === null) this.splitCarefully(bytes, encoding, firstLine + lines.length, lines);
    else for (const line of splitText(text)) lines.push(line);
    this.offset += bytes.length;
    this.lines = firstLine - 1 + lines.length;
    const { notes } = this;
    this.notes = [];
    return { firstLine, lines, notes };
  }

  private tryDecode(bytes: Uint8Array, { unit }: TextEncoding): string | null {
    if (unit === 1 && bytes.includes(0)) return null;
    try {
      const text = this.decoder.decode(bytes);
      return unit === 2 && text.includes('\0') ? null : text;
    } catch (thrown) {
      if (thrown instanceof TypeError) return null;
      throw thrown;
    }
  }

  /** Line by line, for a block in which something is wrong. */
  private splitCarefully(bytes: Uint8Array, encoding: TextEncoding, firstLine: number, lines: (string | FileProblem)[]): void {
    let line = firstLine;
    for (let start = 0; start < bytes.length; line += 1) {
      const { end, next } = lineEnd(bytes, start, encoding);
      const one = bytes.subarray(start, end);
      lines.push(this.readOne(one, encoding, line, this.offset + start));
      start = next;
    }
  }

  private readOne(bytes: Uint8Array, encoding: TextEncoding, line: number, offset: number): string | FileProblem {
    if (bytes.length > LINE_LIMIT_BYTES) return this.problem('line-too-long', line, offset, `a line of ${bytes.length} bytes`, `at most ${LINE_LIMIT_BYTES} bytes in a line`);
    const text = this.tryDecode(bytes, encoding);
    if (text !== null) return text;
    const { at: bad, isNul } = firstBadByte(bytes, encoding);
    const mended = isNul ? this.withoutNuls(bytes, encoding, line, offset + bad) : null;
    if (mended !== null) return mended;
    const before = new TextDecoder(encoding.label).decode(bytes.subarray(Math.max(0, bad - BYTES_SHOWN), bad)).replace(/^\uFFFD+/, '');
    const hex = [...bytes.subarray(bad, bad + 4)].map((byte) => byte.toString(HEX).padStart(2, '0')).join(' ');
    const found = `bytes ${hex} after "${printable(before)}"`;
    return this.problem(isNul ? 'nul-byte' : 'invalid-bytes', line, offset + bad, found, isNul ? 'text without NUL bytes' : `text in ${encoding.label}`);
  }

  /** The line without its NUL characters, which are noted; null when something else is wrong with it too. */
  private withoutNuls(bytes: Uint8Array, encoding: TextEncoding, line: number, byteOffset: number): string | null {
    const kept = encoding.unit === 1 ? bytes.filter((byte) => byte !== 0) : bytes.filter((_, i) => bytes[i & ~1] !== 0 || bytes[i | 1] !== 0);
    const text = this.tryDecode(kept, encoding);
    if (text === null) return null;
    const count = (bytes.length - kept.length) / encoding.unit;
    const [found, expected] = [`${count} NUL ${count === 1 ? 'character' : 'characters'}`, 'text without NUL'];
    const message = `${this.path}: line ${line}, byte ${byteOffset}: expected ${expected}, found ${found}; ${count === 1 ? 'it is' : 'they are'} left out, the line is used.`;
    this.notes.push({ code: `${this.options.area}.nul-byte`, path: this.path, line, found, expected, message, byteOffset });
    return text;
  }

  private problem(reason: string, line: number, byteOffset: number, found: string, expected: string): FileProblem {
    const message = `${this.path}: line ${line}, byte ${byteOffset}: expected ${expected}, found ${found}. The line is left out.`;
    return { code: `${this.options.area}.${reason}`, path: this.path, line, found, expected, message, byteOffset };
  }
}

/** A text that ends with a line end (or with the file) as lines. */
function splitText(text: string): string[] {
  const plain = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  const lines = plain.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Where the line that starts at `start` ends, and where the next one starts. */
function lineEnd(bytes: Uint8Array, start: number, { unit, label }: TextEncoding): { readonly end: number; readonly next: number } {
  const low = unit === 2 && label === 'utf-16be' ? 1 : 0;
  const at = (i: number): number => (unit === 1 ? (bytes[i] ?? -1) : bytes[i + 1 - low] === 0 ? (bytes[i + low] ?? -1) : -1);
  for (let i = start; i < bytes.length; i += unit) {
    const byte = at(i);
    if (byte === LF) return { end: i, next: i + unit };
    if (byte === CR) return { end: i, next: at(i + unit) === LF ? i + 2 * unit : i + unit };
  }
  return { end: bytes.length, next: bytes.length };
}

/** The first byte of what cannot stand where it stands, or of a NUL: the longest prefix that still decodes, by bisection. */
function firstBadByte(bytes: Uint8Array, encoding: TextEncoding): { readonly at: number; readonly isNul: boolean } {
  const decodes = (length: number): boolean => {
    try {
      // `stream` lets a character be unfinished at the end of the prefix.
      new TextDecoder(encoding.label, { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch (thrown) {
      if (thrown instanceof TypeError) return false;
      throw thrown;
    }
  };
  let low = 0;
  let high = bytes.length + 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (decodes(middle)) low = middle;
    else high = middle;
  }
  const bad = wholeCharacters(bytes.subarray(0, low), encoding);
  const nul = encoding.unit === 1 ? bytes.indexOf(0) : nulUnit(bytes);
  const isNul = nul >= 0 && nul <= bad;
  return { at: isNul ? nul : bad, isNul };
}

function nulUnit(bytes: Uint8Array): number {
  for (let i = 0; i + 1 < bytes.length; i += 2) if (bytes[i] === 0 && bytes[i + 1] === 0) return i;
  return -1;
}
