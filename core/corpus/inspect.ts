/** What is this file that somebody dropped? Its format, its first rows, how much there is, what is wrong: the whole preview. */
import { InputError } from '../base/errors.ts';
import { ignoreProgress } from '../base/progress.ts';
import { countStatistics } from './corpus-statistics.ts';
import type { CorpusStatistics } from './corpus-statistics.ts';
import { corpusFormats } from './formats.ts';
import type { CorpusFormat, CorpusRole, FormatName, WantedLanguages } from './formats.ts';
import { readTmxLanguages } from './parallel-tmx.ts';
import { guessLanguages, probeCorpus } from './probe.ts';
import type { CorpusProbe } from './probe.ts';
import type { ReadOptions } from './line-records.ts';
import type { CorpusProblem } from './records.ts';

export type CorpusInspection = {
  readonly format: FormatName;
  readonly role: CorpusRole;
  /** Tags: of a TMX file its own; else what the file names suggest, to be confirmed; empty when nothing does. */
  readonly languages: readonly string[];
  /** Names of the cells of `rows`. */
  readonly columns: readonly string[];
  /** The first 20 records, each cell cut to 500 characters. */
  readonly rows: readonly (readonly string[])[];
  /** Usable records in the whole file. */
  readonly count: number;
  readonly problems: readonly CorpusProblem[];
  readonly problemCount: number;
  readonly statistics: CorpusStatistics;
};

const ROWS_SHOWN = 20;
const PROBLEMS_SHOWN = 20;
const CELL_CHARACTERS = 500;

/**
 * Reads the whole of what was dropped: one file, one BEIR-style folder, or two line-aligned files.
 *
 * @param languages which two languages of a TMX file; null = the first two it has.
 * @param options an encoding, when the person has chosen one; `report` for progress.
 * @throws InputError 'corpus.unknown-format', 'corpus.too-many-files'; what the reader of the format throws; the signal's reason.
 */
export async function inspectCorpus(paths: readonly string[], signal: AbortSignal, languages: WantedLanguages = null, options: ReadOptions = {}): Promise<CorpusInspection> {
  if (paths.length === 0 || paths.length > 2) {
    throw new InputError('corpus.too-many-files', `Expected one file, one folder, or two files with lines that belong together; found ${paths.length}.`, { data: { paths } });
  }
  const probe = await probeCorpus(paths, signal, options.encoding);
  const [name, format] = formatOf(probe);
  const counter = countStatistics(format.measured.map((i) => format.columns[i] ?? ''));
  const rows: (readonly string[])[] = [];
  const problems: CorpusProblem[] = [];
  let problemCount = 0;
  for await (const reading of format.readCells(paths, signal, { ...options, languages })) {
    if (reading.kind === 'record') {
      counter.add(format.measured.map((i) => reading.value[i] ?? ''));
      if (rows.length < ROWS_SHOWN) rows.push(reading.value.map(shortened));
    } else {
      problemCount += 1;
      if (problems.length < PROBLEMS_SHOWN) problems.push(reading.problem);
    }
  }
  const statistics = counter.result();
  const found = name === 'tmx' ? await readTmxLanguages(paths[0] ?? '', signal, { ...options, report: ignoreProgress }) : guessLanguages(probe.names);
  return { format: name, role: format.role, languages: found, columns: format.columns, rows, count: statistics.records, problems, problemCount, statistics };
}

/** The first row of the table whose `sniff` says yes. @throws InputError 'corpus.unknown-format'. */
export function formatOf(probe: CorpusProbe): readonly [FormatName, CorpusFormat] {
  const names = Object.keys(corpusFormats).filter(isFormatName);
  const name = names.find((candidate) => corpusFormats[candidate].sniff(probe));
  if (name !== undefined) return [name, corpusFormats[name]];
  const path = probe.paths.join(' and ');
  const line = (probe.heads[0]?.[0] ?? '').slice(0, CELL_CHARACTERS / 5);
  throw new InputError(
    'corpus.unknown-format',
    `${path}: expected question-passage pairs (JSONL with "query" and "positive"), sentence pairs (two columns, TMX, or two files), or one sentence per line; found a first line that fits none: ${line}`,
    { data: { path } },
  );
}

function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(corpusFormats, name);
}

function shortened(cell: string): string {
  return cell.length <= CELL_CHARACTERS ? cell : `${cell.slice(0, CELL_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
