/** How do documents become a segment? Their terms are counted, turned around into lists of documents, and written down with what search needs of them. */
import { crc32 } from 'node:zlib';
import { foldForSearch } from '../../text/search-folding.ts';
import { windowRanges } from '../../encoding/windows.ts';
import type { TokenSums } from '../../encoding/token-sums.ts';
import type { DocumentTerms, LexicalPart, TermNumbers } from './document-terms.ts';
import { lexicalParts } from './document-terms.ts';
import { growingNumbers } from './growing-numbers.ts';
import { createPostingCollector } from './posting-collector.ts';
import type { PostingCollector } from './posting-collector.ts';
import { isFullList, MOST_POSTING_BYTES, writeFull, writeSparse } from './posting-lists.ts';
import type { Sections } from './section-file.ts';
import { lowerBound } from './lower-bound.ts';
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
const FREE = -1;

export function createSegmentBuilder(options: { readonly documentTerms: DocumentTerms; readonly tokenSums: TokenSums | null; readonly modelId: string; readonly rules: string }): SegmentBuilder {
  const { documentTerms, tokenSums, modelId, rules } = options;
  const collectors = { words: createPostingCollector(), characters: createPostingCollector(), translated: createPostingCollector(), tokens: createPostingCollector() };
  const tokenIds = growingNumbers((n) => new Uint32Array(n));
  const tokenEnds = growingNumbers((n) => new Uint32Array(n));
  const factors = growingNumbers((n) => new Float32Array(n));
  let waiting: Uint32Array[] = [];
  const runs: { batch: number; path: string; first: number; firstChunk: number; count: number }[] = [];
  const labels: PartLabels[] = [];
  const labelNumbers = new Map<string, number>();
  const labelOf = growingNumbers((n) => new Uint16Array(n));
  let size = 0;

  const embed = (): void => {
    if (tokenSums === null || waiting.length === 0) return;
    for (const own of tokenSums.factors(waiting)) factors.append(own);
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
      const terms = documentTerms.analyse(text);
      for (const part of lexicalParts) collectors[part].addDocument(terms[part]);
      collectors.tokens.addDocument(terms.tokens);
      size += 1;
      if (tokenSums === null) return 0;
      const tokens = terms.sequence;
      tokenIds.append(tokens);
      tokenEnds.push(tokenIds.length());
      waiting.push(tokens);
      if (waiting.length >= EMBEDDED_AT_ONCE) embed();
      return tokens.length === 0 ? 0 : 1 + windowRanges(tokens.length).length;
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
        sections.set('tokens.ids', [bytesOf(tokenSums.vocabularySize <= SMALL_VOCABULARY ? new Uint16Array(ids) : ids)]);
        sections.set('tokens.ends', [bytesOf(tokenEnds.take())]);
        sections.set('tokens.factors', [bytesOf(factors.take())]);
      }
      return sections;
    },
  };
}

/** The dictionary of a part (hashes ascending, document frequencies, places and sums of lists), its lists, and the documents' lengths. */
function writePart(sections: Map<string, readonly Uint8Array[]>, part: LexicalPart | 'tokens', collector: PostingCollector, terms: Pick<TermNumbers, 'hashOf'>, size: number): void {
  const { pieces, distinct, lengths, documentFrequencies: frequencyOf, total } = collector.collected();
  const { order, hashes } = sortedTerms(frequencyOf, terms);
  const next = new Uint32Array(frequencyOf.length); // where the next document of each term goes
  let sum = 0;
  for (const number of order) {
    next[number] = sum;
    sum += frequencyOf[number] ?? 0;
  }
  const documents = new Uint32Array(total);
  const counts = new Uint16Array(total);
  let document = 0;
  for (const { termNumbers, frequencies, used } of pieces) {
    for (let i = 0; i < used; document += 1) {
      for (const end = i + (distinct[document] ?? 0); i < end; i += 1) {
        const number = termNumbers[i] ?? 0;
        const place = next[number] ?? 0;
        next[number] = place + 1;
        documents[place] = document;
        counts[place] = frequencies[i] ?? 1;
      }
    }
  }
  const documentFrequencies = new Uint32Array(order.length);
  const offsets = new Uint32Array(order.length + 1);
  const sums = new Uint32Array(order.length);
  let bytes = new Uint8Array(Math.max(1024, 2 * total));
  let at = 0;
  order.forEach((number, i) => {
    const to = next[number] ?? 0;
    const from = to - (frequencyOf[number] ?? 0);
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
  sections.set(`${part}.lengths`, [bytesOf(lengths)]);
}

/** The terms that occur, by rising hash. */
function sortedTerms(frequencyOf: Uint32Array, terms: Pick<TermNumbers, 'hashOf'>): { readonly order: Int32Array; readonly hashes: Float64Array<ArrayBuffer> } {
  let used = 0;
  for (const frequency of frequencyOf) if (frequency > 0) used += 1;
  const hashes = new Float64Array(used);
  for (let number = 0, place = 0; place < used; number += 1) {
    if ((frequencyOf[number] ?? 0) === 0) continue;
    hashes[place] = terms.hashOf(number);
    place += 1;
  }
  hashes.sort();
  const order = new Int32Array(used).fill(FREE);
  for (let number = 0; number < frequencyOf.length; number += 1) {
    if ((frequencyOf[number] ?? 0) === 0) continue;
    let place = lowerBound(hashes, terms.hashOf(number));
    while (order[place] !== FREE) place += 1; // two terms of one hash
    order[place] = number;
  }
  return { order, hashes };
}

/** Words by the hash of their spelling without marks, so that a word typed without them is found. */
function writeSpellings(sections: Map<string, readonly Uint8Array[]>, collector: PostingCollector, { terms, wholeWord }: DocumentTerms): void {
  const entries: { readonly hash: number; readonly word: string }[] = [];
  const { documentFrequencies } = collector.collected();
  for (let number = 0; number < terms.characters.size(); number += 1) {
    const word = (documentFrequencies[number] ?? 0) === 0 ? undefined : wholeWord(number);
    if (word === undefined) continue;
    const bare = foldForSearch(word);
    if (bare !== word) entries.push({ hash: termHash(bare), word });
  }
  entries.sort((a, b) => a.hash - b.hash || (a.word < b.word ? -1 : 1));
  sections.set('spellings.hashes', [bytesOf(Float64Array.from(entries, ({ hash }) => hash))]);
  sections.set('spellings.words', [Buffer.from(entries.map(({ word }) => word).join('\n'))]);
}
