/** Which parallel pairs does a zip archive of OPUS hold? Two line-aligned files inside it, never unpacked to the disk. */
import { InputError } from '../base/errors.ts';
import { splitLineBatches } from '../base/text-lines.ts';
import { openZip } from '../formats/zip.ts';
import { isLanguageTag } from '../text/language.ts';
import type { CorpusOptions, CorpusProposal } from './corpus-options.ts';
import { corpusText } from './line-records.ts';
import { pairLines } from './parallel-moses.ts';
import type { LineSource } from './parallel-moses.ts';
import { baseLanguage } from './parallel-tmx.ts';
import type { ParallelPair, Reading } from './records.ts';

/** A corpus is streamed, so it may be far longer than a document; the ratio of the zip limits still holds. */
const CORPUS_LIMIT_BYTES = 64 * 1024 ** 3;
const LIMITS = { entryBytes: CORPUS_LIMIT_BYTES, totalBytes: 4 * CORPUS_LIMIT_BYTES };
const LANGUAGE_ENDING = /^(.*)\.([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*)$/;
const NOT_LANGUAGES = new Set(['ids', 'txt', 'xml', 'tsv', 'csv', 'md', 'tmx', 'zip', 'gz', 'dic', 'scores']);

type Side = { readonly name: string; readonly stem: string; readonly language: string };

/** The files whose endings are languages: of the name two or more of them share first. */
function sidesOf(names: readonly string[]): readonly Side[] {
  const sides = names.flatMap((name): Side[] => {
    const [, stem = '', language = ''] = LANGUAGE_ENDING.exec(name) ?? [];
    return language === '' || NOT_LANGUAGES.has(language.toLowerCase()) || !isLanguageTag(language) ? [] : [{ name, stem, language }];
  });
  return [...Map.groupBy(sides, ({ stem }) => stem).values()].sort((a, b) => b.length - a.length)[0] ?? [];
}

/** Streams the pairs of `<corpus>.<xx>-<yy>.<xx>` and `.<yy>` of an archive. @throws InputError 'corpus.no-moses-files'; as readParallelMoses; what openZip throws. */
export async function* readMosesZip(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  const zip = await openZip(path, signal, { area: 'corpus', limits: LIMITS });
  try {
    const names = zip.entries.map(({ name }) => name);
    const sides = sidesOf(names);
    const wanted = options.languages ?? null;
    const [source, target] = wanted === null ? sides : [wanted.source, wanted.target].map((tag) => sides.find(({ language }) => baseLanguage(language) === baseLanguage(tag)));
    if (source === undefined || target === undefined) throw noFiles(path, names, wanted === null ? 'two files whose names end in their languages (.en, .sw)' : `files in "${wanted.source}" and "${wanted.target}"`);
    const lines = ({ name }: Side): LineSource => ({ path: `${path} > ${name}`, open: () => splitLineBatches(`${path} > ${name}`, zip.stream(name), corpusText(options.encoding === undefined ? {} : { encoding: options.encoding })) });
    yield* pairLines(lines(source), lines(target));
  } finally {
    zip.close();
  }
}

export async function proposeMosesZip(path: string, signal: AbortSignal): Promise<CorpusProposal> {
  const zip = await openZip(path, signal, { area: 'corpus', limits: LIMITS });
  const sides = sidesOf(zip.entries.map(({ name }) => name));
  zip.close();
  return { fields: sides.map(({ language, name }) => ({ kind: 'language', name: language, type: '', count: 0, example: name })), mapping: {}, languages: sides.map(({ language }) => language), hasPairs: true };
}

const SHOWN_NAMES = 10;

function noFiles(path: string, names: readonly string[], expected: string): InputError {
  return new InputError('corpus.no-moses-files', `${path}: expected ${expected}, found ${names.length === 0 ? 'an empty archive' : names.slice(0, SHOWN_NAMES).join(', ')}.`, { data: { path } });
}
