/** Where is a file no text in its encoding, and which encodings may it be in? */
import { open } from 'node:fs/promises';
import { likelyEncodings, samplesOf, wasNeverUtf8 } from '../text/likely-encodings.ts';
import type { CorpusProblem } from './records.ts';

export type InvalidBytes = {
  /** Lines with such bytes. */
  readonly count: number;
  /** The first five. */
  readonly places: readonly { readonly path: string; readonly line: number; readonly byteOffset: number | null }[];
  /** Labels for TextDecoder in which the first such places read as letters, the likeliest first, each with how the first then reads. */
  readonly encodings: ReturnType<typeof likelyEncodings>;
};

const PLACES = 5;
const AROUND = 40;

/** @returns null when nothing was invalid. Only lines have offsets that can be looked at again; of other files the first bytes beyond ASCII are. */
export async function judgeBytes(paths: readonly string[], { count, problems }: { readonly count: number; readonly problems: readonly CorpusProblem[] }, signal: AbortSignal): Promise<InvalidBytes | null> {
  if (count === 0) return null;
  const samples: Uint8Array[] = [];
  for (const { path, byteOffset } of problems) {
    signal.throwIfAborted();
    if (byteOffset === undefined || !paths.includes(path)) continue;
    const bytes = await bytesAround(path, byteOffset);
    if (bytes !== null) samples.push(bytes);
  }
  const [path] = paths;
  if (samples.length === 0 && path !== undefined) samples.push(...(await olderSamples(path, signal)));
  return { count, places: problems.slice(0, PLACES).map(({ path, line, byteOffset }) => ({ path, line, byteOffset: byteOffset ?? null })), encodings: likelyEncodings(samples) };
}

/** XML and tiers say no offsets, and an archive has none. Bytes that read as UTF-8 say nothing of another encoding: one stray byte leaves a file what it is. */
async function olderSamples(path: string, signal: AbortSignal): Promise<readonly Uint8Array[]> {
  const samples = await samplesOf(path, signal, 'corpus').catch(() => []);
  signal.throwIfAborted();
  return samples.filter((bytes) => wasNeverUtf8(new TextDecoder().decode(bytes)));
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
