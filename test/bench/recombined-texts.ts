/** What are a million chunks made of? Real English sentences, put together anew: each chunk has three stretches of two neighbouring sentences of three real passages. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../../core/base/random.ts';
import { readDocumentRecords, readQueryRecords } from '../../core/corpus/beir-records.ts';
import { segmentSentences } from '../../core/text/segment.ts';

/** Relative to the data folder. */
const PASSAGES = ['ir/collection.jsonl.gz', 'ir-eval/nq-en/collection.jsonl', 'ir-eval/xquad-en/collection.jsonl', 'ir-eval/afriqa-swa/collection.jsonl.gz'];
const QUESTIONS = ['ir-eval/nq-en/queries.jsonl', 'ir-eval/xquad-en/queries.jsonl'];
const STRETCHES = 3;
const STRETCH_SENTENCES = 2;
/** A chunk is one paragraph of at most this many characters, so that the chunker leaves it whole. */
const LONGEST = 990;
const SHORTEST = 400;
const CHUNKS_PER_FILE = 200;
const SHORTEST_SENTENCE = 25;

export type RecombinedTexts = { readonly sentences: number; readonly megabytes: number; readonly queries: readonly string[] };

/** Whether the data folder has what is needed. */
export const hasPassages = (dataFolder: string): boolean => [...PASSAGES, ...QUESTIONS].every((path) => existsSync(join(dataFolder, path)));

/** Writes `chunks` chunks, 200 to a file, 50 files to a folder; the same seed gives the same texts. @returns with `searches` real questions. */
export async function writeRecombinedTexts(options: { readonly dataFolder: string; readonly documentsFolder: string; readonly chunks: number; readonly searches: number; readonly seed: number; readonly signal: AbortSignal }): Promise<RecombinedTexts> {
  const { dataFolder, documentsFolder, chunks, searches, seed, signal } = options;
  const passages = await readPassages(dataFolder, signal);
  const random = seededRandom(seed, 'recombined');
  const stretch = (): string => {
    const sentences = passages[random.integer(passages.length)] ?? [];
    const start = random.integer(Math.max(1, sentences.length - STRETCH_SENTENCES + 1));
    return sentences.slice(start, start + STRETCH_SENTENCES).join(' ');
  };
  const chunk = (): string => {
    const parts: string[] = [];
    let length = 0;
    while (parts.length < STRETCHES || length < SHORTEST) {
      const part = stretch();
      if (length + part.length > LONGEST) {
        if (length >= SHORTEST) break;
        continue;
      }
      parts.push(part);
      length += part.length + 1;
    }
    return parts.join(' ');
  };
  let bytes = 0;
  for (let written = 0, file = 0; written < chunks; written += CHUNKS_PER_FILE, file += 1) {
    signal.throwIfAborted();
    const folder = join(documentsFolder, String(Math.floor(file / 50)).padStart(4, '0'));
    await mkdir(folder, { recursive: true });
    const text = Array.from({ length: Math.min(CHUNKS_PER_FILE, chunks - written) }, chunk).join('\n\n');
    bytes += Buffer.byteLength(text);
    await writeFile(join(folder, `${String(file).padStart(5, '0')}.txt`), text);
  }
  const questions = await readQuestions(dataFolder, signal);
  const order = seededRandom(seed, 'queries');
  return { sentences: passages.reduce((sum, own) => sum + own.length, 0), megabytes: bytes / 1e6, queries: Array.from({ length: searches }, () => questions[order.integer(questions.length)] ?? '') };
}

/** Passages as lists of their sentences; passages of one sentence are left out. */
async function readPassages(dataFolder: string, signal: AbortSignal): Promise<readonly (readonly string[])[]> {
  const passages: string[][] = [];
  for (const path of PASSAGES) {
    for await (const reading of readDocumentRecords(join(dataFolder, path), signal)) {
      if (reading.kind !== 'record') continue;
      const text = reading.value.text.replace(/\s+/g, ' ');
      const sentences = segmentSentences(text, 'en').map(({ start, end }) => text.slice(start, end).trim()).filter((sentence) => sentence.length >= SHORTEST_SENTENCE && sentence.length <= LONGEST / STRETCH_SENTENCES);
      if (sentences.length >= STRETCH_SENTENCES) passages.push(sentences);
    }
  }
  return passages;
}

async function readQuestions(dataFolder: string, signal: AbortSignal): Promise<readonly string[]> {
  const questions: string[] = [];
  for (const path of QUESTIONS) for await (const reading of readQueryRecords(join(dataFolder, path), signal)) if (reading.kind === 'record') questions.push(reading.value.text);
  return questions;
}
