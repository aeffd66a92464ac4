/** Which records do corpora hold, and how does a reader say that a line is wrong? */
import { printable } from '../base/text-files.ts';
import type { FileProblem } from '../base/text-files.ts';

/** One thing wrong in a corpus file; the rest of the file is used. Codes are 'corpus.<reason>'. */
export type CorpusProblem = FileProblem;

/** What a reader yields: a record, or what was wrong in its place. The caller decides how many problems are too many. */
export type Reading<T> = { readonly kind: 'record'; readonly value: T } | { readonly kind: 'problem'; readonly problem: CorpusProblem };

/** A question and a passage that answers it; `negatives` are passages that look like answers and are none, each behind its title (withTitle). */
export type QuestionPair = { readonly query: string; readonly passage: string; readonly title?: string; readonly queryId?: string; readonly documentId?: string; readonly negatives?: readonly string[] };

/** A passage as models read it: its title, if it has one, on a line before it. */
export function withTitle(text: string, title: string | undefined): string {
  return title === undefined || title === '' ? text : `${title}\n${text}`;
}

/** Where a record stands besides its line: what a person would look up. */
export type RecordPlace = {
  /** "1JN 1:3" or "1JN 1:3-4". */
  readonly verse?: string;
  readonly timeMs?: { readonly start: number; readonly end: number };
  readonly tier?: string;
  readonly speaker?: string;
  /** The name of a unit, entry, sentence or reference in its file. */
  readonly name?: string;
};

/** A sentence and its translation; `line` is where it stands, from 1 (in TMX, where its unit starts). */
export type ParallelPair = { readonly source: string; readonly target: string; readonly line: number; readonly place?: RecordPlace };

/** A sentence of running text; `document` numbers its document from 0. */
export type Sentence = { readonly text: string; readonly document: number; readonly line?: number; readonly place?: RecordPlace };

/** A phrase of a dictionary with its translation and the sentences that show it in use. */
export type PhrasePair = ParallelPair & { readonly examples: readonly { readonly source: string; readonly target: string | null }[] };

/** `relevance` is an integer grade, 0 = not relevant. */
export type Judgement = { readonly queryId: string; readonly documentId: string; readonly relevance: number; readonly line: number };

export type DocumentRecord = { readonly id: string; readonly title: string; readonly text: string; readonly line: number };

export type QueryRecord = { readonly id: string; readonly text: string; readonly line: number };

export type ProblemFacts = {
  readonly path: string;
  readonly line: number;
  readonly found: string;
  readonly expected: string;
  readonly unit?: number;
  readonly id?: string;
};

/** A problem of a line: code 'corpus.<reason>', a sentence with file, line, what was expected and what was found. */
export function problem(reason: string, facts: ProblemFacts): { readonly kind: 'problem'; readonly problem: CorpusProblem } {
  const found = printable(facts.found);
  const place = facts.unit === undefined ? `line ${facts.line}` : `translation unit ${facts.unit} (line ${facts.line})`;
  const message = `${facts.path}: ${place}: expected ${facts.expected}, found ${found === '' ? 'nothing' : found}.`;
  return { kind: 'problem', problem: { ...facts, code: `corpus.${reason}`, found, message } };
}

export function record<T>(value: T): { readonly kind: 'record'; readonly value: T } {
  return { kind: 'record', value };
}

/** All records and all problems of a reading. For files that fit in memory. */
export async function collect<T>(readings: AsyncIterable<Reading<T>>): Promise<{ readonly records: readonly T[]; readonly problems: readonly CorpusProblem[] }> {
  const records: T[] = [];
  const problems: CorpusProblem[] = [];
  for await (const reading of readings) {
    if (reading.kind === 'record') records.push(reading.value);
    else problems.push(reading.problem);
  }
  return { records, problems };
}
