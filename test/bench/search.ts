/** How does search hold at a million chunks, and what do its peers take on the same texts and questions? */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { InputError } from '../../core/base/errors.ts';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { optional, wholeNumber, type Command } from '../../main/cli/command.ts';
import { runInChild } from './child.ts';
import { MS_PER_SECOND, rounded } from './measures.ts';
import { hasPassages, writeRecombinedTexts } from './recombined-texts.ts';
import { readStarterModel } from './starter-model.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const MILLION = 1_000_000;
const SEARCHES = 100;
const COMPARED = 30;
/** Vectors of whole texts that the brute-force scan and hnswlib hold: what memory and building time allow beside the rest. */
const SCANNED = 200_000;
const GRAPH = 20_000;
const SEED = 1;
const BYTES_PER_MEGABYTE = 1e6;
const SHARED_DATA = fileURLToPath(new URL('../../../shared/data', import.meta.url));

const builtSchema = z.object({ chunks: z.number(), vectors: z.number(), wallSeconds: z.number(), cpuSeconds: z.number(), memoryMB: z.number() });
const timesSchema = z.object({ p50Ms: z.number(), p95Ms: z.number(), cpuMs: z.number() });
const searchedSchema = z.object({ openModelMs: z.number(), reopenMs: z.number(), methods: z.record(z.string(), timesSchema), memoryMB: z.number(), recall: z.number() });
const peersSchema = z.record(z.string(), z.record(z.string(), z.union([z.number(), z.string()])));

export const millionBenchmark: Command = {
  summary: 'Search over a million chunks of recombined real sentences, and its peers.',
  usage: '[--chunks N] [--searches N] [--model DIR] [--data DIR] [--folder DIR] [--hnswlib DIR] [--no-peers] [--json]',
  options: { chunks: { type: 'string' }, searches: { type: 'string' }, model: { type: 'string' }, data: { type: 'string' }, folder: { type: 'string' }, hnswlib: { type: 'string' }, 'no-peers': { type: 'boolean' } },
  run: (values, { signal, say }) => {
    const chunks = wholeNumber(values, 'chunks', { least: 1000, most: 10 * MILLION }) ?? MILLION;
    const searches = wholeNumber(values, 'searches', { least: 1, most: MILLION }) ?? SEARCHES;
    const dataFolder = resolve(optional(values, 'data') ?? SHARED_DATA);
    if (!hasPassages(dataFolder)) throw new InputError('bench.no-data', `${dataFolder}: expected the English passages and questions of the shared data (ir, ir-eval), found none. Give their folder with --data.`);
    const kept = optional(values, 'folder');
    const work = async (folder: string) => {
      const given = optional(values, 'model');
      const modelFolder = given === null ? join(folder, 'model') : resolve(given);
      if (given === null && !existsSync(modelFolder)) await writeModelFolder(modelFolder, (await readStarterModel()).model);
      const documentsFolder = join(folder, 'documents');
      const indexFolder = join(folder, 'index');
      const texts = await writeRecombinedTexts({ dataFolder, documentsFolder, chunks, searches, seed: SEED, signal });
      say(`${chunks} chunks of ${texts.sentences} real sentences, ${Math.round(texts.megabytes)} MB; indexing ...`);
      const built = builtSchema.parse(await runInChild({ script: './search-build-process.ts', task: { modelFolder, documentsFolder, indexFolder }, signal }));
      say(`indexed in ${Math.round(built.wallSeconds)} s (${Math.round(built.cpuSeconds)} s of processor time); searching ...`);
      const searched = searchedSchema.parse(await runInChild({ script: './search-million-process.ts', task: { modelFolder, indexFolder, queries: texts.queries, compared: COMPARED }, signal }));
      say('asking the peers ...');
      const peers = values['no-peers'] === true ? {} : peersSchema.parse(await runInChild({ script: './search-peers-process.ts', task: { modelFolder, documentsFolder, databasePath: join(folder, 'fts5.sqlite'), queries: texts.queries, scanned: Math.min(chunks, SCANNED), graph: Math.min(chunks, GRAPH), hnswlib: optional(values, 'hnswlib') }, signal }));
      const hybrid = searched.methods['hybrid'];
      const json = {
        million: { chunks: built.chunks, hybridP50Ms: hybrid?.p50Ms ?? 0, hybridP95Ms: hybrid?.p95Ms ?? 0, 'denseRecall@10': rounded(searched.recall), workerMemoryMB: searched.memoryMB, diskMB: Math.round((await bytesBelow(indexFolder)) / BYTES_PER_MEGABYTE), reopenMs: searched.reopenMs },
        peers,
        methods: searched.methods,
        openModelMs: searched.openModelMs,
        building: { ...built, megabytes: rounded(texts.megabytes), mbPerCpuSecond: rounded(texts.megabytes / built.cpuSeconds), mbPerSecond: rounded(texts.megabytes / built.wallSeconds) },
        searches,
      };
      return { json, text: `${json.million.chunks} chunks: hybrid ${json.million.hybridP50Ms} ms (95 %: ${json.million.hybridP95Ms} ms), dense recall@10 ${json.million['denseRecall@10']}, ${json.million.workerMemoryMB} MB, ${json.million.diskMB} MB on disk, opened in ${(json.million.reopenMs / MS_PER_SECOND).toFixed(2)} s; indexed with ${json.building.mbPerCpuSecond} MB a second and core.` };
    };
    return kept === null ? inTemporaryFolder(work) : work(resolve(kept));
  },
};

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
