/** What does the window see of a corpus that core has looked at? One translation of words, no judgement of its own. */
import { basename } from 'node:path';
import type { CorpusInspection } from '../../core/corpus/inspect.ts';
import type { FormatName } from '../../core/corpus/formats.ts';
import { InputError } from '../../core/base/errors.ts';
import type { Advice, CorpusFormat, CorpusLanguages, CorpusProblem, CorpusRole, CorpusRow, Inspection } from '../contract/index.ts';

/** Total over core's formats; null: a piece of a folder, not a corpus by itself. */
const FORMATS: { readonly [Name in FormatName]: CorpusFormat | null } = {
  'beir-folder': 'beir-folder',
  moses: 'moses',
  tmx: 'tmx',
  'question-jsonl': 'jsonl-pairs',
  'beir-collection': null,
  'beir-queries': null,
  qrels: null,
  tsv: 'tsv',
  sentences: 'sentences',
};

const ROLES: { readonly [Format in CorpusFormat]: CorpusRole } = { 'beir-folder': 'questions', 'jsonl-pairs': 'questions', tsv: 'pairs', moses: 'pairs', tmx: 'pairs', sentences: 'texts' };

export type InspectionFacts = {
  readonly paths: readonly string[];
  readonly sizeBytes: number;
  readonly found: CorpusInspection;
  /** What the user has settled. */
  readonly chosen: CorpusLanguages | null;
  readonly projectLanguages: readonly string[];
};

/** @throws InputError 'corpus.part-of-folder' for a single file out of a question folder. */
export function describeInspection({ paths, sizeBytes, found, chosen, projectLanguages }: InspectionFacts): Inspection {
  const format = FORMATS[found.format];
  if (format === null) {
    throw new InputError('corpus.part-of-folder', `${paths.join(', ')}: this is one part of a folder of questions and passages. Choose the whole folder (with corpus, queries and judgements).`, { data: { path: paths[0] ?? '' } });
  }
  const role = ROLES[format];
  const guessed = guessLanguages(role, found.languages, projectLanguages);
  return {
    status: 'readable',
    paths,
    role,
    format,
    languages: chosen ?? guessed,
    languagesFrom: chosen !== null ? 'user' : found.format === 'tmx' ? 'file' : found.languages.length > 0 ? 'name' : 'none',
    rows: found.rows.map((cells) => rowOf(format, cells)),
    counts: { records: found.count, problems: found.problemCount, sizeBytes },
    problems: found.problems.map(problemOf),
    advice: adviceOn(found),
  };
}

function guessLanguages(role: CorpusRole, found: readonly string[], projectLanguages: readonly string[]): CorpusLanguages {
  if (role === 'questions') return { kind: 'one', language: found[0] ?? 'en' };
  if (role === 'texts') return { kind: 'one', language: found[0] ?? projectLanguages[0] ?? null };
  return { kind: 'two', source: found[0] ?? null, target: found[1] ?? null };
}

function rowOf(format: CorpusFormat, cells: readonly string[]): CorpusRow {
  const [first = '', second = '', third = ''] = cells;
  switch (ROLES[format]) {
    case 'questions':
      return { kind: 'question', question: first, title: second === '' ? null : second, passage: third, line: null };
    case 'pairs':
      return { kind: 'pair', source: first, target: second, line: null };
    case 'texts':
      return { kind: 'sentence', text: first, document: Number(second), line: null };
  }
}

function problemOf({ code, path, line, message }: { readonly code: string; readonly path: string; readonly line: number; readonly message: string }): CorpusProblem {
  return { code, path, line, message };
}

const MANY_DUPLICATES = 0.1;

function adviceOn({ statistics: { records, duplicates } }: CorpusInspection): Advice[] {
  if (records === 0 || duplicates / records < MANY_DUPLICATES) return [];
  const message = `${duplicates.toLocaleString('en')} of ${records.toLocaleString('en')} records stand in the file more than once; each is used once.`;
  return [{ code: 'corpus.many-duplicates', blocks: false, message, languages: [], data: { duplicates, records } }];
}

/** The name on a card: the file's, or both. */
export function corpusName(paths: readonly string[]): string {
  return paths.map((path) => basename(path)).join(' + ');
}
