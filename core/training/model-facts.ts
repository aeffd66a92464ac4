/** What does a model know beside its weights? Its languages, word translations learned from the pairs, and how it was made. */
import { trainTranslationTable, type SentencePair, type TranslationTableData } from '../alignment/translation-table.ts';
import { pauseFor } from '../base/pause.ts';
import { STARTER_TERMS, strictestTerms } from '../corpus/terms.ts';
import type { ParallelCorpus } from './corpora.ts';
import { termsOf } from './corpus-sources.ts';
import type { Losses } from './events.ts';
import { corpusWeight, sidesOf, type SplitCorpora } from './prepare.ts';
import { usesStarter, type Recipe } from './recipe-schema.ts';
import type { ModelFacts } from './training-subject.ts';

/** Recipe, seed, steps, losses, versions and the terms inherited from the corpora (and the starter), for the manifest. */
export function trainingFacts(recipe: Recipe, { steps, losses, device }: { readonly steps: number; readonly losses: Losses; readonly device: string }): ModelFacts['training'] {
  const terms = strictestTerms([...termsOf(recipe), ...(usesStarter(recipe) ? [STARTER_TERMS] : [])]);
  return { recipe: JSON.parse(JSON.stringify(recipe)), seed: recipe.seed, steps, losses: { ...JSON.parse(JSON.stringify(losses)) }, device, node: process.version, terms: JSON.parse(JSON.stringify(terms)) };
}

/** One table in each direction for every language with pairs. */
export async function learnTranslations(all: readonly ParallelCorpus[], signal: AbortSignal): Promise<TranslationTableData[]> {
  const byLanguages = new Map<string, { source: string; target: string; pairs: SentencePair[] }>();
  for (const corpus of all) {
    const key = `${corpus.source} ${corpus.target}`;
    const entry = byLanguages.get(key) ?? { source: corpus.source, target: corpus.target, pairs: [] };
    byLanguages.set(key, entry);
    const weight = corpusWeight(corpus, all);
    for (const pair of corpus.pairs) entry.pairs.push({ ...pair, weight });
  }
  const tables: TranslationTableData[] = [];
  for (const { source, target, pairs } of byLanguages.values()) {
    await pauseFor(signal);
    tables.push(await trainTranslationTable({ pairs, sourceLanguage: source, targetLanguage: target, signal }));
    await pauseFor(signal);
    const reversed = pairs.map((pair) => ({ source: pair.target, target: pair.source, weight: pair.weight }));
    tables.push(await trainTranslationTable({ pairs: reversed, sourceLanguage: target, targetLanguage: source, signal }));
  }
  return tables;
}

/** Every language with its pairs and sentences, the pivot first. */
export function languagesOf(prepared: SplitCorpora): ModelFacts['languages'] {
  const languages = new Map<string, { pairs: number; sentences: number }>();
  const entryOf = (tag: string): { pairs: number; sentences: number } => {
    const entry = languages.get(tag) ?? { pairs: 0, sentences: 0 };
    languages.set(tag, entry);
    return entry;
  };
  entryOf(prepared.pivot);
  for (const corpus of prepared.corpora.parallel) {
    const sides = sidesOf(corpus, prepared.pivot);
    for (const tag of sides === null ? [corpus.source, corpus.target] : [sides.foreign]) entryOf(tag).pairs += corpus.pairs.length;
  }
  for (const corpus of prepared.corpora.monolingual) entryOf(corpus.language).sentences += corpus.sentences.length;
  return [...languages].map(([tag, entry]) => ({ tag, ...entry }));
}

