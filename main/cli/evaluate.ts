/** `isogloss evaluate`: how well does a model, or a method without one, find what it should? */
import { resolve } from 'node:path';
import { InputError } from '../../core/base/errors.ts';
import { readAllPairs } from '../../core/corpus/parallel.ts';
import { readBitextSet } from '../../core/corpus/bitext-set.ts';
import { readPhraseFiles } from '../../core/corpus/wikixpr.ts';
import { findRetrievalFiles, type RetrievalPaths } from '../../core/corpus/retrieval-layouts.ts';
import { readRetrievalSet } from '../../core/corpus/retrieval-set.ts';
import { readDocumentRecords } from '../../core/corpus/beir-records.ts';
import type { DocumentRecord } from '../../core/corpus/records.ts';
import { readTatoebaPairs } from '../../core/corpus/tatoeba-set.ts';
import { collectXorQuestions, readXorPredictions, type XorQuestion } from '../../core/corpus/xor-questions.ts';
import { encoderIn, type Encoder } from '../../core/encoding/encoder.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { readDevelopmentSet } from '../../core/evaluation/baselines/development-set.ts';
import { tuneBm25, type TunedBm25 } from '../../core/evaluation/baselines/tune-bm25.ts';
import { evaluateBitext } from '../../core/evaluation/bitext-task.ts';
import { evaluatePairs } from '../../core/evaluation/pairs-task.ts';
import { evaluatePhrases } from '../../core/evaluation/phrases-task.ts';
import { evaluateRetrieval, prepareCollection, qrelsOf } from '../../core/evaluation/retrieval-task.ts';
import { evaluateXor, searchXor } from '../../core/evaluation/xor-task.ts';
import { writeRun } from '../../core/evaluation/trec-run.ts';
import { canonicaliseTag } from '../../core/text/language.ts';
import { choice, optional, outputFile, refuse, required, wholeNumber, type Command, type CommandContext, type CommandResult, type OptionValues } from './command.ts';
import { createProblemLines, createProgressLine } from './progress.ts';

const METHODS = ['hybrid', 'dense', 'bm25', 'bm25-char', 'translated'] as const;
const TASKS = ['retrieval', 'pairs', 'tatoeba', 'bitext', 'phrases', 'xor'] as const;
const DIGITS = 4;

export const evaluateCommand: Command = {
  summary: 'Measures retrieval, or the finding of translations.',
  usage:
    '--task retrieval (--data DIR | --queries FILE --collection FILE --qrels FILE) [--distractors FILE] [--model DIR] [--query-language TAG --document-language TAG] [--method dense|bm25|bm25-char|translated|hybrid] [--bm25 default|tuned --development DIR|FILE] [--run FILE] [--json]\n' +
    '       --task pairs --model DIR --source FILE --target FILE [--source-language TAG --target-language TAG] [--json]\n' +
    '       --task tatoeba --model DIR --data DIR --source-language TAG --target-language TAG [--json]\n' +
    '       --task bitext --model DIR --source FILE --target FILE --gold FILE --train-source FILE --train-target FILE --train-gold FILE [--source-language TAG --target-language TAG] [--json]\n' +
    '       --task phrases --model DIR --pairs FILE --source-sentences FILE --target-sentences FILE [--layer N] [--sentences N] [--json]\n' +
    '       --task xor --questions FILE (--predictions FILE | --collection FILE [--model DIR] [--method dense|bm25|...] [--document-language TAG]) [--json]',
  options: {
    task: { type: 'string' },
    model: { type: 'string' },
    data: { type: 'string' },
    queries: { type: 'string' },
    collection: { type: 'string' },
    qrels: { type: 'string' },
    distractors: { type: 'string' },
    'query-language': { type: 'string' },
    'document-language': { type: 'string' },
    method: { type: 'string' },
    bm25: { type: 'string' },
    development: { type: 'string' },
    run: { type: 'string' },
    source: { type: 'string' },
    target: { type: 'string' },
    gold: { type: 'string' },
    'train-source': { type: 'string' },
    'train-target': { type: 'string' },
    'train-gold': { type: 'string' },
    'source-language': { type: 'string' },
    'target-language': { type: 'string' },
    pairs: { type: 'string' },
    'source-sentences': { type: 'string' },
    'target-sentences': { type: 'string' },
    layer: { type: 'string' },
    sentences: { type: 'string' },
    questions: { type: 'string' },
    predictions: { type: 'string' },
  },
  run: (values, context) => {
    required(values, 'task', TASKS.map((name) => `"${name}"`).join(', '));
    return tasks[choice(values, 'task', TASKS)](values, context);
  },
};

const tasks: { readonly [Task in (typeof TASKS)[number]]: Command['run'] } = { retrieval: evaluateRetrievalTask, pairs: evaluatePairsTask, tatoeba: evaluateTatoebaTask, bitext: evaluateBitextTask, phrases: evaluatePhrasesTask, xor: evaluateXorTask };

const BITEXT_ONLY = ['gold', 'train-source', 'train-target', 'train-gold'] as const;
const BITEXT_FILES = [...BITEXT_ONLY, 'source-language', 'target-language'] as const;
const XOR_FILES = ['questions', 'predictions'] as const;
const PHRASE_FILES = ['pairs', 'source-sentences', 'target-sentences', 'layer', 'sentences'] as const;
const RETRIEVAL_OPTIONS = ['data', 'queries', 'collection', 'qrels', 'distractors', 'method', 'bm25', 'development', 'run', 'query-language', 'document-language'] as const;
const MOST_LAYERS = 1000;
const MOST_SENTENCES = 1_000_000;

async function evaluateRetrievalTask(values: OptionValues, { signal, say }: CommandContext): Promise<CommandResult> {
  const method = choice(values, 'method', METHODS);
  const modelFolder = optional(values, 'model');
  const queryLanguage = languageOption(values, 'query-language');
  const documentLanguage = languageOption(values, 'document-language');
  refuse(values, ['source', 'target', ...BITEXT_FILES, ...PHRASE_FILES, ...XOR_FILES], 'retrieval');
  const runFile = optional(values, 'run') === null ? null : outputFile(values, 'run', { what: 'the file for the run', read: ['queries', 'collection', 'qrels', 'distractors', 'development'] });
  const { documents, distractors, queries, judgements, problems } = await readRetrievalSet(await retrievalPaths(values), signal);
  const lines = createProblemLines(say);
  for (const { message } of problems) lines.add(message);
  lines.end();
  const report = createProgressLine(say);
  const encoder = modelFolder === null ? null : await openEncoder(resolve(modelFolder));
  const tuned = await tunedBm25(values, { method, testQueries: queries.map(({ text }) => text), signal, say });
  const needsVectors = method === 'dense' || method === 'hybrid';
  const collection = await prepareCollection({ documents: [...documents, ...distractors], encoder: needsVectors || method === 'translated' ? encoder : null, ...(tuned === null ? {} : { bm25: tuned.parameters }), signal, report });
  const result = await evaluateRetrieval({ collection, queries, qrels: qrelsOf(judgements), method, queryLanguage, documentLanguage, signal, report });
  if (runFile !== null) await writeRun(runFile, result.run, `isogloss-${method}`);
  const json = { method, queries: result.queries, documents: result.documents, ...result.metrics };
  if (tuned === null) return { json, text: describe(json) };
  const { parameters, metric, score, defaultScore, queries: asked, leftOut } = tuned;
  const development = { metric, score, defaultScore, queries: asked, leftOut };
  return { json: { ...json, bm25: { ...parameters, development } }, text: describe({ ...json, ...parameters, [`development ${metric}`]: score, 'by default': defaultScore }) };
}

/** k1 and b chosen on development data; null: the defaults were asked for. @throws InputError 'cli.useless-option', 'cli.missing-option'. */
async function tunedBm25(values: OptionValues, { method, testQueries, signal, say }: { readonly method: (typeof METHODS)[number]; readonly testQueries: readonly string[]; readonly signal: AbortSignal; readonly say: CommandContext['say'] }): Promise<(TunedBm25 & { readonly leftOut: number }) | null> {
  if (choice(values, 'bm25', ['default', 'tuned']) === 'default') {
    refuse(values, ['development'], '--bm25 default, which chooses nothing');
    return null;
  }
  if (method !== 'bm25' && method !== 'bm25-char') throw new InputError('cli.useless-option', `--bm25 tuned: not used together with --method ${method}. Ask for --method bm25 or bm25-char.`);
  const path = resolve(required(values, 'development', 'a folder with queries, collection and qrels (or a file of questions with passages) on which k1 and b are chosen'));
  const { documents, queries, qrels, leftOut, problems } = await readDevelopmentSet(path, { testQueries, signal });
  const lines = createProblemLines(say);
  for (const { message } of problems) lines.add(message);
  lines.end();
  return { ...(await tuneBm25({ documents, queries, qrels, method, signal, report: createProgressLine(say) })), leftOut };
}

/** The three files, named one by one or by their folder. @throws InputError. */
async function retrievalPaths(values: OptionValues): Promise<RetrievalPaths> {
  const folder = optional(values, 'data');
  const distractors = optional(values, 'distractors');
  if (folder !== null) refuse(values, ['queries', 'collection', 'qrels'], '--data, which stands for them');
  const found = folder === null ? null : await findRetrievalFiles(resolve(folder));
  return {
    queriesPath: found?.queriesPath ?? resolve(required(values, 'queries', 'the file of queries (JSONL or TSV), or --data with a folder')),
    collectionPath: found?.collectionPath ?? resolve(required(values, 'collection', 'the file of documents (JSONL)')),
    qrelsPath: found?.qrelsPath ?? resolve(required(values, 'qrels', 'the file of judgements')),
    ...(distractors === null ? {} : { distractorsPath: resolve(distractors) }),
  };
}

async function evaluatePairsTask(values: OptionValues, { signal, say }: CommandContext): Promise<CommandResult> {
  refuse(values, [...RETRIEVAL_OPTIONS, ...BITEXT_ONLY, ...PHRASE_FILES, ...XOR_FILES], 'pairs');
  const modelFolder = resolve(required(values, 'model', 'the folder of a model'));
  const sourcePath = resolve(required(values, 'source', 'the file of sentences, one a line'));
  const targetPath = resolve(required(values, 'target', 'the file of their translations, line by line'));
  const encoder = await openEncoder(modelFolder);
  const { pairs, problems } = await readAllPairs({ sourcePath, targetPath, source: 'und', target: 'und' }, signal);
  const lines = createProblemLines(say);
  for (const { message } of problems) lines.add(message);
  lines.end();
  const json = await pairScores(encoder, pairs, { source: languageOption(values, 'source-language'), target: languageOption(values, 'target-language') });
  return { json, text: describe(json) };
}

type TextPair = { readonly source: string; readonly target: string };

/** Each side in its language, where vectors depend on it. */
async function pairScores(encoder: Encoder, pairs: readonly TextPair[], languages: { readonly source: string | null; readonly target: string | null }): Promise<{ readonly pairs: number; readonly accuracy: number; readonly forward: number; readonly backward: number }> {
  const { accuracy, forward, backward } = await evaluatePairs({ encoder: encoderIn(encoder, languages.source), targetEncoder: encoderIn(encoder, languages.target), sources: pairs.map(({ source }) => source), targets: pairs.map(({ target }) => target) });
  return { pairs: pairs.length, accuracy, forward, backward };
}

async function evaluateTatoebaTask(values: OptionValues, { signal, say }: CommandContext): Promise<CommandResult> {
  refuse(values, [...RETRIEVAL_OPTIONS.filter((name) => name !== 'data'), 'source', 'target', ...BITEXT_ONLY, ...PHRASE_FILES, ...XOR_FILES], 'tatoeba');
  const modelFolder = resolve(required(values, 'model', 'the folder of a model'));
  const folder = resolve(required(values, 'data', 'the folder of tatoeba.XXX-eng.XXX and tatoeba.XXX-eng.eng'));
  const languages = { source: canonicaliseTag(required(values, 'source-language', 'a language tag such as sw')), target: canonicaliseTag(required(values, 'target-language', 'a language tag such as en')) };
  const { pairs, problems } = await readTatoebaPairs({ folder, ...languages }, signal);
  const lines = createProblemLines(say);
  for (const { message } of problems) lines.add(message);
  lines.end();
  const json = await pairScores(await openEncoder(modelFolder), pairs, languages);
  return { json, text: describe(json) };
}

async function evaluateXorTask(values: OptionValues, { signal, say }: CommandContext): Promise<CommandResult> {
  refuse(values, ['data', 'queries', 'qrels', 'distractors', 'bm25', 'development', 'run', 'query-language', 'source', 'target', ...BITEXT_FILES, ...PHRASE_FILES], 'xor');
  const { questions, problems } = await collectXorQuestions(resolve(required(values, 'questions', 'the file of questions with "id", "question", "lang" and "answers" (JSONL)')), signal);
  const lines = createProblemLines(say);
  for (const { message } of problems) lines.add(message);
  const found = await xorFound(values, questions, { signal, say, lines });
  lines.end();
  const { 'R@2kt': R2, 'R@5kt': R5, languages, questions: counted } = evaluateXor({ questions, found: (id) => found.get(id) ?? null });
  const json = { questions: counted, 'R@2kt': R2, 'R@5kt': R5, languages };
  return { json, text: [describe({ questions: counted, 'R@2kt': R2, 'R@5kt': R5 }), ...Object.entries(languages).map(([tag, one]) => `${tag.padEnd(10)} ${one['R@2kt'].toFixed(DIGITS)}  ${one['R@5kt'].toFixed(DIGITS)}  (${String(one.questions)} questions)`)].join('\n') };
}

/** What was found for each question: as a file of predictions says, or by searching a collection. */
async function xorFound(values: OptionValues, questions: readonly XorQuestion[], { signal, say, lines }: Pick<CommandContext, 'signal' | 'say'> & { readonly lines: ReturnType<typeof createProblemLines> }): Promise<ReadonlyMap<string, readonly string[]>> {
  const predictions = optional(values, 'predictions');
  const found = new Map<string, readonly string[]>();
  if (predictions !== null) {
    refuse(values, ['collection', 'model', 'method', 'document-language'], '--predictions, which says what was found');
    for await (const readings of readXorPredictions(resolve(predictions), signal)) {
      for (const reading of readings) {
        if (reading.kind === 'record') found.set(reading.value.id, reading.value.passages);
        else lines.add(reading.problem.message);
      }
    }
    return found;
  }
  const path = resolve(required(values, 'collection', 'the file of passages with "_id" and "text" (JSONL), or --predictions'));
  const modelFolder = optional(values, 'model');
  const encoder = modelFolder === null ? null : await openEncoder(resolve(modelFolder));
  const method = optional(values, 'method') === null && encoder === null ? 'bm25' : choice(values, 'method', METHODS);
  const documentLanguage = languageOption(values, 'document-language') ?? 'en';
  const documents: DocumentRecord[] = [];
  for await (const reading of readDocumentRecords(path, signal)) {
    if (reading.kind === 'record') documents.push(reading.value);
    else lines.add(reading.problem.message);
  }
  const report = createProgressLine(say);
  const collection = await prepareCollection({ documents, encoder: encoder === null || method === 'bm25' || method === 'bm25-char' ? null : encoderIn(encoder, documentLanguage), signal, report });
  return searchXor({ questions, documents, collection, method, documentLanguage, signal, report });
}

async function evaluateBitextTask(values: OptionValues, { signal, say }: CommandContext): Promise<CommandResult> {
  refuse(values, [...RETRIEVAL_OPTIONS, ...PHRASE_FILES, ...XOR_FILES], 'bitext');
  const modelFolder = resolve(required(values, 'model', 'the folder of a model'));
  const file = (name: string, what: string): string => resolve(required(values, name, what));
  const test = { sourcePath: file('source', 'the file of source sentences (id<tab>sentence)'), targetPath: file('target', 'the file of target sentences (id<tab>sentence)'), goldPath: file('gold', 'the file of true pairs (source-id<tab>target-id)') };
  const train = { sourcePath: file('train-source', 'source sentences of the training split'), targetPath: file('train-target', 'target sentences of the training split'), goldPath: file('train-gold', 'true pairs of the training split') };
  const languages = { sourceLanguage: languageOption(values, 'source-language'), targetLanguage: languageOption(values, 'target-language') };
  const encoder = await openEncoder(modelFolder);
  const sets = { train: await readBitextSet(train, signal), test: await readBitextSet(test, signal) };
  const lines = createProblemLines(say);
  for (const { message } of [...sets.train.problems, ...sets.test.problems]) lines.add(message);
  lines.end();
  const { precision, recall, F1, threshold, interval, train: onTrain, sourceLanguage, targetLanguage } = await evaluateBitext({ encoder, ...sets, ...languages, signal });
  const json = { precision, recall, F1, threshold: Number.isFinite(threshold) ? threshold : null, interval, trainF1: onTrain.F1, sourceLanguage, targetLanguage };
  return { json, text: describe({ precision, recall, F1, threshold, 'F1 from': interval.low, 'F1 to': interval.high, languages: `${sourceLanguage ?? '?'} ${targetLanguage ?? '?'}` }) };
}

async function evaluatePhrasesTask(values: OptionValues, { signal, say }: CommandContext): Promise<CommandResult> {
  refuse(values, [...RETRIEVAL_OPTIONS, 'source', 'target', ...BITEXT_FILES, ...XOR_FILES], 'phrases');
  const modelFolder = resolve(required(values, 'model', 'the folder of a model'));
  const file = (name: string, what: string): string => resolve(required(values, name, what));
  const paths = { pairsPath: file('pairs', 'the file of phrase pairs (phrase<tab>phrase)'), sourcePath: file('source-sentences', 'the sentences of the first phrases (phrase<tab>number<tab>sentence ...)'), targetPath: file('target-sentences', 'the sentences of the second phrases') };
  const layer = wholeNumber(values, 'layer', { least: 0, most: MOST_LAYERS });
  const mostSentences = wholeNumber(values, 'sentences', { least: 0, most: MOST_SENTENCES });
  const encoder = await openEncoder(modelFolder);
  const set = await readPhraseFiles(paths, signal);
  const lines = createProblemLines(say);
  for (const { message } of set.problems) lines.add(message);
  lines.end();
  const json = await evaluatePhrases({ encoder, set, ...(layer === null ? {} : { layer }), ...(mostSentences === null ? {} : { mostSentences }) });
  return { json, text: describe(json) };
}

function languageOption(values: OptionValues, name: string): string | null {
  const tag = optional(values, name);
  return tag === null ? null : canonicaliseTag(tag);
}

function describe(result: Readonly<Record<string, string | number>>): string {
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(10)} ${typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(DIGITS) : String(value)}`)
    .join('\n');
}
