/** What is the sum (CRC-32) of a short stretch of bytes? Most lists have a few bytes: calling zlib for each costs more than the sum. */
import { crc32 } from 'node:zlib';

const POLYNOMIAL = 0xedb88320;
const BYTE_VALUES = 256;
const BYTE_BITS = 8;
const LOW_BYTE = 0xff;
/** From so many bytes on zlib is faster. */
const LONG = 128;

const table = Uint32Array.from({ length: BYTE_VALUES }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < BYTE_BITS; bit += 1) value = (value >>> 1) ^ ((value & 1) === 1 ? POLYNOMIAL : 0);
  return value;
});

/** CRC-32 of bytes [from, to), as `crc32` of node:zlib gives it. */
export function listSum(bytes: Uint8Array, from: number, to: number): number {
  if (to - from >= LONG) return crc32(bytes.subarray(from, to));
  let sum = -1;
  for (let i = from; i < to; i += 1) sum = (sum >>> BYTE_BITS) ^ (table[(sum ^ (bytes[i] ?? 0)) & LOW_BYTE] ?? 0);
  return ~sum >>> 0;
}
