/** Which sentences and which pairs make up a mining test? Files in BUCC's form: `id<TAB>sentence`, and `source-id<TAB>target-id`. */
import { InputError } from '../base/errors.ts';
import { checkedText, readLineRecords } from './line-records.ts';
import { problem, record } from './records.ts';
import type { CorpusProblem, Reading } from './records.ts';

export type BitextSentence = { readonly id: string; readonly text: string };
type GoldLine = { readonly source: string; readonly target: string; readonly line: number };
export type BitextSetPaths = { readonly sourcePath: string; readonly targetPath: string; readonly goldPath: string };

/** `gold[i].source` is a place in `sources`, `.target` one in `targets`. */
export type BitextSet = {
  readonly sources: readonly BitextSentence[];
  readonly targets: readonly BitextSentence[];
  readonly gold: readonly { readonly source: number; readonly target: number }[];
  readonly problems: readonly CorpusProblem[];
};

/**
 * Reads the three files. Lines that are wrong, ids used twice and gold pairs of unknown sentences are problems; the rest is used.
 * @throws InputError 'corpus.no-records' when a file has none that can be used; what readLineBatches throws.
 * @see Zweigenbaum et al. 2018 (BUCC).
 */
export async function readBitextSet({ sourcePath, targetPath, goldPath }: BitextSetPaths, signal: AbortSignal): Promise<BitextSet> {
  const problems: CorpusProblem[] = [];
  const sources = await readSentences(sourcePath, signal, problems);
  const targets = await readSentences(targetPath, signal, problems);
  const places = { source: placesOf(sources), target: placesOf(targets) };
  const gold: { source: number; target: number }[] = [];
  for await (const reading of readLineRecords(goldPath, signal, (text, line) => parseGold(text, { line, path: goldPath }))) {
    if (reading.kind === 'problem') {
      problems.push(reading.problem);
      continue;
    }
    const source = places.source.get(reading.value.source);
    const target = places.target.get(reading.value.target);
    if (source !== undefined && target !== undefined) gold.push({ source, target });
    else problems.push(problem('unknown-id', { path: goldPath, line: reading.value.line, expected: 'ids of sentences of both files', found: `${reading.value.source}, ${reading.value.target}` }).problem);
  }
  if (gold.length === 0) throw noRecords(goldPath, 'pairs of ids (source-id<tab>target-id) that both files have');
  return { sources, targets, gold, problems };
}

async function readSentences(path: string, signal: AbortSignal, problems: CorpusProblem[]): Promise<readonly BitextSentence[]> {
  const sentences: BitextSentence[] = [];
  const ids = new Set<string>();
  for await (const reading of readLineRecords(path, signal, (text, line) => parseSentence(text, { line, path, ids }))) {
    if (reading.kind === 'problem') problems.push(reading.problem);
    else sentences.push(reading.value);
  }
  if (sentences.length === 0) throw noRecords(path, 'lines of id<tab>sentence');
  return sentences;
}

function parseSentence(text: string, { line, path, ids }: { readonly line: number; readonly path: string; readonly ids: Set<string> }): Reading<BitextSentence> {
  const tab = text.indexOf('\t');
  const id = text.slice(0, Math.max(0, tab)).trim();
  if (id === '') return problem('column-count', { path, line, expected: 'id<tab>sentence', found: text });
  if (ids.has(id)) return problem('duplicate-id', { path, line, expected: 'an id of its own', found: id });
  const checked = checkedText(text.slice(tab + 1), { path, line, what: 'a sentence', whole: text });
  if (typeof checked !== 'string') return checked;
  ids.add(id);
  return record({ id, text: checked });
}

function parseGold(text: string, { line, path }: { readonly line: number; readonly path: string }): Reading<GoldLine> {
  const [source = '', target = '', ...rest] = text.split('\t').map((cell) => cell.trim());
  return source === '' || target === '' || rest.length > 0 ? problem('column-count', { path, line, expected: 'source-id<tab>target-id', found: text }) : record({ source, target, line });
}

function placesOf(sentences: readonly BitextSentence[]): ReadonlyMap<string, number> {
  return new Map(sentences.map(({ id }, place) => [id, place]));
}

function noRecords(path: string, expected: string): InputError {
  return new InputError('corpus.no-records', `${path}: expected ${expected}, found none that can be used.`, { data: { path } });
}
