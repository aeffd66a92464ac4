/** What does the window see of a corpus that core has looked at? One translation of words, no judgement of its own. */
import { basename } from 'node:path';
import { MEASURED_CURVE } from '../../core/corpus/enough.ts';
import { baseLanguage } from '../../core/corpus/parallel-tmx.ts';
import type { CorpusInspection } from '../../core/corpus/inspect.ts';
import type { CorpusSource } from '../../core/corpus/sources.ts';
import type { CorpusRole as CoreRole, FormatName } from '../../core/corpus/formats.ts';
import { InputError } from '../../core/base/errors.ts';
import { isLanguageTag } from '../../core/text/language.ts';
import type { Advice, CorpusFormat, CorpusLanguages, CorpusMapping, CorpusProblem, CorpusRole, CorpusRow, Inspection, InspectionDetails } from '../contract/index.ts';

/** Total over core's formats; null: a piece of a folder, not a corpus by itself. */
const FORMATS: { readonly [Name in FormatName]: CorpusFormat | null } = {
  'beir-folder': 'beir-folder',
  usfm: 'usfm',
  'moses-zip': 'moses-zip',
  xlsx: 'xlsx',
  tmx: 'tmx',
  xliff: 'xliff',
  eaf: 'eaf',
  flextext: 'flextext',
  lift: 'lift',
  textgrid: 'textgrid',
  'dpr-json': 'dpr-json',
  'squad-json': 'squad-json',
  'passage-jsonl': 'passage-jsonl',
  'question-jsonl': 'jsonl-pairs',
  'beir-collection': null,
  'beir-queries': null,
  sfm: 'sfm',
  conllu: 'conllu',
  moses: 'moses',
  qrels: null,
  triples: 'triples',
  wikimatrix: 'wikimatrix',
  csv: 'csv',
  tsv: 'tsv',
  sentences: 'sentences',
};

const ROLES: { readonly [Role in CoreRole]: CorpusRole | null } = { retrieval: 'questions', parallel: 'pairs', monolingual: 'texts', part: null };
const CORE_ROLES: { readonly [Role in CorpusRole]: CoreRole } = { questions: 'retrieval', pairs: 'parallel', texts: 'monolingual' };

/** The role in core's words. */
export const coreRole = (role: CorpusRole): CoreRole => CORE_ROLES[role];

/** The format in core's words. */
export function coreFormat(format: CorpusFormat): FormatName {
  return format === 'jsonl-pairs' ? 'question-jsonl' : format;
}

type SaidOfCorpus = { readonly paths: readonly string[]; readonly format: CorpusFormat | null; readonly languages: { readonly source: string; readonly target: string } | null; readonly encoding: string | null; readonly mapping: CorpusMapping | null };

/** The files of a corpus with what was said about them, in core's words. */
export function corpusSource({ paths, format, languages, encoding, mapping }: SaidOfCorpus): CorpusSource {
  return {
    paths,
    ...(format === null ? {} : { format: coreFormat(format) }),
    ...(languages === null ? {} : { languages }),
    ...(encoding === null ? {} : { encoding }),
    ...(mapping === null ? {} : { mapping }),
  };
}

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
  const role = ROLES[found.role];
  if (format === null || role === null) {
    throw new InputError('corpus.part-of-folder', `${paths.join(', ')}: this is one part of a folder of questions and passages. Choose the whole folder (with corpus, queries and judgements).`, { data: { path: paths[0] ?? '' } });
  }
  const named = found.languages.map((tag) => (isLanguageTag(tag) ? tag : null));
  const guessed = guessLanguages(role, asInProject(named, projectLanguages), projectLanguages);
  return {
    status: 'readable',
    paths,
    role,
    format,
    languages: chosen ?? guessed,
    languagesFrom: chosen !== null ? 'user' : found.languagesFrom,
    rows: found.shown.map((shown) => rowOf(role, shown)),
    counts: { records: found.count, problems: found.problemCount, sizeBytes },
    problems: found.problems.map(problemOf),
    advice: adviceOn(found),
    details: detailsOf(found),
  };
}

function detailsOf(found: CorpusInspection): InspectionDetails {
  const { encodings, roles, mapping, proposal, leftOut, problemKinds, invalidBytes, statistics, letters, quality, overlaps, enough } = found;
  return {
    encodings,
    roles: roles.flatMap((role) => ROLES[role] ?? []),
    mapping,
    fields: proposal?.fields ?? [],
    leftOut,
    problemKinds: problemKinds.map(({ code, count, example }) => ({ code, count, example: problemOf(example) })),
    invalidBytes: invalidBytes === null ? null : { ...invalidBytes, places: invalidBytes.places.map(({ line, byteOffset }) => ({ line, byteOffset })) },
    duplicates: statistics.duplicates,
    sides: statistics.cells,
    letters,
    quality,
    overlaps,
    enough: enough === null ? null : { ...enough, curve: MEASURED_CURVE },
  };
}

/** "en-GB" of a file is the "en" of the project, unless the file holds another English too; a language that the project does not have stays what it is. */
function asInProject(found: readonly (string | null)[], projectLanguages: readonly string[]): readonly (string | null)[] {
  const bases = found.map((tag) => (tag === null ? null : baseLanguage(tag)));
  return found.map((tag, at) => {
    const base = bases[at] ?? null;
    if (tag === null || base === null || projectLanguages.includes(tag) || bases.filter((other) => other === base).length > 1) return tag;
    return projectLanguages.find((own) => baseLanguage(own) === base) ?? tag;
  });
}

function guessLanguages(role: CorpusRole, found: readonly (string | null)[], projectLanguages: readonly string[]): CorpusLanguages {
  if (role === 'questions') return { kind: 'one', language: found[0] ?? 'en' };
  if (role === 'texts') return { kind: 'one', language: found[0] ?? projectLanguages[0] ?? null };
  return { kind: 'two', source: found[0] ?? null, target: found[1] ?? null };
}

function rowOf(role: CorpusRole, { cells, line }: { readonly cells: readonly string[]; readonly line: number | null }): CorpusRow {
  const [first = '', second = '', third = ''] = cells;
  switch (role) {
    case 'questions':
      return { kind: 'question', question: first, title: second === '' ? null : second, passage: third, line };
    case 'pairs':
      return { kind: 'pair', source: first, target: second, line };
    case 'texts':
      return { kind: 'sentence', text: first, document: Number(second), line };
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
