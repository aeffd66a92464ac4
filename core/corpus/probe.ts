/** What do these dropped files look like from outside? Names, the first lines, the first XML element: enough to tell the format. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { describeBinary } from '../base/binary-kinds.ts';
import { toIsoglossError } from '../base/errors.ts';
import { detectEncoding, emptyFile, readBytes } from '../base/text-files.ts';
import { isBinaryTextGrid } from '../formats/textgrid.ts';
import { xmlEncoding } from '../formats/xml.ts';
import { openZip } from '../formats/zip.ts';
import { namesIn } from './folder-names.ts';
import { isLanguageTag, parseLanguageTag } from '../text/language.ts';

export type FileKind = 'folder' | 'zip' | 'binary-textgrid' | 'text';

export type CorpusProbe = {
  readonly paths: readonly string[];
  /** One folder was dropped. */
  readonly isFolder: boolean;
  readonly kinds: readonly FileKind[];
  /** Names inside the one folder, or of the files. */
  readonly names: readonly string[];
  /** The first non-blank lines of each text file, trimmed; of a folder or archive nothing. */
  readonly heads: readonly (readonly string[])[];
  /** The name of the first XML element of each file, without prefix; '' for none. */
  readonly roots: readonly string[];
  /** Names inside each archive or folder. */
  readonly inside: readonly (readonly string[])[];
  /** How the bytes of each file become text; '' for no text. */
  readonly encodings: readonly string[];
};

const HEAD_LINES = 50;
const HEAD_CHARACTERS = 64 * 1024;
const FIRST_ELEMENT = /<(?![?!])(?:[\w.-]+:)?([A-Za-z_][\w.-]*)/;
const ZIP = 'a ZIP archive';

type Look = { readonly kind: FileKind; readonly head: readonly string[]; readonly root: string; readonly inside: readonly string[]; readonly encoding: string };

/** Looks at one folder, one file, or several. @throws InputError for a missing, empty or binary file; the signal's reason. */
export async function probeCorpus(paths: readonly string[], signal: AbortSignal, encoding?: string): Promise<CorpusProbe> {
  const looks: Look[] = [];
  for (const path of paths) looks.push(await look(path, signal, encoding));
  const [first] = looks;
  const isFolder = looks.length === 1 && first?.kind === 'folder';
  return {
    paths,
    isFolder,
    kinds: looks.map(({ kind }) => kind),
    names: isFolder ? first.inside : paths.map((path) => basename(path)),
    heads: isFolder ? [] : looks.map(({ head }) => head),
    roots: looks.map(({ root }) => root),
    inside: looks.map(({ inside }) => inside),
    encodings: looks.map((one) => one.encoding),
  };
}

async function look(path: string, signal: AbortSignal, encoding: string | undefined): Promise<Look> {
  const facts = await stat(path).catch((thrown: unknown) => {
    throw toIsoglossError(thrown, path);
  });
  if (facts.isDirectory()) return { kind: 'folder', head: [], root: '', inside: await namesIn(path), encoding: '' };
  const options = { area: 'corpus' as const, declared: xmlEncoding, ...(encoding === undefined ? {} : { encoding }) };
  let label = '';
  for await (const piece of readBytes(path, signal, options)) {
    if (label === '') {
      if (describeBinary(piece)?.startsWith(ZIP) === true) return await lookIntoZip(path, signal);
      if (isBinaryTextGrid(piece)) return { kind: 'binary-textgrid', head: [], root: '', inside: [], encoding: '' };
    }
    const found = detectEncoding(path, piece, options);
    const text = new TextDecoder(found.label, { ignoreBOM: true }).decode(piece.subarray(label === '' ? found.skip : 0)).slice(0, HEAD_CHARACTERS);
    label = found.label;
    const head = text.split(/\r\n|[\r\n]/).map((line) => line.trim()).filter((line) => line !== '').slice(0, HEAD_LINES);
    if (head.length > 0) return { kind: 'text', head, root: rootOf(text), inside: [], encoding: label };
  }
  throw emptyFile(path, 'corpus', label === '' ? 'no bytes' : 'only blank lines');
}

async function lookIntoZip(path: string, signal: AbortSignal): Promise<Look> {
  const zip = await openZip(path, signal, { area: 'corpus' });
  zip.close();
  return { kind: 'zip', head: [], root: '', inside: zip.entries.map(({ name }) => name), encoding: '' };
}

function rootOf(text: string): string {
  const start = text.trimStart();
  if (!start.startsWith('<')) return '';
  return FIRST_ELEMENT.exec(start.replace(/<!--[^]*?-->/g, ''))?.[1] ?? '';
}


const LANGUAGE_PAIR = /(?:^|[._-])([a-z]{2,3}(?:[-_][A-Za-z]{2,8})?)[-_]([a-z]{2,3})(?=[._-]|$)/;
const LANGUAGE_ENDING = /\.([a-z]{2,3})(?:\.gz)?$/;
const LANGUAGE_START = /^([a-z]{2,3})[._-]/;
const NOT_LANGUAGES = new Set(['txt', 'tsv', 'csv', 'tmx', 'xml', 'gz', 'eaf', 'sfm', 'dic', 'zip', 'xlf', 'db']);

/** Languages that file names suggest ("tico.en-lg.tsv", "news.en" and "news.sw", "es.quijote.txt"): a guess to be confirmed. */
export function guessLanguages(names: readonly string[]): readonly string[] {
  const [first] = names;
  if (first === undefined) return [];
  if (names.length === 2) {
    const endings = names.map((name) => LANGUAGE_ENDING.exec(name)?.[1] ?? '').filter((tag) => tag !== '' && !NOT_LANGUAGES.has(tag));
    if (endings.length === 2) return endings;
  }
  const pair = LANGUAGE_PAIR.exec(first.replace(/\.(?:tsv|csv|txt|tmx|jsonl|json|zip)(?:\.gz)?$/, ''));
  if (pair?.[1] !== undefined && pair[2] !== undefined && isNamed(pair[1]) && isNamed(pair[2])) return [pair[1], pair[2]];
  const start = LANGUAGE_START.exec(first)?.[1];
  return start === undefined || names.length !== 1 || !isNamed(start) ? [] : [start];
}

/** True for a code that some language has: three letters of a file name need not be one. */
function isNamed(code: string): boolean {
  if (!isLanguageTag(code)) return false;
  const { language } = parseLanguageTag(code);
  return language !== null && new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(language) !== undefined;
}
