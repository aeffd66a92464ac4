/** Which records does a Toolbox or Shoebox file hold (standard format markers: `\lx`, `\ref`, `\tx`, `\ft` ...)? */
import { fault, oneLine, part } from './parsing.ts';
import type { LineParser, Parsed } from './parsing.ts';

/** `\marker value`; a value that goes on over several lines has them joined by line ends. `line` counts from 1. */
export type SfmField = { readonly marker: string; readonly value: string; readonly line: number };

/** Fields from one record marker to the next. Of fields before the first record (`\_sh`, `\id`) `isHeader` is true. */
export type SfmRecord = { readonly isHeader: boolean; readonly line: number; readonly fields: readonly SfmField[] };

const FIELD = /^\\(\S+)(?:\s+(.*))?$/s;
const RECORD_FIELDS = 20_000; // more in one record: the record marker is wrong, or the file is something else
const SHOWN = 80;

/** Markers that open a new text; they belong to no record of sentences. */
const TEXT_MARKERS = new Set(['id', '_sh']);

/**
 * A parser of records that begin with `recordMarker`. A line before any marker that is not blank ('text-before-marker') and a
 * record of more than 20,000 fields ('record-too-long') are faults.
 */
export function sfmParser(recordMarker: string): LineParser<SfmRecord> {
  let fields: SfmField[] = [];
  let isHeader = true;
  let isTooLong = false;
  const close = (): Parsed<SfmRecord>[] => {
    const [first] = fields;
    const closed: Parsed<SfmRecord>[] =
      first === undefined
        ? []
        : isTooLong
          ? [fault('record-too-long', { line: first.line, expected: `at most ${RECORD_FIELDS} fields from one \\${recordMarker} to the next`, found: 'more' })]
          : [part({ isHeader, line: first.line, fields: fields.map((field) => ({ ...field, value: field.value.trim() })) })];
    fields = [];
    isTooLong = false;
    return closed;
  };
  return {
    push: (text, line) => {
      const [, marker, value = ''] = FIELD.exec(text) ?? [];
      if (marker === undefined) {
        const last = fields.at(-1);
        if (last !== undefined) fields[fields.length - 1] = { ...last, value: `${last.value}\n${text}` };
        else if (text.trim() !== '') return [fault('text-before-marker', { line, expected: 'a line that begins with a marker such as \\lx', found: text.slice(0, SHOWN) })];
        return [];
      }
      const opensRecord = marker === recordMarker;
      const opensText = !opensRecord && TEXT_MARKERS.has(marker);
      const closed = opensRecord || (opensText && !isHeader) ? close() : [];
      if (opensRecord) isHeader = false;
      else if (opensText && closed.length > 0) isHeader = true;
      if (fields.length < RECORD_FIELDS) fields.push({ marker, value, line });
      else isTooLong = true;
      return closed;
    },
    end: close,
  };
}

/** The markers of a file in order of appearance, each with how often it begins a line. */
export function countMarkers(lines: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of lines) {
    const marker = FIELD.exec(text)?.[1];
    if (marker !== undefined) counts.set(marker, (counts.get(marker) ?? 0) + 1);
  }
  return counts;
}

/** What the most used markers mean in MDF dictionaries and interlinear texts; projects are free to use others. */
const KNOWN_RECORD_MARKERS = ['lx', 'ref', 'rf', 'id'];

/** The marker that most probably begins a record: `\lx` or `\ref` where there is one, else the first that comes again. */
export function guessRecordMarker(counts: ReadonlyMap<string, number>): string | null {
  const known = KNOWN_RECORD_MARKERS.find((marker) => (counts.get(marker) ?? 0) > (marker === 'id' ? 1 : 0));
  if (known !== undefined) return known;
  const markers = [...counts.keys()].filter((marker) => !marker.startsWith('_'));
  return markers.find((marker) => (counts.get(marker) ?? 0) > 1) ?? markers[0] ?? null;
}

/** The values of a marker in a record, in order, each on one line; empty ones are left out. */
export function sfmValues({ fields }: SfmRecord, marker: string): string[] {
  return fields.filter((field) => field.marker === marker).map(({ value }) => oneLine(value)).filter((value) => value !== '');
}

/** The text of a marker in a record. Toolbox wraps long interlinear lines into several fields: they are joined. */
export function sfmText(record: SfmRecord, marker: string): string {
  return sfmValues(record, marker).join(' ');
}
