/** What must be ready before the first step? Corpora read, a vocabulary, everything as token ids, and the table where training starts. */
import { InputError, InvariantError } from '../base/errors.ts';
import { pauseFor } from '../base/pause.ts';
import type { CorpusProblem } from '../corpus/records.ts';
import { connect } from './connections.ts';
import { sameDocumentKeys } from './document-keys.ts';
import { createTokenizer, writeTokenizer, type Tokenizer, type TokenizerJson } from '../text/tokenizer.ts';
import { trainUnigram, type UnigramModel } from '../text/unigram-trainer.ts';
import { extendUnigram } from '../text/vocabulary-extension.ts';
import type { Starter } from '../encoding/starter-folder.ts';
import { readCorpora, type Corpora, type ParallelCorpus } from './corpora.ts';
import type { ReportTraining } from './events.ts';
import { holdOut, type HeldOutPairs } from './held-out.ts';
import { holdOutQuestions, type HeldOutQuestions } from './held-out-questions.ts';
import { limitPairs } from './pair-limit.ts';
import { limitSentences } from './sentence-limit.ts';
import type { Recipe, StaticRecipe } from './recipe-schema.ts';
import type { TokenCounts, TokenisedPairs } from './starting-table.ts';
import type { TextRole } from './trainable-encoder.ts';
import { textsByLanguage, vocabularyTexts } from './vocabulary.ts';

export const DEFAULT_PIVOT = 'en';
/** Beside a starter's own pieces the new languages get at least so many, however small the recipe's vocabulary. */
const LEAST_NEW_PIECES = 4000;
const TEXTS_BETWEEN_PAUSES = 2000;

/** The token ids of the retrieval data: question i is answered by passage `passageOf[i]`; the passages `negativesOf[i]` were said not to answer it. */
export type RetrievalIds = { readonly queries: readonly Uint32Array[]; readonly passages: readonly Uint32Array[]; readonly passageOf: Int32Array; readonly negativesOf: readonly (readonly number[])[] };
export type ParallelIds = { readonly corpus: ParallelCorpus; readonly sources: readonly Uint32Array[]; readonly targets: readonly Uint32Array[] };
export type MonolingualIds = { readonly language: string; readonly sentences: readonly Uint32Array[] };

/** The corpora of a recipe, read and split. */
export type SplitCorpora = {
  /** The language most parallel corpora share; English where there is retrieval data or a starter. */
  readonly pivot: string;
  /** Without what is held back. */
  readonly corpora: Corpora;
  readonly heldOut: readonly HeldOutPairs[];
  readonly heldOutQuestions: HeldOutQuestions | null;
};

/** The same texts as token ids. */
export type TokenisedCorpora = { readonly retrieval: RetrievalIds; readonly parallel: readonly ParallelIds[]; readonly monolingual: readonly MonolingualIds[] };

/** What batches are made of, whatever the encoder. */
export type PreparedTexts = SplitCorpora & TokenisedCorpora;

/** And what a static encoder starts from. */
export type PreparedTraining = PreparedTexts & {
  readonly recipe: StaticRecipe;
  readonly tokenizer: Tokenizer;
  readonly tokenizerJson: TokenizerJson;
  readonly counts: readonly TokenCounts[];
  readonly starter: Starter | null;
};

type PrepareOptions = { readonly signal: AbortSignal; readonly report: ReportTraining };

/** Reads, splits, learns the vocabulary and tokenises. Deterministic for a recipe and its files. @throws as `readCorpora`, `trainUnigram`. */
export async function prepareTraining(options: PrepareOptions & { readonly recipe: StaticRecipe; readonly starter: Starter | null }): Promise<PreparedTraining> {
  const { recipe, starter, signal, report } = options;
  const split = await readAndSplit({ recipe, hasStarter: starter !== null, signal, report });
  const model = await learnVocabulary({ ...split, recipe, starter, signal, report });
  const tokenizer = createTokenizer(model);
  reportVocabulary(split.corpora, report);
  signal.throwIfAborted();
  const ids = await tokeniseCorpora(split.corpora, (text) => tokenizer.encode(text), signal);
  const counts = countTokens({ pivot: split.pivot, vocabularySize: tokenizer.vocabularySize, ...ids });
  return { ...split, ...ids, recipe, tokenizer, tokenizerJson: writeTokenizer(model), counts, starter };
}

/** Reads all corpora of a recipe and keeps some of them back. @throws as `readCorpora`; InputError 'recipe.nothing-held-back'. */
export async function readAndSplit(options: PrepareOptions & { readonly recipe: Recipe; readonly hasStarter: boolean }): Promise<SplitCorpora> {
  const { recipe, hasStarter, signal, report } = options;
  let files = 0;
  const read = await readCorpora({
    recipe,
    signal,
    onProblem: (problem) => { report(toEvent(problem)); },
    onFile: () => {
      report({ kind: 'progress', phase: 'reading', done: files, total: null, unit: 'files', leftMs: null });
      files += 1;
    },
  });
  const connected = recipe.connections === undefined ? read : { ...read, parallel: connect(read.parallel, recipe.connections) };
  const pivot = choosePivot(connected, hasStarter);
  const split = holdOut(connected, recipe.seed);
  const questions = holdOutQuestions(split.corpora.retrieval, recipe.seed);
  const parallel = recipe.pairsPerLanguage === undefined ? split.corpora.parallel : limitPairs(split.corpora.parallel, recipe.pairsPerLanguage, recipe.seed);
  const monolingual = recipe.sentencesPerLanguage === undefined ? split.corpora.monolingual : limitSentences(split.corpora.monolingual, recipe.sentencesPerLanguage, recipe.seed);
  signal.throwIfAborted();
  expectMeasurable(recipe, split.heldOut, questions.heldOut);
  return { pivot, corpora: { ...split.corpora, parallel, monolingual, retrieval: questions.training }, heldOut: split.heldOut, heldOutQuestions: questions.heldOut };
}

/** Early stopping needs something held back to look at. */
function expectMeasurable({ earlyStopping }: Recipe, heldOut: readonly HeldOutPairs[], questions: HeldOutQuestions | null): void {
  if (earlyStopping === undefined || (earlyStopping.metric === 'pairs' ? heldOut.length > 0 : questions !== null)) return;
  const needed = earlyStopping.metric === 'pairs' ? 'a language pair with at least 40 sentence pairs' : 'questions on at least 200 passages';
  throw new InputError('recipe.nothing-held-back', `"earlyStopping" needs ${needed} to keep some back, found fewer. Take it out of the recipe, or choose the other metric.`);
}

/** All texts of the corpora as ids. */
export async function tokeniseCorpora(corpora: Corpora, tokens: (text: string, role: TextRole) => Uint32Array, signal: AbortSignal): Promise<TokenisedCorpora> {
  const encodeAll = (list: readonly string[], role: TextRole): Promise<Uint32Array[]> => encodeTexts(list, (text) => tokens(text, role), signal);
  const { passageOf, passages, negativesOf } = sameDocumentKeys(corpora.retrieval);
  const retrieval: RetrievalIds = { queries: await encodeAll(corpora.retrieval.map((example) => example.query), 'query'), passages: await encodeAll(passages, 'document'), passageOf, negativesOf };
  const parallel: ParallelIds[] = [];
  for (const corpus of corpora.parallel) {
    parallel.push({ corpus, sources: await encodeAll(corpus.pairs.map((pair) => pair.source), 'document'), targets: await encodeAll(corpus.pairs.map((pair) => pair.target), 'document') });
  }
  const monolingual: MonolingualIds[] = [];
  for (const { language, sentences } of corpora.monolingual) monolingual.push({ language, sentences: await encodeAll(sentences, 'document') });
  return { retrieval, parallel, monolingual };
}

/** The vocabulary is there: as many texts as will be read. */
export function reportVocabulary(corpora: Corpora, report: ReportTraining): void {
  const texts = corpora.retrieval.length + corpora.parallel.length + corpora.monolingual.length;
  report({ kind: 'progress', phase: 'vocabulary', done: texts, total: texts, unit: 'texts', leftMs: null });
}

/** Token ids of many texts; pauses now and then, so that a cancel arrives. */
async function encodeTexts(texts: readonly string[], encode: (text: string) => Uint32Array, signal: AbortSignal): Promise<Uint32Array[]> {
  const ids: Uint32Array[] = [];
  for (let i = 0; i < texts.length; i += 1) {
    if (i % TEXTS_BETWEEN_PAUSES === 0) await pauseFor(signal);
    ids.push(encode(texts[i] ?? ''));
  }
  return ids;
}

/** The tokenised pairs of each language with the pivot, for alignment; religious or otherwise large single sources weigh less where others exist. */
export function pairsByLanguage(prepared: PreparedTraining): TokenisedPairs[] {
  const languages = new Map<string, { pivotIds: Uint32Array[]; foreignIds: Uint32Array[]; weights: number[] }>();
  for (const { corpus, sources, targets } of prepared.parallel) {
    const sides = sidesOf(corpus, prepared.pivot);
    if (sides === null) continue;
    const entry = languages.get(sides.foreign) ?? { pivotIds: [], foreignIds: [], weights: [] };
    languages.set(sides.foreign, entry);
    const weight = corpusWeight(corpus, prepared.corpora.parallel);
    const [pivotSide, foreignSide] = sides.pivotIsSource ? [sources, targets] : [targets, sources];
    for (let i = 0; i < pivotSide.length && i < MOST_PAIRS_TO_ALIGN; i += 1) {
      const pivotIds = pivotSide[i];
      const foreignIds = foreignSide[i];
      if (pivotIds === undefined || foreignIds === undefined) throw new InvariantError('training.pairs', 'A pair lost one of its sides.');
      entry.pivotIds.push(pivotIds);
      entry.foreignIds.push(foreignIds);
      entry.weights.push(weight);
    }
  }
  return [...languages].map(([language, { pivotIds, foreignIds, weights }]) => ({ language, pivotIds, foreignIds, weights: Float32Array.from(weights) }));
}

const MOST_PAIRS_TO_ALIGN = 20_000;
const LARGE_SOURCE_SHARE = 0.75;
const LARGE_SOURCE_WEIGHT = 0.3;

/**
 * How much a corpus counts in word alignment: .3 when it holds more than three quarters of its language pair's sentences while others exist
 * (a Bible beside everyday text), else 1.
 */
export function corpusWeight(corpus: ParallelCorpus, all: readonly ParallelCorpus[]): number {
  const same = all.filter((other) => other.source === corpus.source && other.target === corpus.target);
  const total = same.reduce((sum, other) => sum + other.pairs.length, 0);
  return same.length > 1 && corpus.pairs.length > LARGE_SOURCE_SHARE * total ? LARGE_SOURCE_WEIGHT : 1;
}

/** Which side of a corpus is the pivot, and what the other language is; null when neither side is. */
export function sidesOf(corpus: Pick<ParallelCorpus, 'source' | 'target'>, pivot: string): { readonly foreign: string; readonly pivotIsSource: boolean } | null {
  if (corpus.source === pivot) return { foreign: corpus.target, pivotIsSource: true };
  if (corpus.target === pivot) return { foreign: corpus.source, pivotIsSource: false };
  return null;
}

async function learnVocabulary(options: {
  readonly corpora: Corpora;
  readonly pivot: string;
  readonly recipe: StaticRecipe;
  readonly starter: Starter | null;
  readonly signal: AbortSignal;
  readonly report: ReportTraining;
}): Promise<UnigramModel> {
  const { corpora, pivot, recipe, starter, signal, report } = options;
  const texts = textsByLanguage(corpora, pivot);
  const learn = (chosen: ReadonlyMap<string, readonly string[]>, vocabularySize: number): Promise<UnigramModel> =>
    trainUnigram({
      texts: vocabularyTexts(chosen),
      vocabularySize,
      signal,
      report: ({ done, total, unit }) => { report({ kind: 'progress', phase: 'vocabulary', done, total, unit, leftMs: null }); },
    });
  if (starter === null) return learn(texts, recipe.encoder.vocabularySize);
  const foreign = new Map([...texts].filter(([language]) => language !== pivot));
  const wanted = Math.max(LEAST_NEW_PIECES, recipe.encoder.vocabularySize - starter.vocabulary.pieces.length);
  return extendUnigram(starter.vocabulary, await learn(foreign, wanted), { protectedTexts: texts.get(pivot) ?? [] }).model;
}

function choosePivot(corpora: Corpora, hasStarter: boolean): string {
  if (corpora.retrieval.length > 0 || hasStarter) return DEFAULT_PIVOT;
  const corporaWith = new Map<string, number>();
  for (const { source, target } of corpora.parallel) for (const tag of [source, target]) corporaWith.set(tag, (corporaWith.get(tag) ?? 0) + 1);
  if (corporaWith.has(DEFAULT_PIVOT)) return DEFAULT_PIVOT;
  return [...corporaWith].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? DEFAULT_PIVOT;
}

function countTokens(options: { readonly pivot: string; readonly vocabularySize: number; readonly retrieval: RetrievalIds; readonly parallel: readonly ParallelIds[]; readonly monolingual: readonly MonolingualIds[] }): TokenCounts[] {
  const { pivot, vocabularySize, retrieval, parallel, monolingual } = options;
  const languages = new Map<string, { counts: Float64Array; total: number }>();
  const add = (language: string, lists: readonly Uint32Array[]): void => {
    const entry = languages.get(language) ?? { counts: new Float64Array(vocabularySize), total: 0 };
    languages.set(language, entry);
    for (const ids of lists) {
      for (const id of ids) entry.counts[id] = (entry.counts[id] ?? 0) + 1;
      entry.total += ids.length;
    }
  };
  add(pivot, retrieval.queries);
  add(pivot, retrieval.passages);
  for (const { corpus, sources, targets } of parallel) {
    add(corpus.source, sources);
    add(corpus.target, targets);
  }
  for (const { language, sentences } of monolingual) add(language, sentences);
  return [...languages].map(([language, entry]) => ({ language, ...entry }));
}

function toEvent(problem: CorpusProblem): Parameters<ReportTraining>[0] {
  return { kind: 'problem', code: problem.code, message: problem.message, path: problem.path, line: problem.line };
}
