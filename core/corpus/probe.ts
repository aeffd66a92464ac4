/** What do these dropped files look like from outside? Names and the first lines, enough to tell the format. */
import { readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { toIsoglossError } from '../base/errors.ts';
import { readLineBatches } from '../base/text-lines.ts';
import { xmlEncoding } from '../formats/xml.ts';

export type CorpusProbe = {
  readonly paths: readonly string[];
  readonly isFolder: boolean;
  /** Names inside the folder, or of the files. */
  readonly names: readonly string[];
  /** The first non-blank lines of each file, trimmed; of a folder nothing. */
  readonly heads: readonly (readonly string[])[];
};

const HEAD_LINES = 20;

/** Looks at one folder, one file, or several files. @throws InputError for a missing, empty or binary file; the signal's reason. */
export async function probeCorpus(paths: readonly string[], signal: AbortSignal, encoding?: string): Promise<CorpusProbe> {
  const [first] = paths;
  if (first !== undefined && paths.length === 1 && (await isFolderAt(first))) return { paths, isFolder: true, names: (await readdir(first)).sort(), heads: [] };
  const heads: (readonly string[])[] = [];
  for (const path of paths) heads.push(await readHead(path, signal, encoding));
  return { paths, isFolder: false, names: paths.map((path) => basename(path)), heads };
}

async function isFolderAt(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (thrown) {
    throw toIsoglossError(thrown);
  }
}

async function readHead(path: string, signal: AbortSignal, encoding: string | undefined): Promise<readonly string[]> {
  const head: string[] = [];
  for await (const { lines } of readLineBatches(path, signal, { area: 'corpus', declared: xmlEncoding, ...(encoding === undefined ? {} : { encoding }) })) {
    for (const line of lines) {
      if (typeof line !== 'string' || line.trim() === '') continue;
      head.push(line.trim());
      if (head.length === HEAD_LINES) return head;
    }
  }
  return head;
}

const LANGUAGE_PAIR = /(?:^|[._-])([a-z]{2,3}(?:[-_][A-Za-z]{2,8})?)[-_]([a-z]{2,3})(?=[._-]|$)/;
const LANGUAGE_ENDING = /\.([a-z]{2,3})(?:\.gz)?$/;
const LANGUAGE_START = /^([a-z]{2,3})[._-]/;
const NOT_LANGUAGES = new Set(['txt', 'tsv', 'csv', 'tmx', 'xml', 'gz']);

/** Languages that file names suggest ("tico.en-lg.tsv", "news.en" and "news.sw", "es.quijote.txt"): a guess to be confirmed. */
export function guessLanguages(names: readonly string[]): readonly string[] {
  const [first] = names;
  if (first === undefined) return [];
  if (names.length === 2) {
    const endings = names.map((name) => LANGUAGE_ENDING.exec(name)?.[1] ?? '').filter((tag) => tag !== '' && !NOT_LANGUAGES.has(tag));
    if (endings.length === 2) return endings;
  }
  const pair = LANGUAGE_PAIR.exec(first.replace(/\.(?:tsv|txt|tmx|jsonl)(?:\.gz)?$/, ''));
  if (pair?.[1] !== undefined && pair[2] !== undefined) return [pair[1], pair[2]];
  const start = LANGUAGE_START.exec(first)?.[1];
  return start === undefined || names.length !== 1 ? [] : [start];
}
