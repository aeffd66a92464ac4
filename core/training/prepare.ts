/** What must be ready before the first step? Corpora read, a vocabulary, everything as token ids, and the table where training starts. */
import { InvariantError } from '../base/errors.ts';
import { pauseFor } from '../base/pause.ts';
import type { CorpusProblem } from '../corpus/records.ts';
import { sameDocumentKeys } from './document-keys.ts';
import { createTokenizer, writeTokenizer, type Tokenizer, type TokenizerJson } from '../text/tokenizer.ts';
import { trainUnigram, type UnigramModel } from '../text/unigram-trainer.ts';
import { extendUnigram } from '../text/vocabulary-extension.ts';
import type { Starter } from '../encoding/starter-folder.ts';
import { readCorpora, type Corpora, type ParallelCorpus } from './corpora.ts';
import type { ReportTraining, TrainingPhase } from './events.ts';
import { holdOut, type HeldOutPairs } from './held-out.ts';
import { holdOutQuestions, type HeldOutQuestions } from './held-out-questions.ts';
import type { Recipe } from './recipe.ts';
import type { TokenCounts, TokenisedPairs } from './starting-table.ts';
import { textsByLanguage, vocabularyTexts } from './vocabulary.ts';

export const DEFAULT_PIVOT = 'en';
/** Beside a starter's own pieces the new languages get at least so many, however small the recipe's vocabulary. */
const LEAST_NEW_PIECES = 4000;
const TEXTS_BETWEEN_PAUSES = 2000;

/** The token ids of the retrieval data: question i is answered by passage `passageOf[i]`. */
export type RetrievalIds = { readonly queries: readonly Uint32Array[]; readonly passages: readonly Uint32Array[]; readonly passageOf: Int32Array };
export type ParallelIds = { readonly corpus: ParallelCorpus; readonly sources: readonly Uint32Array[]; readonly targets: readonly Uint32Array[] };
export type MonolingualIds = { readonly language: string; readonly sentences: readonly Uint32Array[] };

export type PreparedTraining = {
  readonly recipe: Recipe;
  /** The language most parallel corpora share; English where there is retrieval data or a starter. */
  readonly pivot: string;
  readonly corpora: Corpora;
  readonly heldOut: readonly HeldOutPairs[];
  readonly heldOutQuestions: HeldOutQuestions | null;
  readonly tokenizer: Tokenizer;
  readonly tokenizerJson: TokenizerJson;
  readonly retrieval: RetrievalIds;
  readonly parallel: readonly ParallelIds[];
  readonly monolingual: readonly MonolingualIds[];
  readonly counts: readonly TokenCounts[];
  readonly starter: Starter | null;
};

/** Reads, splits, learns the vocabulary and tokenises. Deterministic for a recipe and its files. @throws as `readCorpora`, `trainUnigram`. */
export async function prepareTraining(options: { readonly recipe: Recipe; readonly starter: Starter | null; readonly signal: AbortSignal; readonly report: ReportTraining }): Promise<PreparedTraining> {
  const { recipe, starter, signal, report } = options;
  const progress = (phase: TrainingPhase, done: number, total: number | null, unit: string): void => {
    report({ kind: 'progress', phase, done, total, unit, leftMs: null });
  };
  let files = 0;
  const read = await readCorpora({
    recipe,
    signal,
    onProblem: (problem) => { report(toEvent(problem)); },
    onFile: () => {
      progress('reading', files, null, 'files');
      files += 1;
    },
  });
  const pivot = choosePivot(read, starter !== null);
  const split = holdOut(read, recipe.seed);
  const questions = holdOutQuestions(split.corpora.retrieval, recipe.seed);
  const corpora: Corpora = { ...split.corpora, retrieval: questions.training };
  signal.throwIfAborted();
  const model = await learnVocabulary({ corpora, pivot, recipe, starter, signal, report });
  const tokenizer = createTokenizer(model);
  const texts = corpora.retrieval.length + corpora.parallel.length + corpora.monolingual.length;
  progress('vocabulary', texts, texts, 'texts');
  signal.throwIfAborted();
  const encodeAll = (list: readonly string[]): Promise<Uint32Array[]> => encodeTexts(list, tokenizer, signal);
  const { passageOf, passages } = sameDocumentKeys(corpora.retrieval);
  const retrieval: RetrievalIds = { queries: await encodeAll(corpora.retrieval.map((example) => example.query)), passages: await encodeAll(passages), passageOf };
  const parallel: ParallelIds[] = [];
  for (const corpus of corpora.parallel) {
    parallel.push({ corpus, sources: await encodeAll(corpus.pairs.map((pair) => pair.source)), targets: await encodeAll(corpus.pairs.map((pair) => pair.target)) });
  }
  const monolingual: MonolingualIds[] = [];
  for (const { language, sentences } of corpora.monolingual) monolingual.push({ language, sentences: await encodeAll(sentences) });
  const counts = countTokens({ pivot, vocabularySize: tokenizer.vocabularySize, retrieval, parallel, monolingual });
  return { recipe, pivot, corpora, heldOut: split.heldOut, heldOutQuestions: questions.heldOut, tokenizer, tokenizerJson: writeTokenizer(model), retrieval, parallel, monolingual, counts, starter };
}

/** Token ids of many texts; pauses now and then, so that a cancel arrives. */
async function encodeTexts(texts: readonly string[], tokenizer: Tokenizer, signal: AbortSignal): Promise<Uint32Array[]> {
  const ids: Uint32Array[] = [];
  for (let i = 0; i < texts.length; i += 1) {
    if (i % TEXTS_BETWEEN_PAUSES === 0) await pauseFor(signal);
    ids.push(tokenizer.encode(texts[i] ?? ''));
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
  readonly recipe: Recipe;
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
