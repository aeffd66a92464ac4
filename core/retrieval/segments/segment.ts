/** What does a segment know? Its documents and, for each way of searching, its dictionary and lists; lists stay on the disk until they are asked for. */
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { EnvironmentError } from '../../base/errors.ts';
import type { LexicalPart } from './document-terms.ts';
import { lowerBound } from './lower-bound.ts';
import { SEGMENT_VERSION } from './segment-builder.ts';
import type { PartLabels, SegmentFacts } from './segment-builder.ts';
import type { SectionSource } from './section-file.ts';

/** The dictionary of one part; terms by place. */
export type SegmentDictionary = {
  /** The place of a term by its hash; -1 when no document has it. */
  readonly find: (hash: number) => number;
  readonly documentFrequency: (place: number) => number;
  /** The list of a term (posting-lists.ts), its sum checked; valid until the next call. @throws EnvironmentError 'index.damaged-segment'. */
  readonly list: (place: number) => Uint8Array;
  /** Terms of each document, repetitions counted. */
  readonly lengths: Uint32Array;
};

export type SegmentTokens = { readonly ids: Uint16Array | Uint32Array; /** Where each document's tokens end. */ readonly ends: Uint32Array; readonly factors: Float32Array };

export type Segment = {
  readonly facts: SegmentFacts;
  readonly sizeBytes: number;
  /** Read when first asked. @throws EnvironmentError 'index.damaged-segment'. */
  readonly dictionary: (part: LexicalPart | 'tokens') => SegmentDictionary;
  readonly hasTokens: boolean;
  readonly tokens: () => SegmentTokens;
  /** Words of this spelling without marks that are written with marks. */
  readonly spellings: (bareHash: number) => readonly string[];
  /** Speaker and tier of a document. */
  readonly labels: (document: number) => PartLabels;
  readonly close: () => void;
};

const factsSchema = z.object({
  version: z.int(),
  size: z.int().min(0),
  modelId: z.string(),
  rules: z.string(),
  runs: z.array(z.object({ batch: z.int(), path: z.string(), first: z.int().min(0), firstChunk: z.int().min(0), count: z.int().min(1) })),
  labels: z.array(z.object({ speaker: z.string().nullable(), tier: z.string().nullable() })),
});

const NO_LABELS: PartLabels = { speaker: null, tier: null };

/** @throws EnvironmentError 'index.damaged-segment'. */
export function openSegment(source: SectionSource): Segment {
  const facts = factsSchema.safeParse(JSON.parse(Buffer.from(source.section('facts')).toString()));
  if (!facts.success || facts.data.version !== SEGMENT_VERSION) throw damagedSegment('facts of another version');
  const { size } = facts.data;
  const dictionaries = new Map<string, SegmentDictionary>();
  const remember = <T>(make: () => T): (() => T) => {
    let made: { readonly value: T } | undefined;
    return () => (made ??= { value: make() }).value;
  };
  const spellingTable = remember(() => ({ hashes: numbers(source, 'spellings.hashes', Float64Array), words: Buffer.from(source.section('spellings.words')).toString().split('\n') }));
  const labelNumbers = remember(() => (source.has('labels') ? numbers(source, 'labels', Uint16Array) : null));
  return {
    facts: facts.data,
    sizeBytes: source.sizeBytes,
    dictionary: (part) => {
      const known = dictionaries.get(part) ?? openDictionary(source, part, size);
      dictionaries.set(part, known);
      return known;
    },
    hasTokens: source.has('tokens.ids'),
    tokens: remember(() => {
      const ends = numbers(source, 'tokens.ends', Uint32Array);
      const bytes = source.section('tokens.ids');
      const count = ends.at(-1) ?? 0;
      const ids = bytes.length === count * Uint16Array.BYTES_PER_ELEMENT ? new Uint16Array(bytes.buffer, bytes.byteOffset, count) : numbers(source, 'tokens.ids', Uint32Array);
      if (ends.length !== size || ids.length !== count) throw damagedSegment('tokens that do not fit its documents');
      return { ids, ends, factors: numbers(source, 'tokens.factors', Float32Array) };
    }),
    spellings: (bareHash) => {
      const { hashes, words } = spellingTable();
      const found: string[] = [];
      for (let i = lowerBound(hashes, bareHash); i < hashes.length && hashes[i] === bareHash; i += 1) found.push(words[i] ?? '');
      return found;
    },
    labels: (document) => {
      const number = labelNumbers()?.[document] ?? 0;
      return number === 0 ? NO_LABELS : (facts.data.labels[number - 1] ?? NO_LABELS);
    },
    close: source.close,
  };
}

function openDictionary(source: SectionSource, part: string, size: number): SegmentDictionary {
  const hashes = numbers(source, `${part}.hashes`, Float64Array);
  const frequencies = numbers(source, `${part}.frequencies`, Uint32Array);
  const offsets = numbers(source, `${part}.offsets`, Uint32Array);
  const sums = numbers(source, `${part}.sums`, Uint32Array);
  const lengths = numbers(source, `${part}.lengths`, Uint32Array);
  if (lengths.length !== size || offsets.length !== hashes.length + 1) throw damagedSegment(`"${part}" of another size`);
  return {
    lengths,
    find: (hash) => {
      const place = lowerBound(hashes, hash);
      return hashes[place] === hash ? place : -1;
    },
    documentFrequency: (place) => frequencies[place] ?? 0,
    list: (place) => {
      const from = offsets[place] ?? 0;
      const bytes = source.part(`${part}.lists`, from, (offsets[place + 1] ?? from) - from);
      if (crc32(bytes) !== sums[place]) throw damagedSegment(`a damaged list of "${part}"`);
      return bytes;
    },
  };
}

type NumberArray<A> = { new (buffer: ArrayBuffer, byteOffset: number, length: number): A; readonly BYTES_PER_ELEMENT: number };

function numbers<A>(source: SectionSource, name: string, kind: NumberArray<A>): A {
  const bytes = source.section(name);
  return new kind(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / kind.BYTES_PER_ELEMENT));
}

export function damagedSegment(what: string): EnvironmentError {
  return new EnvironmentError('index.damaged-segment', `A search file of this index is damaged (${what}). It is made again from the stored texts.`);
}
