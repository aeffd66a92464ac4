/** What is this file that somebody dropped? Its format, its first rows, how much there is, what is wrong: the whole preview. */
import { InputError } from '../base/errors.ts';
import { ignoreProgress } from '../base/progress.ts';
import type { ReportProgress } from '../base/progress.ts';
import type { CorpusMapping, CorpusProposal, LeftOutReason } from './corpus-options.ts';
import { countStatistics } from './corpus-statistics.ts';
import type { CorpusStatistics } from './corpus-statistics.ts';
import { judgeAmount } from './enough.ts';
import type { Enough } from './enough.ts';
import { corpusFormats, rolesOf } from './formats.ts';
import type { CorpusFormat, CorpusRole, FormatName } from './formats.ts';
import { judgeBytes } from './invalid-bytes.ts';
import type { InvalidBytes } from './invalid-bytes.ts';
import { checkLetters } from './letter-checks.ts';
import type { LetterChecks } from './letter-checks.ts';
import { compareWith } from './overlaps.ts';
import type { CorpusPurpose, OtherCorpus, Overlap } from './overlaps.ts';
import { samplePairs } from './pair-quality.ts';
import type { PairQuality, PairSample, ScorePairs } from './pair-quality.ts';
import { guessLanguages, probeCorpus } from './probe.ts';
import type { CorpusProbe } from './probe.ts';
import type { CorpusProblem, ParallelPair, QuestionPair, Reading, RecordPlace, Sentence } from './records.ts';
import { formatOf, optionsOf } from './sources.ts';
import type { CorpusSource } from './sources.ts';

export type InspectedRow = { readonly cells: readonly string[]; readonly line: number | null; readonly place: RecordPlace };

export type CorpusInspection = {
  readonly format: FormatName;
  readonly role: CorpusRole;
  /** Everything the file can be read as. */
  readonly roles: readonly CorpusRole[];
  /** How the bytes of each file become text ("utf-8", "utf-16le" ...); '' for archives and folders. */
  readonly encodings: readonly string[];
  /** Tags: of the file itself or its header; else what the file names or the writing suggest, to be confirmed; empty when nothing does. */
  readonly languages: readonly string[];
  readonly languagesFrom: 'user' | 'file' | 'name' | 'script' | 'none';
  /** What the file offers to choose from, and what was chosen. */
  readonly proposal: CorpusProposal | null;
  readonly mapping: CorpusMapping;
  /** Names of the cells of `rows`. */
  readonly columns: readonly string[];
  /** The first 20 records, each cell cut to 500 characters. */
  readonly rows: readonly (readonly string[])[];
  readonly shown: readonly InspectedRow[];
  /** Usable records in the whole file. */
  readonly count: number;
  readonly leftOut: readonly { readonly reason: LeftOutReason; readonly count: number }[];
  readonly problems: readonly CorpusProblem[];
  readonly problemCount: number;
  /** Problems by their code, the most frequent first, each with its first example. */
  readonly problemKinds: readonly { readonly code: string; readonly count: number; readonly example: CorpusProblem }[];
  /** Where bytes are no text in this encoding, and which encodings may fit; null: nowhere. */
  readonly invalidBytes: InvalidBytes | null;
  readonly statistics: CorpusStatistics;
  readonly letters: LetterChecks;
  /** Of pairs only. */
  readonly quality: PairQuality | null;
  readonly overlaps: readonly Overlap[];
  /** Of pairs only. */
  readonly enough: Enough | null;
};

export type InspectOptions = {
  readonly report?: ReportProgress;
  /** What it is to be read as where the file allows; left out: what the file is mostly for. */
  readonly role?: CorpusRole;
  /** What this corpus is for, and the others it is compared with. */
  readonly purpose?: CorpusPurpose;
  readonly others?: readonly OtherCorpus[];
  /** Judges whether words translate each other (core/alignment); left out: lengths alone do. */
  readonly scorePairs?: ScorePairs;
};

const ROWS_SHOWN = 20;
const PROBLEMS_SHOWN = 20;
const CELL_CHARACTERS = 500;

/**
 * Reads the whole of what was dropped: one file, one folder, or two files or folders that belong together.
 * @throws InputError 'corpus.unknown-format', 'corpus.too-many-files'; what the reader of the format throws; the signal's reason.
 */
export async function inspectCorpus(source: CorpusSource, signal: AbortSignal, options: InspectOptions = {}): Promise<CorpusInspection> {
  const { paths } = source;
  if (paths.length === 0 || paths.length > 2) {
    throw new InputError('corpus.too-many-files', `Expected one file, one folder, or two files with lines that belong together; found ${paths.length}.`, { data: { paths } });
  }
  const probe = await probeCorpus(paths, signal, source.encoding);
  const [name, format] = source.format === undefined ? formatOf(probe) : [source.format, corpusFormats[source.format]];
  const leftOut = new Map<LeftOutReason, number>();
  const reading = optionsOf(source, {
    ...(options.report === undefined ? {} : { report: options.report }),
    onLeftOut: (reason) => void leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1),
  });
  const proposal = format.propose === undefined ? null : await format.propose(paths, signal, { ...reading, onLeftOut: () => undefined, report: ignoreProgress });
  const role = roleOf({ format, source, proposal, wanted: options.role });
  const view = viewOf(role, format);
  const counter = countStatistics(view.measured.map((i) => view.columns[i] ?? ''));
  const letters = checkLetters();
  const overlaps = await compareWith(options.others ?? [], options.purpose ?? 'training', signal);
  const sample = samplePairs();
  const problems = problemCounter();
  const shown: InspectedRow[] = [];
  for await (const readings of view.read(source, signal, reading, sample)) {
    for (const one of readings) {
      if (one.kind === 'problem') {
        problems.add(one.problem);
        continue;
      }
      const { cells, line } = one.value;
      const texts = view.measured.map((i) => cells[i] ?? '');
      counter.add(texts);
      overlaps.add(texts, line);
      for (const text of texts) letters.add(text, line);
      if (shown.length < ROWS_SHOWN) shown.push({ ...one.value, cells: cells.map(shortened) });
    }
  }
  const statistics = counter.result();
  const quality = role === 'parallel' ? await sample.judge(options.scorePairs ?? null, signal) : null;
  const languages = languagesOf({ source, proposal, probe, statistics, role });
  return {
    format: name,
    role,
    roles: rolesOf(format),
    encodings: probe.encodings,
    ...languages,
    proposal,
    mapping: { ...proposal?.mapping, ...source.mapping },
    columns: view.columns,
    rows: shown.map(({ cells }) => cells),
    shown,
    count: statistics.records,
    leftOut: [...leftOut].map(([reason, count]) => ({ reason, count })),
    ...problems.result(),
    invalidBytes: await judgeBytes(paths, problems.invalid(), signal),
    statistics,
    letters: letters.result(),
    quality,
    overlaps: overlaps.result(),
    enough: role === 'parallel' ? judgeAmount(statistics.records - statistics.duplicates, statistics.cells[0]?.medianLength ?? 0) : null,
  };
}

/** The role asked for where the format has it, else the first of its own; pairs only where the file holds some. */
function roleOf({ format, source, proposal, wanted }: { readonly format: CorpusFormat; readonly source: CorpusSource; readonly proposal: CorpusProposal | null; readonly wanted: CorpusRole | undefined }): CorpusRole {
  const saysPairs = source.mapping?.tiers?.target !== undefined || source.mapping?.columns?.target !== undefined || source.mapping?.markers?.target !== undefined;
  const hasPairs = proposal?.hasPairs !== false || saysPairs;
  const roles = rolesOf(format).filter((role, _, all) => role !== 'parallel' || hasPairs || all.length === 1);
  return wanted !== undefined && roles.includes(wanted) ? wanted : (roles[0] ?? 'part');
}

type View = {
  readonly columns: readonly string[];
  /** Which of the columns hold text: they are counted, and records equal in them are duplicates. */
  readonly measured: readonly number[];
  readonly read: (source: CorpusSource, signal: AbortSignal, options: Parameters<NonNullable<CorpusFormat['pairs']>>[2], sample: PairSample) => AsyncGenerator<Reading<InspectedRow>[]>;
};

/** How the records of a role are shown. */
function viewOf(role: CorpusRole, { questions, pairs, sentences, part }: CorpusFormat): View {
  if (role === 'retrieval' && questions !== undefined) {
    return { columns: ['query', 'title', 'passage'], measured: [0, 2], read: ({ paths }, signal, options) => rowsOf(questions(paths, signal, options), ({ query, title, passage }: QuestionPair) => ({ cells: [query, title ?? '', passage], line: null, place: {} })) };
  }
  if (role === 'parallel' && pairs !== undefined) {
    return {
      columns: ['source', 'target'],
      measured: [0, 1],
      read: ({ paths }, signal, options, sample) =>
        rowsOf(pairs(paths, signal, options), (pair: ParallelPair) => {
          sample.add(pair);
          return { cells: [pair.source, pair.target], line: pair.line, place: pair.place ?? {} };
        }),
    };
  }
  if (role === 'monolingual' && sentences !== undefined) {
    return { columns: ['text', 'document'], measured: [0], read: ({ paths }, signal, options) => rowsOf(sentences(paths, signal, options), ({ text, document, line, place }: Sentence) => ({ cells: [text, String(document + 1)], line: line ?? null, place: place ?? {} })) };
  }
  return { columns: part?.columns ?? [], measured: part?.measured ?? [], read: ({ paths }, signal, options) => rowsOf(part?.read(paths, signal, options) ?? none(), (cells: readonly string[]) => ({ cells, line: null, place: {} })) };
}

async function* none<T>(): AsyncGenerator<T> {
  // a format without readers: nothing to show
}

async function* rowsOf<T>(batches: AsyncIterable<readonly Reading<T>[]>, show: (value: T) => InspectedRow): AsyncGenerator<Reading<InspectedRow>[]> {
  for await (const readings of batches) yield readings.map((one) => (one.kind === 'problem' ? one : { kind: 'record', value: show(one.value) }));
}

/** Where a script belongs to one language above all (CLDR), the writing itself suggests it; Latin, Cyrillic and Arabic say nothing. */
const SHARED_SCRIPTS = new Set(['Latin', 'Cyrillic', 'Arabic', 'Devanagari', 'Han', 'Ethiopic', 'Hebrew', 'Bengali', 'Myanmar', 'Other']);

function languagesOf({ source, proposal, probe, statistics, role }: { readonly source: CorpusSource; readonly proposal: CorpusProposal | null; readonly probe: CorpusProbe; readonly statistics: CorpusStatistics; readonly role: CorpusRole }): Pick<CorpusInspection, 'languages' | 'languagesFrom'> {
  const wanted = role === 'parallel' ? 2 : 1;
  if (proposal !== null && proposal.languages.length > 0) return { languages: proposal.languages, languagesFrom: 'file' };
  const named = guessLanguages(probe.names);
  if (named.length > 0) return { languages: named, languagesFrom: 'name' };
  if (source.languages !== undefined && source.languages !== null) return { languages: [source.languages.source, source.languages.target], languagesFrom: 'user' };
  const guessed = statistics.cells.slice(0, wanted).flatMap(({ scripts }) => {
    const [most] = scripts;
    return most === undefined || SHARED_SCRIPTS.has(most.script) ? [] : [likelyLanguage(most.script)];
  });
  const found = guessed.flatMap((tag) => tag ?? []);
  return found.length === wanted ? { languages: found, languagesFrom: 'script' } : { languages: [], languagesFrom: 'none' };
}

/** The language CLDR gives a script first; null where it knows none. */
function likelyLanguage(script: string): string | null {
  const codes: Readonly<Record<string, string>> = { Thai: 'Thai', Greek: 'Grek', Lao: 'Laoo', Khmer: 'Khmr', Georgian: 'Geor', Armenian: 'Armn', Tamil: 'Taml', Telugu: 'Telu', Kannada: 'Knda', Malayalam: 'Mlym', Sinhala: 'Sinh', Gujarati: 'Gujr', Gurmukhi: 'Guru', Oriya: 'Orya', Hangul: 'Kore', Tibetan: 'Tibt', Nko: 'Nkoo', Cherokee: 'Cher', Thaana: 'Thaa' };
  const code = codes[script];
  const language = code === undefined ? undefined : new Intl.Locale(`und-${code}`).maximize().language;
  return language === undefined || language === 'und' ? null : language;
}

function problemCounter() {
  const first: CorpusProblem[] = [];
  const kinds = new Map<string, { count: number; readonly example: CorpusProblem }>();
  const invalid: CorpusProblem[] = [];
  let invalidCount = 0;
  let count = 0;
  return {
    add: (problem: CorpusProblem): void => {
      count += 1;
      if (first.length < PROBLEMS_SHOWN) first.push(problem);
      const kind = kinds.get(problem.code);
      if (kind === undefined) kinds.set(problem.code, { count: 1, example: problem });
      else kind.count += 1;
      if (problem.code !== 'corpus.invalid-bytes') return;
      invalidCount += 1;
      if (invalid.length < PROBLEMS_SHOWN) invalid.push(problem);
    },
    invalid: () => ({ count: invalidCount, problems: invalid }),
    result: () => ({ problems: first, problemCount: count, problemKinds: [...kinds].map(([code, kind]) => ({ code, ...kind })).sort((a, b) => b.count - a.count) }),
  };
}

function shortened(cell: string): string {
  return cell.length <= CELL_CHARACTERS ? cell : `${cell.slice(0, CELL_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
