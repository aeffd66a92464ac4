/** Which verses do Bible translations hold, and which of two translations belong together (USFM files, Paratext projects)? */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, toIsoglossError } from '../base/errors.ts';
import { readBytes, readText } from '../base/text-files.ts';
import { faultProblem } from '../formats/parsing.ts';
import { usfmParser } from '../formats/usfm.ts';
import type { UsfmVerse } from '../formats/usfm.ts';
import { englishVersification, parseVersification, versificationOf } from '../formats/versification.ts';
import type { Versification } from '../formats/versification.ts';
import { childrenOf, readXmlTree, textOf } from '../formats/xml.ts';
import type { CorpusOptions, CorpusProposal } from './corpus-options.ts';
import { namesIn } from './folder-names.ts';
import { checkedText } from './line-records.ts';
import { pairWithPlace } from './interlinear.ts';
import { readLineParts } from './parsed-files.ts';
import { record } from './records.ts';
import type { CorpusProblem, ParallelPair, Reading, Sentence } from './records.ts';

export type ScriptureProject = {
  readonly files: readonly string[];
  readonly encoding: string | undefined;
  readonly versification: Versification;
  /** The tag of Settings.xml, or ''. */
  readonly language: string;
  readonly problems: readonly CorpusProblem[];
};

const BOOK_FILE = /\.(?:usfm|sfm|ptx|usf)$/i;
const SETTINGS = 'Settings.xml';
const CUSTOM_VERSIFICATION = 'custom.vrs';
const SMALL_FILE_BYTES = 4 * 1024 * 1024;
const VERSES_LIMIT = 400_000; // a whole Bible with the longest canon has some 39,000
const UTF_8 = '65001';
const UTF_16 = '1200';
const LONGEST_RANGE = 200;

/** The books of a Paratext folder, in the order of their names, with its settings; of one USFM file, that file. @throws InputError 'corpus.no-books', 'file.missing'; what reading Settings.xml throws. */
export async function openScripture(path: string, signal: AbortSignal): Promise<ScriptureProject> {
  const facts = await stat(path).catch((thrown: unknown) => {
    throw toIsoglossError(thrown, path);
  });
  if (!facts.isDirectory()) return { files: [path], encoding: undefined, versification: englishVersification, language: '', problems: [] };
  const names = await namesIn(path);
  const settings = names.includes(SETTINGS) ? await readSettings(join(path, SETTINGS), signal) : null;
  const isBook = (name: string): boolean => (settings !== null && settings.postPart !== '' ? name.startsWith(settings.prePart) && name.toLowerCase().endsWith(settings.postPart.toLowerCase()) : BOOK_FILE.test(name));
  const found = names.filter(isBook);
  const books = found.length > 0 ? found : names.filter((name) => BOOK_FILE.test(name));
  if (books.length === 0) throw new InputError('corpus.no-books', `${path}: expected books of the Bible (.SFM, .usfm), found ${names.length === 0 ? 'an empty folder' : names.slice(0, 10).join(', ')}.`, { data: { path } });
  const problems: CorpusProblem[] = [];
  const known = versificationOf(settings?.versification ?? 4);
  let versification = known ?? englishVersification;
  if (names.includes(CUSTOM_VERSIFICATION)) {
    const custom = join(path, CUSTOM_VERSIFICATION);
    const { text } = await readText(custom, signal, { area: 'corpus', limitBytes: SMALL_FILE_BYTES });
    const read = parseVersification(text, 'custom', versification);
    versification = read.versification;
    for (const fault of read.faults) problems.push(faultProblem(fault, { path: custom, area: 'corpus' }));
  }
  if (known === null) problems.push(faultProblem({ reason: 'unknown-versification', line: 1, expected: 'the English or the original numbering of verses', found: `number ${settings?.versification ?? 0} of Paratext: verses pair by their numbers` }, { path: join(path, SETTINGS), area: 'corpus' }));
  return { files: books.map((name) => join(path, name)), encoding: settings?.encoding, versification: known === null ? { name: 'as written', toOriginal: (verse) => verse } : versification, language: settings?.language ?? '', problems };
}

type Settings = { readonly prePart: string; readonly postPart: string; readonly encoding: string | undefined; readonly versification: number; readonly language: string };

async function readSettings(path: string, signal: AbortSignal): Promise<Settings> {
  const tree = await readXmlTree(readBytes(path, signal, { area: 'corpus' }), { path, area: 'corpus' });
  const value = (name: string): string => textOf(childrenOf(tree, name)[0] ?? { name, local: name, attributes: {}, children: [], line: 0 }).trim();
  const naming = childrenOf(tree, 'Naming')[0]?.attributes ?? {};
  const page = value('Encoding').split(' ')[0] ?? '';
  return {
    prePart: naming['PrePart'] ?? value('FileNamePrePart'),
    postPart: naming['PostPart'] ?? value('FileNamePostPart'),
    encoding: page === '' || page === UTF_8 ? undefined : page === UTF_16 ? 'utf-16le' : /^\d{3,5}$/.test(page) ? `windows-${page}` : undefined,
    versification: Number(value('Versification')) || 4,
    language: (value('LanguageIsoCode').split(':')[0] ?? '').trim(),
  };
}

/** Every verse of a project. A code page that is none of TextDecoder's is an error of the reading, told with its file. */
async function* readVerses({ files, encoding }: ScriptureProject, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<UsfmVerse>> {
  for (const file of files) {
    const chosen = options.encoding ?? encoding;
    for await (const readings of readLineParts(file, signal, { ...(chosen === undefined ? {} : { encoding: chosen }), ...(options.report === undefined ? {} : { report: options.report }) }, usfmParser())) {
      for (const reading of readings) {
        if (reading.kind === 'problem') yield reading;
        else if (reading.value.kind === 'verse') yield { kind: 'record', value: reading.value };
      }
    }
  }
}

/** The verses of a translation as sentences; each chapter is a document. */
export async function* scriptureSentences(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<Sentence>[]> {
  const project = await openScripture(path, signal);
  yield project.problems.map((problem) => ({ kind: 'problem', problem }));
  let chapter = '';
  let document = -1;
  for await (const reading of readVerses(project, signal, options)) {
    if (reading.kind === 'problem') {
      yield [reading];
      continue;
    }
    const { book, text, line, verse } = reading.value;
    if (text === '') continue;
    if (`${book} ${reading.value.chapter}` !== chapter) {
      chapter = `${book} ${reading.value.chapter}`;
      document += 1;
    }
    const checked = checkedText(text, { path, line, what: 'a verse', whole: text });
    yield [typeof checked === 'string' ? record({ text: checked, document, line, place: { verse: `${chapter}:${verse}` } }) : checked];
  }
}

/** A verse or a range as written, with the verses of the original numbering it covers. */
type Piece = { readonly keys: readonly string[]; readonly text: string; readonly label: string; readonly line: number };

/**
 * The verses of two translations that belong together, in the order of the first: by book, chapter and verse in the original
 * numbering. Verses that either side writes as one (3-4) are joined on the other; what only one side has is left out.
 */
export async function* scripturePairs([sourcePath = '', targetPath = '']: readonly string[], signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  const problems: CorpusProblem[] = [];
  const sources = await piecesOf(sourcePath, signal, options, problems);
  const targets = await piecesOf(targetPath, signal, options, problems);
  yield problems.map((problem) => ({ kind: 'problem', problem }));
  const groups = new Map<string, number>(); // original verse -> group
  const parents: number[] = [];
  const find = (group: number): number => {
    let at = group;
    while ((parents[at] ?? at) !== at) at = parents[at] ?? at;
    parents[group] = at;
    return at;
  };
  for (const { keys } of [...sources, ...targets]) {
    let own = -1;
    for (const key of keys) {
      const known = groups.get(key);
      const group = known === undefined ? parents.push(parents.length) - 1 : find(known);
      if (own >= 0 && group !== own) parents[group] = own;
      else own = group;
      groups.set(key, own);
    }
  }
  const inGroups = (pieces: readonly Piece[]): ReadonlyMap<number, readonly Piece[]> => Map.groupBy(pieces.filter(({ keys }) => keys.length > 0), ({ keys }) => find(groups.get(keys[0] ?? '') ?? 0));
  const left = inGroups(sources);
  const right = inGroups(targets);
  const covered = (pieces: readonly Piece[]): number => new Set(pieces.flatMap(({ keys }) => keys)).size;
  const pairs: Reading<ParallelPair>[] = [];
  for (const [group, here] of left) {
    const there = right.get(group) ?? [];
    const [first] = here;
    if (first === undefined || there.length === 0 || covered(here) !== covered(there)) {
      here.forEach(() => options.onLeftOut?.('not-translated'));
      continue;
    }
    const text = (pieces: readonly Piece[]): string => pieces.map((piece) => piece.text).filter((one) => one !== '').join(' ');
    const last = here.at(-1);
    const pair = pairWithPlace({ source: text(here), target: text(there), path: sourcePath, line: first.line, place: { verse: last === undefined || last === first ? first.label : `${first.label}-${last.label.split(':').at(-1) ?? ''}` } }, options.onLeftOut);
    if (pair !== null) pairs.push(pair);
  }
  for (const [group, there] of right) if (!left.has(group)) there.forEach(() => options.onLeftOut?.('not-translated'));
  yield pairs;
}

async function piecesOf(path: string, signal: AbortSignal, options: CorpusOptions, problems: CorpusProblem[]): Promise<readonly Piece[]> {
  const project = await openScripture(path, signal);
  problems.push(...project.problems);
  const pieces: Piece[] = [];
  for await (const reading of readVerses(project, signal, options)) {
    if (reading.kind === 'problem') problems.push(reading.problem);
    else {
      const { book, chapter, verse, first, last, text, line } = reading.value;
      if (pieces.length >= VERSES_LIMIT) throw new InputError('corpus.too-large', `${path}: expected at most ${VERSES_LIMIT} verses, found more.`, { data: { path } });
      const keys = Array.from({ length: Math.min(last - first + 1, LONGEST_RANGE) }, (_, i) => {
        const original = project.versification.toOriginal({ book, chapter, verse: first + i });
        return `${original.book} ${original.chapter}:${original.verse}`;
      });
      pieces.push({ keys, text, label: `${book} ${chapter}:${verse}`, line });
    }
  }
  if (pieces.length === 0) throw new InputError('corpus.nothing-usable', `${path}: expected verses (\\v), found none.`, { data: { path } });
  return pieces;
}

export async function proposeScripture(paths: readonly string[], signal: AbortSignal): Promise<CorpusProposal> {
  const languages: string[] = [];
  for (const path of paths) languages.push((await openScripture(path, signal)).language);
  return { fields: [], mapping: {}, languages: languages.every((tag) => tag !== '') ? languages : [], hasPairs: paths.length === 2 };
}
