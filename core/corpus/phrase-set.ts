/** Which phrases make up a test of phrase retrieval? Pairs `phrase<TAB>phrase`, and for each side `phrase<TAB>number of sentences<TAB>sentence<TAB>sentence ...`. */
import { InputError } from '../base/errors.ts';
import { phraseForm } from '../text/phrase-places.ts';
import { checkedText, readLineRecords } from './line-records.ts';
import { readParallelTsv } from './parallel-tsv.ts';
import { problem, record } from './records.ts';
import type { CorpusProblem, Reading } from './records.ts';

/** The rows XPR's code reads (github.com/cwszz/XPR): phrase in column 1, sentences from column 3. */
const FIRST_SENTENCE = 2;
const COUNT = /^\d{1,9}$/;

export type PhraseWithSentences = { readonly phrase: string; readonly sentences: readonly string[] };

/** `sources[i]` is translated by `targets[i]`. */
export type PhraseSet = { readonly sources: readonly PhraseWithSentences[]; readonly targets: readonly PhraseWithSentences[]; readonly problems: readonly CorpusProblem[] };

/**
 * Reads the three files. A line that is wrong, a pair or a phrase that is there already, and a pair with a phrase for which there are no
 * sentences are problems; only in the last case the pair is used, its phrase standing for itself.
 * @throws InputError 'phrases.swapped' when the files of sentences are the other way round; 'corpus.no-records' when no pair is left or a file of sentences has no line that can be used; what readLineBatches throws.
 */
export async function readPhraseSet({ pairsPath, sourcePath, targetPath }: { readonly pairsPath: string; readonly sourcePath: string; readonly targetPath: string }, signal: AbortSignal): Promise<PhraseSet> {
  const problems: CorpusProblem[] = [];
  const sentences = { source: await readSentencesOfPhrases(sourcePath, signal, problems), target: await readSentencesOfPhrases(targetPath, signal, problems) };
  const sources: PhraseWithSentences[] = [];
  const targets: PhraseWithSentences[] = [];
  const seen = new Set<string>();
  for await (const reading of readParallelTsv(pairsPath, signal)) {
    if (reading.kind === 'problem') {
      problems.push(reading.problem);
      continue;
    }
    const { source, target, line } = reading.value;
    const key = `${phraseForm(source)}\t${phraseForm(target)}`;
    if (seen.has(key)) {
      problems.push(problem('duplicate-pair', { path: pairsPath, line, expected: 'a pair that is not there already', found: `${source}\t${target}` }).problem);
      continue;
    }
    seen.add(key);
    const shown = { source: sentences.source.get(phraseForm(source)), target: sentences.target.get(phraseForm(target)) };
    for (const [side, path, phrase] of [['source', sourcePath, source], ['target', targetPath, target]] as const) {
      if (shown[side] === undefined) problems.push(problem('no-sentences', { path: pairsPath, line, expected: `sentences of this phrase in ${path}`, found: `none of "${phrase}"; it stands for itself` }).problem);
    }
    sources.push({ phrase: source, sentences: shown.source ?? [] });
    targets.push({ phrase: target, sentences: shown.target ?? [] });
  }
  const isSwapped = sources.length > 0 && [...sources, ...targets].every(({ sentences: shown }) => shown.length === 0) && sources.some(({ phrase }) => sentences.target.has(phraseForm(phrase)));
  if (isSwapped) throw new InputError('phrases.swapped', `${sourcePath}: expected sentences of the phrases in the first column of ${pairsPath}, found those of the second. Name the two files of sentences the other way round.`, { data: { path: sourcePath } });
  if (sources.length === 0) throw new InputError('corpus.no-records', `${pairsPath}: expected lines of phrase<tab>phrase, found none that can be used.`, { data: { path: pairsPath } });
  return { sources, targets, problems };
}

/** The sentences of each phrase, by its form (phraseForm). */
async function readSentencesOfPhrases(path: string, signal: AbortSignal, problems: CorpusProblem[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for await (const reading of readLineRecords(path, signal, (text, line) => parsePhraseLine(text, { path, line }))) {
    if (reading.kind === 'problem') {
      problems.push(reading.problem);
      continue;
    }
    const { phrase, sentences, line } = reading.value;
    if (found.has(phraseForm(phrase))) problems.push(problem('duplicate-id', { path, line, expected: 'one line for each phrase', found: phrase }).problem);
    else found.set(phraseForm(phrase), sentences);
  }
  if (found.size === 0) throw new InputError('corpus.no-records', `${path}: expected lines of phrase<tab>number<tab>sentence<tab>sentence ..., found none that can be used.`, { data: { path } });
  return found;
}

function parsePhraseLine(text: string, { path, line }: { readonly path: string; readonly line: number }): Reading<PhraseWithSentences & { readonly line: number }> {
  const cells = text.split('\t');
  const phrase = checkedText(cells[0] ?? '', { path, line, what: 'a phrase', whole: text });
  if (typeof phrase !== 'string') return phrase;
  const count = (cells[1] ?? '').trim();
  if (!COUNT.test(count)) return problem('not-an-integer', { path, line, expected: 'the number of sentences in column 2', found: cells[1] ?? '' });
  const sentences: string[] = [];
  for (const cell of cells.slice(FIRST_SENTENCE)) {
    const sentence = checkedText(cell, { path, line, what: 'a sentence', whole: text });
    if (typeof sentence !== 'string') return sentence;
    sentences.push(sentence);
  }
  if (sentences.length !== Number(count)) return problem('column-count', { path, line, expected: `${count} sentences from column 3 on, as column 2 says`, found: `${sentences.length} in "${text}"` });
  if (sentences.length === 0) return problem('empty-text', { path, line, expected: 'at least one sentence', found: text });
  return record({ phrase, sentences, line });
}
