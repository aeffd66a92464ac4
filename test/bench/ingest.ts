/** How fast does a folder become an index? Plain text through reading, chunking, embedding and storing, on one core. */
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../../core/base/random.ts';
import { createStaticEncoder } from '../../core/encoding/static-encoder.ts';
import { buildIndex } from '../../core/retrieval/build-index.ts';
import { wholeNumber, type Command } from '../../main/cli/command.ts';
import { inventParagraph } from './invented-text.ts';
import { BYTES_PER_MB, cpuMs, measure, MS_PER_SECOND, rounded } from './measures.ts';
import { readStarterModel } from './starter-model.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

/** So much that what a fresh process costs (reading the program, compiling what is used often) does not decide: it is told beside the figure. */
const DEFAULT_MEGABYTES = 64;
const MOST_MEGABYTES = 1024;
const PARAGRAPH_WORDS = 120;
const PARAGRAPHS_PER_FILE = 60; // files of some 50 KB

export const ingestBenchmark: Command = {
  summary: 'Plain text through reading, chunking, embedding and storing.',
  usage: '[--megabytes N | --documents FOLDER] [--json]',
  options: { megabytes: { type: 'string' }, documents: { type: 'string' } },
  run: async (values, { signal, say }) => {
    const wanted = wholeNumber(values, 'megabytes', { least: 1, most: MOST_MEGABYTES }) ?? DEFAULT_MEGABYTES;
    const { model, words } = await readStarterModel();
    const encoder = createStaticEncoder(model, 'starter');
    const startUpCpuSeconds = cpuMs() / MS_PER_SECOND; // of the whole process: program, model, encoder
    return inTemporaryFolder(async (folder) => {
      const given = typeof values['documents'] === 'string' ? values['documents'] : null;
      const documentsFolder = given ?? join(folder, 'documents');
      const megabytes = (given === null ? await writeTexts(documentsFolder, words, wanted * BYTES_PER_MB) : await sizeOf(given)) / BYTES_PER_MB;
      say(`${megabytes.toFixed(1)} MB of text ${given === null ? 'written' : 'found'}; indexing ...`);
      const { value, spent } = await measure(() => buildIndex({ encoder, documentsFolder, indexFolder: join(folder, 'index'), signal }));
      const wallSeconds = spent.wallMs / MS_PER_SECOND;
      const cpuSeconds = spent.cpuMs / MS_PER_SECOND;
      const json = {
        megabytes: rounded(megabytes),
        files: value.files,
        chunks: value.chunks,
        vectors: value.vectors,
        width: encoder.width,
        wallSeconds: rounded(wallSeconds),
        cpuSeconds: rounded(cpuSeconds),
        megabytesPerSecond: rounded(megabytes / wallSeconds),
        mbPerSecondPerCore: rounded(megabytes / cpuSeconds),
        startUpCpuSeconds: rounded(startUpCpuSeconds),
        withStartUp: { mbPerSecondPerCore: rounded(megabytes / (cpuSeconds + startUpCpuSeconds)) },
      };
      return { json, text: `${json.megabytes} MB became ${json.chunks} chunks in ${json.wallSeconds} s: ${json.megabytesPerSecond} MB a second, ${json.mbPerSecondPerCore} MB a second and core (${json.withStartUp.mbPerSecondPerCore} with the start of the program).` };
    });
  },
};

/** Bytes of the files of a folder and those below it. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}

/** @returns how many bytes were written. */
async function writeTexts(folder: string, words: readonly string[], bytes: number): Promise<number> {
  await mkdir(folder, { recursive: true });
  const random = seededRandom(1, 'ingest');
  let written = 0;
  for (let file = 0; written < bytes; file += 1) {
    const text = Array.from({ length: PARAGRAPHS_PER_FILE }, () => inventParagraph(words, random, PARAGRAPH_WORDS)).join('\n\n');
    await writeFile(join(folder, `${file}.txt`), text);
    written += Buffer.byteLength(text);
  }
  return written;
}
