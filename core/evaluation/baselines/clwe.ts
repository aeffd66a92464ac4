/** What do cross-lingual word embeddings reach? Word vectors of each language, trained or from files, mapped into one space: a model folder. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { InputError } from '../../base/errors.ts';
import { ignoreProgress, type ReportProgress } from '../../base/progress.ts';
import type { CorpusProblem } from '../../corpus/records.ts';
import { MAP_FORMS, mapOntoPivot, SUPERVISIONS, type MapForm, type Supervision, type TranslationPair } from '../../encoding/words/map-onto-pivot.ts';
import { trainSkipGram } from '../../encoding/words/skip-gram.ts';
import { MOST_WORDS, readVecFile } from '../../encoding/words/vec-file.ts';
import { dictionaryFromPairs } from '../../encoding/words/word-dictionary.ts';
import type { WordVectors } from '../../encoding/words/word-vectors.ts';
import { writeWordsModelFolder } from '../../encoding/words/words-model-folder.ts';
import { dictionarySchema, pairFilesSchema, pairsOntoPivot, pathSchema, readDictionaryPairs, readLanguagePairs, readSentences, tagSchema, type LanguagePairs } from './settings.ts';

export const clweSettingsSchema = z.strictObject({
  /** The language onto whose space the others are mapped. */
  pivot: tagSchema.default('en'),
  /** Running text by language; vectors are trained on it. */
  texts: z.record(tagSchema, z.array(pathSchema).min(1)).default({}),
  /** fastText .vec files by language, instead of training. */
  vectors: z.record(tagSchema, pathSchema).default({}),
  /** Words and phrases with translations. */
  dictionaries: z.array(dictionarySchema).default([]),
  /** Sentence pairs: their sides are text too, and word pairs are learned from them. */
  parallel: z.array(pairFilesSchema).default([]),
  /** Left out: supervised where there are pairs or a dictionary, else unsupervised. */
  supervision: z.enum(SUPERVISIONS).optional(),
  /** Left out: VecMap's reweighted maps for two languages; rotations for more, as only they leave the pivot in place. */
  map: z.enum(MAP_FORMS).optional(),
  /** Words of each language that take part in self-learning. */
  mostFrequent: z.int().min(10).max(50_000).optional(),
  skipGram: z
    .strictObject({
      width: z.int().min(2).max(2048).optional(),
      window: z.int().min(1).max(100).optional(),
      negatives: z.int().min(1).max(100).optional(),
      epochs: z.int().min(1).max(1000).optional(),
      learningRate: z.number().positive().max(1).optional(),
      subsampling: z.number().min(0).max(1).optional(),
      leastCount: z.int().min(1).max(1_000_000).optional(),
    })
    .prefault({}),
  /** Sentence pairs of a language from which words are learned, the first ones. */
  mostPairs: z.int().min(1).max(10_000_000).default(50_000),
  mostWords: z.int().min(2).max(2_000_000).default(MOST_WORDS),
});

export type ClweSettings = z.infer<typeof clweSettingsSchema>;

export type ClweSummary = {
  readonly supervision: Supervision;
  readonly map: MapForm;
  readonly width: number;
  /** The pivot first. `pairs`: word pairs that were given or learned from parallel text and could be used. */
  readonly languages: readonly { readonly language: string; readonly words: number; readonly sentences: number; readonly pairs: number; readonly from: 'texts' | 'vectors' }[];
};

export type MakeClweOptions = {
  readonly settings: ClweSettings;
  /** What relative paths start from. */
  readonly folder: string;
  /** The model folder to write. */
  readonly out: string;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly report?: ReportProgress;
  readonly onProblem?: (problem: CorpusProblem) => void;
};

/**
 * Trains or reads, maps, writes.
 * @throws InputError 'baseline.no-languages', 'baseline.reweighted-many', 'words.other-width'; what readers, training and maps throw.
 * @see Zheng et al. 2022, section 4.2 (CLWE: fastText vectors mapped by VecMap, a phrase is the mean of its words).
 */
export async function makeClwe(options: MakeClweOptions): Promise<ClweSummary> {
  const { settings, out, seed, signal, report = ignoreProgress } = options;
  const reading = { folder: options.folder, signal, onProblem: options.onProblem ?? (() => undefined) };
  const parallel: LanguagePairs[] = [];
  for (const files of settings.parallel) parallel.push(await readLanguagePairs(files, reading));
  const tags = languagesOf(settings);
  const map = formOf(settings, tags.length - 1);
  const dictionaries: LanguagePairs[] = [];
  for (const file of settings.dictionaries) dictionaries.push(await readDictionaryPairs(file, reading));
  const sentenceCounts = new Map<string, number>();
  const vectorsFor = async (language: string): Promise<WordVectors> => {
    const file = settings.vectors[language];
    if (file !== undefined) {
      const found = await readVecFile(resolve(options.folder, file), { mostWords: settings.mostWords, signal, report });
      for (const problem of found.problems) reading.onProblem(problem);
      return found;
    }
    const own = await readSentences(settings.texts[language] ?? [], reading);
    const sides = parallel.flatMap(({ source, target, pairs }) => (source === language ? pairs.map((pair) => pair.source) : target === language ? pairs.map((pair) => pair.target) : []));
    const sentences = [...own, ...new Set(sides)];
    sentenceCounts.set(language, sentences.length);
    const asked = Object.fromEntries(Object.entries(settings.skipGram).filter(([, value]) => value !== undefined));
    return trainSkipGram({ ...asked, sentences, mostWords: settings.mostWords, seed, signal, report });
  };
  const [pivot, ...others] = tags;
  const own = await vectorsFor(pivot ?? settings.pivot);
  const known = new Map<string, { readonly vectors: WordVectors; readonly pairs: readonly TranslationPair[] }>();
  for (const language of others) {
    const direction = { language, pivot: settings.pivot };
    const given = pairsOntoPivot(dictionaries, direction);
    const learned = settings.supervision === 'unsupervised' ? [] : await dictionaryFromPairs(pairsOntoPivot(parallel, direction).slice(0, settings.mostPairs), signal);
    known.set(language, { vectors: await vectorsFor(language), pairs: [...given, ...learned] });
  }
  const supervision = settings.supervision ?? ([...known.values()].every(({ pairs }) => pairs.length > 0) ? 'supervised' : 'unsupervised');
  const vocabularies = new Map<string, WordVectors>([[settings.pivot, own]]);
  const pairsUsed = new Map<string, number>();
  for (const [language, { vectors, pairs }] of known) {
    const mapped = await mapOntoPivot({ source: vectors, pivot: own, pairs, supervision, form: map, seed, signal, report, ...(settings.mostFrequent === undefined ? {} : { mostFrequent: settings.mostFrequent }) });
    vocabularies.set(language, mapped.source).set(settings.pivot, mapped.pivot); // of rotations the pivot's is the same each time
    pairsUsed.set(language, mapped.pairsUsed);
  }
  const summary: ClweSummary = {
    supervision,
    map,
    width: own.width,
    languages: tags.map((language) => ({ language, words: vocabularies.get(language)?.words.length ?? 0, sentences: sentenceCounts.get(language) ?? 0, pairs: pairsUsed.get(language) ?? 0, from: settings.vectors[language] === undefined ? 'texts' : 'vectors' })),
  };
  const ordered = new Map(tags.flatMap((language) => { const found = vocabularies.get(language); return found === undefined ? [] : [[language, found] as const]; }));
  await writeWordsModelFolder(out, {
    width: own.width,
    pivot: settings.pivot,
    languages: summary.languages.map(({ language, sentences, pairs }) => ({ tag: language, pairs, sentences })),
    vocabularies: ordered,
    training: { baseline: 'clwe', seed, settings: JSON.parse(JSON.stringify(settings)), summary: JSON.parse(JSON.stringify(summary)), node: process.version },
  });
  return summary;
}

/** The pivot first, the others as they are first named. @throws InputError 'baseline.no-languages'. */
export function languagesOf({ pivot, texts, vectors, parallel }: Pick<ClweSettings, 'pivot' | 'texts' | 'vectors' | 'parallel'>): readonly string[] {
  const named = new Set([...Object.keys(texts), ...Object.keys(vectors), ...parallel.flatMap(({ source, target }) => [source, target])]);
  if (!named.has(pivot) || named.size < 2) throw new InputError('baseline.no-languages', `Word vectors of two languages or more are mapped onto the pivot "${pivot}": expected texts, vectors or pairs of it and of another language, found ${named.size === 0 ? 'none' : [...named].join(', ')}.`, { data: { pivot } });
  return [pivot, ...[...named].filter((language) => language !== pivot)];
}

/** @throws InputError 'baseline.reweighted-many'. */
function formOf({ map }: ClweSettings, foreign: number): MapForm {
  if (map === 'reweighted' && foreign > 1) throw new InputError('baseline.reweighted-many', `"map": "reweighted" changes the pivot's space for each language, so it brings two languages together, found ${foreign + 1}. Ask for "orthogonal", or make a model for each language.`);
  return map ?? (foreign > 1 ? 'orthogonal' : 'reweighted');
}
