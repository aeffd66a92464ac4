/** How long does a search take over many chunks? Builds an index of invented text and measures it; called by test/bench. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../base/random.ts';
import type { Random } from '../base/random.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { buildIndex } from './build-index.ts';
import type { SearchMethod } from './method-weights.ts';
import { openIndex } from './open-index.ts';

export type SearchBenchmark = {
  readonly chunks: number;
  readonly vectors: number;
  readonly buildMs: number;
  readonly openMs: number;
  readonly methods: Readonly<Partial<Record<SearchMethod, { readonly medianMs: number; readonly p95Ms: number; readonly medianCpuMs: number }>>>;
  readonly residentMemoryMB: number;
};

const CHUNKS_PER_FILE = 100;
const PARAGRAPH_WORDS = 100; // about 800 characters: one chunk
const VOCABULARY = 40_000;
const QUERY_WORDS = 8;
const MICROSECONDS_PER_MS = 1000;
const BYTES_PER_MB = 2 ** 20;
const METHODS: readonly SearchMethod[] = ['bm25', 'bm25-char', 'dense', 'hybrid'];

/**
 * Writes `chunks` paragraphs of invented words (Zipf's law) into `folder`/documents, indexes them into `folder`/index and
 * searches with questions of 8 words, each method `searches` times after a few to warm up. Processor time (all threads) is
 * given beside wall time, because only it means something on a busy machine.
 */
export async function measureSearch(options: { readonly encoder: Encoder; readonly chunks: number; readonly searches: number; readonly folder: string; readonly seed: number; readonly signal: AbortSignal }): Promise<SearchBenchmark> {
  const { encoder, chunks, searches, folder, seed, signal } = options;
  const documentsFolder = join(folder, 'documents');
  await mkdir(documentsFolder, { recursive: true });
  const words = inventWords(seededRandom(seed, 'words'));
  for (let file = 0; file * CHUNKS_PER_FILE < chunks; file += 1) {
    const random = seededRandom(seed, 'paragraphs', file);
    const paragraphs = Array.from({ length: Math.min(CHUNKS_PER_FILE, chunks - file * CHUNKS_PER_FILE) }, () => sentence(words, random, PARAGRAPH_WORDS));
    await writeFile(join(documentsFolder, `${file}.txt`), paragraphs.join('\n\n'));
  }
  const buildStart = performance.now();
  const built = await buildIndex({ encoder, documentsFolder, indexFolder: join(folder, 'index'), signal });
  const buildMs = performance.now() - buildStart;
  const openStart = performance.now();
  const index = await openIndex(join(folder, 'index'), encoder);
  const openMs = performance.now() - openStart;
  const methods: Partial<Record<SearchMethod, { medianMs: number; p95Ms: number; medianCpuMs: number }>> = {};
  try {
    for (const method of METHODS) {
      const random = seededRandom(seed, 'queries');
      const times: number[] = [];
      const cpuTimes: number[] = [];
      const warmUp = Math.ceil(searches / QUERY_WORDS);
      for (let i = 0; i < searches + warmUp; i += 1) {
        signal.throwIfAborted();
        const query = sentence(words, random, QUERY_WORDS);
        const start = performance.now();
        const cpuStart = process.cpuUsage();
        await index.search({ query, method });
        const { user, system } = process.cpuUsage(cpuStart);
        if (i < warmUp) continue;
        times.push(performance.now() - start);
        cpuTimes.push((user + system) / MICROSECONDS_PER_MS);
      }
      methods[method] = { medianMs: quantile(times, 0.5), p95Ms: quantile(times, 0.95), medianCpuMs: quantile(cpuTimes, 0.5) };
    }
  } finally {
    index.dispose();
  }
  return { chunks: built.chunks, vectors: built.vectors, buildMs, openMs, methods, residentMemoryMB: process.memoryUsage.rss() / BYTES_PER_MB };
}

/** Words of two to five syllables, all different. */
function inventWords(random: Random): readonly string[] {
  const consonants = 'bcdfghjklmnprstvwz';
  const vowels = 'aeiou';
  const pick = (letters: string): string => letters[random.integer(letters.length)] ?? '';
  const words = new Set<string>();
  while (words.size < VOCABULARY) {
    const syllables = 2 + random.integer(4);
    words.add(Array.from({ length: syllables }, () => pick(consonants) + pick(vowels)).join(''));
  }
  return [...words];
}

/** Words drawn by Zipf's law: rank r with probability in proportion to 1 / r. */
function sentence(words: readonly string[], random: Random, length: number): string {
  return `${Array.from({ length }, () => words[Math.floor(words.length ** random.next()) - 1] ?? '').join(' ')}.`;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
