/** Which files of a folder hold the documents, the questions and the judgements? One row for each published layout. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../base/errors.ts';
import { namesIn } from './folder-names.ts';

export type RetrievalPaths = {
  /** A file, or a folder of numbered parts (docs-0.jsonl.gz ...). */
  readonly collectionPath: string;
  readonly queriesPath: string;
  readonly qrelsPath: string;
  /** Documents without judgements that make the search harder. */
  readonly distractorsPath?: string;
};

/** Which part of a folder whose questions come in parts. */
export type RetrievalSplit = 'train' | 'dev' | 'test';

/** Names below a folder with "/" between; `SPLIT` stands for the part. The first pattern that fits is taken. */
type Patterns = readonly ((split: string) => RegExp)[];
const always = (pattern: RegExp) => (): RegExp => pattern;

const PACKED = '(?:\\.gz)?$';
const COLLECTION: readonly RegExp[] = [
  /^(?:collection|corpus)\.jsonl(?:\.gz)?$/, // BEIR, castorini/mr-tydi-corpus
  /^(?:collection\/)?docs\.jsonl(?:\.gz)?$/, // Mr. TyDi
  /^collection\.tsv(?:\.gz)?$/, // MS MARCO: id<tab>passage
  /^psgs_w100\.tsv(?:\.gz)?$/, // DPR: id<tab>text<tab>title
];
/** MIRACL: the corpus in numbered parts. */
const PARTS = /^(?:(.+)\/)?docs-\d+\.jsonl(?:\.gz)?$/;

const QUERIES: Patterns = [
  always(/^queries\.jsonl(?:\.gz)?$/), // BEIR
  (split) => new RegExp(`^(?:ir-format-data/|topics/)?topics?\\.(?:.+-)?${split}\\.(?:tsv|txt)${PACKED}`), // Mr. TyDi, MIRACL
  (split) => new RegExp(`^queries\\.${split}(?:\\.small)?\\.tsv${PACKED}`), // MS MARCO
  (split) => new RegExp(`^${split}\\.jsonl${PACKED}`), // castorini/mr-tydi: questions with their passages
];
const QRELS: Patterns = [
  (split) => new RegExp(`^qrels/${split}\\.tsv${PACKED}`), // BEIR
  (split) => new RegExp(`^(?:ir-format-data/|qrels/)?qrels\\.(?:.+-)?${split}(?:\\.small)?\\.(?:tsv|txt)${PACKED}`), // Mr. TyDi, MIRACL, MS MARCO
  (split) => new RegExp(`^${split}\\.jsonl${PACKED}`),
];
/** Judgements of all questions, in one file. */
const WHOLE_QRELS = /^qrels\.(?:tsv|txt)(?:\.gz)?$/;
const DISTRACTORS = /^distractors\.jsonl(?:\.gz)?$/;
const SPLITS: readonly RetrievalSplit[] = ['test', 'dev', 'train'];
const SHOWN = 10;
const DEPTH = 3;

/**
 * The files of a folder laid out as BEIR, Mr. TyDi (as its archives, or as castorini/mr-tydi), MIRACL or MS MARCO publish them; each plain or gzip.
 * Without `split`: judgements of all questions if there are any, else test, dev, train, the first that has questions and judgements.
 *
 * @throws InputError 'corpus.missing-file' naming everything that is missing at once; 'file.missing' for no folder.
 */
export async function findRetrievalFiles(folder: string, split?: RetrievalSplit): Promise<RetrievalPaths> {
  const names = await namesBelow(folder);
  const collectionPath = collectionIn(folder, names);
  const asked = questionsIn(folder, names, split);
  const distractors = names.find((name) => DISTRACTORS.test(name));
  if (collectionPath === null || 'missing' in asked) {
    throw missingFiles(folder, names, [...(collectionPath === null ? ['corpus.jsonl (or collection.jsonl)'] : []), ...('missing' in asked ? asked.missing : [])]);
  }
  return { collectionPath, ...asked, ...(distractors === undefined ? {} : { distractorsPath: join(folder, distractors) }) };
}

/** The questions and judgements of a folder whose documents stand elsewhere. @throws as findRetrievalFiles. */
export async function findQuestionFiles(folder: string, split?: RetrievalSplit): Promise<Pick<RetrievalPaths, 'queriesPath' | 'qrelsPath'>> {
  const names = await namesBelow(folder);
  const asked = questionsIn(folder, names, split);
  if ('missing' in asked) throw missingFiles(folder, names, asked.missing);
  return asked;
}

/** The documents of a folder. @throws as findRetrievalFiles. */
export async function findCollection(folder: string): Promise<string> {
  const names = await namesBelow(folder);
  const found = collectionIn(folder, names);
  if (found === null) throw missingFiles(folder, names, ['corpus.jsonl (or collection.jsonl)']);
  return found;
}

/** The parts of a collection: itself, or the files of a folder by their numbers. */
export async function partsOfCollection(path: string): Promise<readonly string[]> {
  const names = await readdir(path).catch(() => null); // a file
  if (names === null) return [path];
  const numberOf = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);
  return names.filter((name) => PARTS.test(name)).sort((a, b) => numberOf(a) - numberOf(b)).map((name) => join(path, name));
}

function collectionIn(folder: string, names: readonly string[]): string | null {
  const file = firstOf(names, COLLECTION);
  if (file !== null) return join(folder, file);
  const part = names.map((name) => PARTS.exec(name)).find((found) => found !== null);
  return part === undefined ? null : join(folder, part[1] ?? '.');
}

type Questions = Pick<RetrievalPaths, 'queriesPath' | 'qrelsPath'>;

function questionsIn(folder: string, names: readonly string[], split: RetrievalSplit | undefined): Questions | { readonly missing: readonly string[] } {
  const queriesOf = (one: string): string | null => firstOf(names, QUERIES.map((pattern) => pattern(one)));
  const qrelsOf = (one: string): string | null => firstOf(names, QRELS.map((pattern) => pattern(one)));
  const whole = names.find((name) => WHOLE_QRELS.test(name));
  const general = names.find((name) => QUERIES[0]?.('').test(name) === true);
  if (split === undefined && whole !== undefined && general !== undefined) return { queriesPath: join(folder, general), qrelsPath: join(folder, whole) };
  for (const one of split === undefined ? SPLITS : [split]) {
    const judged = qrelsOf(one);
    const isElsewhere = judged !== null && whole !== undefined && QRELS.every((pattern) => !pattern(one).test(judged)); // below another folder, while this one has its own
    const [queries, qrels] = [queriesOf(one), isElsewhere || judged === null ? (split === undefined ? null : (whole ?? null)) : judged];
    if (queries !== null && qrels !== null) return { queriesPath: join(folder, queries), qrelsPath: join(folder, qrels) };
  }
  const wanted = split ?? 'test';
  const isAsked = SPLITS.some((one) => (split === undefined || one === split) && queriesOf(one) !== null);
  const isJudged = whole !== undefined || SPLITS.some((one) => (split === undefined || one === split) && qrelsOf(one) !== null);
  return { missing: [...(isAsked ? [] : ['queries.jsonl']), ...(isJudged ? [] : [`qrels.tsv (or qrels/${wanted}.tsv)`])] };
}

/** The first name that fits the first pattern that any name fits, else one that fits below other folders; "small" sets (MS MARCO's, which is what is reported) before whole ones. */
function firstOf(names: readonly string[], patterns: readonly RegExp[]): string | null {
  const tests = [(pattern: RegExp) => (name: string): boolean => pattern.test(name), (pattern: RegExp) => (name: string): boolean => [...name.matchAll(/\//g)].some(({ index }) => pattern.test(name.slice(index + 1)))];
  for (const fits of tests.flatMap((test) => patterns.map(test))) {
    const fitting = names.filter(fits);
    const [first = null] = fitting.sort((a, b) => Number(b.includes('.small.')) - Number(a.includes('.small.')) || a.length - b.length || (a < b ? -1 : 1));
    if (first !== null) return first;
  }
  return null;
}

/** The files of a folder and of its folders: MIRACL's lie three deep where its corpus and its questions were unpacked side by side. */
const namesBelow = (folder: string): Promise<readonly string[]> => namesIn(folder, DEPTH);

function missingFiles(folder: string, names: readonly string[], missing: readonly string[]): InputError {
  return new InputError('corpus.missing-file', `${folder}: expected ${missing.join(' and ')} in this folder (or the files of Mr. TyDi, MIRACL or MS MARCO), found ${names.length === 0 ? 'nothing' : names.slice(0, SHOWN).join(', ')}.`, { data: { path: folder, missing } });
}
