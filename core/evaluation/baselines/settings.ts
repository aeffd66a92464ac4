/** How do baselines name their data? Texts, pairs and dictionaries of languages, as JSON; and what stands in them. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { InputError } from '../../base/errors.ts';
import { readDictionary } from '../../corpus/dictionary-entries.ts';
import type { CorpusProblem } from '../../corpus/records.ts';
import { readPairs, readTexts } from '../../corpus/sources.ts';
import type { TranslationPair } from '../../encoding/words/map-onto-pivot.ts';
import { canonicaliseTag } from '../../text/language.ts';

export const pathSchema = z.string().min(1, 'a path');
export const tagSchema = z.string().regex(/^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/, 'a language tag such as "sw"').transform((tag) => canonicaliseTag(tag));

const languages = { source: tagSchema, target: tagSchema };
/** Sentence pairs: one file, or two whose lines belong together. */
export const pairFilesSchema = z.union([z.strictObject({ path: pathSchema, ...languages }), z.strictObject({ sourcePath: pathSchema, targetPath: pathSchema, ...languages })], { error: 'either {"path", "source", "target"} or {"sourcePath", "targetPath", "source", "target"}' });
/** Words and phrases with their translations. */
export const dictionarySchema = z.strictObject({ path: pathSchema, ...languages });

export type PairFiles = z.infer<typeof pairFilesSchema>;
export type DictionaryFile = z.infer<typeof dictionarySchema>;

/** Pairs of texts of two languages: `source` and `target` say which. */
export type LanguagePairs = { readonly source: string; readonly target: string; readonly pairs: readonly TranslationPair[] };

export type ReadingOptions = { readonly folder: string; readonly signal: AbortSignal; readonly onProblem: (problem: CorpusProblem) => void };

/** @throws InputError 'baseline.invalid' naming every mistake. */
export function parseSettings<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InputError('baseline.invalid', parsed.error.issues.map(({ path, message }) => `${place}: "${path.map(String).join('/')}": ${message}`).join('\n'));
}

/** The sentences of files in one language. @throws what the readers throw. */
export async function readSentences(paths: readonly string[], { folder, signal, onProblem }: ReadingOptions): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const path of paths) {
    for await (const readings of readTexts({ paths: [resolve(folder, path)] }, signal)) {
      for (const reading of readings) {
        if (reading.kind === 'record') sentences.push(reading.value.text);
        else onProblem(reading.problem);
      }
    }
  }
  return sentences;
}

/** The pairs of files of two languages. @throws what the readers throw. */
export async function readLanguagePairs(files: PairFiles, { folder, signal, onProblem }: ReadingOptions): Promise<LanguagePairs> {
  const { source, target } = files;
  const paths = ('path' in files ? [files.path] : [files.sourcePath, files.targetPath]).map((path) => resolve(folder, path));
  const pairs: TranslationPair[] = [];
  for await (const readings of readPairs({ paths, languages: { source, target } }, signal)) {
    for (const reading of readings) {
      if (reading.kind === 'record') pairs.push({ source: reading.value.source, target: reading.value.target });
      else onProblem(reading.problem);
    }
  }
  return { source, target, pairs };
}

/** The entries of a dictionary, each with each of its translations. @throws what the readers throw. */
export async function readDictionaryPairs({ path, source, target }: DictionaryFile, { folder, signal, onProblem }: ReadingOptions): Promise<LanguagePairs> {
  const { entries, problems } = await readDictionary({ paths: [resolve(folder, path)], languages: { source, target } }, signal);
  for (const found of problems) onProblem(found);
  return { source, target, pairs: entries.flatMap(({ phrase, translations }) => translations.map((translation) => ({ source: phrase, target: translation }))) };
}

/** Pairs between a language and the pivot, in this direction, whichever way they were given. */
export function pairsOntoPivot(all: readonly LanguagePairs[], { language, pivot }: { readonly language: string; readonly pivot: string }): readonly TranslationPair[] {
  return all.flatMap(({ source, target, pairs }) => {
    if (source === language && target === pivot) return [...pairs];
    return source === pivot && target === language ? pairs.map((pair) => ({ source: pair.target, target: pair.source })) : [];
  });
}
