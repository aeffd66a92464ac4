/** How does a file with one record per line become records? The frame shared by all line formats. */
import { readLineBatches } from '../base/text-lines.ts';
import type { ReportProgress } from '../base/progress.ts';
import type { FileProblem, TextFileOptions } from '../base/text-files.ts';
import { problem } from './records.ts';
import type { Reading } from './records.ts';

export type ReadOptions = {
  /** Any label TextDecoder knows; left out: UTF-8, or what the byte order mark says. */
  readonly encoding?: string;
  /** Told how far the reading is, in bytes of the file on the disk. Of two files read together, the first. */
  readonly report?: ReportProgress;
};

/** Reads one line; null = the line is nothing (a header, say); several: a record with what was mended in it. `line` counts from 1. Never throws on bad data. */
export type ParseLine<T> = (text: string, line: number) => Reading<T> | readonly Reading<T>[] | null;

/** The options of core/base for a file of a corpus. */
export function corpusText({ encoding, report }: ReadOptions): TextFileOptions {
  return { area: 'corpus', ...(encoding === undefined ? {} : { encoding }), ...(report === undefined ? {} : { report }) };
}

/**
 * One Reading per non-blank line, in file order. @param makeParser is called once, so that a parser may remember its first line.
 * @throws what readLineBatches throws; what the parser throws for a bad file.
 */
export async function* readLineRecords<T>(path: string, signal: AbortSignal, parse: ParseLine<T>, options: ReadOptions = {}): AsyncGenerator<Reading<T>> {
  for await (const readings of readLineRecordBatches(path, signal, parse, options)) yield* readings;
}

/** As readLineRecords, a batch at a time: the fast way for whole corpora. */
export async function* readLineRecordBatches<T>(path: string, signal: AbortSignal, parse: ParseLine<T>, options: ReadOptions = {}): AsyncGenerator<Reading<T>[]> {
  for await (const { firstLine, lines, notes } of readLineBatches(path, signal, corpusText(options))) {
    const readings: Reading<T>[] = notes.map((note) => ({ kind: 'problem', problem: note }));
    let line = firstLine;
    for (const text of lines) {
      const reading = typeof text === 'string' ? parseText(text, line, parse) : { kind: 'problem' as const, problem: text };
      if (isSeveral(reading)) readings.push(...reading);
      else if (reading !== null) readings.push(reading);
      line += 1;
    }
    yield readings;
  }
}

const isSeveral = <T>(reading: ReturnType<ParseLine<T>>): reading is readonly Reading<T>[] => Array.isArray(reading);

function parseText<T>(text: string, line: number, parse: ParseLine<T>): ReturnType<ParseLine<T>> {
  return text === '' || text.trim() === '' ? null : parse(text, line);
}

/** A side of a pair as it is used: trimmed (decoding left no half characters). A problem instead when nothing is left. */
export function checkedText(text: string, facts: { readonly path: string; readonly line: number; readonly what: string; readonly whole: string }): string | { readonly kind: 'problem'; readonly problem: FileProblem } {
  const trimmed = text.trim();
  if (trimmed === '') return problem('empty-text', { path: facts.path, line: facts.line, expected: `${facts.what} with text in it`, found: facts.whole });
  return trimmed.toWellFormed();
}
