/** Which phrases hold the files of WikiXPR? As its authors lay them out: pairs by split, sentences of each phrase by language. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { InputError, toIsoglossError } from '../base/errors.ts';
import { phraseForm } from '../text/phrase-places.ts';
import { readLineRecords } from './line-records.ts';
import { readPhraseSet, type PhraseSet, type PhraseWithSentences } from './phrase-set.ts';
import { problem, record } from './records.ts';
import type { CorpusProblem, Reading } from './records.ts';

export const WIKIXPR_SPLITS = ['train', 'dev', 'test'] as const;
export type WikiXprSplit = (typeof WIKIXPR_SPLITS)[number];

/** Phrase in column 1, sentences from column 3; column 2 counts them and is not read (load_word2context_from_tsv in cwszz/XPR). */
const FIRST_SENTENCE = 2;

/**
 * English phrases (sources) and their translations (targets):
 *
 *   SPLIT/SPLIT-en-LL-32-entity.txt            English phrase TAB phrase
 *   sentences/en-LL-entity-sentences.32.tsv    English phrase TAB number TAB sentence TAB sentence ...
 *   sentences/LL-entity-sentences.32.tsv       the same of the other language
 *
 * As the authors' code reads them: a phrase is found whatever its case; of two lines with one phrase the later counts; a pair of which
 * either phrase has no sentence is left out (and told as a problem). The 32 in the names may be another number.
 * @param folder  the unpacked data set, or the folder above its "data".
 * @throws InputError 'file.missing' naming the file that is not there; 'corpus.no-records' when no pair is left; what readLineRecords throws.
 */
export async function readWikiXpr({ folder, language, split }: { readonly folder: string; readonly language: string; readonly split: WikiXprSplit }, signal: AbortSignal): Promise<PhraseSet> {
  const pairsPath = await fileLike(folder, split, new RegExp(`^${split}-en-${language}-\\d+-entity\\.txt$`), `${split}-en-${language}-32-entity.txt`);
  const sourcePath = await fileLike(folder, 'sentences', new RegExp(`^en-${language}-entity-sentences\\.\\d+\\.tsv$`), `en-${language}-entity-sentences.32.tsv`);
  const targetPath = await fileLike(folder, 'sentences', new RegExp(`^${language}-entity-sentences\\.\\d+\\.tsv$`), `${language}-entity-sentences.32.tsv`);
  return readWikiXprFiles({ pairsPath, sourcePath, targetPath }, signal);
}

const WIKIXPR_PAIRS = /-entity\.txt$/;

/** Three files of either kind: those of WikiXPR are known by the name of the pairs, and read as its authors do; others as `readPhraseSet` does. */
export function readPhraseFiles(paths: PhraseFiles, signal: AbortSignal): Promise<PhraseSet> {
  return WIKIXPR_PAIRS.test(basename(paths.pairsPath)) ? readWikiXprFiles(paths, signal) : readPhraseSet(paths, signal);
}

type PhraseFiles = { readonly pairsPath: string; readonly sourcePath: string; readonly targetPath: string };

async function readWikiXprFiles({ pairsPath, sourcePath, targetPath }: PhraseFiles, signal: AbortSignal): Promise<PhraseSet> {
  const problems: CorpusProblem[] = [];
  const pairs = await keepRecords(readLineRecords(pairsPath, signal, (text, line) => parsePair(text, { path: pairsPath, line })), problems);
  const sources = await sentencesOf(sourcePath, new Set(pairs.map(({ source }) => phraseForm(source))), { signal, problems });
  const targets = await sentencesOf(targetPath, new Set(pairs.map(({ target }) => phraseForm(target))), { signal, problems });
  const set: { readonly sources: PhraseWithSentences[]; readonly targets: PhraseWithSentences[] } = { sources: [], targets: [] };
  for (const { source, target, line } of pairs) {
    const shown = [sources.get(phraseForm(source)), targets.get(phraseForm(target))] as const;
    if (shown[0] === undefined || shown[1] === undefined) {
      problems.push(problem('no-sentences', { path: pairsPath, line, expected: `sentences of both phrases in ${sourcePath} and ${targetPath}`, found: `none of "${shown[0] === undefined ? source : target}"; the pair is left out` }).problem);
      continue;
    }
    set.sources.push({ phrase: source, sentences: shown[0] });
    set.targets.push({ phrase: target, sentences: shown[1] });
  }
  if (set.sources.length === 0) throw new InputError('corpus.no-records', `${pairsPath}: expected pairs of phrases that have sentences, found none that can be used.`, { data: { path: pairsPath } });
  return { ...set, problems };
}

type Pair = { readonly source: string; readonly target: string; readonly line: number };

function parsePair(text: string, { path, line }: { readonly path: string; readonly line: number }): Reading<Pair> {
  const [source = '', target = ''] = text.split('\t').map((cell) => cell.trim());
  if (source === '' || target === '') return problem('column-count', { path, line, expected: 'a phrase, a tab and its translation', found: text });
  return record({ source, target, line });
}

/** The sentences of the wanted phrases, by form. */
async function sentencesOf(path: string, wanted: ReadonlySet<string>, { signal, problems }: { readonly signal: AbortSignal; readonly problems: CorpusProblem[] }): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const readings = readLineRecords(path, signal, (text, line): Reading<{ readonly form: string; readonly sentences: readonly string[] }> => {
    const cells = text.split('\t').map((cell) => cell.trim());
    const sentences = cells.slice(FIRST_SENTENCE).filter((cell) => cell !== '');
    if (sentences.length === 0) return problem('empty-text', { path, line, expected: 'a phrase, a number and at least one sentence, with tabs between', found: text });
    return record({ form: phraseForm(cells[0] ?? ''), sentences });
  });
  for (const { form, sentences } of await keepRecords(readings, problems, ({ form }) => wanted.has(form))) found.set(form, sentences);
  return found;
}

/** The wanted records as they come; the others are not held. */
async function keepRecords<T>(readings: AsyncIterable<Reading<T>>, problems: CorpusProblem[], isWanted: (value: T) => boolean = () => true): Promise<readonly T[]> {
  const kept: T[] = [];
  for await (const reading of readings) {
    if (reading.kind === 'problem') problems.push(reading.problem);
    else if (isWanted(reading.value)) kept.push(reading.value);
  }
  return kept;
}

async function fileLike(folder: string, part: string, name: RegExp, usual: string): Promise<string> {
  for (const place of [join(folder, part), join(folder, 'data', part)]) {
    const names = await readdir(place).catch((thrown: unknown) => {
      const error = toIsoglossError(thrown, place);
      if (error.code === 'file.missing' || error.code === 'file.not-a-folder') return [];
      throw error;
    });
    const found = names.toSorted().find((candidate) => name.test(candidate));
    if (found !== undefined) return join(place, found);
  }
  throw new InputError('file.missing', `${join(folder, part, usual)}: expected a file of WikiXPR, found none of this name. Unpack the data set there, or name the folder that holds "train", "dev", "test" and "sentences".`, { data: { path: join(folder, part, usual) } });
}
