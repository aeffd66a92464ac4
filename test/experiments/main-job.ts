/**
 * What does the default recipe reach on the shared data? Trains it and evaluates everything that the issue 'Main job' asks for.
 *
 *   npm run -s experiment -- --data DIR --out DIR [--seed N] [--starter] [--model DIR] [--report FILE]
 *
 * DIR is a folder laid out as `ir/ parallel/ ir-eval/ tatoeba/`. --starter leaves the question-passage data out; --model evaluates only.
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readRetrievalSet } from '../../core/corpus/retrieval-set.ts';
import type { Encoder } from '../../core/encoding/encoder.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { openUntrainedEncoder } from '../../core/encoding/untrained-encoder.ts';
import { evaluatePairs } from '../../core/evaluation/pairs-task.ts';
import { evaluateRetrieval, prepareCollection } from '../../core/evaluation/retrieval-task.ts';
import type { SearchMethod } from '../../core/retrieval/method-weights.ts';
import { readAllPairs } from '../../core/corpus/parallel.ts';
import { parseRecipe } from '../../core/training/recipe.ts';
import { runTraining } from '../../core/training/run-training.ts';

const STARTER_FOLDER = resolve(import.meta.dirname, '../../core/training/starter');
const METHODS: readonly SearchMethod[] = ['bm25', 'bm25-char', 'translated', 'dense', 'hybrid'];
const XQUAD = ['es', 'vi', 'hi', 'el', 'ar', 'th'] as const;
const AFRIQA = { swa: 'sw', yor: 'yo', ibo: 'ig', bem: 'bem' } as const;
const OTHER_WITHIN = { 'arcd-ar': 'ar', 'iapp-th': 'th', 'voa-lin': 'ln' } as const;
const TATOEBA = ['swh', 'spa', 'hin', 'ara', 'ell', 'tha', 'vie'] as const;
/** Floors of the issue. */
const FLOORS: Readonly<Record<string, number>> = {
  'to-english xquad-es': 0.8, 'to-english xquad-vi': 0.59, 'to-english xquad-hi': 0.56, 'to-english xquad-el': 0.47, 'to-english xquad-ar': 0.44, 'to-english xquad-th': 0.36,
  'to-english afriqa-swa': 0.64, 'tatoeba swh': 0.68, 'tatoeba spa': 0.5, 'tatoeba hin': 0.29, 'tatoeba ara': 0.14,
  ...Object.fromEntries(XQUAD.map((language) => [`within xquad-${language}`, 0.945])),
};

type Row = { readonly task: string; readonly queries: number; readonly documents: number; readonly scores: Readonly<Record<string, number>>; readonly floor: number | null };

const { values } = parseArgs({ options: { data: { type: 'string' }, out: { type: 'string' }, seed: { type: 'string', default: '1' }, starter: { type: 'boolean', default: false }, model: { type: 'string' }, report: { type: 'string' }, quick: { type: 'boolean', default: false } } });
const data = resolve(values.data ?? '../shared/data');
const out = resolve(values.out ?? 'build/experiments/main-job');
const { signal } = new AbortController();

/** The recipe of the issue: English question-passage data and every file of `parallel/`; nothing else set. */
function recipeText(): string {
  const folder = join(data, 'parallel');
  const parallel: object[] = [];
  for (const name of readdirSync(folder).sort()) {
    const [, source, target] = /\.([a-z]+)-([a-z]+)\.(tsv|tsv\.gz|tmx)$/.exec(name) ?? [];
    if (source !== undefined && target !== undefined) parallel.push({ path: join(folder, name), source, target });
    const moses = /^(.*\.([a-z]+)-([a-z]+))\.\2$/.exec(name);
    if (moses !== null) parallel.push({ sourcePath: join(folder, name), targetPath: join(folder, `${moses[1] ?? ''}.${moses[3] ?? ''}`), source: moses[2], target: moses[3] });
  }
  return JSON.stringify({ ...(values.starter ? {} : { retrieval: [{ pairs: join(data, 'ir', 'train.jsonl.gz') }] }), parallel, seed: Number(values.seed) }, null, 2);
}

async function train(): Promise<{ folder: string; summary: object | null }> {
  if (values.model !== undefined) return { folder: resolve(values.model), summary: null };
  await mkdir(out, { recursive: true });
  const text = recipeText();
  await writeFile(join(out, 'recipe.json'), text);
  const folder = join(out, 'model');
  const summary = await runTraining({
    recipe: await parseRecipe({ text, recipePath: join(out, 'recipe.json'), folder: out }),
    outputFolder: folder,
    starterFolder: STARTER_FOLDER,
    threads: 1,
    device: 'cpu',
    resume: false,
    signal,
    report: (event) => {
      if (event.kind === 'plan') process.stderr.write(`${event.steps} steps, about ${event.estimatedMinutes.toFixed(1)} minutes\n`);
      if (event.kind === 'problem' || event.kind === 'message') process.stderr.write(`${event.message}\n`);
    },
  });
  return { folder, summary };
}

async function retrievalRow(options: { task: string; queries: string; collection: string; queryLanguage: string; documentLanguage: string; withDistractors: boolean; encoder: Encoder; untrained: Encoder }): Promise<Row> {
  const { task, queryLanguage, documentLanguage, encoder, untrained } = options;
  const folder = join(data, 'ir-eval');
  const file = (set: string, name: string): string => [join(folder, set, name), join(folder, set, `${name}.gz`)].find((path) => existsSync(path)) ?? join(folder, set, name);
  const set = await readRetrievalSet(
    {
      queriesPath: file(options.queries, 'queries.jsonl'),
      collectionPath: file(options.collection, 'collection.jsonl'),
      qrelsPath: file(options.queries, 'qrels.tsv'),
      ...(options.withDistractors ? { distractorsPath: file(options.collection, 'distractors.jsonl') } : {}),
    },
    signal,
  );
  const qrels = new Map<string, Map<string, number>>();
  for (const { queryId, documentId, relevance } of set.judgements) qrels.set(queryId, (qrels.get(queryId) ?? new Map<string, number>()).set(documentId, relevance));
  const documents = [...set.documents, ...set.distractors];
  const collection = await prepareCollection({ documents, encoder });
  const scores: Record<string, number> = {};
  for (const method of METHODS) {
    if (method === 'translated' && encoder.translation(queryLanguage, documentLanguage) === null) continue;
    scores[method] = (await evaluateRetrieval({ collection, queries: set.queries, qrels, method, queryLanguage, documentLanguage })).metrics['MRR@100'];
  }
  scores['untrained'] = (await evaluateRetrieval({ collection: await prepareCollection({ documents, encoder: untrained }), queries: set.queries, qrels, method: 'dense', queryLanguage, documentLanguage })).metrics['MRR@100'];
  return { task, queries: set.queries.length, documents: documents.length, scores, floor: FLOORS[task] ?? null };
}

async function pairsRow(language: string, encoder: Encoder, untrained: Encoder): Promise<Row> {
  const base = join(data, 'tatoeba', `tatoeba.${language}-eng`);
  const { pairs } = await readAllPairs({ sourcePath: `${base}.${language}`, targetPath: `${base}.eng`, source: 'und', target: 'und' }, signal);
  const sides = { sources: pairs.map((pair) => pair.source), targets: pairs.map((pair) => pair.target) };
  return { task: `tatoeba ${language}`, queries: pairs.length, documents: pairs.length, scores: { dense: (await evaluatePairs({ encoder, ...sides })).accuracy, untrained: (await evaluatePairs({ encoder: untrained, ...sides })).accuracy }, floor: FLOORS[`tatoeba ${language}`] ?? null };
}

async function evaluateAll(folder: string): Promise<Row[]> {
  const encoder = await openEncoder(folder);
  const untrained = await openUntrainedEncoder(folder);
  const rows: Row[] = [];
  const add = (row: Row): void => {
    rows.push(row);
    process.stderr.write(`${row.task.padEnd(34)} ${Object.entries(row.scores).map(([name, score]) => `${name} ${score.toFixed(3)}`).join('  ')}${row.floor === null ? '' : `  floor ${row.floor}`}\n`);
  };
  const shared = { encoder, untrained };
  for (const language of XQUAD) add(await retrievalRow({ task: `to-english xquad-${language}`, queries: `xquad-${language}`, collection: 'xquad-en', queryLanguage: language, documentLanguage: 'en', withDistractors: false, ...shared }));
  for (const [name, language] of Object.entries(AFRIQA)) add(await retrievalRow({ task: `to-english afriqa-${name}`, queries: `afriqa-${name}`, collection: `afriqa-${name}`, queryLanguage: language, documentLanguage: 'en', withDistractors: false, ...shared }));
  for (const language of TATOEBA) add(await pairsRow(language, encoder, untrained));
  if (values.quick) return rows;
  for (const language of [...XQUAD, 'en']) add(await retrievalRow({ task: `within xquad-${language}`, queries: `xquad-${language}`, collection: `xquad-${language}`, queryLanguage: language, documentLanguage: language, withDistractors: false, ...shared }));
  for (const language of XQUAD) add(await retrievalRow({ task: `within xquad-${language} + distractors`, queries: `xquad-${language}`, collection: `xquad-${language}`, queryLanguage: language, documentLanguage: language, withDistractors: true, ...shared }));
  for (const [name, language] of Object.entries(OTHER_WITHIN)) add(await retrievalRow({ task: `within ${name}`, queries: name, collection: name, queryLanguage: language, documentLanguage: language, withDistractors: false, ...shared }));
  for (const language of XQUAD) add(await retrievalRow({ task: `from-english xquad-${language}`, queries: 'xquad-en', collection: `xquad-${language}`, queryLanguage: 'en', documentLanguage: language, withDistractors: false, ...shared }));
  return rows;
}

function markdown(rows: readonly Row[]): string {
  const columns = ['untrained', 'bm25', 'bm25-char', 'translated', 'dense', 'hybrid'];
  const cell = (row: Row, name: string): string => row.scores[name]?.toFixed(3) ?? '';
  return [`| task | queries | documents | ${columns.join(' | ')} | floor |`, `|---|---|---|${columns.map(() => '---').join('|')}|---|`, ...rows.map((row) => `| ${row.task} | ${row.queries} | ${row.documents} | ${columns.map((name) => cell(row, name)).join(' | ')} | ${row.floor ?? ''} |`)].join('\n');
}

const { folder, summary } = await train();
const rows = await evaluateAll(folder);
const table = markdown(rows);
await mkdir(out, { recursive: true });
await writeFile(join(out, 'results.json'), `${JSON.stringify({ seed: Number(values.seed), starter: values.starter, node: process.version, summary, rows }, null, 2)}\n`);
if (values.report !== undefined) await writeFile(resolve(values.report), `${summary === null ? '' : `\`${JSON.stringify({ ...summary, model: undefined })}\`\n\n`}${table}\n`);
process.stdout.write(`${table}\n`);
