/** How do documents become a segment? Their terms are counted, turned around into lists of documents, and written down with what search needs of them. */
import { crc32 } from 'node:zlib';
import { foldForSearch } from '../../text/search-folding.ts';
import { windowRanges } from '../../encoding/windows.ts';
import type { TokenSums } from '../../encoding/token-sums.ts';
import type { DocumentTerms, LexicalPart, TermNumbers } from './document-terms.ts';
import { lexicalParts } from './document-terms.ts';
import { growingNumbers } from './growing-numbers.ts';
import { isFullList, MOST_POSTING_BYTES, writeFull, writeSparse } from './posting-lists.ts';
import type { Sections } from './section-file.ts';
import { termHash } from './term-hash.ts';

/** Neighbouring chunks of one file in one batch: documents [first, first + count), chunks [firstChunk, firstChunk + count). */
export type SegmentRun = { readonly batch: number; readonly path: string; readonly first: number; readonly firstChunk: number; readonly count: number };

/** Who speaks and on which tier, where a document has that; most have not. */
export type PartLabels = { readonly speaker: string | null; readonly tier: string | null };

export type SegmentDocument = { readonly batch: number; readonly chunk: number; readonly path: string; readonly text: string } & PartLabels;

export type SegmentFacts = {
  readonly version: number;
  readonly size: number;
  /** Fingerprints of the model and the matching rules with which terms and tokens were made. */
  readonly modelId: string;
  readonly rules: string;
  readonly runs: readonly SegmentRun[];
  /** Distinct labels; number 0 stands for none. */
  readonly labels: readonly PartLabels[];
};

export const SEGMENT_VERSION = 1;

export type SegmentBuilder = {
  /** @returns how many vectors (whole text and windows) stand for the document; 0 without token sums. */
  readonly add: (document: SegmentDocument) => number;
  readonly size: () => number;
  /** Entries in its lists so far: what decides when it is written. */
  readonly postings: () => number;
  readonly finish: () => Sections;
};

const bytesOf = (array: ArrayBufferView<ArrayBuffer>): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
/** Documents whose tokens are embedded together. */
const EMBEDDED_AT_ONCE = 64;
const SMALL_VOCABULARY = 2 ** 16;

export function createSegmentBuilder(options: { readonly documentTerms: DocumentTerms; readonly tokenSums: TokenSums | null; readonly modelId: string; readonly rules: string }): SegmentBuilder {
  const { documentTerms, tokenSums, modelId, rules } = options;
  const collectors = { words: postingCollector(), characters: postingCollector(), translated: postingCollector(), tokens: postingCollector() };
  const tokenIds = growingNumbers((n) => new Uint32Array(n));
  const tokenEnds = growingNumbers((n) => new Uint32Array(n));
  const factors: Float32Array[] = [];
  let waiting: Uint32Array[] = [];
  const runs: { batch: number; path: string; first: number; firstChunk: number; count: number }[] = [];
  const labels: PartLabels[] = [];
  const labelNumbers = new Map<string, number>();
  const labelOf = growingNumbers((n) => new Uint16Array(n));
  let size = 0;

  const embed = (): void => {
    if (tokenSums === null || waiting.length === 0) return;
    factors.push(...tokenSums.factors(waiting));
    waiting = [];
  };
  const labelNumber = ({ speaker, tier }: PartLabels): number => {
    if (speaker === null && tier === null) return 0;
    const key = JSON.stringify([speaker, tier]);
    const known = labelNumbers.get(key);
    if (known !== undefined) return known;
    labels.push({ speaker, tier });
    labelNumbers.set(key, labels.length);
    return labels.length;
  };

  return {
    size: () => size,
    postings: () => Object.values(collectors).reduce((sum, collector) => sum + collector.postings(), 0),
    add: ({ batch, chunk, path, text, speaker, tier }) => {
      const last = runs.at(-1);
      if (last?.batch === batch && last.path === path && last.firstChunk + last.count === chunk) last.count += 1;
      else runs.push({ batch, path, first: size, firstChunk: chunk, count: 1 });
      labelOf.push(labelNumber({ speaker, tier }));
      const tokens: number[] = [];
      documentTerms.analyse(text, (part, numbers, from, to) => {
        collectors[part].count(numbers, from, to);
        if (part === 'tokens') for (let i = from; i < to; i += 1) tokens.push(numbers[i] ?? 0);
      });
      for (const collector of Object.values(collectors)) collector.endDocument();
      if (tokenSums !== null) {
        for (const token of tokens) tokenIds.push(token);
        tokenEnds.push(tokenIds.length());
        waiting.push(Uint32Array.from(tokens));
        if (waiting.length >= EMBEDDED_AT_ONCE) embed();
      }
      size += 1;
      return tokenSums === null ? 0 : 1 + windowRanges(tokens.length).length;
    },
    finish: () => {
      embed();
      const sections = new Map<string, readonly Uint8Array[]>();
      const facts: SegmentFacts = { version: SEGMENT_VERSION, size, modelId, rules, runs, labels };
      sections.set('facts', [Buffer.from(JSON.stringify(facts))]);
      for (const part of lexicalParts) writePart(sections, part, collectors[part], documentTerms.terms[part], size);
      writeSpellings(sections, collectors.characters, documentTerms);
      if (labels.length > 0) sections.set('labels', [bytesOf(labelOf.take())]);
      if (tokenSums !== null) {
        writePart(sections, 'tokens', collectors.tokens, { hashOf: (number) => number }, size);
        const ids = tokenIds.take();
        sections.set('tokens.ids', [bytesOf(tokenSums.vocabularySize <= SMALL_VOCABULARY ? Uint16Array.from(ids) : ids)]);
        sections.set('tokens.ends', [bytesOf(tokenEnds.take())]);
        sections.set('tokens.factors', factors.map((own) => bytesOf(new Float32Array(own))));
      }
      return sections;
    },
  };
}

type PostingCollector = {
  readonly count: (numbers: Uint32Array, from: number, to: number) => void;
  readonly endDocument: () => void;
  readonly postings: () => number;
  /** Terms, frequencies document after document; `ends[d]` is where document d ends; `lengths[d]` its terms with repetitions. */
  readonly take: () => { readonly termNumbers: Uint32Array; readonly frequencies: Uint16Array; readonly ends: Uint32Array; readonly lengths: Uint32Array };
};

const MOST_FREQUENCY = 2 ** 16 - 1;

function postingCollector(): PostingCollector {
  const termNumbers = growingNumbers((n) => new Uint32Array(n));
  const frequencies = growingNumbers((n) => new Uint16Array(n));
  const ends = growingNumbers((n) => new Uint32Array(n));
  const lengths = growingNumbers((n) => new Uint32Array(n));
  let counts = new Uint32Array(1 << 16);
  let touched = new Uint32Array(1 << 12);
  let distinct = 0;
  let length = 0;
  return {
    count: (numbers, from, to) => {
      for (let i = from; i < to; i += 1) {
        const number = numbers[i] ?? 0;
        if (number >= counts.length) {
          const larger = new Uint32Array(2 * number + 2);
          larger.set(counts);
          counts = larger;
        }
        const before = counts[number] ?? 0;
        if (before === 0) {
          if (distinct === touched.length) {
            const larger = new Uint32Array(2 * distinct);
            larger.set(touched);
            touched = larger;
          }
          touched[distinct] = number;
          distinct += 1;
        }
        counts[number] = before + 1;
      }
      length += to - from;
    },
    endDocument: () => {
      for (let i = 0; i < distinct; i += 1) {
        const number = touched[i] ?? 0;
        termNumbers.push(number);
        frequencies.push(Math.min(MOST_FREQUENCY, counts[number] ?? 0));
        counts[number] = 0;
      }
      ends.push(termNumbers.length());
      lengths.push(length);
      distinct = 0;
      length = 0;
    },
    postings: () => termNumbers.length(),
    take: () => ({ termNumbers: termNumbers.take(), frequencies: frequencies.take(), ends: ends.take(), lengths: lengths.take() }),
  };
}

/** The dictionary of a part (hashes ascending, document frequencies, places and sums of lists), its lists, and the documents' lengths. */
function writePart(sections: Map<string, readonly Uint8Array[]>, part: LexicalPart | 'tokens', collector: PostingCollector, terms: Pick<TermNumbers, 'hashOf'>, size: number): void {
  const { termNumbers, frequencies, ends, lengths } = collector.take();
  const { order, hashes, frequencyOf } = sortedTerms(termNumbers, terms);
  const starts = new Uint32Array(frequencyOf.length);
  let total = 0;
  for (const number of order) {
    starts[number] = total;
    total += frequencyOf[number] ?? 0;
  }
  const next = starts.slice();
  const documents = new Uint32Array(total);
  const counts = new Uint16Array(total);
  for (let document = 0, i = 0; document < size; document += 1) {
    for (; i < (ends[document] ?? 0); i += 1) {
      const number = termNumbers[i] ?? 0;
      const place = next[number] ?? 0;
      next[number] = place + 1;
      documents[place] = document;
      counts[place] = frequencies[i] ?? 1;
    }
  }
  const documentFrequencies = new Uint32Array(order.length);
  const offsets = new Uint32Array(order.length + 1);
  const sums = new Uint32Array(order.length);
  let bytes = new Uint8Array(Math.max(1024, 2 * total));
  let at = 0;
  order.forEach((number, i) => {
    const from = starts[number] ?? 0;
    const to = from + (frequencyOf[number] ?? 0);
    const isFull = isFullList(to - from, size);
    const room = isFull ? size : (to - from) * MOST_POSTING_BYTES;
    if (at + room > bytes.length) {
      const larger = new Uint8Array(2 * (at + room));
      larger.set(bytes.subarray(0, at));
      bytes = larger;
    }
    const list = { documents, frequencies: counts, from, to };
    const end = isFull ? writeFull(bytes, at, size, list) : writeSparse(bytes, at, list);
    documentFrequencies[i] = to - from;
    sums[i] = crc32(bytes.subarray(at, end));
    at = end;
    offsets[i + 1] = at;
  });
  sections.set(`${part}.hashes`, [bytesOf(hashes)]);
  sections.set(`${part}.frequencies`, [bytesOf(documentFrequencies)]);
  sections.set(`${part}.offsets`, [bytesOf(offsets)]);
  sections.set(`${part}.sums`, [bytesOf(sums)]);
  sections.set(`${part}.lists`, [bytes.subarray(0, at)]);
  sections.set(`${part}.lengths`, [bytesOf(new Uint32Array(lengths))]);
}

/** The terms that occur, by rising hash, with in how many documents each occurs. */
function sortedTerms(termNumbers: Uint32Array, terms: Pick<TermNumbers, 'hashOf'>): { readonly order: Uint32Array; readonly hashes: Float64Array<ArrayBuffer>; readonly frequencyOf: Uint32Array } {
  let most = 0;
  for (const number of termNumbers) if (number >= most) most = number + 1;
  const frequencyOf = new Uint32Array(most);
  for (const number of termNumbers) frequencyOf[number] = (frequencyOf[number] ?? 0) + 1;
  const hashOf = new Float64Array(most);
  let used = 0;
  for (let number = 0; number < most; number += 1) {
    if ((frequencyOf[number] ?? 0) === 0) continue;
    hashOf[number] = terms.hashOf(number);
    used += 1;
  }
  const order = new Uint32Array(used);
  let place = 0;
  for (let number = 0; number < most; number += 1) {
    if ((frequencyOf[number] ?? 0) === 0) continue;
    order[place] = number;
    place += 1;
  }
  order.sort((a, b) => (hashOf[a] ?? 0) - (hashOf[b] ?? 0));
  return { order, hashes: Float64Array.from(order, (number) => hashOf[number] ?? 0), frequencyOf };
}

/** Words by the hash of their spelling without marks, so that a word typed without them is found. */
function writeSpellings(sections: Map<string, readonly Uint8Array[]>, collector: PostingCollector, { terms, wholeWord }: DocumentTerms): void {
  const seen = new Uint8Array(terms.characters.size());
  const entries: { readonly hash: number; readonly word: string }[] = [];
  for (const number of collector.take().termNumbers) {
    if (seen[number] === 1) continue;
    seen[number] = 1;
    const word = wholeWord(number);
    if (word === undefined) continue;
    const bare = foldForSearch(word);
    if (bare !== word) entries.push({ hash: termHash(bare), word });
  }
  entries.sort((a, b) => a.hash - b.hash || (a.word < b.word ? -1 : 1));
  sections.set('spellings.hashes', [bytesOf(Float64Array.from(entries, ({ hash }) => hash))]);
  sections.set('spellings.words', [Buffer.from(entries.map(({ word }) => word).join('\n'))]);
}
