/** Which corpus formats are there? One row each: how it is recognised, how it is read, how a record is shown. */
import { ignoreProgress } from '../base/progress.ts';
import { readDocumentRecords, readQueryRecords } from './beir-records.ts';
import type { ReadOptions } from './line-records.ts';
import { readParallelMoses } from './parallel-moses.ts';
import { readParallelTmx, readTmxLanguages } from './parallel-tmx.ts';
import { readParallelTsv } from './parallel-tsv.ts';
import type { CorpusProbe } from './probe.ts';
import { qrelsForm, readQrels } from './qrels.ts';
import { QUESTION_FIELDS, readQuestionPairs } from './question-pairs.ts';
import type { ParallelPair, QuestionPair, Reading } from './records.ts';
import { readRetrievalPairs } from './retrieval-set.ts';
import { readSentences } from './sentences.ts';

export type FormatName = 'beir-folder' | 'moses' | 'tmx' | 'question-jsonl' | 'beir-collection' | 'beir-queries' | 'qrels' | 'tsv' | 'sentences';

/** What a corpus is for; the first three are the keys of a recipe, 'part' is a piece of a BEIR-style folder. */
export type CorpusRole = 'retrieval' | 'parallel' | 'monolingual' | 'part';

export type CellOptions = ReadOptions & { readonly languages: WantedLanguages };

/** Languages asked for, where a format holds several; null = the first two found. */
export type WantedLanguages = { readonly source: string; readonly target: string } | null;

export type CorpusFormat = {
  readonly role: CorpusRole;
  /** Names of the cells of a shown record; also keys for translation in the renderer. */
  readonly columns: readonly string[];
  /** Which of the columns hold text: they are counted, and records equal in them are duplicates. */
  readonly measured: readonly number[];
  readonly sniff: (probe: CorpusProbe) => boolean;
  /** Every record as cells, in the order of `columns`, and every problem. */
  readonly readCells: (paths: readonly string[], signal: AbortSignal, options: CellOptions) => AsyncGenerator<Reading<readonly string[]>>;
};

const oneFile = ({ isFolder, paths }: CorpusProbe): boolean => !isFolder && paths.length === 1;
const firstLine = ({ heads }: CorpusProbe): string => heads[0]?.[0] ?? '';
const firstOf = (paths: readonly string[]): string => paths[0] ?? '';

function firstObject(probe: CorpusProbe): ReadonlyMap<string, unknown> | null {
  if (!oneFile(probe)) return null;
  try {
    const value: unknown = JSON.parse(firstLine(probe));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

const hasAny = (fields: ReadonlyMap<string, unknown> | null, names: readonly string[]): boolean => fields !== null && names.some((name) => fields.has(name));
const isMarkup = (line: string): boolean => /^<(?:\?xml|!DOCTYPE|html|tmx)/i.test(line);
const isJson = (line: string): boolean => /^[{[]\s*(?:["{\]}]|$)/.test(line);

function row<T>(format: Omit<CorpusFormat, 'readCells'> & { readonly read: (...args: Parameters<CorpusFormat['readCells']>) => AsyncIterable<Reading<T>>; readonly cells: (value: T) => readonly string[] }): CorpusFormat {
  const { role, columns, measured, sniff, read, cells } = format;
  async function* readCells(...args: Parameters<CorpusFormat['readCells']>): AsyncGenerator<Reading<readonly string[]>> {
    for await (const reading of read(...args)) yield reading.kind === 'record' ? { kind: 'record', value: cells(reading.value) } : reading;
  }
  return { role, columns, measured, sniff, readCells };
}

const questionCells = ({ query, title, passage }: QuestionPair): readonly string[] => [query, title ?? '', passage];
const pairCells = ({ source, target }: ParallelPair): readonly string[] => [source, target];

/** Total over FormatName; the order of the rows is the order in which `sniff` is asked. */
export const corpusFormats: { readonly [Name in FormatName]: CorpusFormat } = {
  'beir-folder': row({
    role: 'retrieval',
    columns: ['query', 'title', 'passage'],
    measured: [0, 2],
    sniff: ({ isFolder }) => isFolder,
    read: (paths, signal) => readRetrievalPairs(firstOf(paths), signal),
    cells: questionCells,
  }),
  moses: row({
    role: 'parallel',
    columns: ['source', 'target'],
    measured: [0, 1],
    sniff: ({ isFolder, paths, heads }) => !isFolder && paths.length === 2 && heads.every(([line = '']) => !isMarkup(line) && !isJson(line)),
    read: (paths, signal, options) => readParallelMoses({ sourcePath: firstOf(paths), targetPath: paths[1] ?? '' }, signal, options),
    cells: pairCells,
  }),
  tmx: row({
    role: 'parallel',
    columns: ['source', 'target'],
    measured: [0, 1],
    sniff: (probe) => oneFile(probe) && isMarkup(firstLine(probe)) && (probe.heads[0] ?? []).some((line) => /<(?:!DOCTYPE\s+)?tmx\b/.test(line)),
    read: readAnyTmx,
    cells: pairCells,
  }),
  'question-jsonl': row({
    role: 'retrieval',
    columns: ['query', 'title', 'passage'],
    measured: [0, 2],
    sniff: (probe) => hasAny(firstObject(probe), QUESTION_FIELDS.query) && hasAny(firstObject(probe), QUESTION_FIELDS.passage),
    read: (paths, signal, options) => readQuestionPairs(firstOf(paths), signal, options),
    cells: questionCells,
  }),
  'beir-collection': row({
    role: 'part',
    columns: ['id', 'title', 'text'],
    measured: [2],
    sniff: (probe) => hasAny(firstObject(probe), ['text']) && hasAny(firstObject(probe), ['_id', 'id']) && (hasAny(firstObject(probe), ['title']) || /collection|corpus|distractors/.test(probe.names[0] ?? '')),
    read: (paths, signal, options) => readDocumentRecords(firstOf(paths), signal, options),
    cells: ({ id, title, text }) => [id, title, text],
  }),
  'beir-queries': row({
    role: 'part',
    columns: ['id', 'text'],
    measured: [1],
    sniff: (probe) => hasAny(firstObject(probe), ['text', 'query']) && hasAny(firstObject(probe), ['_id', 'id', 'qid']),
    read: (paths, signal, options) => readQueryRecords(firstOf(paths), signal, options),
    cells: ({ id, text }) => [id, text],
  }),
  qrels: row({
    role: 'part',
    columns: ['queryId', 'documentId', 'relevance'],
    measured: [0, 1],
    sniff: (probe) => oneFile(probe) && qrelsForm(firstLine(probe)) !== null,
    read: (paths, signal, options) => readQrels(firstOf(paths), signal, options),
    cells: ({ queryId, documentId, relevance }) => [queryId, documentId, String(relevance)],
  }),
  tsv: row({
    role: 'parallel',
    columns: ['source', 'target'],
    measured: [0, 1],
    sniff: (probe) => oneFile(probe) && isMostly(probe.heads[0] ?? [], (line) => line.includes('\t')),
    read: (paths, signal, options) => readParallelTsv(firstOf(paths), signal, options),
    cells: pairCells,
  }),
  sentences: row({
    role: 'monolingual',
    columns: ['text', 'document'],
    measured: [0],
    sniff: (probe) => oneFile(probe) && !isMarkup(firstLine(probe)) && !isJson(firstLine(probe)),
    read: (paths, signal, options) => readSentences(firstOf(paths), signal, options),
    cells: ({ text, document }) => [text, String(document + 1)],
  }),
};

const MOST = 0.5;

function isMostly(lines: readonly string[], test: (line: string) => boolean): boolean {
  return lines.length > 0 && lines.filter(test).length / lines.length >= MOST;
}

async function* readAnyTmx(paths: readonly string[], signal: AbortSignal, { languages, ...options }: CellOptions): AsyncGenerator<Reading<ParallelPair>> {
  const path = firstOf(paths);
  const silent = { ...options, report: ignoreProgress };
  const [source, target] = languages === null ? await readTmxLanguages(path, signal, silent) : [languages.source, languages.target];
  if (source !== undefined && target !== undefined) yield* readParallelTmx(path, signal, { source, target, ...options });
}
