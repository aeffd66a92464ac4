/** Which parallel pairs does a TMX file hold? Translation units read as a stream; markup is never trusted. */
import { SaxesParser } from 'saxes';
import { InputError } from '../base/errors.ts';
import { printable, readTextPieces } from '../base/text-files.ts';
import { isLanguageTag, parseLanguageTag } from '../text/language.ts';
import { pairOf } from './parallel-tsv.ts';
import { problem } from './records.ts';
import type { ReadOptions } from './line-records.ts';
import type { CorpusProblem, ParallelPair, Reading } from './records.ts';

export type TmxLanguages = { readonly source: string; readonly target: string };

/** One side of a unit: its tag as written, its text without inline markup. */
export type TmxVariant = { readonly language: string; readonly text: string };

/** One <tu>; `unit` counts from 1, `line` is where it starts. */
export type TmxUnit = { readonly unit: number; readonly line: number; readonly variants: readonly TmxVariant[] };

const DEPTH_LIMIT = 256; // reliability.md 2.3
const RECORD_LIMIT = 16 * 1024 * 1024; // characters between two tags
const XML_DECLARATION = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/;
const DECLARATION_BYTES = 256;

/**
 * An ampersand that begins no reference would swallow the text up to the next semicolon, other units with it. It is replaced
 * by this noncharacter, which then marks its unit as broken (in CDATA it is turned back: there it is right).
 */
const STRAY_AMPERSAND = '\uFDD0';
const STRAY = /&(?!(?:#\d{1,8}|#x[\da-fA-F]{1,8}|[A-Za-z_][\w.:-]{0,30});)/g;
const LONGEST_REFERENCE = 40;

/** Elements whose content is native code of the translated file, not language (TMX 1.4b, section 3.3). <hi> holds language. */
const CODE_ELEMENTS = new Set(['bpt', 'ept', 'it', 'ph', 'ut', 'sub']);

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
export async function* readParallelTmxBatches(path: string, signal: AbortSignal, options: TmxLanguages & ReadOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  for await (const readings of readTmxUnits(path, signal, options)) {
    yield readings.map((reading) => (reading.kind === 'problem' ? reading : pairOfUnit(reading.value, path, options)));
  }
}

/** The languages of a TMX file, the first tag written for each base language, the one in most units first (equal: in order of appearance). */
export async function readTmxLanguages(path: string, signal: AbortSignal, options: ReadOptions = {}): Promise<readonly string[]> {
  const counts = new Map<string, { readonly tag: string; units: number }>();
  for await (const readings of readTmxUnits(path, signal, options)) {
    for (const reading of readings) {
      if (reading.kind === 'problem') continue;
      for (const { language } of reading.value.variants) {
        if (language === '') continue;
        const count = counts.get(baseLanguage(language)) ?? { tag: language, units: 0 };
        count.units += 1;
        counts.set(baseLanguage(language), count);
      }
    }
  }
  return [...counts.values()].sort((a, b) => b.units - a.units).map(({ tag }) => tag);
}

/** Streams the units of a TMX file, a batch at a time. @throws as readParallelTmx. */
export async function* readTmxUnits(path: string, signal: AbortSignal, options: ReadOptions): AsyncGenerator<Reading<TmxUnit>[]> {
  const scanner = tmxScanner(path);
  const text = { area: 'corpus' as const, declared: xmlEncoding, ...(options.encoding === undefined ? {} : { encoding: options.encoding }) };
  for await (const { text: piece, isDamaged } of readTextPieces(path, signal, text)) yield scanner.push(piece, isDamaged);
  yield scanner.end();
}

/** The encoding an XML text declares, or shows by its first bracket (XML 1.0, appendix F). */
export function xmlEncoding(sample: Uint8Array): string | undefined {
  if (sample[0] === 0x3c && sample[1] === 0) return 'utf-16le';
  if (sample[0] === 0 && sample[1] === 0x3c) return 'utf-16be';
  const declared = XML_DECLARATION.exec(Buffer.from(sample.subarray(0, DECLARATION_BYTES)).toString('latin1'))?.[1];
  return declared === undefined || /^utf-?16/i.test(declared) ? undefined : declared; // readable as bytes, so not UTF-16
}

type OpenUnit = { readonly unit: number; readonly line: number; readonly variants: { language: string; text: string }[]; isBroken: boolean };

function tmxScanner(path: string): { readonly push: (text: string, isDamaged: boolean) => Reading<TmxUnit>[]; readonly end: () => Reading<TmxUnit>[] } {
  const parser = new SaxesParser({ xmlns: false, position: true, fileName: path });
  let readings: Reading<TmxUnit>[] = [];
  let units = 0;
  let open: OpenUnit | null = null;
  let language = '';
  let segment: string | null = null;
  let codeDepth = 0; // how deep inside code elements
  let depth = 0;
  let hasRoot = false;
  let reportedAt = -1; // one broken-XML problem per unit
  let damaged = false; // this piece of text or the one before it
  let lastDamaged = false;
  let quiet = 0; // characters since the last event
  let held = ''; // what may be the start of a reference

  const report = (reason: string, found: string, expected: string): void => {
    const facts = { path, line: open?.line ?? parser.line, found, expected };
    readings.push(problem(reason, open === null ? facts : { ...facts, unit: open.unit }));
  };
  const refuse = (reason: string, sentence: string): InputError => new InputError(`corpus.${reason}`, `${path}: line ${parser.line}: ${sentence}`, { data: { path, line: parser.line, unit: units } });

  const breakUnit = (found: string, expected: string): void => {
    if (reportedAt === units) return;
    reportedAt = units;
    report('not-well-formed', found, expected);
    if (open !== null) open.isBroken = true;
  };
  parser.on('error', (error) => {
    quiet = 0;
    if (!hasRoot) return; // "not TMX" will be said
    breakUnit(error.message.replace(/^.*?:\d+:\d+: /, ''), `well-formed XML (near line ${parser.line})`);
  });
  parser.on('doctype', (doctype) => {
    quiet = 0;
    if (doctype.includes('[')) throw refuse('xml-entities', 'expected a TMX file without definitions of its own, found a DOCTYPE with an internal part. Such a part can blow a file up or reach for other files; remove it.');
  });
  parser.on('opentag', (tag) => {
    quiet = 0;
    depth += 1;
    if (depth > DEPTH_LIMIT) throw refuse('xml-too-deep', `expected at most ${DEPTH_LIMIT} elements inside one another, found more.`);
    if (!hasRoot && tag.name !== 'tmx') throw refuse('not-tmx', `expected a TMX file whose first element is <tmx>, found <${printable(tag.name, 40)}>.`);
    hasRoot = true;
    if (segment !== null) {
      if (codeDepth > 0 || CODE_ELEMENTS.has(tag.name)) codeDepth += 1;
    } else if (tag.name === 'tu') {
      units += 1;
      open = { unit: units, line: parser.line, variants: [], isBroken: false };
    } else if (tag.name === 'tuv') language = tag.attributes['xml:lang'] ?? tag.attributes['lang'] ?? '';
    else if (tag.name === 'seg' && open !== null) segment = '';
  });
  const onText = (text: string): void => {
    quiet = 0;
    if (segment === null || codeDepth > 0) return;
    if (text.includes(STRAY_AMPERSAND)) breakUnit(text.replaceAll(STRAY_AMPERSAND, '&'), '"&amp;" for an ampersand');
    segment += text;
    if (segment.length > RECORD_LIMIT) throw refuse('record-too-long', `expected at most ${RECORD_LIMIT} characters in a segment, found more in translation unit ${units}.`);
  };
  parser.on('text', onText);
  parser.on('cdata', (text) => onText(text.replaceAll(STRAY_AMPERSAND, '&')));
  parser.on('closetag', (tag) => {
    quiet = 0;
    depth -= 1;
    if (tag.name === 'seg' && segment !== null && open !== null) {
      if (damaged && segment.includes('\uFFFD')) {
        open.isBroken = true;
        report('invalid-bytes', segment, 'text in the encoding of the file');
      }
      open.variants.push({ language, text: segment.replace(/[ \t\r\n]+/g, ' ').trim() });
      segment = null;
      codeDepth = 0;
    } else if (segment !== null) {
      if (codeDepth > 0) codeDepth -= 1;
    } else if (tag.name === 'tu' && open !== null) {
      const { unit, line, variants, isBroken } = open;
      if (!isBroken) readings.push({ kind: 'record', value: { unit, line, variants } });
      open = null;
    }
  });

  const take = (): Reading<TmxUnit>[] => {
    const taken = readings;
    readings = [];
    return taken;
  };
  return {
    push: (text, isDamaged) => {
      damaged = isDamaged || lastDamaged;
      lastDamaged = isDamaged;
      quiet += text.length;
      const whole = held + text;
      const last = whole.lastIndexOf('&');
      const isOpen = last >= 0 && whole.length - last < LONGEST_REFERENCE && !whole.includes(';', last);
      held = isOpen ? whole.slice(last) : '';
      parser.write((isOpen ? whole.slice(0, last) : whole).replace(STRAY, STRAY_AMPERSAND));
      if (quiet > RECORD_LIMIT) throw refuse('record-too-long', `expected a tag at least every ${RECORD_LIMIT} characters, found none after translation unit ${units}.`);
      return take();
    },
    end: () => {
      parser.write(held.replace(STRAY, STRAY_AMPERSAND));
      parser.close();
      if (!hasRoot) throw new InputError('corpus.not-tmx', `${path}: expected a TMX file whose first element is <tmx>, found no element.`, { data: { path } });
      if (units === 0) throw new InputError('corpus.no-units', `${path}: expected translation units (<tu>), found none.`, { data: { path } });
      return take();
    },
  };
}

function pairOfUnit({ unit, line, variants }: TmxUnit, path: string, { source, target }: TmxLanguages): Reading<ParallelPair> {
  const left = chooseVariant(variants, source);
  const right = chooseVariant(variants, target);
  const found = variants.length === 0 ? 'no language' : variants.map(({ language }) => (language === '' ? '(no tag)' : language)).join(', ');
  for (const [chosen, wanted] of [[left, source], [right, target]] as const) {
    if (chosen === 'none') return problem('missing-language', { path, line, unit, expected: `a text in "${wanted}"`, found });
    if (chosen === 'several') return problem('repeated-language', { path, line, unit, expected: `one text in "${wanted}"`, found });
  }
  if (typeof left === 'string' || typeof right === 'string') return problem('missing-language', { path, line, unit, expected: `texts in "${source}" and "${target}"`, found });
  const reading = pairOf(left.text, right.text, { path, line, whole: `${left.text} | ${right.text}` });
  return reading.kind === 'record' ? reading : withUnit(reading.problem, unit);
}

function withUnit(found: CorpusProblem, unit: number): Reading<ParallelPair> {
  return problem(found.code.replace(/^corpus\./, ''), { path: found.path, line: found.line, found: found.found, expected: found.expected, unit });
}

/** The one variant in this language: an exact tag before an equal base language; equal texts count once. */
function chooseVariant(variants: readonly TmxVariant[], wanted: string): TmxVariant | 'none' | 'several' {
  const exact = variants.filter(({ language }) => canonical(language) === canonical(wanted));
  const matching = exact.length > 0 ? exact : variants.filter(({ language }) => baseLanguage(language) === baseLanguage(wanted));
  const [first, ...others] = matching;
  if (first === undefined) return 'none';
  return others.every(({ text }) => text === first.text) ? first : 'several';
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
