/** How good is a system at a task, item by item? One function a kind of task. */
import { readBitextSet, type BitextSet } from '../../../core/corpus/bitext-set.ts';
import { joinedPairs } from '../../../core/corpus/joined-pairs.ts';
import { readAllPairs } from '../../../core/corpus/parallel.ts';
import { columnNamed, readColumnPairs } from '../../../core/corpus/table-lines.ts';
import { readPhraseFiles } from '../../../core/corpus/wikixpr.ts';
import type { Encoder } from '../../../core/encoding/encoder.ts';
import { evaluateBitext } from '../../../core/evaluation/bitext-task.ts';
import { metricOf, type ExperimentTask, type TaskKind, type TaskOf } from '../../../core/evaluation/experiments/tasks.ts';
import { denseRun } from '../../../core/evaluation/dense-run.ts';
import { evaluatePairs } from '../../../core/evaluation/pairs-task.ts';
import { answerPhrases } from '../../../core/evaluation/phrases-task.ts';
import { evaluateRetrieval, prepareCollection } from '../../../core/evaluation/retrieval-task.ts';
import { metricsPerQuery, type Qrels, type Run } from '../../../core/metrics/ranking.ts';
import { canonicaliseTag } from '../../../core/text/language.ts';
import type { System } from '../system.ts';
import { searchEncoder, type MeasureOptions, type TaskMeasurement } from './measurement.ts';
import { measureXor } from './xor.ts';
import { readRetrievalTask, streamRetrievalTask } from './retrieval-files.ts';

type Measure<Kind extends TaskKind> = (task: TaskOf<Kind>, system: System, options: MeasureOptions) => Promise<TaskMeasurement>;

const measures: { readonly [Kind in TaskKind]: Measure<Kind> } = { retrieval: measureRetrieval, pairs: measurePairs, bitext: measureBitext, phrases: measurePhrases, xor: measureXor };

/** @throws what the readers and tasks throw; RangeError for a system that cannot take part in this kind of task. */
export function measureTask(task: ExperimentTask, system: System, options: MeasureOptions): Promise<TaskMeasurement> {
  const measure = measures[task.kind] as Measure<TaskKind>; // the table pairs each kind with its own task
  return measure(task, system, options);
}

async function measureRetrieval(task: TaskOf<'retrieval'>, system: System, { signal }: MeasureOptions): Promise<TaskMeasurement> {
  const encoder = searchEncoder(system, task);
  const { run, qrels } = system.method === 'dense' && encoder !== null ? await runByVectors(task, encoder, signal) : await runInMemory(task, system, encoder, signal);
  const perQuery = [...metricsPerQuery(run, new Map([...qrels].filter(([queryId]) => run.has(queryId)))).values()];
  return { values: new Map([task.metric, ...task.also].map((metric) => [metric, { items: perQuery.map((metrics) => metrics[metric]) }])) };
}

type JudgedRun = { readonly run: Run; readonly qrels: Qrels };

/** Vectors alone: documents stream by, so collections may be of any size. */
async function runByVectors(task: TaskOf<'retrieval'>, encoder: Encoder, signal: AbortSignal): Promise<JudgedRun> {
  const { queries, documents, qrels } = await streamRetrievalTask(task, signal);
  return { run: await denseRun({ documents: documents(), queries, encoder, signal }), qrels: qrels() };
}

async function runInMemory(task: TaskOf<'retrieval'>, system: System, encoder: Encoder | null, signal: AbortSignal): Promise<JudgedRun> {
  const { documents, queries, qrels } = await readRetrievalTask(task, signal);
  const bm25 = await system.bm25For?.(task);
  const collection = await prepareCollection({ documents, encoder, ...(bm25 === undefined ? {} : { bm25 }), signal });
  const { run } = await evaluateRetrieval({ collection, queries, qrels, method: system.method, queryLanguage: canonicaliseTag(task.queryLanguage), documentLanguage: canonicaliseTag(task.documentLanguage), signal });
  return { run, qrels };
}

/** The encoders of both sides. */
function bothSides({ encoderFor }: System, task: { readonly sourceLanguage?: string | undefined; readonly targetLanguage?: string | undefined }): { readonly encoder: Encoder; readonly targetEncoder: Encoder } {
  if (encoderFor === null) throw new RangeError('A row without vectors takes no part in this task.');
  return { encoder: encoderFor(task.sourceLanguage ?? null), targetEncoder: encoderFor(task.targetLanguage ?? null) };
}

async function measurePairs(task: TaskOf<'pairs'>, system: System, { signal }: MeasureOptions): Promise<TaskMeasurement> {
  const read = async (sourcePath: string, targetPath: string) => (columnNamed(sourcePath) === null ? (await readAllPairs({ sourcePath, targetPath, source: 'und', target: 'und' }, signal)).pairs : readColumnPairs({ source: sourcePath, target: targetPath }, signal));
  const { through } = task;
  const pairs = through === undefined ? await read(task.source, task.target) : joinedPairs(await read(task.source, through.source), await read(task.target, through.target));
  const { right } = await evaluatePairs({ ...bothSides(system, task), sources: pairs.map(({ source }) => source), targets: pairs.map(({ target }) => target) });
  return { values: new Map([[metricOf(task), { items: inDirection(right.subarray(0, pairs.length), right.subarray(pairs.length), task.direction) }]]), note: `${pairs.length} pairs` };
}

async function measurePhrases(task: TaskOf<'phrases'>, system: System, { signal }: MeasureOptions): Promise<TaskMeasurement> {
  const set = await readPhraseFiles({ pairsPath: task.pairs, sourcePath: task.sourceSentences, targetPath: task.targetSentences }, signal);
  const { forward, backward } = await answerPhrases({ ...bothSides(system, task), set, ...(task.layer === undefined ? {} : { layer: task.layer }), ...(task.sentences === undefined ? {} : { mostSentences: task.sentences }) });
  return { values: new Map([[metricOf(task), { items: inDirection(forward, backward, task.direction) }]]), note: `${set.sources.length} phrases` };
}

/** One value for each pair: of one direction, or the mean of both. */
function inDirection(forward: Uint8Array, backward: Uint8Array, direction: 'both' | 'forward' | 'backward'): readonly number[] {
  if (direction === 'forward') return [...forward];
  if (direction === 'backward') return [...backward];
  return Array.from(forward, (right, i) => (right + (backward[i] ?? 0)) / 2);
}

async function measureBitext(task: TaskOf<'bitext'>, system: System, { threads, signal }: MeasureOptions): Promise<TaskMeasurement> {
  const read = ({ source, target, gold }: TaskOf<'bitext'>['test']): Promise<BitextSet> => readBitextSet({ sourcePath: source, targetPath: target, goldPath: gold }, signal);
  const { sourceLanguage, targetLanguage, neighbours, lexicalWeight, lengthWeight } = task;
  const { units, precision, recall, threshold, train } = await evaluateBitext({ ...bothSides(system, task), train: await read(task.train), test: await read(task.test), sourceLanguage, targetLanguage, neighbours, lexicalWeight, lengthWeight, threads, signal });
  const digits = (value: number): string => value.toFixed(3);
  return {
    values: new Map([[metricOf(task), { items: units.map(({ right }) => 2 * right), weights: units.map(({ found, gold }) => found + gold) }]]),
    note: Number.isFinite(threshold) ? `precision ${digits(precision)}, recall ${digits(recall)} at the threshold ${digits(threshold)} found on the training split (F1 ${digits(train.F1)} there)` : 'nothing was right on the training split, so no threshold lets anything in',
  };
}
