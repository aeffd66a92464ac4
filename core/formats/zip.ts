/** What is in this ZIP archive? Opened with limits: nothing is written to a disk, no bomb is unpacked, no name leaves the archive. */
import { stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { openPromise } from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { describeBinary } from '../base/binary-kinds.ts';
import { InputError, toIsoglossError } from '../base/errors.ts';
import { pathOnDisk } from '../base/file-names.ts';
import { printable } from '../base/text-files.ts';
import type { FileArea } from '../base/text-files.ts';

/** Bytes are counted as they come out of the unpacking, never as declared. */
export type ZipLimits = { readonly entries: number; readonly entryBytes: number; readonly totalBytes: number; readonly ratio: number; readonly ratioFreeBytes: number };

/** reliability.md 2.3. A corpus that is streamed may ask for more bytes; the ratio still holds. */
export const ZIP_LIMITS: ZipLimits = { entries: 10_000, entryBytes: 200 * 1024 * 1024, totalBytes: 1024 * 1024 * 1024, ratio: 100, ratioFreeBytes: 1024 * 1024 };

/** `sizeBytes` is what the archive claims; trust it for display only. */
export type ZipEntry = { readonly name: string; readonly sizeBytes: number };

export type ZipArchive = {
  /** The files of the archive (no folders), in its order. */
  readonly entries: readonly ZipEntry[];
  readonly has: (name: string) => boolean;
  /** The unpacked bytes of a file in pieces. @throws InputError as `openZip`, '<area>.zip-missing-entry', '<area>.zip-bomb', '<area>.zip-nested', '<area>.damaged-zip'. */
  readonly stream: (name: string) => AsyncGenerator<Uint8Array>;
  /** The same as one array. */
  readonly read: (name: string) => Promise<Uint8Array>;
  readonly close: () => void;
};

export type OpenZipOptions = { readonly area: FileArea; readonly limits?: Partial<ZipLimits> };

const LOCAL_HEADER_BYTES = 30;
const FILE_TYPE_MASK = 0xf000; // of a Unix mode, in the upper half of the attributes
const SYMBOLIC_LINK = 0xa000;
const MODE_SHIFT = 16;
const UNSAFE_NAME = /^(?:absolute path|invalid relative path|invalid characters in fileName)/; // yauzl's words
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Opens an archive and checks its directory. Files inside are unpacked only when asked for; an archive inside is never opened.
 *
 * @throws InputError '<area>.damaged-zip', '<area>.zip-too-many-entries', '<area>.zip-unsafe-name' (.., absolute, drive letter,
 *   backslash, control character), '<area>.zip-link', '<area>.zip-duplicate-name', '<area>.zip-encrypted', '<area>.zip-overlap',
 *   '<area>.not-a-file', 'file.missing'; EnvironmentError from the disk; the signal's reason once aborted.
 */
export async function openZip(path: string, signal: AbortSignal, { area, limits: wanted }: OpenZipOptions): Promise<ZipArchive> {
  signal.throwIfAborted();
  const limits = { ...ZIP_LIMITS, ...wanted };
  const refuse = refusals(path, area);
  await expectFile(path, area);
  const place = pathOnDisk(path) as string; // boundary: yauzl hands it to fs.open, which takes bytes too
  const file = await openPromise(place, { autoClose: false, lazyEntries: true, strictFileNames: true }).catch((thrown: unknown) => {
    throw refuse.damaged(thrown);
  });
  try {
    const byName = await readDirectory({ file, limits, refuse, signal });
    return archiveOf({ file, byName, limits, refuse, signal });
  } catch (thrown) {
    file.close();
    throw thrown;
  }
}

async function expectFile(path: string, area: FileArea): Promise<void> {
  const facts = await stat(pathOnDisk(path)).catch((thrown: unknown) => {
    throw toIsoglossError(thrown);
  });
  if (!facts.isFile()) throw new InputError(`${area}.not-a-file`, `${path}: expected a file, found ${facts.isDirectory() ? 'a folder' : 'a device or pipe'}.`, { data: { path } });
}

type Refusals = ReturnType<typeof refusals>;

/** Every sentence with which an archive is refused. */
function refusals(path: string, area: FileArea) {
  const refusal = (reason: string, sentence: string, cause?: unknown): InputError => new InputError(`${area}.${reason}`, `${path}: ${sentence}`, { data: { path }, cause });
  const shown = (name: string): string => `"${printable(name)}"`;
  return {
    damaged: (thrown: unknown, name?: string): Error => {
      if (!(thrown instanceof Error) || thrown instanceof InputError) return toIsoglossError(thrown);
      if ('code' in thrown && !String(thrown.code).startsWith('Z_')) return toIsoglossError(thrown, path);
      if (UNSAFE_NAME.test(thrown.message)) return refusal('zip-unsafe-name', `expected names that stay inside the archive, found one that does not (${printable(thrown.message)}). Do not trust this file.`, thrown);
      if (thrown.message.includes('encrypt')) return refusal('zip-encrypted', 'expected a ZIP archive without a password, found one with it. Save it again without.', thrown);
      return refusal('damaged-zip', `expected a whole ZIP archive, found a damaged one${name === undefined ? '' : ` (in ${shown(name)})`}: ${printable(thrown.message)}. Fetch or copy the file again.`, thrown);
    },
    entries: (limit: number) => refusal('zip-too-many-entries', `expected at most ${limit} files in the archive, found more.`),
    name: (name: string) => refusal('zip-unsafe-name', `expected names that stay inside the archive, found ${shown(name)}. Do not trust this file.`),
    link: (name: string) => refusal('zip-link', `expected files, found a symbolic link: ${shown(name)}. Do not trust this file.`),
    duplicate: (name: string) => refusal('zip-duplicate-name', `expected each name once, found ${shown(name)} twice. Do not trust this file.`),
    encrypted: (name: string) => refusal('zip-encrypted', `expected a ZIP archive without a password, found ${shown(name)} encrypted. Save it again without.`),
    overlap: (name: string) => refusal('zip-overlap', `expected files one after another, found ${shown(name)} inside another. Do not trust this file.`),
    missing: (name: string) => refusal('zip-missing-entry', `expected ${shown(name)} in the archive, found no such file.`),
    bomb: (name: string, found: string) => refusal('zip-bomb', `expected ${shown(name)} to unpack to a sensible size, found ${found}. Unpacking was stopped.`),
    nested: (name: string, kind: string) => refusal('zip-nested', `expected no archive inside the archive, found ${shown(name)}: ${kind}. Unpack it first.`),
  };
}

type Opened = { readonly file: ZipFile; readonly limits: ZipLimits; readonly refuse: Refusals; readonly signal: AbortSignal };

async function readDirectory({ file, limits, refuse, signal }: Opened): Promise<ReadonlyMap<string, Entry>> {
  if (file.entryCount > limits.entries) throw refuse.entries(limits.entries);
  const byName = new Map<string, Entry>();
  const names = new Set<string>();
  const iterator = file.eachEntry();
  const next = (): Promise<IteratorResult<Entry>> => iterator.next().catch((thrown: unknown) => {
    throw refuse.damaged(thrown);
  });
  for (let step = await next(); step.done !== true; step = await next()) {
    signal.throwIfAborted();
    const entry = step.value;
    const name = entry.fileName;
    if (names.size >= limits.entries) throw refuse.entries(limits.entries);
    if (name === '' || CONTROL_CHARACTER.test(name)) throw refuse.name(name);
    if (names.has(name)) throw refuse.duplicate(name);
    if (((entry.externalFileAttributes >>> MODE_SHIFT) & FILE_TYPE_MASK) === SYMBOLIC_LINK) throw refuse.link(name);
    if (entry.isEncrypted()) throw refuse.encrypted(name);
    names.add(name);
    if (!name.endsWith('/')) byName.set(name, entry);
  }
  const inOrder = [...byName.values()].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  let end = 0;
  for (const entry of inOrder) {
    if (entry.relativeOffsetOfLocalHeader < end) throw refuse.overlap(entry.fileName);
    end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.compressedSize;
  }
  return byName;
}

function archiveOf({ file, byName, limits, refuse, signal }: Opened & { readonly byName: ReadonlyMap<string, Entry> }): ZipArchive {
  let total = 0;
  async function* stream(name: string): AsyncGenerator<Uint8Array> {
    signal.throwIfAborted();
    const entry = byName.get(name);
    if (entry === undefined) throw refuse.missing(name);
    const unpacking = await file.openReadStreamPromise(entry).catch((thrown: unknown) => {
      throw refuse.damaged(thrown, name);
    });
    let size = 0;
    let sum = 0;
    try {
      for await (const piece of unpacking as AsyncIterable<Uint8Array>) {
        signal.throwIfAborted();
        const kind = size === 0 ? describeBinary(piece) : null;
        if (kind?.includes('archive') === true) throw refuse.nested(name, kind);
        size += piece.length;
        total += piece.length;
        if (size > limits.entryBytes || total > limits.totalBytes) throw refuse.bomb(name, `more than ${size > limits.entryBytes ? limits.entryBytes : limits.totalBytes} bytes`);
        if (size > limits.ratioFreeBytes && size > limits.ratio * entry.compressedSize) throw refuse.bomb(name, `more than ${limits.ratio} times its packed size`);
        sum = crc32(piece, sum);
        yield piece;
      }
      if (sum !== entry.crc32) throw refuse.damaged(new Error('its checksum is wrong'), name);
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      throw refuse.damaged(thrown, name);
    } finally {
      unpacking.destroy();
    }
  }
  return {
    entries: [...byName.values()].map(({ fileName, uncompressedSize }) => ({ name: fileName, sizeBytes: uncompressedSize })),
    has: (name) => byName.has(name),
    stream,
    read: async (name) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of stream(name)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
    close: () => file.close(),
  };
}
