/** How does text become piece ids? Our own Unigram encoder: normalise, cut at spaces, best cutting of each word. */
import { InputError } from '../base/errors.ts';
import { normaliseForModel, WORD_START } from './normalise.ts';
import { buildPieceTrie, stepTrie } from './piece-trie.ts';
import { SCORE_STEP, type UnigramModel } from './unigram-trainer.ts';

export type Tokenizer = {
  /** Pieces, the unknown piece included: ids are 0 .. vocabularySize - 1. */
  readonly vocabularySize: number;
  readonly pieces: readonly string[];
  /** Log probabilities (nats), [vocabularySize]; the unknown piece has 0 and is scored by `unknownScore`. */
  readonly scores: readonly number[];
  readonly unknownId: number;
  /** Ids of the pieces of a text, no special ids. Unknown characters that follow one another give one unknown id. Empty text: []. */
  readonly encode: (text: string) => Uint32Array;
  /** The same for a text without white space that is not met again, as a list of words is: nothing is remembered. */
  readonly encodePart: (part: string) => Uint32Array;
  /** As `encode` for text that has been through `normalise`. */
  readonly encodeNormalised: (normalised: string) => Uint32Array;
  /** Ids of a text exactly as it stands: spaces are `▁` already, and none is put before it. */
  readonly cut: (text: string) => Uint32Array;
  readonly normalise: (text: string) => string;
  /** The normalised text of ids; unknown ids read as the unknown piece. */
  readonly decode: (ids: ArrayLike<number>) => string;
  readonly idOf: (piece: string) => number | undefined;
  /** Whether the ids of a text are those of its parts between white space, one after another (a text's runs of unknown characters aside). */
  readonly isWordLocal: boolean;
};

/** SentencePiece: an unknown character costs 10 nats more than the rarest piece. */
const UNKNOWN_PENALTY = 10;
const MOST_CACHED_WORDS = 65_536;
const LONGEST_CACHED_WORD = 48;
const LOW_SURROGATE_MASK = 0xfc00;
const LOW_SURROGATE = 0xdc00;
const HIGH_SURROGATE = 0xd800;

/**
 * Makes an encoder. Best cutting: the sequence of pieces with the largest sum of scores (Viterbi); of equal sums the one
 * whose last piece is longest, then the one before it: the rule of @huggingface/tokenizers.
 * When no piece has `▁` inside and all scores are multiples of 2^-12 (ours are), a text's best cutting is the best cuttings
 * of its words, so words are cut one by one and the frequent ones remembered; otherwise the whole text is cut at once.
 *
 * @throws InputError 'tokenizer.invalid' when pieces repeat, counts differ, a score is not finite, or unknownId is no id.
 */
export function createTokenizer(model: UnigramModel, normalise: (text: string) => string = normaliseForModel): Tokenizer {
  const { pieces, scores, unknownId } = model;
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  checkModel(model, ids);
  const trie = buildPieceTrie({ count: pieces.length, length: (i) => pieces[i]?.length ?? 0, symbol: (i, k) => pieces[i]?.charCodeAt(k) ?? 0 });
  let least = Infinity;
  for (const score of scores) least = Math.min(least, score);
  const unknownScore = least - UNKNOWN_PENALTY;
  const scoreOf = Float64Array.from(scores);
  scoreOf[unknownId] = unknownScore;
  const isWordLocal = scores.every((score) => Number.isInteger(score / SCORE_STEP)) && pieces.every((piece) => piece.lastIndexOf(WORD_START) <= 0);

  let best = new Float64Array(0);
  let through = new Int32Array(0); // piece that ends here on the best way
  let begins = new Int32Array(0); // where it begins
  let output = new Uint32Array(1024);
  let used = 0;

  /** Cuts `text` (with `▁` for spaces) and appends the ids to `output`. */
  const cut = (text: string): void => {
    const length = text.length;
    if (best.length <= length) {
      best = new Float64Array(2 * length + 2);
      through = new Int32Array(2 * length + 2);
      begins = new Int32Array(2 * length + 2);
    }
    best.fill(-Infinity, 0, length + 1);
    best[0] = 0;
    for (let start = 0; start < length; start += 1) {
      const reached = best[start] ?? 0;
      if (reached === -Infinity) continue; // inside a surrogate pair
      const first = text.charCodeAt(start);
      const single = start + ((first & LOW_SURROGATE_MASK) === HIGH_SURROGATE && start + 1 < length && (text.charCodeAt(start + 1) & LOW_SURROGATE_MASK) === LOW_SURROGATE ? 2 : 1);
      let hasSingle = false;
      let node = 0;
      for (let end = start; end < length; ) {
        node = stepTrie(trie, node, text.charCodeAt(end));
        if (node < 0) break;
        end += 1;
        const piece = trie.pieceOf[node] ?? -1;
        if (piece < 0) continue;
        if (end === single) hasSingle = true;
        const score = reached + (scoreOf[piece] ?? 0);
        if (score > (best[end] ?? 0)) {
          best[end] = score;
          through[end] = piece;
          begins[end] = start;
        }
      }
      if (!hasSingle && reached + unknownScore > (best[single] ?? 0)) {
        best[single] = reached + unknownScore;
        through[single] = unknownId;
        begins[single] = start;
      }
    }
    let count = 0;
    for (let end = length; end > 0; end = begins[end] ?? 0) {
      through[length - count] = through[end] ?? 0; // never overtakes: a piece has at least one unit
      count += 1;
    }
    if (output.length < used + count) output = grow(output, used + count);
    for (let k = length - count + 1; k <= length; k += 1) {
      const piece = through[k] ?? 0;
      if (piece === unknownId && used > 0 && output[used - 1] === unknownId) continue;
      output[used] = piece;
      used += 1;
    }
  };

  const cache = new Map<string, Uint32Array>();
  const append = (word: string): void => {
    const known = cache.get(word);
    if (known !== undefined) {
      if (output.length < used + known.length) output = grow(output, used + known.length);
      for (let k = 0; k < known.length; k += 1) output[used + k] = known[k] ?? 0;
      used += known.length;
      return;
    }
    const from = used;
    cut(WORD_START + word);
    if (word.length > LONGEST_CACHED_WORD) return;
    if (cache.size >= MOST_CACHED_WORDS) cache.clear();
    cache.set(word, output.slice(from, used));
  };

  const encodeNormalised = (normalised: string): Uint32Array => {
    used = 0;
    if (normalised === '') return new Uint32Array(0);
    if (isWordLocal && !normalised.includes(WORD_START)) {
      for (let from = normalised.startsWith(' ') ? 1 : 0; from <= normalised.length; ) {
        const space = normalised.indexOf(' ', from);
        const to = space === -1 ? normalised.length : space;
        append(normalised.slice(from, to));
        from = to + 1;
      }
    } else {
      const spaced = normalised.replaceAll(' ', WORD_START);
      cut(spaced.startsWith(WORD_START) ? spaced : WORD_START + spaced);
    }
    return output.slice(0, used);
  };

  return {
    vocabularySize: pieces.length,
    pieces,
    scores,
    unknownId,
    isWordLocal: isWordLocal && normalise === normaliseForModel,
    normalise,
    encodeNormalised,
    cut: (text) => {
      used = 0;
      cut(text);
      return output.slice(0, used);
    },
    encode: (text) => encodeNormalised(normalise(text)),
    encodePart: (part) => {
      const normalised = normalise(part);
      if (normalised === '' || normalised.includes(' ') || normalised.includes(WORD_START)) return encodeNormalised(normalised);
      used = 0;
      cut(WORD_START + normalised);
      return output.slice(0, used);
    },
    idOf: (piece) => ids.get(piece),
    decode: (tokens) => {
      const text = Array.from(tokens, (id) => pieces[id] ?? pieces[unknownId] ?? '').join('').replaceAll(WORD_START, ' ');
      return text.startsWith(' ') ? text.slice(1) : text;
    },
  };
}

function checkModel({ pieces, scores, unknownId }: UnigramModel, ids: ReadonlyMap<string, number>): void {
  const refuse = (found: string): never => {
    throw new InputError('tokenizer.invalid', `This tokenizer cannot be used: ${found}. Choose the tokenizer.json of a Unigram model.`);
  };
  if (pieces.length !== scores.length) refuse(`expected one score per piece, found ${pieces.length} pieces and ${scores.length} scores`);
  if (!(Number.isInteger(unknownId) && unknownId >= 0 && unknownId < pieces.length)) refuse(`expected the unknown id to be one of ${pieces.length} ids, found ${unknownId}`);
  if (ids.size !== pieces.length) refuse(`expected every piece once, found ${pieces.length - ids.size} repeated pieces`);
  if (ids.has('')) refuse('found an empty piece');
  const wrong = scores.findIndex((score) => !Number.isFinite(score));
  if (wrong !== -1) refuse(`expected finite scores, found ${String(scores[wrong])} for piece ${wrong}`);
}

function grow(array: Uint32Array<ArrayBuffer>, needed: number): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(2 * needed);
  wider.set(array);
  return wider;
}
