/** Where is a file no text in its encoding, and which encodings may it be in? */
import { open } from 'node:fs/promises';
import type { CorpusProblem } from './records.ts';

export type InvalidBytes = {
  /** Lines with such bytes. */
  readonly count: number;
  /** The first five. */
  readonly places: readonly { readonly path: string; readonly line: number; readonly byteOffset: number | null }[];
  /** Labels for TextDecoder in which the first such places read as letters, the likeliest first, each with how the first then reads. */
  readonly encodings: readonly { readonly label: string; readonly sample: string }[];
};

const PLACES = 5;
/** Encodings of the field's older files: Western, Central European, Cyrillic, Greek, Turkish, Hebrew, Arabic, Vietnamese, Thai, and the old Macintosh. */
const CANDIDATES = ['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1255', 'windows-1256', 'windows-1258', 'windows-874', 'macintosh', 'gbk', 'shift_jis', 'euc-kr'];
const AROUND = 40;
const OFFERED = 4;

/** @returns null when nothing was invalid. Only files read plainly have offsets that can be looked at again. */
export async function judgeBytes(paths: readonly string[], { count, problems }: { readonly count: number; readonly problems: readonly CorpusProblem[] }, signal: AbortSignal): Promise<InvalidBytes | null> {
  if (count === 0) return null;
  const samples: Uint8Array[] = [];
  for (const { path, byteOffset } of problems) {
    signal.throwIfAborted();
    if (byteOffset === undefined || !paths.includes(path)) continue;
    const bytes = await bytesAround(path, byteOffset);
    if (bytes !== null) samples.push(bytes);
  }
  return { count, places: problems.slice(0, PLACES).map(({ path, line, byteOffset }) => ({ path, line, byteOffset: byteOffset ?? null })), encodings: likely(samples) };
}

async function bytesAround(path: string, offset: number): Promise<Uint8Array | null> {
  const file = await open(path, 'r').catch(() => null); // the place is known all the same
  if (file === null) return null;
  try {
    const bytes = new Uint8Array(2 * AROUND);
    const from = Math.max(0, offset - AROUND);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A fitting encoding turns the high bytes into letters, mostly of one script beside plain Latin, and into lower case more than upper. */
function likely(samples: readonly Uint8Array[]): InvalidBytes['encodings'] {
  const scored = CANDIDATES.map((label) => {
    const texts = samples.map((bytes) => new TextDecoder(label).decode(bytes));
    const high = texts.join('').replace(/[\x00-\x7F]/g, '');
    const letters = high.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
    const wrong = high.match(/[\u0080-\u009F\uFFFD\p{So}]/gu)?.length ?? 0;
    const inWords = texts.join(' ').match(/(?<=\p{L})(?=[^\x00-\x7F])\p{Ll}|(?=[^\x00-\x7F])\p{Ll}(?=\p{L})|(?=[^\x00-\x7F])\p{Lo}/gu)?.length ?? 0;
    return { label, sample: texts[0] ?? '', score: high.length === 0 ? 0 : (letters + inWords - 4 * wrong) / high.length };
  });
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).slice(0, OFFERED).map(({ label, sample }) => ({ label, sample: sample.replace(/[\p{Cc}\uFFFD]/gu, ' ').trim() }));
}
