/** Which records of a corpus stand in another one too: twice in the training data, or in training and evaluation (a leak)? */
import { fingerprint, fingerprintSet, sameText } from './fingerprints.ts';
import type { FingerprintSet } from './fingerprints.ts';
import { corpusFormats } from './formats.ts';
import type { ReadCorpus } from './formats.ts';
import { formatOfSource, optionsOf } from './sources.ts';
import type { CorpusSource } from './sources.ts';

export type CorpusPurpose = 'training' | 'evaluation';

/** Another corpus of the project. */
export type OtherCorpus = { readonly name: string; readonly purpose: CorpusPurpose; readonly source: CorpusSource };

export type OverlapRow = { readonly line: number | null; readonly text: string };

export type Overlap = {
  readonly name: string;
  readonly purpose: CorpusPurpose;
  /** True when one is for training and the other for evaluation: figures of that evaluation would flatter. */
  readonly isLeak: boolean;
  /** Records that share a text with the other corpus. */
  readonly count: number;
  readonly rows: readonly OverlapRow[];
};

export type OverlapCounter = { readonly add: (texts: readonly string[], line: number | null) => void; readonly result: () => readonly Overlap[] };

const TEXTS_LIMIT = 4_000_000;
const ROWS_SHOWN = 20;
const SHOWN_CHARACTERS = 300;
/** Shorter texts ("yes", "chapter 1") stand everywhere and say nothing. */
const LEAST_CHARACTERS = 12;

const printOf = (text: string): number | null => {
  const same = sameText(text);
  return same.length < LEAST_CHARACTERS ? null : fingerprint([same]);
};

/**
 * Reads the other corpora once, keeping eight bytes a text, and compares records with them. Texts are the same when their letters
 * and digits are (NFC, without case, punctuation and spaces); texts under 12 such characters are not compared.
 * @throws what the readers of the other corpora throw.
 */
export async function compareWith(others: readonly OtherCorpus[], purpose: CorpusPurpose, signal: AbortSignal): Promise<OverlapCounter> {
  const known: { readonly other: OtherCorpus; readonly prints: FingerprintSet; count: number; readonly rows: OverlapRow[] }[] = [];
  for (const other of others) known.push({ other, prints: await printsOf(other.source, signal), count: 0, rows: [] });
  return {
    add: (texts, line) => {
      if (known.length === 0) return;
      const prints = texts.map(printOf);
      for (const one of known) {
        const at = prints.findIndex((print) => print !== null && one.prints.has(print));
        if (at < 0) continue;
        one.count += 1;
        if (one.rows.length < ROWS_SHOWN) one.rows.push({ line, text: (texts[at] ?? '').slice(0, SHOWN_CHARACTERS).toWellFormed() });
      }
    },
    result: () => known.map(({ other, count, rows }) => ({ name: other.name, purpose: other.purpose, isLeak: other.purpose !== purpose, count, rows })),
  };
}

async function printsOf(source: CorpusSource, signal: AbortSignal): Promise<FingerprintSet> {
  const [name] = await formatOfSource(source, signal);
  const { questions, pairs, sentences, part, propose } = corpusFormats[name];
  const prints = fingerprintSet(TEXTS_LIMIT);
  const options = optionsOf(source);
  async function take<T>(read: ReadCorpus<T>, textsOf: (value: T) => readonly string[]): Promise<FingerprintSet> {
    for await (const readings of read(source.paths, signal, options)) {
      for (const one of readings) {
        if (one.kind === 'problem') continue;
        for (const text of textsOf(one.value)) {
          const print = printOf(text);
          if (print !== null) prints.add(print);
        }
      }
    }
    return prints;
  }
  if (questions !== undefined) return await take(questions, ({ query, passage }) => [query, passage]);
  const hasPairs = pairs !== undefined && (propose === undefined || (await propose(source.paths, signal, options)).hasPairs);
  if (hasPairs) return await take(pairs, ({ source: one, target }) => [one, target]);
  if (sentences !== undefined) return await take(sentences, ({ text }) => [text]);
  return part === undefined ? prints : await take(part.read, (cells) => part.measured.map((i) => cells[i] ?? ''));
}
