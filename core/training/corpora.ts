/** Which records does a recipe name? All of its files, read once, cleaned lightly; what was wrong is reported and left out. */
import { InputError } from '../base/errors.ts';
import { withTitle } from '../corpus/records.ts';
import type { CorpusProblem, QuestionPair, Reading, Sentence } from '../corpus/records.ts';
import { readPairs, readQuestions, readTexts } from '../corpus/sources.ts';
import { corpusSourceOf } from './corpus-sources.ts';
import type { Recipe } from './recipe-schema.ts';
import { segmentSentences } from '../text/segment.ts';

/** A question with the passage that answers it; questions with the same `documentKey` share their passage. `negatives`: passages that somebody said do not answer. */
export type RetrievalExample = { readonly query: string; readonly passage: string; readonly documentKey: string; readonly negatives?: readonly string[] };

/** One parallel corpus: `source` and `target` are language tags. */
export type ParallelCorpus = { readonly name: string; readonly source: string; readonly target: string; readonly pairs: readonly SentencePair[] };
export type SentencePair = { readonly source: string; readonly target: string };
/** `documents[i]` is the document of sentence i, whose sentences stand together in their order; null: the order says nothing. */
export type MonolingualCorpus = { readonly name: string; readonly language: string; readonly sentences: readonly string[]; readonly documents?: Int32Array | null };

export type Corpora = {
  readonly retrieval: readonly RetrievalExample[];
  readonly parallel: readonly ParallelCorpus[];
  readonly monolingual: readonly MonolingualCorpus[];
};

/** So many candidates are kept for each negative that a step draws: the same one in every epoch would be learned by heart. */
export const CANDIDATES_PER_NEGATIVE = 4;
/** Of negatives that the corpora name, a step draws so many for a question where the recipe does not say. */
export const SAID_NEGATIVES = 1;

/** A pair whose longer side has more than this many times the characters of the other is left out as misaligned (scripts differ by up to 4). */
const MOST_LENGTH_RATIO = 9;
const LENGTH_RATIO_FLOOR = 20; // characters added to both sides, so that short pairs are not judged by their length

/**
 * Reads every corpus of a recipe into memory.
 * @param report is told of each line that could not be used.
 * @throws InputError 'corpus.nothing-usable' naming the file of which no record is left; what the readers throw.
 */
export async function readCorpora(options: { readonly recipe: Pick<Recipe, 'retrieval' | 'parallel' | 'monolingual' | 'hardNegatives' | 'sentencesPerLanguage'>; readonly signal: AbortSignal; readonly onProblem: (problem: CorpusProblem) => void; readonly onFile: (path: string) => void }): Promise<Corpora> {
  const { recipe, signal, onProblem, onFile } = options;
  const retrieval: RetrievalExample[] = [];
  const mostNegatives = CANDIDATES_PER_NEGATIVE * (recipe.hardNegatives?.count ?? SAID_NEGATIVES);
  for (const source of recipe.retrieval ?? []) {
    const path = 'pairs' in source ? source.pairs : source.folder;
    onFile(path);
    const before = retrieval.length;
    for await (const pair of recordsOf(readQuestions(corpusSourceOf(source), signal), onProblem)) retrieval.push(toExample(pair, mostNegatives));
    requireSome(retrieval.length - before, path, 'question-passage pairs');
  }
  const parallel: ParallelCorpus[] = [];
  for (const source of recipe.parallel) {
    const name = 'path' in source ? source.path : source.targetPath;
    onFile(name);
    const pairs: SentencePair[] = [];
    const seen = new Set<string>();
    for await (const pair of recordsOf(readPairs(corpusSourceOf(source), signal), onProblem)) {
      const key = `${pair.source}\t${pair.target}`;
      if (seen.has(key) || looksMisaligned(pair)) continue;
      seen.add(key);
      pairs.push({ source: pair.source, target: pair.target });
    }
    requireSome(pairs.length, name, 'sentence pairs');
    parallel.push({ name, source: source.source, target: source.target, pairs });
  }
  const monolingual: MonolingualCorpus[] = [];
  for (const source of recipe.monolingual) {
    const { path, language } = source;
    onFile(path);
    const records = await thinned(recordsOf(readTexts(corpusSourceOf(source), signal), onProblem), { wanted: recipe.sentencesPerLanguage, documents: source.documents });
    requireSome(records.length, path, 'sentences');
    monolingual.push({ name: path, language, ...inDocuments(records, source) });
  }
  return { retrieval, parallel: withoutDuplicateCorpora(inOneDirection(parallel)), monolingual };
}

/** A text of which few sentences are wanted is thinned while it is read, once it has so many times as many: collections of millions need not fit into memory. */
const MOST_KEPT_TIMES = 20;

/**
 * All sentences, or those of every document, every second, every fourth ..., as soon as there are too many; of a document that alone has too
 * many its beginning (`limitSentences` would take no more of it). Where the order says nothing, a line is a document.
 */
async function thinned(sentences: AsyncIterable<Sentence>, { wanted, documents = 'blank-lines' }: { readonly wanted: number | undefined; readonly documents: Recipe['monolingual'][number]['documents'] }): Promise<readonly Sentence[]> {
  const all: Sentence[] = [];
  if (wanted === undefined) {
    for await (const sentence of sentences) all.push(sentence);
    return all;
  }
  const most = wanted * MOST_KEPT_TIMES;
  let kept: { readonly sentence: Sentence; readonly unit: number }[] = [];
  let every = 1;
  let line = -1;
  let current = { unit: -1, count: 0 };
  for await (const sentence of sentences) {
    line += 1;
    const unit = documents === 'file' ? 0 : documents === 'blank-lines' ? sentence.document : line;
    current = unit === current.unit ? { unit, count: current.count + 1 } : { unit, count: 1 };
    if (unit % every !== 0 || current.count > most) continue;
    kept.push({ sentence, unit });
    if (kept.length <= most || unit < 2 * every) continue;
    every *= 2;
    const step = every;
    kept = kept.filter((one) => one.unit % step === 0);
  }
  return kept.map(({ sentence }) => sentence);
}

/** The sentences of a text in its documents, as its source says where those end. */
function inDocuments(records: readonly Sentence[], { documents = 'blank-lines', language }: Recipe['monolingual'][number]): Pick<MonolingualCorpus, 'sentences' | 'documents'> {
  if (documents === 'lines') {
    const parts = records.flatMap(({ text }, document) => segmentSentences(text, language).map((sentence) => ({ text: sentence.text, document })));
    return { sentences: parts.map(({ text }) => text), documents: Int32Array.from(parts, ({ document }) => document) };
  }
  const sentences = records.map(({ text }) => text);
  if (documents === 'none') return { sentences, documents: null };
  return { sentences, documents: Int32Array.from(records, ({ document }) => (documents === 'file' ? 0 : document)) };
}

function toExample({ query, passage: text, title, documentId, negatives = [] }: QuestionPair, mostNegatives: number): RetrievalExample {
  const passage = withTitle(text, title);
  return { query, passage, documentKey: documentId ?? passage, ...(negatives.length === 0 ? {} : { negatives: negatives.slice(0, mostNegatives) }) };
}

async function* recordsOf<T>(batches: AsyncIterable<readonly Reading<T>[]>, onProblem: (problem: CorpusProblem) => void): AsyncGenerator<T> {
  for await (const readings of batches) {
    for (const reading of readings) {
      if (reading.kind === 'record') yield reading.value;
      else onProblem(reading.problem);
    }
  }
}

function looksMisaligned({ source, target }: SentencePair): boolean {
  const left = source.length + LENGTH_RATIO_FLOOR;
  const right = target.length + LENGTH_RATIO_FLOOR;
  return Math.max(left, right) / Math.min(left, right) > MOST_LENGTH_RATIO;
}

/** A language pair keeps the direction in which it is first given; corpora given the other way round are turned. */
function inOneDirection(corpora: readonly ParallelCorpus[]): ParallelCorpus[] {
  const known = new Set<string>();
  return corpora.map((corpus) => {
    if (known.has(`${corpus.target} ${corpus.source}`)) {
      return { ...corpus, source: corpus.target, target: corpus.source, pairs: corpus.pairs.map(({ source, target }) => ({ source: target, target: source })) };
    }
    known.add(`${corpus.source} ${corpus.target}`);
    return corpus;
  });
}

/** The same pairs given twice (as TSV and as TMX, say) would count twice: a corpus whose pairs all stand in another is left out. */
function withoutDuplicateCorpora(corpora: readonly ParallelCorpus[]): ParallelCorpus[] {
  const kept: ParallelCorpus[] = [];
  const seenByLanguages = new Map<string, Set<string>>();
  for (const corpus of corpora) {
    const key = `${corpus.source} ${corpus.target}`;
    const seen = seenByLanguages.get(key) ?? new Set<string>();
    seenByLanguages.set(key, seen);
    const fresh = corpus.pairs.filter((pair) => !seen.has(`${pair.source}\t${pair.target}`));
    for (const pair of fresh) seen.add(`${pair.source}\t${pair.target}`);
    if (fresh.length > 0) kept.push({ ...corpus, pairs: fresh });
  }
  return kept;
}

function requireSome(count: number, path: string, what: string): void {
  if (count === 0) throw new InputError('corpus.nothing-usable', `${path}: expected ${what}, found none that can be used. Check the file or take it out of the recipe.`, { data: { path } });
}
