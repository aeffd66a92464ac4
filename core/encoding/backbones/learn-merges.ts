/** How does a byte-pair vocabulary learn words of a new language? By going on with the joining of pairs where its own joins end. */
import { InputError } from '../../base/errors.ts';
import { pauseFor } from '../../base/pause.ts';
import { createBytePairModel } from '../../text/pretrained/byte-pair.ts';
import { readNormaliserStep } from '../../text/pretrained/normalisers.ts';
import { readPreTokeniser } from '../../text/pretrained/pre-tokenisers.ts';
import type { TokenizerObject } from './changed-vocabulary.ts';

export type Merge = readonly [string, string];

export type LearnMergesOptions = {
  /** How often each text counts, any number above 0. */
  readonly texts: Iterable<{ readonly text: string; readonly weight: number }>;
  /** At most so many joins. */
  readonly count: number;
  /** Texts of old languages: a join that is at home there is left out. */
  readonly protectedTexts: Iterable<string>;
  readonly signal?: AbortSignal | undefined;
  readonly report?: (progress: { readonly done: number; readonly total: number }) => void;
};

/** A join is left out when protected text would use it at least this often relative to the new language. */
const PROTECTED_SHARE = 0.1;
/** A pair has to be met this often, of a text that counts once. */
const LEAST_COUNT = 2;
const TEXTS_BETWEEN_PAUSES = 2000;
const JOINS_BETWEEN_PAUSES = 200;
/** Signs that stand for the space before a word: no join goes across it. */
const WORD_STARTS: readonly string[] = ['▁', 'Ġ'];
const BETWEEN = '\0';

/** A word as its pieces; `own` and `guarded` say how often the new and the protected texts have it. */
type Word = { pieces: readonly string[]; own: number; guarded: number };
type Pair = { readonly merge: Merge; own: number; guarded: number; readonly words: Set<Word> };

/**
 * Byte-pair encoding of the new texts as the old merges leave them, pair after pair by how often it stands there (ties: by its signs). Since these
 * joins come after all old ones, and none of them makes a piece that is known, every text is cut as before and then joined further where it has new pieces.
 *
 * @param json  a tokenizer.json whose model is BPE.
 * @returns the new merges in their order; the piece of a merge is its two parts.
 * @throws InputError 'backbone.unsupported' for another model; the signal's reason.
 * @see Sennrich et al. 2016, arXiv:1508.07909, algorithm 1.
 */
export async function learnMerges(json: TokenizerObject, { texts, count, protectedTexts, signal, report }: LearnMergesOptions): Promise<readonly Merge[]> {
  const known = new Set(Object.keys(vocabularyOf(json)));
  const words = await wordsOf(json, { texts, protectedTexts, signal });
  const totals = words.reduce((sum, { pieces, own, guarded }) => ({ own: sum.own + own * pieces.length, guarded: sum.guarded + guarded * pieces.length }), { own: 0, guarded: 0 });
  const pairs = new Map<string, Pair>();
  const queue: { readonly own: number; readonly key: string }[] = [];
  const change = (word: Word, sign: 1 | -1, touched: Set<string>): void => {
    for (let i = 0; i + 1 < word.pieces.length; i += 1) {
      const [left = '', right = ''] = [word.pieces[i], word.pieces[i + 1]];
      if (WORD_STARTS.some((start) => right.startsWith(start)) || known.has(left + right)) continue;
      const key = left + BETWEEN + right;
      const pair = pairs.get(key) ?? { merge: [left, right], own: 0, guarded: 0, words: new Set() };
      pairs.set(key, pair);
      pair.own += sign * word.own;
      pair.guarded += sign * word.guarded;
      if (sign > 0) pair.words.add(word);
      touched.add(key);
    }
  };
  const enqueue = (keys: Iterable<string>): void => {
    for (const key of keys) {
      const own = pairs.get(key)?.own ?? 0;
      if (own >= LEAST_COUNT) push(queue, { own, key });
    }
  };
  const first = new Set<string>();
  for (const word of words) change(word, 1, first);
  enqueue(first);
  const merges: Merge[] = [];
  for (let next = pop(queue); next !== undefined && merges.length < count; next = pop(queue)) {
    const pair = pairs.get(next.key);
    if (pair === undefined || pair.own !== next.own) continue; // counted anew since, and queued again
    const piece = pair.merge.join('');
    if (known.has(piece) || (totals.guarded > 0 && pair.guarded / totals.guarded > PROTECTED_SHARE * (pair.own / totals.own))) continue;
    merges.push(pair.merge);
    known.add(piece);
    const touched = new Set<string>();
    for (const word of pair.words) {
      if (!hasPair(word.pieces, pair.merge)) continue;
      change(word, -1, touched);
      word.pieces = joined(word.pieces, pair.merge);
      change(word, 1, touched);
    }
    pairs.delete(next.key);
    enqueue(touched);
    if (merges.length % JOINS_BETWEEN_PAUSES !== 0) continue;
    report?.({ done: merges.length, total: count });
    await pauseFor(signal);
  }
  return merges;
}

/** The vocabulary of a byte-pair tokenizer.json. @throws InputError 'backbone.unsupported'. */
export function vocabularyOf({ model }: TokenizerObject): Readonly<Record<string, number>> {
  const { type, vocab } = model;
  if (type !== 'BPE' || typeof vocab !== 'object' || vocab === null) throw new InputError('backbone.unsupported', `Expected a byte-pair vocabulary to learn merges for, found ${String(type)}.`);
  return vocab as Readonly<Record<string, number>>; // boundary: readPretrainedTokenizer has checked it
}

/** The merges of a byte-pair tokenizer.json, in either notation. */
export function mergesOf({ model }: TokenizerObject): readonly Merge[] {
  const rows = (Array.isArray(model['merges']) ? model['merges'] : []) as readonly (string | Merge)[]; // boundary: readPretrainedTokenizer has checked the rows
  return rows.map((row) => {
    const [left = '', right = ''] = typeof row === 'string' ? row.split(' ') : row;
    return [left, right];
  });
}

/** The distinct words of all texts, cut by the old merges; one with signs that the vocabulary lacks is left out, as it is not made of pieces. */
async function wordsOf(json: TokenizerObject, { texts, protectedTexts, signal }: Pick<LearnMergesOptions, 'texts' | 'protectedTexts' | 'signal'>): Promise<readonly Word[]> {
  const normalise = readNormaliserStep(json['normalizer']);
  const preTokenise = readPreTokeniser(json['pre_tokenizer']);
  const counts = new Map<string, { own: number; guarded: number }>();
  let read = 0;
  const count = async (text: string, kind: 'own' | 'guarded', weight: number): Promise<void> => {
    for (const part of preTokenise(normalise(text.toWellFormed()), true)) {
      const entry = counts.get(part) ?? { own: 0, guarded: 0 };
      entry[kind] += weight;
      counts.set(part, entry);
    }
    read += 1;
    if (read % TEXTS_BETWEEN_PAUSES === 0) await pauseFor(signal);
  };
  for (const { text, weight } of texts) await count(text, 'own', weight);
  for (const text of protectedTexts) await count(text, 'guarded', 1);
  const vocabulary = vocabularyOf(json);
  const pieces = new Map(Object.entries(vocabulary).map(([piece, id]) => [id, piece]));
  const { cut } = createBytePairModel({ ids: new Map(Object.entries(vocabulary)), merges: mergesOf(json), unknownPiece: null, byteFallback: false, fuseUnknown: false, ignoreMerges: false, onUse: () => undefined });
  return [...counts].flatMap(([part, weights]) => {
    const own = Array.from(cut(part), (id) => pieces.get(id) ?? '');
    return own.length > 1 && own.join('') === part ? [{ pieces: own, ...weights }] : [];
  });
}

function hasPair(pieces: readonly string[], [left, right]: Merge): boolean {
  return pieces.some((piece, i) => piece === left && pieces[i + 1] === right);
}

function joined(pieces: readonly string[], [left, right]: Merge): readonly string[] {
  const next: string[] = [];
  for (let i = 0; i < pieces.length; i += 1) {
    const isPair = pieces[i] === left && pieces[i + 1] === right;
    next.push(isPair ? left + right : (pieces[i] ?? ''));
    if (isPair) i += 1;
  }
  return next;
}

type Queued = { readonly own: number; readonly key: string };

function isBefore(a: Queued | undefined, b: Queued | undefined): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return a.own === b.own ? a.key < b.key : a.own > b.own;
}

/** A binary heap with the most frequent pair on top. */
function push(heap: Queued[], entry: Queued): void {
  heap.push(entry);
  for (let at = heap.length - 1; at > 0; ) {
    const above = (at - 1) >> 1;
    if (!isBefore(heap[at], heap[above])) return;
    swap(heap, at, above);
    at = above;
  }
}

function pop(heap: Queued[]): Queued | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (top === undefined || last === undefined || heap.length === 0) return top;
  heap[0] = last;
  for (let at = 0; ; ) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    const next = isBefore(heap[right], heap[left]) ? right : left;
    if (!isBefore(heap[next], heap[at])) return top;
    swap(heap, at, next);
    at = next;
  }
}

function swap(heap: Queued[], a: number, b: number): void {
  const [one, other] = [heap[a], heap[b]];
  if (one === undefined || other === undefined) return;
  heap[a] = other;
  heap[b] = one;
}
