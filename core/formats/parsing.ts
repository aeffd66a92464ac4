/** How do parsers of file formats hand over what they find, and say what is wrong in a place? */
import { InputError } from '../base/errors.ts';
import { printable } from '../base/text-files.ts';
import type { FileArea, FileProblem } from '../base/text-files.ts';

/** One thing wrong in a file whose rest is used. `reason` becomes the second half of an error code; `line` counts from 1. */
export type FormatFault = { readonly reason: string; readonly line: number; readonly expected: string; readonly found: string; readonly unit?: number };

/** What a parser yields: a part of the file, or what is wrong in its place. */
export type Parsed<T> = { readonly kind: 'part'; readonly part: T } | { readonly kind: 'fault'; readonly fault: FormatFault };

/** Takes the lines of a file one by one. `end` is called once, after the last. Neither throws on bad data. */
export type LineParser<T> = { readonly push: (text: string, line: number) => readonly Parsed<T>[]; readonly end: () => readonly Parsed<T>[] };

/**
 * Takes the text of a file in pieces cut anywhere. `end` is called once, after the last.
 * `push(piece, true)` says that some U+FFFD in the piece stands for bytes that are no text.
 * @throws InputError '<area>.<reason>' for a file that is something else or hostile.
 */
export type PieceParser<T> = { readonly push: (text: string, isDamaged?: boolean) => readonly Parsed<T>[]; readonly end: () => readonly Parsed<T>[] };

/** A text and the language it is in, as the file writes its tag; '' when it says none. */
export type TaggedText = { readonly language: string; readonly text: string };

export function part<T>(value: T): Parsed<T> {
  return { kind: 'part', part: value };
}

export function fault(reason: string, facts: Omit<FormatFault, 'reason'>): { readonly kind: 'fault'; readonly fault: FormatFault } {
  return { kind: 'fault', fault: { reason, ...facts, found: printable(facts.found) } };
}

/** Which file is parsed, for messages, and for which part of the program (the first half of its error codes). */
export type FormatPlace = { readonly path: string; readonly area: FileArea };

/** A file that cannot be read at all: '<area>.<reason>' with its path, its line, and a sentence. */
export function badFile(reason: string, { path, area }: FormatPlace, sentence: string, line?: number): InputError {
  return new InputError(`${area}.${reason}`, `${path}: ${line === undefined ? '' : `line ${line}: `}${sentence}`, { data: { path, ...(line === undefined ? {} : { line }) } });
}

/** The fault as a problem of a file; `area` is the first half of its code ("corpus", "documents"). */
export function faultProblem({ reason, ...facts }: FormatFault, { area, path }: FormatPlace): FileProblem {
  const found = printable(facts.found);
  const place = facts.unit === undefined ? `line ${facts.line}` : `translation unit ${facts.unit} (line ${facts.line})`;
  return { ...facts, found, path, code: `${area}.${reason}`, message: `${path}: ${place}: expected ${facts.expected}, found ${found === '' ? 'nothing' : found}.` };
}

/** Everything a parser of lines finds in a whole text with LF line ends. */
export function parseAllLines<T>(text: string, parser: LineParser<T>): Parsed<T>[] {
  const found: Parsed<T>[] = [];
  text.split('\n').forEach((line, i) => found.push(...parser.push(line, i + 1)));
  found.push(...parser.end());
  return found;
}

/** Everything a parser of pieces finds in a whole text. @throws what the parser throws. */
export function parseAllText<T>(text: string, parser: PieceParser<T>): Parsed<T>[] {
  return [...parser.push(text), ...parser.end()];
}

/** The parts alone, for who counts the faults elsewhere. */
export function partsOf<T>(parsed: readonly Parsed<T>[]): T[] {
  return parsed.flatMap((one) => (one.kind === 'part' ? [one.part] : []));
}

/** White space of any kind as one space, none at the ends: how a text with line breaks inside reads. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
