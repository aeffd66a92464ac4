/** Which phrase pairs are trained and which kept back, and which sentences show them in use? All lists of a recipe, read once. */
import { InputError } from '../../base/errors.ts';
import { seededPermutation } from '../../base/random.ts';
import { findSentences } from '../../corpus/phrase-sentences.ts';
import type { PhraseSet } from '../../corpus/phrase-set.ts';
import type { CorpusProblem, Reading, Sentence } from '../../corpus/records.ts';
import { readPhrases, readTexts } from '../../corpus/sources.ts';
import { readPhraseFiles, readWikiXpr } from '../../corpus/wikixpr.ts';
import type { PhraseInUse } from '../../encoding/encoder.ts';
import { findPhrase, phraseForm } from '../../text/phrase-places.ts';
import { corpusSourceOf } from '../corpus-sources.ts';
import type { ReportTraining } from '../events.ts';
import type { PhrasePairsSource, PhraseRecipe } from './phrase-recipe.ts';

export type PhrasePair = { readonly source: PhraseInUse; readonly target: PhraseInUse };
/** Phrase pairs of two languages; sentences that do not hold their phrase are not among them. */
export type PhrasePairSet = { readonly source: string; readonly target: string; readonly pairs: readonly PhrasePair[] };

export type PhrasePairs = { readonly training: readonly PhrasePairSet[]; readonly heldBack: readonly PhrasePairSet[] };

/** Without lists of their own, held-back phrases are this share of each training list, at most so many of it. */
const HELD_BACK_SHARE = 0.1;
const MOST_HELD_BACK = 500;
const LEAST_TO_SPLIT = 20;

/**
 * Reads the lists, looks for sentences in the texts where a phrase has fewer than `recipe.sentences.evaluation`, and keeps phrases back: no
 * held-back phrase of a language pair stands among its training phrases, on either side.
 * @throws InputError 'phrases.nothing-to-train' when fewer than two pairs are left; what the readers throw.
 */
export async function readPhrasePairs({ recipe, signal, report }: { readonly recipe: PhraseRecipe; readonly signal: AbortSignal; readonly report: ReportTraining }): Promise<PhrasePairs> {
  const onProblem = ({ code, message, path, line }: CorpusProblem): void => report({ kind: 'problem', code, message, path, line });
  const readAll = async (sources: readonly PhrasePairsSource[], usualSplit: 'train' | 'dev'): Promise<readonly PhrasePairSet[]> => {
    const sets: PhrasePairSet[] = [];
    for (const source of sources) {
      report({ kind: 'progress', phase: 'reading', done: sets.length, total: sources.length, unit: 'files', leftMs: null });
      sets.push(await readSet(source, { usualSplit, signal, onProblem }));
    }
    return sets;
  };
  const training = await readAll(recipe.training, 'train');
  const heldBack = recipe.heldBack === undefined ? null : await readAll(recipe.heldBack, 'dev');
  const [ours, theirs] = heldBack === null ? split(training, recipe.seed) : [apart(training, heldBack), heldBack];
  const all = await withFoundSentences({ sets: [...ours, ...theirs], texts: recipe.texts, most: Math.max(recipe.sentences.training, recipe.sentences.evaluation), signal, report, onProblem });
  const pairs: PhrasePairs = { training: all.slice(0, ours.length).filter((set) => set.pairs.length > 0), heldBack: all.slice(ours.length).filter((set) => set.pairs.length > 0) };
  const count = pairs.training.reduce((sum, set) => sum + set.pairs.length, 0);
  if (count < 2) throw new InputError('phrases.nothing-to-train', `Expected at least two phrase pairs to train on, found ${count}. Add a dictionary or a list of phrases with translations.`);
  return pairs;
}

async function readSet(source: PhrasePairsSource, { usualSplit, signal, onProblem }: { readonly usualSplit: 'train' | 'dev'; readonly signal: AbortSignal; readonly onProblem: (problem: CorpusProblem) => void }): Promise<PhrasePairSet> {
  if ('folder' in source) return { source: 'en', target: source.language, pairs: pairsOf(told(await readWikiXpr({ folder: source.folder, language: source.language, split: source.split ?? usualSplit }, signal), onProblem)) };
  const { pairs: path, source: from, target: to, sourceSentences, targetSentences, format, encoding, mapping } = source;
  if (sourceSentences !== undefined && targetSentences !== undefined) return { source: from, target: to, pairs: pairsOf(told(await readPhraseFiles({ pairsPath: path, sourcePath: sourceSentences, targetPath: targetSentences }, signal), onProblem)) };
  const pairs: PhrasePair[] = [];
  const seen = new Set<string>();
  const corpus = { paths: [path], languages: { source: from, target: to }, ...(format === undefined ? {} : { format }), ...(encoding === undefined ? {} : { encoding }), ...(mapping === undefined ? {} : { mapping }) };
  for await (const readings of readPhrases(corpus, signal)) {
    for (const reading of readings) {
      if (reading.kind === 'problem') {
        onProblem(reading.problem);
        continue;
      }
      const { source: phrase, target: translation, examples } = reading.value;
      const key = `${phraseForm(phrase)}\t${phraseForm(translation)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      pairs.push({ source: inUse(phrase, examples.map((example) => example.source)), target: inUse(translation, examples.flatMap((example) => (example.target === null ? [] : [example.target]))) });
    }
  }
  return { source: from, target: to, pairs };
}

function told(set: PhraseSet, onProblem: (problem: CorpusProblem) => void): PhraseSet {
  for (const problem of set.problems) onProblem(problem);
  return set;
}

function pairsOf({ sources, targets }: Pick<PhraseSet, 'sources' | 'targets'>): readonly PhrasePair[] {
  return sources.flatMap((source, i) => {
    const target = targets[i];
    return target === undefined ? [] : [{ source: inUse(source.phrase, source.sentences), target: inUse(target.phrase, target.sentences) }];
  });
}

function inUse(phrase: string, sentences: readonly string[]): PhraseInUse {
  return { phrase, sentences: sentences.filter((sentence) => findPhrase(sentence, phrase) !== null) };
}

/** A tenth of each list that is long enough. */
function split(sets: readonly PhrasePairSet[], seed: number): readonly [readonly PhrasePairSet[], readonly PhrasePairSet[]] {
  const heldBack = sets.map((set) => {
    const count = set.pairs.length < LEAST_TO_SPLIT ? 0 : Math.min(MOST_HELD_BACK, Math.round(set.pairs.length * HELD_BACK_SHARE));
    const order = seededPermutation(set.pairs.length, { seed, purpose: `held-back phrases ${set.source} ${set.target}` }).subarray(0, count);
    return { ...set, pairs: [...order].toSorted((a, b) => a - b).flatMap((i) => set.pairs[i] ?? []) };
  });
  return [apart(sets, heldBack), heldBack];
}

/** Training pairs without those of which a held-back list of the same languages has either phrase. */
function apart(training: readonly PhrasePairSet[], heldBack: readonly PhrasePairSet[]): readonly PhrasePairSet[] {
  const taken = new Set(heldBack.flatMap((set) => set.pairs.flatMap(({ source, target }) => [keyOf(set, set.source, source), keyOf(set, set.target, target)])));
  return training.map((set) => ({ ...set, pairs: set.pairs.filter(({ source, target }) => !taken.has(keyOf(set, set.source, source)) && !taken.has(keyOf(set, set.target, target))) }));
}

function keyOf(set: Pick<PhrasePairSet, 'source' | 'target'>, language: string, { phrase }: PhraseInUse): string {
  return [[set.source, set.target].toSorted().join(' '), language, phraseForm(phrase)].join('\t');
}

/** Some lists with the sentences that show them, as `readPhrasePairs` reads them, for measuring. @param most  sentences of each phrase. */
export async function readPhraseLists({ lists, texts, most, signal, report }: { readonly lists: readonly PhrasePairsSource[]; readonly texts: PhraseRecipe['texts']; readonly most: number; readonly signal: AbortSignal; readonly report: ReportTraining }): Promise<readonly PhrasePairSet[]> {
  const onProblem = ({ code, message, path, line }: CorpusProblem): void => report({ kind: 'problem', code, message, path, line });
  const sets: PhrasePairSet[] = [];
  for (const list of lists) sets.push(await readSet(list, { usualSplit: 'dev', signal, onProblem }));
  return withFoundSentences({ sets, texts, most, signal, report, onProblem });
}

type Finding = { readonly sets: readonly PhrasePairSet[]; readonly texts: PhraseRecipe['texts']; readonly most: number; readonly signal: AbortSignal; readonly report: ReportTraining; readonly onProblem: (problem: CorpusProblem) => void };

/** One pass over the texts of each language that has phrases with too few sentences. */
async function withFoundSentences({ sets, texts: all, most, signal, report, onProblem }: Finding): Promise<readonly PhrasePairSet[]> {
  if (most === 0 || all.length === 0) return sets;
  const found = new Map<string, ReadonlyMap<string, readonly string[]>>();
  for (const language of new Set(all.map((text) => text.language))) {
    const phrases = [...new Set(sets.flatMap((set) => set.pairs.flatMap(({ source, target }) => [...(set.source === language ? [source] : []), ...(set.target === language ? [target] : [])]).filter(({ sentences }) => sentences.length < most)).map(({ phrase }) => phrase))];
    if (phrases.length === 0) continue;
    const texts = all.filter((text) => text.language === language);
    const sentences = await findSentences({
      phrases,
      sentences: sentencesOf(texts.map((text) => readTexts(corpusSourceOf(text), signal)), onProblem),
      most,
      signal,
      onProgress: (done) => report({ kind: 'progress', phase: 'reading', done, total: null, unit: 'sentences', leftMs: null }),
    });
    found.set(language, new Map(phrases.map((phrase, i) => [phrase, sentences[i] ?? []])));
  }
  const more = (phrase: PhraseInUse, language: string): PhraseInUse => {
    const extra = found.get(language)?.get(phrase.phrase) ?? [];
    return extra.length === 0 ? phrase : { phrase: phrase.phrase, sentences: [...new Set([...phrase.sentences, ...extra])].slice(0, most) };
  };
  return sets.map((set) => ({ ...set, pairs: set.pairs.map(({ source, target }) => ({ source: more(source, set.source), target: more(target, set.target) })) }));
}

/** The sentences of some texts, batch by batch; what is wrong in them is told. */
export async function* sentencesOf(texts: readonly AsyncIterable<readonly Reading<Sentence>[]>[], onProblem: (problem: CorpusProblem) => void): AsyncGenerator<readonly string[]> {
  for (const text of texts) {
    for await (const readings of text) {
      const sentences: string[] = [];
      for (const reading of readings) {
        if (reading.kind === 'record') sentences.push(reading.value.text);
        else onProblem(reading.problem);
      }
      yield sentences;
    }
  }
}
