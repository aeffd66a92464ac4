/**
 * Which setting is better? Trains a recipe with changed settings on the development split and prints MRR@100 into English, by language.
 *
 *   npm run -s experiment:development -- --data DIR --out DIR --changes '{"optimizer":{"tokenDropout":0.3}}' [--languages es,hi] [--model DIR]
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { evaluateRetrieval, prepareCollection } from '../../core/evaluation/retrieval-task.ts';
import { parseRecipe } from '../../core/training/recipe.ts';
import { runTraining } from '../../core/training/run-training.ts';
import { developmentSplit } from './development-split.ts';

const { values } = parseArgs({ options: { data: { type: 'string', default: '../shared/data' }, out: { type: 'string', default: 'build/experiments/development' }, changes: { type: 'string', default: '{}' }, model: { type: 'string' }, starter: { type: 'boolean', default: false } } });
const data = resolve(values.data);
const out = resolve(values.out);
await mkdir(out, { recursive: true });
const { parallel, tasks } = await developmentSplit({ data, out: join(out, 'split') });
const text = JSON.stringify({ ...(values.starter ? {} : { retrieval: [{ pairs: join(data, 'ir', 'train.jsonl.gz') }] }), parallel, ...(JSON.parse(values.changes) as object) });
const folder = values.model === undefined ? join(out, 'model') : resolve(values.model);
const summary =
  values.model !== undefined
    ? null
    : await runTraining({
        recipe: await parseRecipe({ text, recipePath: 'development', folder: out }),
        outputFolder: folder,
        starterFolder: resolve(import.meta.dirname, '../../core/training/starter'),
        threads: 1,
        device: 'cpu',
        resume: false,
        signal: new AbortController().signal,
        report: () => undefined,
      });
const encoder = await openEncoder(folder);
const sums: Record<string, number> = {};
for (const { language, queries, documents, qrels } of tasks) {
  const collection = await prepareCollection({ documents, encoder });
  const cells: string[] = [];
  for (const method of ['bm25', 'bm25-char', 'translated', 'dense', 'hybrid'] as const) {
    const { metrics } = await evaluateRetrieval({ collection, queries, qrels, method, queryLanguage: language, documentLanguage: 'en' });
    sums[method] = (sums[method] ?? 0) + metrics['MRR@100'] / tasks.length;
    cells.push(`${method} ${metrics['MRR@100'].toFixed(3)}`);
  }
  process.stderr.write(`${language.padEnd(4)} ${queries.length} queries  ${cells.join('  ')}\n`);
}
process.stdout.write(`${JSON.stringify({ changes: JSON.parse(values.changes) as object, cpuSeconds: summary === null ? null : Math.round(summary.cpuSeconds), 'mean MRR@100': Object.fromEntries(Object.entries(sums).map(([method, value]) => [method, Number(value.toFixed(4))])) })}\n`);
