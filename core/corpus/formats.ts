/** Which corpus formats are there? One row each: how it is recognised, what it offers, how it is read. */
import { ignoreProgress } from '../base/progress.ts';
import { looksLikeTextGrid } from '../formats/textgrid.ts';
import { proposeTiersOf, readEafTiers, readTextGridTiers, tierPairs, tierSentences } from './annotations.ts';
import { readDocumentRecords, readQueryRecords } from './beir-records.ts';
import type { CorpusOptions, CorpusProposal } from './corpus-options.ts';
import { pairsOfPhrases, proposeLift, proposeSfm, readLiftPhrases, readLiftSentences, readSfmPairs, readSfmPhrases, readSfmSentences } from './dictionaries.ts';
import { glossedPairs, glossedSentences, proposeGlossed, readFlexPhrases, readTreebank } from './interlinear.ts';
import { proposeMosesZip, readMosesZip } from './moses-zip.ts';
import { readParallelMosesBatches } from './parallel-moses.ts';
import { readParallelTmxBatches, readTmxLanguages, readTmxProblems } from './parallel-tmx.ts';
import { proposeXliff, readXliffPairs } from './parallel-xliff.ts';
import { readTablePhrases } from './phrase-tables.ts';
import type { CorpusProbe } from './probe.ts';
import { qrelsForm, readQrels } from './qrels.ts';
import { QUESTION_FIELDS, readQuestionPairs } from './question-pairs.ts';
import { readDprPairs, readPassageLines, readSquadPairs, readTriples } from './question-sets.ts';
import type { ParallelPair, PhrasePair, QuestionPair, Reading, Sentence } from './records.ts';
import { readRetrievalPairs } from './retrieval-pairs.ts';
import { proposeScripture, scripturePairs, scriptureSentences } from './scripture.ts';
import { readSentenceBatches } from './sentences.ts';
import { proposeSheet, readSheetPairs, readSheetSentences } from './spreadsheets.ts';
import { looksLikeWikiMatrix, WIKIMATRIX_MARGIN } from './table-columns.ts';
import { guessTableForm } from './table-rows.ts';
import { proposeTable, readTablePairs, readTableSentences } from './tables.ts';

export const FORMAT_NAMES = [
  'beir-folder', 'usfm', 'moses-zip', 'xlsx', 'tmx', 'xliff', 'eaf', 'flextext', 'lift', 'textgrid', 'dpr-json', 'squad-json', 'passage-jsonl', 'question-jsonl', 'beir-collection',
  'beir-queries', 'sfm', 'conllu', 'moses', 'qrels', 'triples', 'wikimatrix', 'csv', 'tsv', 'sentences',
] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** What a corpus is for; the first three are the keys of a recipe, 'part' is a piece of a BEIR-style folder. */
export type CorpusRole = 'retrieval' | 'parallel' | 'monolingual' | 'part';

/** Reads the files of a corpus, a batch of readings at a time. */
export type ReadCorpus<T> = (paths: readonly string[], signal: AbortSignal, options: CorpusOptions) => AsyncGenerator<Reading<T>[]>;

/** A format offers what it has a reader for; the first role in the order of `rolesOf` is the one it is taken for. */
export type CorpusFormat = {
  readonly sniff: (probe: CorpusProbe) => boolean;
  /** What the file offers: columns, tiers, markers, languages. Left out: nothing to choose. */
  readonly propose?: (paths: readonly string[], signal: AbortSignal, options: CorpusOptions) => Promise<CorpusProposal>;
  readonly questions?: ReadCorpus<QuestionPair>;
  readonly pairs?: ReadCorpus<ParallelPair>;
  readonly sentences?: ReadCorpus<Sentence>;
  /** Dictionaries: phrase pairs with their example sentences. */
  readonly phrases?: ReadCorpus<PhrasePair>;
  /** A piece of a question folder, shown as cells; `measured`: which of them hold text. */
  readonly part?: { readonly columns: readonly string[]; readonly measured: readonly number[]; readonly read: ReadCorpus<readonly string[]> };
};

const oneFile = ({ isFolder, paths }: CorpusProbe): boolean => !isFolder && paths.length === 1;
const oneText = (probe: CorpusProbe): boolean => oneFile(probe) && probe.kinds[0] === 'text';
const headOf = ({ heads }: CorpusProbe): readonly string[] => heads[0] ?? [];
const firstLine = (probe: CorpusProbe): string => headOf(probe)[0] ?? '';
const nameOf = ({ names }: CorpusProbe): string => names[0] ?? '';
const isRoot = (probe: CorpusProbe, ...roots: readonly string[]): boolean => oneText(probe) && roots.includes(probe.roots[0] ?? '');

function firstObject(probe: CorpusProbe): ReadonlyMap<string, unknown> | null {
  if (!oneText(probe)) return null;
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
const isPlain = (probe: CorpusProbe): boolean => probe.heads.every(([line = '']) => !isMarkup(line) && !isJson(line));
/** A first line longer than what was looked at does not parse; its start still says what it is. */
const startsWith = (probe: CorpusProbe, ...signs: readonly RegExp[]): boolean => oneText(probe) && signs.every((sign) => sign.test(headOf(probe).join('\n')));

const MOST = 0.5;
const NEARLY_ALL = 0.9;
const WORD_COLUMNS = 10;
const TRIPLE_COLUMNS = 3;
const PASSAGE_LENGTH = 3; // a passage is this many times as long as its question

function share(lines: readonly string[], test: (line: string) => boolean): number {
  return lines.length === 0 ? 0 : lines.filter(test).length / lines.length;
}

const USFM_NAME = /\.(?:usfm|sfm|ptx|usf)$/i;
const isUsfmText = (lines: readonly string[]): boolean => /^\\id\s+[A-Z0-9]{3}\b/.test(lines[0] ?? '') && lines.some((line) => /^\\(?:c|v|h|toc\d|mt\d?|ide|usfm)\b/.test(line));
const isScripture = (probe: CorpusProbe, i: number): boolean => {
  const inside = probe.inside[i] ?? [];
  return probe.kinds[i] === 'folder' ? inside.some((name) => USFM_NAME.test(name)) : isUsfmText(probe.heads[i] ?? []);
};

const columnsOf = (probe: CorpusProbe): readonly (readonly string[])[] => headOf(probe).map((line) => line.split('\t'));

function looksLikeTriples(probe: CorpusProbe): boolean {
  const rows = columnsOf(probe);
  if (!oneText(probe) || share(headOf(probe), (line) => line.split('\t').length === TRIPLE_COLUMNS) < NEARLY_ALL) return false;
  if (/triples/i.test(nameOf(probe))) return true;
  const mean = (column: number): number => rows.reduce((sum, cells) => sum + (cells[column] ?? '').length, 0);
  return !looksLikeWikiMatrix(rows) && mean(1) > PASSAGE_LENGTH * mean(0) && mean(2) > PASSAGE_LENGTH * mean(0);
}

const isTabular = (probe: CorpusProbe): boolean => oneText(probe) && isPlain(probe) && share(headOf(probe), (line) => line.includes('\t')) >= MOST;

function looksLikeCsv(probe: CorpusProbe): boolean {
  if (!oneText(probe) || !isPlain(probe) || !/\.csv(?:\.gz)?$/i.test(nameOf(probe))) return false;
  const { delimiter } = guessTableForm(headOf(probe));
  return share(headOf(probe), (line) => line.includes(delimiter)) >= MOST;
}

/** A reader of one file. */
const one = <T>(read: (path: string, signal: AbortSignal, options: CorpusOptions) => AsyncGenerator<Reading<T>[]>): ReadCorpus<T> => (paths, signal, options) => read(paths[0] ?? '', signal, options);
const oneProposal = (propose: (path: string, signal: AbortSignal, options: CorpusOptions) => Promise<CorpusProposal>): NonNullable<CorpusFormat['propose']> => (paths, signal, options) => propose(paths[0] ?? '', signal, { ...options, report: ignoreProgress });

const BATCH = 500;

/** Readings one by one as batches. */
async function* batched<T>(readings: AsyncIterable<Reading<T>>): AsyncGenerator<Reading<T>[]> {
  let batch: Reading<T>[] = [];
  for await (const reading of readings) {
    batch.push(reading);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** A piece of a question folder: records read one by one and shown as cells. */
function part<T>(columns: readonly string[], measured: readonly number[], read: (path: string, signal: AbortSignal, options: CorpusOptions) => AsyncIterable<Reading<T>>, cells: (value: T) => readonly string[]): NonNullable<CorpusFormat['part']> {
  async function* readCells(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<readonly string[]>> {
    for await (const reading of read(path, signal, options)) yield reading.kind === 'record' ? { kind: 'record', value: cells(reading.value) } : reading;
  }
  return { columns, measured, read: (paths, signal, options) => batched(readCells(paths[0] ?? '', signal, options)) };
}

/** The texts of a collection, each a document of its own: text without a translation in the domain that will be searched. */
async function* documentTexts(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<Sentence>> {
  let document = 0;
  for await (const reading of readDocumentRecords(path, signal, options)) {
    yield reading.kind === 'record' ? { kind: 'record', value: { text: reading.value.text, document, line: reading.value.line } } : reading;
    document += 1;
  }
}

/** A margin and two texts a row. */
const WIKIMATRIX_MAPPING = { hasHeader: false, columns: { score: 1, source: 2, target: 3 }, minimumScore: WIKIMATRIX_MARGIN };

/** Total over FormatName; the order of FORMAT_NAMES is the order in which `sniff` is asked. */
export const corpusFormats: { readonly [Name in FormatName]: CorpusFormat } = {
  'beir-folder': {
    sniff: (probe) => probe.isFolder && !isScripture(probe, 0),
    questions: (paths, signal) => batched(readRetrievalPairs(paths[0] ?? '', signal)),
  },
  usfm: {
    sniff: (probe) => probe.paths.length > 0 && probe.kinds.every((_, i) => isScripture(probe, i)),
    propose: (paths, signal) => proposeScripture(paths, signal),
    pairs: scripturePairs,
    sentences: one(scriptureSentences),
  },
  'moses-zip': {
    sniff: (probe) => oneFile(probe) && probe.kinds[0] === 'zip' && !(probe.inside[0] ?? []).includes('[Content_Types].xml') && !(probe.inside[0] ?? []).includes('mimetype'),
    propose: oneProposal(proposeMosesZip),
    pairs: one(readMosesZip),
  },
  xlsx: {
    sniff: (probe) => oneFile(probe) && (probe.inside[0] ?? []).some((name) => name.startsWith('xl/')),
    propose: oneProposal(proposeSheet),
    pairs: one(readSheetPairs),
    sentences: one(readSheetSentences),
  },
  tmx: { sniff: (probe) => isRoot(probe, 'tmx'), propose: oneProposal(proposeTmx), pairs: one(readAnyTmx) },
  xliff: { sniff: (probe) => isRoot(probe, 'xliff'), propose: oneProposal(proposeXliff), pairs: one(readXliffPairs) },
  eaf: {
    sniff: (probe) => isRoot(probe, 'ANNOTATION_DOCUMENT'),
    propose: oneProposal((path, signal, options) => proposeTiersOf(readEafTiers, path, signal, options)),
    pairs: one((path, signal, options) => tierPairs(readEafTiers, path, signal, options)),
    sentences: one((path, signal, options) => tierSentences(readEafTiers, path, signal, options)),
  },
  flextext: {
    sniff: (probe) => isRoot(probe, 'document') && startsWith(probe, /<interlinear-text\b/),
    propose: oneProposal((path, signal, options) => proposeGlossed(readFlexPhrases, path, signal, options)),
    pairs: one((path, signal, options) => glossedPairs(readFlexPhrases, path, signal, options)),
    sentences: one((path, signal, options) => glossedSentences(readFlexPhrases, path, signal, options)),
  },
  lift: {
    sniff: (probe) => isRoot(probe, 'lift'),
    propose: oneProposal(proposeLift),
    pairs: one((path, signal, options) => pairsOfPhrases(path, options, readLiftPhrases(path, signal, options))),
    sentences: one(readLiftSentences),
    phrases: one(readLiftPhrases),
  },
  textgrid: {
    sniff: (probe) => oneFile(probe) && (probe.kinds[0] === 'binary-textgrid' || looksLikeTextGrid(headOf(probe).slice(0, 5).join('\n'))),
    propose: oneProposal((path, signal, options) => proposeTiersOf(readTextGridTiers, path, signal, options)),
    pairs: one((path, signal, options) => tierPairs(readTextGridTiers, path, signal, options)),
    sentences: one((path, signal, options) => tierSentences(readTextGridTiers, path, signal, options)),
  },
  'dpr-json': { sniff: (probe) => startsWith(probe, /^\[\s*(?:\{|$)/, /"positive_ctxs"/), questions: one(readDprPairs) },
  'squad-json': { sniff: (probe) => startsWith(probe, /^\{/, /"data"\s*:\s*\[/, /"(?:paragraphs|context|title)"/), questions: one(readSquadPairs) },
  'passage-jsonl': { sniff: (probe) => startsWith(probe, /^\{[^\n]*"positive_passages"/), questions: one(readPassageLines) },
  'question-jsonl': {
    sniff: (probe) => hasAny(firstObject(probe), QUESTION_FIELDS.query) && hasAny(firstObject(probe), QUESTION_FIELDS.passage),
    questions: (paths, signal, options) => batched(readQuestionPairs(paths[0] ?? '', signal, options)),
  },
  'beir-collection': {
    sniff: (probe) => hasAny(firstObject(probe), ['text']) && hasAny(firstObject(probe), ['_id', 'id']) && (hasAny(firstObject(probe), ['title']) || /collection|corpus|distractors/.test(nameOf(probe))),
    sentences: one((path, signal, options) => batched(documentTexts(path, signal, options))),
    part: part(['id', 'title', 'text'], [2], readDocumentRecords, ({ id, title, text }) => [id, title, text]),
  },
  'beir-queries': {
    sniff: (probe) => hasAny(firstObject(probe), ['text', 'query']) && hasAny(firstObject(probe), ['_id', 'id', 'qid']),
    part: part(['id', 'text'], [1], readQueryRecords, ({ id, text }) => [id, text]),
  },
  sfm: {
    sniff: (probe) => oneText(probe) && /^\\[A-Za-z_]/.test(firstLine(probe)) && share(headOf(probe), (line) => /^\\\S/.test(line)) >= MOST,
    propose: oneProposal(proposeSfm),
    pairs: one(readSfmPairs),
    sentences: one(readSfmSentences),
    phrases: one(readSfmPhrases),
  },
  conllu: {
    sniff: (probe) => {
      const words = headOf(probe).filter((line) => !line.startsWith('#'));
      return oneText(probe) && /^(?:#|1(?:-\d+)?\t)/.test(firstLine(probe)) && share(words, (line) => /^\d/.test(line) && line.split('\t').length === WORD_COLUMNS) >= NEARLY_ALL;
    },
    propose: oneProposal((path, signal, options) => proposeGlossed(readTreebank, path, signal, options)),
    pairs: one((path, signal, options) => glossedPairs(readTreebank, path, signal, options)),
    sentences: one((path, signal, options) => glossedSentences(readTreebank, path, signal, options)),
  },
  moses: {
    sniff: (probe) => probe.paths.length === 2 && probe.kinds.every((kind) => kind === 'text') && isPlain(probe),
    pairs: ([sourcePath = '', targetPath = ''], signal, options) => readParallelMosesBatches({ sourcePath, targetPath }, signal, options),
  },
  qrels: {
    sniff: (probe) => oneText(probe) && qrelsForm(firstLine(probe)) !== null,
    part: part(['queryId', 'documentId', 'relevance'], [0, 1], readQrels, ({ queryId, documentId, relevance }) => [queryId, documentId, String(relevance)]),
  },
  triples: { sniff: looksLikeTriples, questions: one(readTriples) },
  wikimatrix: { sniff: (probe) => oneText(probe) && looksLikeWikiMatrix(columnsOf(probe)), propose: oneProposal(proposeTable), pairs: one((path, signal, options) => readTablePairs(path, signal, { ...options, mapping: { ...WIKIMATRIX_MAPPING, ...options.mapping } })) },
  csv: { sniff: looksLikeCsv, propose: oneProposal(proposeTable), pairs: one(readTablePairs), sentences: one(readTableSentences), phrases: one(readTablePhrases) },
  tsv: { sniff: isTabular, propose: oneProposal(proposeTable), pairs: one(readTablePairs), sentences: one(readTableSentences), phrases: one(readTablePhrases) },
  sentences: { sniff: (probe) => oneText(probe) && isPlain(probe), sentences: one(readSentenceBatches) },
};

/** The roles a format can be read in, the one it is taken for first. */
export function rolesOf({ questions, pairs, sentences, part: isPart }: CorpusFormat): readonly CorpusRole[] {
  return [...(questions === undefined ? [] : ['retrieval' as const]), ...(pairs === undefined ? [] : ['parallel' as const]), ...(isPart === undefined ? [] : ['part' as const]), ...(sentences === undefined ? [] : ['monolingual' as const])];
}

async function proposeTmx(path: string, signal: AbortSignal, options: CorpusOptions): Promise<CorpusProposal> {
  const languages = await readTmxLanguages(path, signal, options);
  return { fields: languages.map((name) => ({ kind: 'language', name, type: '', count: 0, example: '' })), mapping: {}, languages, hasPairs: true };
}

async function* readAnyTmx(path: string, signal: AbortSignal, { languages, ...options }: CorpusOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  const [source, target] = languages === undefined || languages === null ? await readTmxLanguages(path, signal, { ...options, report: ignoreProgress }) : [languages.source, languages.target];
  yield* source !== undefined && target !== undefined ? readParallelTmxBatches(path, signal, { source, target, ...options }) : readTmxProblems(path, signal, options);
}
