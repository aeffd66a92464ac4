/** What is searched? English passages and questions of the shared data where they are present, else invented text; as many chunks as asked for. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../../core/base/random.ts';
import { readDocumentRecords, readQueryRecords } from '../../core/corpus/beir-records.ts';
import { chunkDocument } from '../../core/documents/chunker.ts';
import { readDocument } from '../../core/documents/read-document.ts';
import { inventParagraph, inventSentence } from './invented-text.ts';

const PARAGRAPHS_PER_FILE = 100;
const PARAGRAPH_WORDS = 120; // about 800 characters: one chunk
const QUERY_WORDS = 8;
/** English passages; then English questions. Relative to the data folder. */
const COLLECTIONS = ['ir-eval/nq-en/collection.jsonl', 'ir-eval/xquad-en/collection.jsonl', 'ir-eval/afriqa-swa/collection.jsonl.gz', 'ir/collection.jsonl.gz'];
const QUESTIONS = ['ir-eval/nq-en/queries.jsonl', 'ir-eval/xquad-en/queries.jsonl'];

export type SearchTexts = {
  readonly chunks: number;
  /** How many of them are made of invented text. */
  readonly inventedChunks: number;
  readonly queries: readonly string[];
};

/**
 * Writes documents of `chunks` chunks, or a few more, and draws `searches` questions.
 * @param dataFolder null: invented text only.
 */
export async function writeSearchTexts(options: { readonly dataFolder: string | null; readonly words: readonly string[]; readonly documentsFolder: string; readonly chunks: number; readonly searches: number; readonly seed: number; readonly signal: AbortSignal }): Promise<SearchTexts> {
  const { dataFolder, words, documentsFolder, chunks, searches, seed, signal } = options;
  await mkdir(documentsFolder, { recursive: true });
  const isReal = dataFolder !== null && [...COLLECTIONS, ...QUESTIONS].every((path) => existsSync(join(dataFolder, path)));
  let written = 0;
  let files = 0;
  const write = async (paragraphs: readonly string[]): Promise<void> => {
    const path = join(documentsFolder, `${String(files).padStart(4, '0')}.txt`);
    await writeFile(path, paragraphs.join('\n\n'));
    files += 1;
    written += chunkDocument(await readDocument(path, signal)).length;
  };
  if (isReal) {
    let open: string[] = [];
    for await (const passage of readPassages(dataFolder, signal)) {
      open.push(passage);
      if (open.length < PARAGRAPHS_PER_FILE) continue;
      await write(open);
      open = [];
      if (written >= chunks) break;
    }
  }
  const realChunks = written;
  const random = seededRandom(seed, 'paragraphs');
  while (written < chunks) await write(Array.from({ length: Math.min(PARAGRAPHS_PER_FILE, chunks - written) }, () => inventParagraph(words, random, PARAGRAPH_WORDS)));
  const queries = isReal ? await readQuestions(dataFolder, signal) : Array.from({ length: searches }, () => inventSentence(words, random, QUERY_WORDS));
  const order = seededRandom(seed, 'queries');
  return { chunks: written, inventedChunks: written - realChunks, queries: Array.from({ length: searches }, () => queries[order.integer(queries.length)] ?? '') };
}

async function* readPassages(dataFolder: string, signal: AbortSignal): AsyncGenerator<string> {
  for (const path of COLLECTIONS) {
    for await (const reading of readDocumentRecords(join(dataFolder, path), signal)) if (reading.kind === 'record') yield reading.value.text.replace(/\s+/g, ' ');
  }
}

async function readQuestions(dataFolder: string, signal: AbortSignal): Promise<readonly string[]> {
  const questions: string[] = [];
  for (const path of QUESTIONS) {
    for await (const reading of readQueryRecords(join(dataFolder, path), signal)) if (reading.kind === 'record') questions.push(reading.value.text);
  }
  return questions;
}
