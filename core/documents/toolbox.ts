/** Which blocks does a Toolbox file have? Records of standard format markers: sentences with translation and glosses, or dictionary entries. */
import { InputError } from '../base/errors.ts';
import { oneLine, parseAllLines } from '../formats/parsing.ts';
import { countMarkers, guessRecordMarker, sfmParser, sfmText, sfmValues } from '../formats/sfm.ts';
import { areReferenceNumbers } from '../formats/reference-numbers.ts';
import type { SfmRecord } from '../formats/sfm.ts';
import { collectWithin, createBlockCollector } from './block-collector.ts';
import type { BlockCollector } from './block-collector.ts';
import type { DocumentContent } from './parsed-document.ts';
import { addVersions } from './versions.ts';

/** Markers of MDF dictionaries and of interlinear texts, as most projects use them. */
const TEXT_LINES = ['tx', 't', 'ut', 'sent'];
const FREE_TRANSLATIONS = ['ft', 'fe', 'f', 'fn', 'fr', 'fg', 'eng', 'trs', 'nt'];
const GLOSS_LINES = ['mb', 'm', 'ge', 'g', 'gl', 'gn', 'ps', 'p'];
const SUBENTRY = 'se';
const HEADWORDS = ['lx', 'lc', SUBENTRY, 'va', 'alt'];
const MEANINGS = ['ge', 'gn', 'gr', 'gg', 'de', 'dn', 'dr', 'dx', 'tkp', 'eng', 'arg'];
/** An example and its translations, which follow it: \xv \xe \xn; \ex \xp \xe in some projects. */
const EXAMPLES = new Set(['xv', 'ex']);
const EXAMPLE_TRANSLATIONS = new Set(['xe', 'xn', 'xr', 'xg', 'xp']);
const FIRST_LINES = /^\\(?:_sh|lx|ref|rf|id|tx|t)\b/;

/** Does a text begin as Toolbox files do? */
export const looksLikeToolbox = (text: string): boolean => FIRST_LINES.test(text.trimStart());

/** Reads a file of records; beside known kinds of fields others stay out of the text. @throws InputError 'documents.not-toolbox'. */
export function parseToolbox(text: string, path: string): DocumentContent {
  const collector = createBlockCollector(path);
  const counts = countMarkers(text.split('\n'));
  const recordMarker = guessRecordMarker(counts);
  if (recordMarker === null) throw new InputError('documents.not-toolbox', `${path}: expected lines that begin with markers such as \\lx, found none. Give the file the ending of what it is.`, { data: { path } });
  const isDictionary = (counts.get('lx') ?? 0) > 0;
  return collectWithin(collector, () => {
    for (const one of parseAllLines(text, sfmParser(recordMarker))) {
      if (one.kind === 'fault') collector.faults([one.fault]);
      else if (one.part.isHeader) writeHeader(one.part, collector);
      else if (isDictionary) writeEntry(one.part, collector);
      else writeSentence(one.part, collector);
    }
  });
}

function writeHeader(record: SfmRecord, collector: BlockCollector): void {
  const title = sfmText(record, 'ti') || sfmText(record, 'id');
  collector.resetHeadings();
  if (title !== '') collector.heading(1, title, { line: record.line });
}

function writeSentence(record: SfmRecord, collector: BlockCollector): void {
  const read = (markers: readonly string[]): { readonly language: string; readonly text: string }[] => markers.map((marker) => ({ language: `\\${marker}`, text: sfmText(record, marker) })).filter(({ text }) => text !== '');
  const texts = read(TEXT_LINES).slice(0, 1);
  const known = texts.length > 0 ? [...texts, ...read(FREE_TRANSLATIONS)] : ownFields(record);
  const timed = timeOf(record);
  const speaker = sfmText(record, 'ELANParticipant') || sfmText(record, 'sp');
  const place = { line: record.line, ...timed, ...(speaker === '' ? {} : { speaker }) };
  addVersions(collector, place, { versions: known.map(({ text }) => ({ language: '', text })), glosses: read(GLOSS_LINES) });
}

const NO_TEXT = new Set(['dt', 'ref', 'rf', 'id', 'ELANBegin', 'ELANEnd', 'ELANParticipant']);

/** Every field of a record whose markers are a project's own; the one that begins it too, unless it only numbers it. */
function ownFields({ fields }: SfmRecord): readonly { readonly text: string }[] {
  return fields.filter(({ marker, value }, i) => !marker.startsWith('_') && !NO_TEXT.has(marker) && !(i === 0 && areReferenceNumbers([value]))).map(({ value }) => ({ text: oneLine(value) }));
}

const SECONDS_TO_MS = 1000;

/** Toolbox files that came from ELAN say when, in seconds or as hh:mm:ss.mmm. */
function timeOf(record: SfmRecord): { readonly timeMs?: { readonly start: number; readonly end: number } } {
  const [start, end] = ['ELANBegin', 'ELANEnd'].map((marker) => milliseconds(sfmText(record, marker)));
  return start === undefined || start === null ? {} : { timeMs: { start, end: end ?? start } };
}

function milliseconds(written: string): number | null {
  if (!/^\d+(?::\d+){0,2}(?:[.,]\d+)?$/.test(written)) return null;
  return Math.round(written.replace(',', '.').split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * SECONDS_TO_MS);
}

/** An entry, then each of its subentries (\se), which has a word and meanings of its own. */
function writeEntry(record: SfmRecord, collector: BlockCollector): void {
  const starts = [0, ...record.fields.flatMap(({ marker }, i) => (marker === SUBENTRY && i > 0 ? [i] : []))];
  starts.forEach((start, k) => {
    const fields = record.fields.slice(start, starts[k + 1]);
    writeWord({ ...record, line: fields[0]?.line ?? record.line, fields }, collector);
  });
}

function writeWord(record: SfmRecord, collector: BlockCollector): void {
  const values = (markers: readonly string[]): readonly string[] => [...new Set(markers.flatMap((marker) => sfmValues(record, marker)))];
  const text = [values(HEADWORDS).join(', '), values(MEANINGS).join('; ')].filter((part) => part !== '').join(': ');
  collector.add('segment', text, { line: record.line });
  let versions: string[] = [];
  let line = record.line;
  const close = (): void => {
    if (versions.length > 0) addVersions(collector, { line }, { versions: versions.map((version) => ({ language: '', text: version })) });
    versions = [];
  };
  let hasExample = false; // since the last example: \xp before \ex belongs to the one that comes
  for (const field of record.fields) {
    const isExample = EXAMPLES.has(field.marker);
    if (!isExample && !EXAMPLE_TRANSLATIONS.has(field.marker)) continue;
    if (isExample && hasExample) close();
    if (versions.length === 0) line = field.line;
    hasExample = isExample || (hasExample && versions.length > 0);
    versions.push(field.value);
  }
  close();
}
