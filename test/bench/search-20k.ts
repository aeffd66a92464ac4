/** How long does a search over 20,000 chunks take in its own process, and what does the approximate dense search miss? */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { buildIndex } from '../../core/retrieval/build-index.ts';
import { optional, wholeNumber, type Command } from '../../main/cli/command.ts';
import { runInChild } from './child.ts';
import { measure, MS_PER_SECOND, rounded } from './measures.ts';
import { writeSearchTexts } from './search-texts.ts';
import { readStarterModel } from './starter-model.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const CHUNKS = 20_000;
const SEARCHES = 100;
const MOST = 1_000_000;
/** Questions whose answers are compared with those of an index that compares every vector. */
const COMPARED = 50;
const COMPARED_METHODS = ['dense', 'hybrid'] as const;
const SEED = 1;
const SHARED_DATA = fileURLToPath(new URL('../../../shared/data', import.meta.url));

const figuresSchema = z.object({
  openMs: z.number(),
  memoryMB: z.number(),
  methods: z.record(z.string(), z.object({ medianMs: z.number(), p95Ms: z.number(), medianCpuMs: z.number() })),
  /** Of each method and question, the ids of the best ten chunks. */
  hits: z.record(z.string(), z.array(z.array(z.string()))),
});

export const searchBenchmark: Command = {
  summary: 'Searches over 20,000 chunks, by every method, in a process of their own.',
  usage: '[--model DIR] [--data DIR] [--invented] [--chunks N] [--searches N] [--json]',
  options: { model: { type: 'string' }, data: { type: 'string' }, invented: { type: 'boolean' }, chunks: { type: 'string' }, searches: { type: 'string' } },
  run: async (values, { signal, say }) => {
    const wanted = wholeNumber(values, 'chunks', { least: 1, most: MOST }) ?? CHUNKS;
    const searches = wholeNumber(values, 'searches', { least: 1, most: MOST }) ?? SEARCHES;
    const dataFolder = values['invented'] === true ? null : resolve(optional(values, 'data') ?? SHARED_DATA);
    const { model, words } = await readStarterModel();
    return inTemporaryFolder(async (folder) => {
      const given = optional(values, 'model');
      const modelFolder = given === null ? join(folder, 'model') : resolve(given);
      if (given === null) await writeModelFolder(modelFolder, model);
      const documentsFolder = join(folder, 'documents');
      const indexFolder = join(folder, 'index');
      const texts = await writeSearchTexts({ dataFolder, words, documentsFolder, chunks: wanted, searches, seed: SEED, signal });
      say(`${texts.chunks} chunks written (${texts.inventedChunks} invented); indexing ...`);
      const encoder = await openEncoder(modelFolder);
      const built = await measure(() => buildIndex({ encoder, documentsFolder, indexFolder, signal }));
      say(`${built.value.vectors} vectors indexed in ${Math.round(built.spent.wallMs / MS_PER_SECOND)} s; searching ...`);
      const search = async (task: { readonly queries: readonly string[]; readonly methods: readonly string[]; readonly isExact: boolean }) =>
        figuresSchema.parse(await runInChild({ script: './search-process.ts', task: { modelFolder, indexFolder, ...task }, signal }));
      const figures = await search({ queries: texts.queries, methods: ['bm25', 'bm25-char', 'dense', 'hybrid'], isExact: false });
      say('searching again, every vector compared ...');
      const exact = await search({ queries: texts.queries.slice(0, COMPARED), methods: COMPARED_METHODS, isExact: true });
      const recall = Object.fromEntries(COMPARED_METHODS.map((method) => [method, rounded(meanRecall(exact.hits[method] ?? [], figures.hits[method] ?? []))]));
      const json = {
        chunks: built.value.chunks,
        vectors: built.value.vectors,
        width: encoder.width,
        model: given ?? 'shipped starter',
        text: texts.inventedChunks === texts.chunks ? 'invented' : texts.inventedChunks === 0 ? 'shared data' : `shared data and ${texts.inventedChunks} invented chunks`,
        searches,
        methods: figures.methods,
        /** Share of the exact index's best ten that are among the best ten. */
        'recall@10': recall,
        exactMedianMs: exact.methods['dense']?.medianMs ?? 0,
        openMs: figures.openMs,
        memoryMB: figures.memoryMB,
        buildSeconds: Math.round(built.spent.wallMs / MS_PER_SECOND),
        buildCpuSeconds: Math.round(built.spent.cpuMs / MS_PER_SECOND),
      };
      const times = Object.entries(json.methods).map(([name, { medianMs, medianCpuMs }]) => `${name} ${medianMs} ms (${medianCpuMs} ms of processor time)`);
      return { json, text: `Median search over ${json.chunks} chunks (${json.vectors} vectors): ${times.join(', ')}. Of the best ten of an exact index it finds ${recall['dense']} (dense) and ${recall['hybrid']} (hybrid); ${json.memoryMB} MB; opened in ${json.openMs} ms.` };
    });
  },
};

/** Mean share of the exact neighbours that were found. */
function meanRecall(exact: readonly (readonly string[])[], found: readonly (readonly string[])[]): number {
  const shares = exact.map((ids, q) => ids.filter((id) => found[q]?.includes(id) === true).length / Math.max(1, ids.length));
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
}
