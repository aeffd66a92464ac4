/** How do documents become a segment? Their terms are counted, turned around into lists of documents, and written down with what search needs of them. */
import { windowCount } from '../../encoding/windows.ts';
import type { TokenSums } from '../../encoding/token-sums.ts';
import type { DocumentTerms, TermKind } from './document-terms.ts';
import { lexicalParts, termKinds } from './document-terms.ts';
import { growingNumbers } from './growing-numbers.ts';
import { createPartPostings, joiningRoom, partsByTerm, termLists } from './part-postings.ts';
import type { PartLists, TermLists, TermParts } from './part-postings.ts';
import { isFullList, MOST_IN_FULL, MOST_POSTING_BYTES, writeFull, writeSparse } from './posting-lists.ts';
import { listSum } from './list-sum.ts';
import type { Sections } from './section-file.ts';
import { HASH_BITS } from './term-hash.ts';

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
  /** Terms of its documents so far, those of a part counted once a document: what decides when it is written. */
  readonly postings: () => number;
  readonly finish: () => Sections;
};

const bytesOf = (array: ArrayBufferView<ArrayBuffer>): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
const SMALL_VOCABULARY = 2 ** 16;

export function createSegmentBuilder(options: { readonly documentTerms: DocumentTerms; readonly tokenSums: TokenSums | null; readonly modelId: string; readonly rules: string }): SegmentBuilder {
  const { documentTerms, tokenSums, modelId, rules } = options;
  const partPostings = createPartPostings();
  const lengths = termKinds.map(() => growingNumbers((n) => new Uint32Array(n)));
  const tokenIds = growingNumbers((n) => new Uint32Array(n));
  const tokenEnds = growingNumbers((n) => new Uint32Array(n));
  const factors = growingNumbers((n) => new Float32Array(n));
  const runs: { batch: number; path: string; first: number; firstChunk: number; count: number }[] = [];
  const labels: PartLabels[] = [];
  const labelNumbers = new Map<string, number>();
  const labelOf = growingNumbers((n) => new Uint16Array(n));
  let postings = 0;

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
    size: partPostings.size,
    postings: () => postings,
    add: ({ batch, chunk, path, text, speaker, tier }) => {
      const last = runs.at(-1);
      if (last?.batch === batch && last.path === path && last.firstChunk + last.count === chunk) last.count += 1;
      else runs.push({ batch, path, first: partPostings.size(), firstChunk: chunk, count: 1 });
      labelOf.push(labelNumber({ speaker, tier }));
      const parts = documentTerms.partsOf(text);
      partPostings.addDocument(parts);
      lengths.forEach((own, kind) => own.push(parts.lengths[kind] ?? 0));
      postings += parts.postings;
      const { tokens } = parts;
      if (tokenSums === null) return 0;
      tokenIds.append(tokens);
      tokenEnds.push(tokenIds.length());
      factors.append(tokenSums.factors(tokens));
      return tokens.length === 0 ? 0 : 1 + windowCount(tokens.length);
    },
    finish: () => {
      const size = partPostings.size();
      const sections = new Map<string, readonly Uint8Array[]>();
      const facts: SegmentFacts = { version: SEGMENT_VERSION, size, modelId, rules, runs, labels };
      sections.set('facts', [Buffer.from(JSON.stringify(facts))]);
      const room = joiningRoom(size);
      const write = (kind: number, lists: PartLists, termCount: number, order: (termParts: TermParts) => TermOrder): TermParts => {
        const name = termKinds[kind] ?? 'tokens';
        const termParts = partsByTerm({ documentTerms, kind, termCount, lists });
        writeLists(sections, name, { order: order(termParts), lists: termLists(termParts, lists, room), size });
        sections.set(`${name}.lengths`, [bytesOf(lengths[kind]?.take() ?? new Uint32Array(0))]);
        return termParts;
      };
      const byWord = partPostings.byPart(documentTerms.size(), documentTerms.sameWord);
      lexicalParts.forEach((name, kind) => {
        const terms = documentTerms.terms[name];
        const termParts = write(kind, byWord, terms.size(), (own) => orderByHash(own, terms.hashOf));
        if (name === 'characters') writeSpellings(sections, termParts, documentTerms);
      });
      if (labels.length > 0) sections.set('labels', [bytesOf(labelOf.take())]);
      if (tokenSums !== null) {
        write(termKinds.indexOf('tokens'), partPostings.byPart(documentTerms.size()), tokenSums.vocabularySize, orderByNumber);
        const ids = tokenIds.take();
        sections.set('tokens.ids', [bytesOf(tokenSums.vocabularySize <= SMALL_VOCABULARY ? new Uint16Array(ids) : ids)]);
        sections.set('tokens.ends', [bytesOf(tokenEnds.take())]);
        sections.set('tokens.factors', [bytesOf(factors.take())]);
      }
      return sections;
    },
  };
}

/** The terms that occur, by rising hash, and their hashes. */
type TermOrder = { readonly terms: Uint32Array; readonly hashes: Float64Array<ArrayBuffer> };

/** The dictionary of a kind of terms (hashes rising, document frequencies, places and sums of lists) and its lists. */
function writeLists(sections: Map<string, readonly Uint8Array[]>, name: TermKind, { order: { terms, hashes }, lists, size }: { readonly order: TermOrder; readonly lists: TermLists; readonly size: number }): void {
  const documentFrequencies = new Uint32Array(terms.length);
  const offsets = new Uint32Array(terms.length + 1);
  const sums = new Uint32Array(terms.length);
  let bytes = new Uint8Array(LEAST_LIST_ROOM);
  let at = 0;
  const makeRoom = (room: number): void => {
    if (at + room <= bytes.length) return;
    const larger = new Uint8Array(2 * (at + room));
    larger.set(bytes.subarray(0, at));
    bytes = larger;
  };
  /** Writes the list of a term at `at`. @returns how many documents it has, and where it ends. */
  const writeList = (term: number): { readonly count: number; readonly end: number } => {
    if (isFullList(lists.atLeast(term), size)) {
      makeRoom(size);
      return { count: lists.addTo(bytes.fill(0, at, at + size), at, term, MOST_IN_FULL), end: at + size };
    }
    const list = lists.join(term);
    const count = list.to - list.from;
    const isFull = isFullList(count, size);
    makeRoom(isFull ? size : count * MOST_POSTING_BYTES);
    return { count, end: isFull ? writeFull(bytes, at, size, list) : writeSparse(bytes, at, list) };
  };
  for (let i = 0; i < terms.length; i += 1) {
    const { count, end } = writeList(terms[i] ?? 0);
    documentFrequencies[i] = count;
    sums[i] = listSum(bytes, at, end);
    at = end;
    offsets[i + 1] = at;
  }
  sections.set(`${name}.hashes`, [bytesOf(hashes)]);
  sections.set(`${name}.frequencies`, [bytesOf(documentFrequencies)]);
  sections.set(`${name}.offsets`, [bytesOf(offsets)]);
  sections.set(`${name}.sums`, [bytesOf(sums)]);
  sections.set(`${name}.lists`, [bytes.subarray(0, at)]);
}

const LEAST_LIST_ROOM = 2 ** 16;

/** Tokens are known by their ids, which rise as they are. */
function orderByNumber(termParts: TermParts): TermOrder {
  const terms = usedTerms(termParts);
  return { terms, hashes: Float64Array.from(terms) };
}

/** Hashes are evenly spread: put into as many groups as there are terms by their upper bits, few of them are left to be sorted. */
function orderByHash(termParts: TermParts, hashOf: (term: number) => number): TermOrder {
  const used = usedTerms(termParts);
  const groupBits = Math.ceil(Math.log2(used.length + 1));
  const groupRange = 2 ** (HASH_BITS - groupBits);
  const ends = new Uint32Array(2 ** groupBits);
  for (const term of used) {
    const group = Math.floor(hashOf(term) / groupRange);
    ends[group] = (ends[group] ?? 0) + 1;
  }
  for (let group = 1; group < ends.length; group += 1) ends[group] = (ends[group] ?? 0) + (ends[group - 1] ?? 0);
  const terms = new Uint32Array(used.length);
  const hashes = new Float64Array(used.length);
  for (let i = used.length - 1; i >= 0; i -= 1) {
    const term = used[i] ?? 0;
    const hash = hashOf(term);
    const group = Math.floor(hash / groupRange);
    const place = (ends[group] ?? 0) - 1;
    ends[group] = place;
    terms[place] = term;
    hashes[place] = hash;
  }
  for (let i = 1; i < hashes.length; i += 1) {
    const [term, hash] = [terms[i] ?? 0, hashes[i] ?? 0];
    let place = i;
    for (; place > 0 && (hashes[place - 1] ?? 0) > hash; place -= 1) {
      hashes[place] = hashes[place - 1] ?? 0;
      terms[place] = terms[place - 1] ?? 0;
    }
    hashes[place] = hash;
    terms[place] = term;
  }
  return { terms, hashes };
}

function usedTerms({ starts }: TermParts): Uint32Array {
  const used = new Uint32Array(starts.length);
  let count = 0;
  for (let term = 0; term + 1 < starts.length; term += 1) {
    if (starts[term] === starts[term + 1]) continue;
    used[count] = term;
    count += 1;
  }
  return used.subarray(0, count);
}

/** Words by the hash of their spelling without marks, so that a word typed without them is found. */
function writeSpellings(sections: Map<string, readonly Uint8Array[]>, { starts }: TermParts, { spellings }: DocumentTerms): void {
  const entries = [...spellings].filter(([term]) => (starts[term + 1] ?? 0) > (starts[term] ?? 0)).map(([, spelling]) => spelling);
  entries.sort((a, b) => a.hash - b.hash || (a.word < b.word ? -1 : 1));
  sections.set('spellings.hashes', [bytesOf(Float64Array.from(entries, ({ hash }) => hash))]);
  sections.set('spellings.words', [Buffer.from(entries.map(({ word }) => word).join('\n'))]);
}
