/** How is any corpus read, whichever format it is in? Its files, and what a person has said about them. */
import { InputError } from '../base/errors.ts';
import type { CorpusMapping, CorpusOptions, WantedLanguages } from './corpus-options.ts';
import { corpusFormats, FORMAT_NAMES } from './formats.ts';
import type { CorpusFormat, FormatName, ReadCorpus } from './formats.ts';
import { probeCorpus } from './probe.ts';
import type { CorpusProbe } from './probe.ts';
import type { ParallelPair, PhrasePair, QuestionPair, Reading, Sentence } from './records.ts';

/** A corpus as a recipe or a project names it; what is left out is found in the files. */
export type CorpusSource = {
  /** One file or folder; two where two files or folders belong together. */
  readonly paths: readonly string[];
  readonly format?: FormatName;
  readonly encoding?: string;
  readonly languages?: WantedLanguages;
  readonly mapping?: CorpusMapping;
};

const SHOWN = 100;

/** The first row of the table whose `sniff` says yes. @throws InputError 'corpus.unknown-format'. */
export function formatOf(probe: CorpusProbe): readonly [FormatName, CorpusFormat] {
  const name = FORMAT_NAMES.find((candidate) => corpusFormats[candidate].sniff(probe));
  if (name !== undefined) return [name, corpusFormats[name]];
  const path = probe.paths.join(' and ');
  const line = (probe.heads[0]?.[0] ?? '').slice(0, SHOWN);
  throw new InputError(
    'corpus.unknown-format',
    `${path}: expected question-passage pairs (JSONL with "query" and "positive", DPR, SQuAD ...), sentence pairs (two columns, TMX, XLIFF, ELAN, FLEx, LIFT, Toolbox, USFM, or two files), or one sentence per line; found a first line that fits none: ${line}`,
    { data: { path } },
  );
}

/** The format of a corpus: as said, else as found. @throws as probeCorpus and formatOf. */
export async function formatOfSource({ paths, format, encoding }: CorpusSource, signal: AbortSignal): Promise<readonly [FormatName, CorpusFormat]> {
  return format === undefined ? formatOf(await probeCorpus(paths, signal, encoding)) : [format, corpusFormats[format]];
}

/** What a source says, as options for a reader. */
export function optionsOf({ encoding, languages, mapping }: CorpusSource, options: Pick<CorpusOptions, 'report' | 'onLeftOut'> = {}): CorpusOptions {
  return { ...options, ...(encoding === undefined ? {} : { encoding }), ...(languages === undefined ? {} : { languages }), ...(mapping === undefined ? {} : { mapping }) };
}

/** Formats of one record a line: where another role is wanted, each line that does not fit is told, as people can then mend it. */
const LINE_FORMATS: ReadonlySet<FormatName> = new Set(['sentences', 'tsv', 'csv', 'wikimatrix', 'triples', 'qrels', 'question-jsonl', 'beir-collection', 'beir-queries']);

async function* read<T>(source: CorpusSource, signal: AbortSignal, options: Pick<CorpusOptions, 'report' | 'onLeftOut'>, { what, pick, plain }: { readonly what: string; readonly pick: (format: CorpusFormat) => ReadCorpus<T> | undefined; readonly plain: FormatName }): AsyncGenerator<Reading<T>[]> {
  const [name, format] = await formatOfSource(source, signal);
  const isLines = source.format === undefined && LINE_FORMATS.has(name);
  const reader = pick(format) ?? (isLines ? pick(corpusFormats[plain]) : undefined);
  if (reader === undefined) throw new InputError('corpus.other-role', `${source.paths.join(' and ')}: expected ${what}, found a file of the format "${name}", which holds none.`, { data: { path: source.paths[0] ?? '' } });
  yield* reader(source.paths, signal, optionsOf(source, options));
}

/** The sentence pairs of a corpus, a batch at a time. @throws InputError 'corpus.other-role'; as formatOfSource; what the reader throws. */
export const readPairs = (source: CorpusSource, signal: AbortSignal, options: Pick<CorpusOptions, 'report' | 'onLeftOut'> = {}): AsyncGenerator<Reading<ParallelPair>[]> => read(source, signal, options, { what: 'pairs of sentences', pick: ({ pairs }) => pairs, plain: 'tsv' });

/** The sentences of a corpus in one language. @throws as readPairs. */
export const readTexts = (source: CorpusSource, signal: AbortSignal, options: Pick<CorpusOptions, 'report' | 'onLeftOut'> = {}): AsyncGenerator<Reading<Sentence>[]> => read(source, signal, options, { what: 'text in one language', pick: ({ sentences }) => sentences, plain: 'sentences' });

/** The questions of a corpus with their passages. @throws as readPairs. */
export const readQuestions = (source: CorpusSource, signal: AbortSignal, options: Pick<CorpusOptions, 'report' | 'onLeftOut'> = {}): AsyncGenerator<Reading<QuestionPair>[]> => read(source, signal, options, { what: 'questions with passages', pick: ({ questions }) => questions, plain: 'question-jsonl' });

/** The phrase pairs of a dictionary with their example sentences. @throws as readPairs. */
export const readPhrases = (source: CorpusSource, signal: AbortSignal, options: Pick<CorpusOptions, 'report' | 'onLeftOut'> = {}): AsyncGenerator<Reading<PhrasePair>[]> => read(source, signal, options, { what: 'a dictionary', pick: ({ phrases }) => phrases, plain: 'tsv' });
