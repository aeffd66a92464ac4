/** How does one file hold many named arrays, so that damage is noticed? Sections one after another, a table of them at the end, sums over both. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { syncFolder } from '../../base/atomic-files.ts';
import { EnvironmentError, toIsoglossError } from '../../base/errors.ts';

export type Sections = ReadonlyMap<string, readonly Uint8Array[]>;

/** A file of sections, or sections in memory. */
export type SectionSource = {
  readonly sizeBytes: number;
  readonly has: (name: string) => boolean;
  /** A whole section, its sum checked, at an address that is a multiple of 8. @throws EnvironmentError 'index.damaged-segment'. */
  readonly section: (name: string) => Uint8Array<ArrayBuffer>;
  /** A part of a section, unchecked; valid until the next call. */
  readonly part: (name: string, from: number, length: number) => Uint8Array;
  readonly close: () => void;
};

const MAGIC = 'ISOSEG01';
const ALIGNMENT = 8;
/** The end of the file: length of the table, its sum, the magic. */
const TAIL_BYTES = 4 + 4 + MAGIC.length;
const MOST_TABLE_BYTES = 2 ** 24;
const tableSchema = z.record(z.string(), z.object({ at: z.int().min(0), length: z.int().min(0), sum: z.int().min(0) }));
type Table = z.infer<typeof tableSchema>;

/** Writes sections as a file, whole or not at all: temporary file, fsync, rename. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export async function writeSectionFile(path: string, sections: Sections): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    {
      await using file = await open(temporary, 'w');
      const table: Table = {};
      let at = 0;
      for (const [name, pieces] of sections) {
        let sum = 0;
        const from = at;
        for (const piece of pieces) {
          sum = crc32(piece, sum);
          await file.write(piece);
          at += piece.length;
        }
        table[name] = { at: from, length: at - from, sum };
        const gap = (ALIGNMENT - (at % ALIGNMENT)) % ALIGNMENT;
        if (gap > 0) await file.write(new Uint8Array(gap));
        at += gap;
      }
      const text = Buffer.from(JSON.stringify(table));
      const tail = Buffer.alloc(TAIL_BYTES);
      tail.writeUInt32LE(text.length, 0);
      tail.writeUInt32LE(crc32(text), 4);
      tail.write(MAGIC, 8, 'latin1');
      await file.write(Buffer.concat([text, tail]));
      await file.sync();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw toIsoglossError(thrown, path);
  }
}

/** Opens a file of sections. @throws EnvironmentError 'index.damaged-segment' when it is cut off or its table is damaged. */
export function openSectionFile(path: string): SectionSource {
  const damaged = (what: string): EnvironmentError => new EnvironmentError('index.damaged-segment', `${path}: expected a search file of this index, found ${what}. It is made again from the stored texts.`, { data: { path } });
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const read = (at: number, length: number): Buffer<ArrayBuffer> => {
      const bytes = Buffer.from(new ArrayBuffer(length));
      if (at < 0 || readSync(file, bytes, 0, length, at) !== length) throw damaged('a file that is cut off');
      return bytes;
    };
    if (size < TAIL_BYTES) throw damaged('a file that is cut off');
    const tail = read(size - TAIL_BYTES, TAIL_BYTES);
    const tableBytes = tail.readUInt32LE(0);
    if (tail.toString('latin1', 8) !== MAGIC || tableBytes > MOST_TABLE_BYTES || tableBytes + TAIL_BYTES > size) throw damaged('a file that is cut off');
    const text = read(size - TAIL_BYTES - tableBytes, tableBytes);
    if (crc32(text) !== tail.readUInt32LE(4)) throw damaged('a damaged table');
    const table = tableSchema.parse(JSON.parse(text.toString()));
    let room = new Uint8Array(2 ** 16);
    return {
      sizeBytes: size,
      has: (name) => Object.hasOwn(table, name),
      section: (name) => {
        const entry = table[name];
        if (entry === undefined) throw damaged(`no part "${name}"`);
        const bytes = read(entry.at, entry.length);
        if (crc32(bytes) !== entry.sum) throw damaged(`damage in "${name}"`);
        return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
      },
      part: (name, from, length) => {
        const entry = table[name];
        if (entry === undefined || from + length > entry.length) throw damaged(`no such place in "${name}"`);
        if (room.length < length) room = new Uint8Array(2 * length);
        if (readSync(file, room, 0, length, entry.at + from) !== length) throw damaged('a file that is cut off');
        return room.subarray(0, length);
      },
      close: () => closeSync(file),
    };
  } catch (thrown) {
    closeSync(file);
    throw thrown;
  }
}

/** The same over sections that were never written. */
export function sectionsInMemory(sections: Sections): SectionSource {
  const joined = new Map([...sections].map(([name, pieces]) => [name, concatenate(pieces)]));
  const section = (name: string): Uint8Array<ArrayBuffer> => joined.get(name) ?? new Uint8Array(0);
  return {
    sizeBytes: [...joined.values()].reduce((sum, bytes) => sum + bytes.length, 0),
    has: (name) => joined.has(name),
    section,
    part: (name, from, length) => section(name).subarray(from, from + length),
    close: () => undefined,
  };
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
