/** How does a recipe name a corpus? By its files, its languages, and what a person says of its format, encoding, mapping and terms. */
import { z } from 'zod';
import { corpusMappingSchema } from '../corpus/corpus-options.ts';
import { FORMAT_NAMES } from '../corpus/formats.ts';
import type { CorpusSource } from '../corpus/sources.ts';
import { corpusTermsSchema, type NamedTerms } from '../corpus/terms.ts';

const LANGUAGE_TAG = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/;
export const languageTag = z.string().regex(LANGUAGE_TAG, 'a language tag such as "sw" or "x-kisukuma"');
const path = z.string().min(1, 'a path');

/** All found in the files where they are left out; `terms`: nobody has said, so the strictest. */
const said = {
  format: z.enum(FORMAT_NAMES).optional(),
  encoding: z.string().min(1).max(40).optional(),
  mapping: corpusMappingSchema.optional(),
  terms: corpusTermsSchema.optional(),
};

export const retrievalSource = z.union([z.strictObject({ pairs: path, ...said }), z.strictObject({ folder: path, ...said })], { error: 'either {"pairs": FILE} or {"folder": FOLDER}' });
export const parallelSource = z.union(
  [z.strictObject({ path, source: languageTag, target: languageTag, ...said }), z.strictObject({ sourcePath: path, targetPath: path, source: languageTag, target: languageTag, ...said })],
  { error: 'either {"path", "source", "target"} or {"sourcePath", "targetPath", "source", "target"}' },
);
/**
 * What the lines of a text are to each other, for context prediction:
 *  'blank-lines' (when left out): a line is a sentence, a blank line ends a document (other formats say themselves where one ends);
 *  'lines': each line is a document, cut into its sentences; 'file': the whole file is one document;
 *  'none': the order says nothing, no sentence is a neighbour of another.
 */
export const DOCUMENT_BOUNDARIES = ['blank-lines', 'lines', 'file', 'none'] as const;
export const monolingualSource = z.strictObject({ path, language: languageTag, documents: z.enum(DOCUMENT_BOUNDARIES).optional(), ...said });

type Said = { readonly format?: CorpusSource['format'] | undefined; readonly encoding?: string | undefined; readonly mapping?: CorpusSource['mapping'] | undefined };
type NamedSource = z.infer<typeof retrievalSource> | z.infer<typeof parallelSource> | z.infer<typeof monolingualSource>;

const saidOf = ({ format, encoding, mapping }: Said): Pick<CorpusSource, 'format' | 'encoding' | 'mapping'> => ({ ...(format === undefined ? {} : { format }), ...(encoding === undefined ? {} : { encoding }), ...(mapping === undefined ? {} : { mapping }) });

/** The files of a source, in the order in which they belong together. */
export function pathsOf(source: NamedSource): readonly string[] {
  if ('pairs' in source) return [source.pairs];
  if ('folder' in source) return [source.folder];
  return 'path' in source ? [source.path] : [source.sourcePath, source.targetPath];
}

/** A source of a recipe as core/corpus reads it. */
export function corpusSourceOf(source: NamedSource): CorpusSource {
  const languages = 'source' in source ? { languages: { source: source.source, target: source.target } } : {};
  return { paths: pathsOf(source), ...saidOf(source), ...languages };
}

/** The terms of every corpus of a recipe, under the names of their files. */
export function termsOf(recipe: { readonly retrieval?: readonly z.infer<typeof retrievalSource>[] | undefined; readonly parallel: readonly z.infer<typeof parallelSource>[]; readonly monolingual: readonly z.infer<typeof monolingualSource>[] }): readonly NamedTerms[] {
  return [...(recipe.retrieval ?? []), ...recipe.parallel, ...recipe.monolingual].map((source) => ({
    name: pathsOf(source).map((one) => one.split(/[\\/]/).at(-1) ?? one).join(' + '),
    ...(source.terms ?? { source: null, licence: null, consent: null, access: null }),
  }));
}
