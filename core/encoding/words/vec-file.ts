/** Which word vectors stand in a text file (fastText's .vec, word2vec's text format, GloVe's)? Read line by line, no further than wanted. */
import { InputError } from '../../base/errors.ts';
import { readLineBatches } from '../../base/text-lines.ts';
import { printable, type FileProblem } from '../../base/text-files.ts';
import { ignoreProgress, type ReportProgress } from '../../base/progress.ts';
import { wordsIn } from './words-in.ts';
import type { WordVectors } from './word-vectors.ts';

export type VecFileOptions = {
  /** The first so many words that can be used; files hold the most frequent first. */
  readonly mostWords?: number;
  readonly signal: AbortSignal;
  readonly report?: ReportProgress;
};

export type VecFile = WordVectors & {
  readonly problems: readonly FileProblem[];
  /** Lines without a fault of which no use is made: punctuation, and other spellings of a word that came before. */
  readonly leftOut: number;
  /** Whether reading stopped because there were words enough. */
  readonly isCut: boolean;
};

export const MOST_WORDS = 200_000;
const LARGEST_WIDTH = 2048;
/** 512 MB of float32. */
const MOST_NUMBERS = 2 ** 27;
/** More faults than this are of one kind, and nobody reads them all. */
const MOST_PROBLEMS = 1000;
const HEADER = /^\s*(\d{1,12})\s+(\d{1,6})\s*$/;
const NUMBERS = /^[\s\d.eE+-]+$/;
const SHOWN = 60;

/**
 * Reads `word number number ...`, after a first line `words width` or without one; plain or gzip. A word may hold spaces: the last `width`
 * fields are its numbers. Words are normalised as texts are; of several spellings the first counts.
 * A line with another number of fields, or with NaN or an infinite number, is a problem, and reading goes on.
 * @throws InputError 'words.no-vectors' when the file has no line that can be used; 'words.too-wide'; what `readLineBatches` throws.
 */
export async function readVecFile(path: string, { mostWords = MOST_WORDS, signal, report = ignoreProgress }: VecFileOptions): Promise<VecFile> {
  const words: string[] = [];
  const known = new Set<string>();
  const problems: FileProblem[] = [];
  let width = 0;
  let leftOut = 0;
  let rows = new Float32Array(0);
  const problem = (code: string, line: number, expected: string, found: string): void => {
    if (problems.length < MOST_PROBLEMS) problems.push({ code: `words.${code}`, path, line, expected, found, message: `${path}: line ${line}: expected ${expected}, found ${found}. The line is left out.` });
  };
  /** False: there are words enough. */
  const take = (text: string, line: number): boolean => {
    if (text.trim() === '') return true;
    const header = line === 1 ? HEADER.exec(text) : null;
    if (header !== null) {
      width = expectWidth(Number(header[2]), path);
      return true;
    }
    const fields = text.trimEnd().split(' ');
    if (width === 0) width = expectWidth(fields.length - 1, path);
    const numbers = fields.slice(-width);
    const word = fields.slice(0, -width).join(' ');
    if (fields.length <= width || !NUMBERS.test(numbers.join(' '))) {
      problem('bad-line', line, `a word and ${width} numbers`, `"${printable(text.slice(0, SHOWN))}"`);
      return true;
    }
    const values = numbers.map(Number);
    if (numbers.includes('') || !values.every((value) => Number.isFinite(Math.fround(value)))) {
      problem('not-finite', line, `${width} finite numbers`, `"${printable(numbers[values.findIndex((value, i) => numbers[i] === '' || !Number.isFinite(Math.fround(value)))] ?? '')}"`);
      return true;
    }
    const [form, ...more] = wordsIn(word);
    if (form === undefined || more.length > 0 || known.has(form)) {
      leftOut += 1;
      return true;
    }
    if (words.length >= mostWords || (words.length + 1) * width > MOST_NUMBERS) return false;
    known.add(form);
    if ((words.length + 1) * width > rows.length) rows = grown(rows, Math.min(Math.max(1024 * width, 2 * rows.length), mostWords * width));
    rows.set(values, words.length * width);
    words.push(form);
    return true;
  };
  let isCut = false;
  for await (const { firstLine, lines } of readLineBatches(path, signal, { area: 'corpus' })) {
    report({ phase: 'vectors', done: words.length, total: mostWords, unit: 'words' });
    for (const [i, line] of lines.entries()) {
      if (typeof line !== 'string') {
        if (problems.length < MOST_PROBLEMS) problems.push(line);
      } else if (!take(line, firstLine + i)) {
        isCut = true;
        break;
      }
    }
    if (isCut) break;
  }
  if (words.length === 0) throw new InputError('words.no-vectors', `${path}: expected lines of a word and its numbers (fastText's .vec), found none that can be used${problems[0] === undefined ? '.' : `; the first fault: ${problems[0].message}`}`, { data: { path } });
  return { words, vectors: rows.slice(0, words.length * width), width, problems, leftOut, isCut };
}

function expectWidth(width: number, path: string): number {
  if (width >= 1 && width <= LARGEST_WIDTH) return width;
  throw new InputError('words.too-wide', `${path}: expected vectors of 1 to ${LARGEST_WIDTH} numbers, found ${width}. Is this a file of word vectors in text form (.vec)?`, { data: { path, width } });
}

function grown(rows: Float32Array<ArrayBuffer>, length: number): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(length);
  larger.set(rows);
  return larger;
}
