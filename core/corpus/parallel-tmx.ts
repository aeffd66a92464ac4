/** Which parallel pairs does a TMX file hold? Two languages chosen from each translation unit. */
import { tmxParser } from '../formats/tmx.ts';
import type { TmxUnit, TmxVariant } from '../formats/tmx.ts';
import { isLanguageTag, parseLanguageTag } from '../text/language.ts';
import type { ReadOptions } from './line-records.ts';
import { pairOf } from './parallel-tsv.ts';
import { flatMapReadings, readXmlParts, recordsIn } from './parsed-files.ts';
import { problem } from './records.ts';
import type { CorpusProblem, ParallelPair, Reading } from './records.ts';

export type TmxLanguages = { readonly source: string; readonly target: string };

/**
 * Streams the pairs of two languages of a TMX file, in file order. Tags match exactly (en-US) or by base language (en,
 * EN-US, en_gb). A unit that lacks one of the two ('corpus.missing-language'), holds one of them twice with different texts
 * ('corpus.repeated-language'), has an empty side, bytes that are not text, or broken XML is a problem with its unit number
 * and line; further languages in a unit are left aside.
 *
 * @throws InputError 'corpus.not-tmx', 'corpus.no-units', 'corpus.xml-entities' (a DOCTYPE with definitions), 'corpus.xml-too-deep',
 *   'corpus.record-too-long'; what readTextPieces throws. @see TMX 1.4b, GALA/LISA OSCAR.
 */
export async function* readParallelTmx(path: string, signal: AbortSignal, options: TmxLanguages & ReadOptions): AsyncGenerator<Reading<ParallelPair>> {
  for await (const readings of readParallelTmxBatches(path, signal, options)) yield* readings;
}

/** As readParallelTmx, a batch at a time. */
export function readParallelTmxBatches(path: string, signal: AbortSignal, options: TmxLanguages & ReadOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  return flatMapReadings(readXmlParts(path, signal, options, tmxParser), (found) => (found.kind === 'unit' ? [pairOfUnit(found, path, options)] : []));
}

/** Of a file whose whole units are in one language at most: what is wrong with each unit. */
export function readTmxProblems(path: string, signal: AbortSignal, options: ReadOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  return flatMapReadings(readXmlParts(path, signal, options, tmxParser), (found) => (found.kind === 'unit' ? [problem('missing-language', { path, line: found.line, unit: found.unit, expected: 'texts in two languages', found: languagesOf(found.variants) })] : []));
}

const languagesOf = (variants: readonly TmxVariant[]): string => (variants.length === 0 ? 'no language' : variants.map(({ language }) => (language === '' ? '(no tag)' : language)).join(', '));

/** The languages of a TMX file, the first tag written for each base language, the one in most units first (equal: in order of appearance). */
export async function readTmxLanguages(path: string, signal: AbortSignal, options: ReadOptions = {}): Promise<readonly string[]> {
  const counts = new Map<string, { readonly tag: string; units: number }>();
  for await (const found of recordsIn(readXmlParts(path, signal, options, tmxParser))) {
    if (found.kind !== 'unit') continue;
    for (const { language } of found.variants) {
      if (language === '') continue;
      const count = counts.get(baseLanguage(language)) ?? { tag: language, units: 0 };
      count.units += 1;
      counts.set(baseLanguage(language), count);
    }
  }
  return [...counts.values()].sort((a, b) => b.units - a.units).map(({ tag }) => tag);
}

function pairOfUnit({ unit, line, variants }: TmxUnit, path: string, { source, target }: TmxLanguages): Reading<ParallelPair> {
  const left = chooseVariant(variants, source);
  const right = chooseVariant(variants, target);
  const found = languagesOf(variants);
  for (const [chosen, wanted] of [[left, source], [right, target]] as const) {
    if (chosen === 'none') return problem('missing-language', { path, line, unit, expected: `a text in "${wanted}"`, found });
    if (chosen === 'several') return problem('repeated-language', { path, line, unit, expected: `one text in "${wanted}"`, found });
  }
  if (typeof left === 'string' || typeof right === 'string') return problem('missing-language', { path, line, unit, expected: `texts in "${source}" and "${target}"`, found });
  const reading = pairOf(left.text, right.text, { path, line, whole: `${left.text} | ${right.text}` });
  return reading.kind === 'record' ? reading : withUnit(reading.problem, unit);
}

/** The same problem with the number of its unit. */
export function withUnit(found: CorpusProblem, unit: number): { readonly kind: 'problem'; readonly problem: CorpusProblem } {
  return problem(found.code.replace(/^corpus\./, ''), { path: found.path, line: found.line, found: found.found, expected: found.expected, unit });
}

/** The one variant in this language: an exact tag before an equal base language; equal texts count once. */
function chooseVariant(variants: readonly TmxVariant[], wanted: string): TmxVariant | 'none' | 'several' {
  const matching = inLanguage(variants, wanted);
  const [first, ...others] = matching;
  if (first === undefined) return 'none';
  return others.every(({ text }) => text === first.text) ? first : 'several';
}

/** The texts in a language: those with exactly its tag, else those of the same base language. */
export function inLanguage<T extends { readonly language: string }>(texts: readonly T[], wanted: string): readonly T[] {
  const exact = texts.filter(({ language }) => canonical(language) === canonical(wanted));
  return exact.length > 0 ? exact : texts.filter(({ language }) => baseLanguage(language) === baseLanguage(wanted));
}

const canonicalTags = new Map<string, { readonly tag: string; readonly base: string }>();

const canonical = (tag: string): string => canonicalTag(tag).tag;

/** "es" for es_ES, spa and es-419; a tag that is no BCP 47 tag, or private use alone, is its own base. */
export const baseLanguage = (tag: string): string => canonicalTag(tag).base;

function canonicalTag(tag: string): { readonly tag: string; readonly base: string } {
  const known = canonicalTags.get(tag);
  if (known !== undefined) return known;
  const found = isLanguageTag(tag) ? parseLanguageTag(tag) : { tag: tag.trim().toLowerCase(), language: null };
  const canonicalised = { tag: found.tag, base: found.language ?? found.tag };
  if (canonicalTags.size < CACHED_TAGS) canonicalTags.set(tag, canonicalised);
  return canonicalised;
}

const CACHED_TAGS = 1000;
