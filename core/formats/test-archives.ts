/** How do tests make ZIP archives, good and hostile? Each entry may lie about itself. */
import { crc32, deflateRawSync } from 'node:zlib';

export type TestEntry = {
  readonly name: string;
  readonly content?: string | Uint8Array;
  readonly isStored?: boolean;
  /** Upper half of the external attributes: a Unix mode. */
  readonly mode?: number;
  /** General purpose flags; bit 0 says encrypted. */
  readonly flags?: number;
  /** Packed bytes to write in place of the content's own. */
  readonly packed?: Uint8Array;
  /** Where the directory says that the entry begins; left out: where it does. */
  readonly offset?: number;
  readonly declaredBytes?: number;
};

const UTF8_NAMES = 0x800;
const MADE_BY_UNIX = 0x0314;

/** The bytes of an archive with these entries in this order. */
export function makeZip(entries: readonly TestEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content = '', isStored = false, mode = 0o100644, flags = 0, packed, offset, declaredBytes } of entries) {
    const bytes = Buffer.from(content);
    const data = packed === undefined ? (isStored ? bytes : deflateRawSync(bytes)) : Buffer.from(packed);
    const label = Buffer.from(name);
    const facts = Buffer.alloc(26); // from "version needed" to the length of the extra field, as both headers have them
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(flags | UTF8_NAMES, 2);
    facts.writeUInt16LE(isStored ? 0 : 8, 4);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(declaredBytes ?? bytes.length, 18);
    facts.writeUInt16LE(label.length, 22);
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), facts, label, data]);
    const tail = Buffer.alloc(14); // comment length, disk, internal attributes, external attributes, offset
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset ?? at, 10);
    const madeBy = Buffer.alloc(2);
    madeBy.writeUInt16LE(MADE_BY_UNIX);
    directory.push(Buffer.concat([Buffer.from([0x50, 0x4b, 1, 2]), madeBy, facts, tail, label]));
    files.push(local);
    at += local.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(0xffff, entries.length), 8);
  end.writeUInt16LE(Math.min(0xffff, entries.length), 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, listing, end]);
}
