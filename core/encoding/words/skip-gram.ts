/** Which vectors do words get from the company they keep? Skip-gram with negative sampling. */
import { InputError } from '../../base/errors.ts';
import { pauseFor } from '../../base/pause.ts';
import { ignoreProgress, type ReportProgress } from '../../base/progress.ts';
import { seededRandom } from '../../base/random.ts';
import { wordsIn } from './words-in.ts';
import type { WordVectors } from './word-vectors.ts';

export type SkipGramSettings = {
  readonly width: number;
  /** Most words on either side; each place draws its own number from 1 to it. */
  readonly window: number;
  readonly negatives: number;
  readonly epochs: number;
  /** Falls linearly to a ten-thousandth. */
  readonly learningRate: number;
  /** t: words of a greater share of the text are left out now and then; 0: none. */
  readonly subsampling: number;
  readonly leastCount: number;
  readonly mostWords: number;
};

/** word2vec's values; a word needs to come twice only, as small corpora have few that come five times. Left out, `epochs` are as `usualEpochs` says. */
export const usualSkipGram: Omit<SkipGramSettings, 'epochs'> = { width: 100, window: 5, negatives: 5, learningRate: 0.025, subsampling: 1e-3, leastCount: 2, mostWords: 200_000 };

const NEGATIVE_POWER = 0.75;
const LEAST_RATE_SHARE = 1e-4;
/** Beyond, the sigmoid is 0 or 1 as float32 steps see it. */
const LARGEST_LOGIT = 30;
const WORDS_BETWEEN_PAUSES = 5000;

const USUAL_EPOCHS = { least: 5, most: 25 };
const WORDS_TO_READ = 2_000_000;

/** word2vec's 5; more over small corpora (up to 25), until two million words were read: few updates leave the rows where chance put them. */
export function usualEpochs(words: number): number {
  return Math.min(USUAL_EPOCHS.most, Math.max(USUAL_EPOCHS.least, Math.ceil(WORDS_TO_READ / Math.max(1, words))));
}

export type SkipGramOptions = Partial<SkipGramSettings> & {
  readonly sentences: readonly string[];
  readonly seed: number;
  readonly signal?: AbortSignal;
  readonly report?: ReportProgress;
};

/**
 * For a word w and a word c of its window, with k words n drawn in proportion to count^.75:
 *
 *   loss = −log σ(out_w · in_c) − Σₙ log σ(−out_n · in_c)
 *
 * as word2vec trains it: one update for each neighbour, of its input row and of the output rows of w and the n. A word of share f of the
 * text stays with probability (√(f / t) + 1) t / f. The same sentences, settings and seed give the same bits.
 * @returns the input rows, the most frequent word first.
 * @throws InputError 'words.too-little-text' when no two words come `leastCount` times; the signal's reason once aborted.
 * @see Mikolov et al. 2013, arXiv:1310.4546, sections 2.2 and 2.3.
 */
export async function trainSkipGram(options: SkipGramOptions): Promise<WordVectors> {
  const { sentences, seed, signal, report = ignoreProgress, ...asked } = options;
  const settings = { ...usualSkipGram, ...asked };
  const { width, window, negatives } = settings;
  const text = await countWords(sentences, settings, signal);
  const epochs = asked.epochs ?? usualEpochs(text.total);
  const size = text.words.length;
  if (size < 2) throw new InputError('words.too-little-text', `Word vectors need text in which words come back; found ${size} that come at least ${settings.leastCount} times in ${sentences.length} sentences. Add text, or ask for words that come less often.`);
  const random = fastRandom(seed);
  const inputs = Float32Array.from({ length: size * width }, () => (random() - 1 / 2) / width);
  const outputs = new Float32Array(size * width);
  const keep = text.counts.map((count) => keepProbability(count / text.total, settings.subsampling));
  const draw = drawByPower(text.counts, random);
  const targets = new Int32Array(1 + negatives);
  const scratch = new Float32Array(width);
  const kept = new Int32Array(text.longest);
  const all = text.total * epochs;
  let done = 0;
  let nextPause = 0;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    for (let sentence = 0; sentence + 1 < text.offsets.length; sentence += 1) {
      if (done >= nextPause) {
        nextPause = done + WORDS_BETWEEN_PAUSES;
        report({ phase: 'skip-gram', done, total: all, unit: 'words' });
        await pauseFor(signal);
      }
      const rate = settings.learningRate * Math.max(LEAST_RATE_SHARE, 1 - done / all);
      const [start, end] = [text.offsets[sentence] ?? 0, text.offsets[sentence + 1] ?? 0];
      let length = 0;
      for (let at = start; at < end; at += 1) {
        const word = text.ids[at] ?? 0;
        if (random() >= (keep[word] ?? 1)) continue;
        kept[length] = word;
        length += 1;
      }
      for (let at = 0; at < length; at += 1) {
        const word = kept[at] ?? 0;
        const reach = 1 + Math.floor(random() * window);
        for (let near = Math.max(0, at - reach); near <= Math.min(length - 1, at + reach); near += 1) {
          if (near === at) continue;
          targets[0] = word;
          let count = 1;
          for (let n = 0; n < negatives; n += 1) {
            const other = draw();
            if (other === word) continue;
            targets[count] = other;
            count += 1;
          }
          updatePair({ inputs, outputs, width, input: kept[near] ?? 0, targets, count, rate, scratch });
        }
      }
      done += end - start;
    }
  }
  report({ phase: 'skip-gram', done: all, total: all, unit: 'words' });
  return { words: text.words, vectors: inputs, width };
}

/** One update: `targets[0]` is the word that is right, the others up to `count` are wrong. All changes are from the values before. */
export function updatePair({ inputs, outputs, width, input, targets, count, rate, scratch }: { readonly inputs: Float32Array; readonly outputs: Float32Array; readonly width: number; readonly input: number; readonly targets: Int32Array; readonly count: number; readonly rate: number; readonly scratch: Float32Array }): void {
  const row = input * width;
  scratch.fill(0);
  for (let t = 0; t < count; t += 1) {
    const out = (targets[t] ?? 0) * width;
    let logit = 0;
    for (let i = 0; i < width; i += 1) logit += (inputs[row + i] ?? 0) * (outputs[out + i] ?? 0);
    const chance = 1 / (1 + Math.exp(-Math.max(-LARGEST_LOGIT, Math.min(LARGEST_LOGIT, logit))));
    const step = ((t === 0 ? 1 : 0) - chance) * rate;
    for (let i = 0; i < width; i += 1) {
      const value = outputs[out + i] ?? 0;
      scratch[i] = (scratch[i] ?? 0) + step * value;
      outputs[out + i] = value + step * (inputs[row + i] ?? 0);
    }
  }
  for (let i = 0; i < width; i += 1) inputs[row + i] = (inputs[row + i] ?? 0) + (scratch[i] ?? 0);
}

/** With which probability a word of share f stays; 1 where t is 0 or the word is rare. */
export function keepProbability(share: number, t: number): number {
  return t === 0 ? 1 : Math.min(1, (Math.sqrt(share / t) + 1) * (t / share));
}

type CountedText = {
  readonly words: readonly string[];
  readonly counts: Float64Array;
  /** Known words of all sentences, one after the other. */
  readonly ids: Int32Array;
  readonly offsets: Int32Array;
  readonly total: number;
  readonly longest: number;
};

async function countWords(sentences: readonly string[], { leastCount, mostWords }: Pick<SkipGramSettings, 'leastCount' | 'mostWords'>, signal: AbortSignal | undefined): Promise<CountedText> {
  const numbers = new Map<string, number>(); // by first occurrence
  const seen: number[] = [];
  const lengths: number[] = [];
  const counts: number[] = [];
  for (const [s, sentence] of sentences.entries()) {
    if (s % WORDS_BETWEEN_PAUSES === 0) await pauseFor(signal);
    const words = wordsIn(sentence);
    for (const word of words) {
      const number = numbers.get(word) ?? numbers.size;
      if (number === numbers.size) numbers.set(word, number);
      counts[number] = (counts[number] ?? 0) + 1;
      seen.push(number);
    }
    lengths.push(words.length);
  }
  const order = [...numbers.entries()].filter(([, number]) => (counts[number] ?? 0) >= leastCount).sort(([, a], [, b]) => (counts[b] ?? 0) - (counts[a] ?? 0) || a - b).slice(0, mostWords);
  const place = new Int32Array(numbers.size).fill(-1);
  order.forEach(([, number], rank) => {
    place[number] = rank;
  });
  const ids = new Int32Array(seen.length);
  const offsets = new Int32Array(lengths.length + 1);
  let [from, to, longest] = [0, 0, 0];
  lengths.forEach((length, s) => {
    const start = to;
    for (const end = from + length; from < end; from += 1) {
      const id = place[seen[from] ?? 0] ?? -1;
      if (id < 0) continue;
      ids[to] = id;
      to += 1;
    }
    offsets[s + 1] = to;
    longest = Math.max(longest, to - start);
  });
  return { words: order.map(([word]) => word), counts: Float64Array.from(order, ([, number]) => counts[number] ?? 0), ids: ids.subarray(0, to), offsets, total: to, longest };
}

/** Uniform in [0, 1): a 32-bit xorshift, since it is asked a few times for every neighbour. @see Marsaglia 2003 */
function fastRandom(seed: number): () => number {
  let state = Math.floor(seededRandom(seed, 'skip-gram').next() * (2 ** 32 - 1)) + 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) * 2 ** -32;
  };
}

/** Draws word numbers in proportion to count^.75, each in constant time: Vose's alias method. */
function drawByPower(counts: Float64Array, random: () => number): () => number {
  const size = counts.length;
  const powers = counts.map((count) => count ** NEGATIVE_POWER);
  const total = powers.reduce((sum, power) => sum + power, 0);
  const shares = powers.map((power) => (power * size) / total);
  const alias = Int32Array.from({ length: size }, (_, i) => i);
  const small: number[] = [];
  const large: number[] = [];
  shares.forEach((share, i) => (share < 1 ? small : large).push(i));
  while (small.length > 0 && large.length > 0) {
    const [low = 0, high = 0] = [small.pop(), large.at(-1)];
    alias[low] = high;
    shares[high] = (shares[high] ?? 0) - (1 - (shares[low] ?? 0));
    if ((shares[high] ?? 0) < 1) {
      large.pop();
      small.push(high);
    }
  }
  for (const i of [...small, ...large]) shares[i] = 1; // what rounding left over
  return () => {
    const at = random() * size;
    const i = Math.floor(at);
    return at - i < (shares[i] ?? 1) ? i : (alias[i] ?? i);
  };
}
