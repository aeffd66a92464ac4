/** Into which chunks is a document cut for search? By structure first, then by sentences; never inside a visible character. */
import { BLOCK_GAP, documentText } from './parsed-document.ts';
import type { Block, DocumentLocation, ParsedDocument } from './parsed-document.ts';

/** `text` is exactly documentText(document).slice(start, end); start and end count UTF-16 code units. */
export type Chunk = { readonly text: string; readonly location: DocumentLocation & { readonly start: number; readonly end: number } };

export type ChunkOptions = {
  /** The size a chunk does not pass, in units of `measure`. Default 1,000: some 200 tokens. */
  readonly limit?: number;
  /** The size of a text; additive enough to be summed over sentences. Default: characters, those of Han, kana and Hangul three times. */
  readonly measure?: (text: string) => number;
  /** Language of the text (BCP 47), for sentence ends. */
  readonly language?: string;
};

const DEFAULT_LIMIT = 1000;
const SMALL_SHARE = 0.2; // a chunk below this share of the limit is joined with what follows, even over a heading
const DENSE_WEIGHT = 3; // a Han, kana or Hangul character carries about as much as three letters
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const WINDOW = 8192; // text is segmented in windows, so that one endless line costs no more than many short ones

/** A stretch of the document's text: [start, end) with its size. */
type Span = { readonly start: number; readonly end: number; readonly size: number };

/**
 * Cuts a document into chunks, in reading order. Together they hold all its text but the white space between them.
 * A heading begins a chunk; table rows are chunks of their own; short paragraphs are joined; long ones are cut between
 * sentences into parts of even size, a sentence too long between words, a word too long between graphemes.
 */
export function chunkDocument(document: Pick<ParsedDocument, 'blocks' | 'language'>, options: ChunkOptions = {}): readonly Chunk[] {
  const { limit = DEFAULT_LIMIT, measure = defaultSize, language = document.language } = options;
  const text = documentText(document);
  const cut = sentenceCutter(language);
  const chunks: Chunk[] = [];
  const starts = blockStarts(document.blocks);
  let open: Span | null = null;

  const close = (): void => {
    if (open !== null) chunks.push(...chunkOf(text, open, document.blocks, starts));
    open = null;
  };
  const extend = (span: Span): void => {
    open = open === null ? span : { start: open.start, end: span.end, size: open.size + BLOCK_GAP.length + span.size };
  };

  document.blocks.forEach((block, i) => {
    const start = starts[i] ?? 0;
    const whole = { start, end: start + block.text.length, size: measure(block.text) };
    const openSize = sizeOf(open);
    if (block.kind === 'row' || (block.kind === 'heading' && openSize >= limit * SMALL_SHARE)) close();
    if (whole.size + withGap(open) <= limit) extend(whole);
    else {
      if (sizeOf(open) >= limit * SMALL_SHARE) close();
      for (const part of evenParts({ text, whole, limit, measure, cut, already: withGap(open) })) {
        if (open !== null && withGap(open) + part.size > limit) close();
        extend(part);
        if (part.end < whole.end) close();
      }
    }
    if (block.kind === 'row') close();
  });
  close();
  return chunks;
}

const sizeOf = (span: Span | null): number => span?.size ?? 0;

/** The size of what is open and of the gap that would follow it. */
const withGap = (span: Span | null): number => (span === null ? 0 : span.size + BLOCK_GAP.length);

/** Sentences of a long block packed into as few parts as the limit asks for, of about the same size. */
function evenParts(options: { readonly text: string; readonly whole: Span; readonly limit: number; readonly measure: (text: string) => number; readonly cut: Cutter; readonly already: number }): readonly Span[] {
  const { text, whole, limit, measure, cut, already } = options;
  const count = Math.max(1, Math.ceil((whole.size + already) / limit));
  const goal = (whole.size + already) / count;
  const parts: Span[] = [];
  let open: Span | null = null;
  let taken = already;
  for (const piece of smallPieces({ text, whole, limit, measure, cut })) {
    if (open !== null && (taken + piece.size > limit || taken + piece.size / 2 > goal)) {
      parts.push(open);
      open = null;
      taken = 0;
    }
    open = open === null ? piece : { start: open.start, end: piece.end, size: open.size + piece.size };
    taken += piece.size;
  }
  return open === null ? parts : [...parts, open];
}

/** Sentences; those above the limit as words; those above the limit as runs of graphemes. */
function smallPieces({ text, whole, limit, measure, cut }: { readonly text: string; readonly whole: Span; readonly limit: number; readonly measure: (text: string) => number; readonly cut: Cutter }): readonly Span[] {
  const refine = (spans: readonly Span[], finer: (from: number, to: number) => readonly number[]): readonly Span[] =>
    spans.flatMap((span) => (span.size <= limit ? [span] : spansOf(finer(span.start, span.end), span, measure, text)));
  const sentences = spansOf(cut.sentences(text, whole.start, whole.end), whole, measure, text);
  return refine(refine(sentences, (from, to) => cut.words(text, from, to)), (from, to) => cut.graphemeRuns(text, from, to, limit / DENSE_WEIGHT));
}

/** Spans between consecutive ends inside a whole. */
function spansOf(ends: readonly number[], { start, end }: Span, measure: (text: string) => number, text: string): readonly Span[] {
  const spans: Span[] = [];
  let from = start;
  for (const to of [...ends.filter((at) => at > start && at < end), end]) {
    if (to > from) spans.push({ start: from, end: to, size: measure(text.slice(from, to)) });
    from = to;
  }
  return spans;
}

function chunkOf(text: string, { start, end }: Span, blocks: readonly Block[], starts: readonly number[]): Chunk[] {
  const raw = text.slice(start, end);
  const trimmed = raw.trim();
  if (trimmed === '') return [];
  const from = start + raw.indexOf(trimmed);
  const to = from + trimmed.length;
  const index = lastAtOrBefore(starts, from);
  const block = blocks[index];
  const blockStart = starts[index] ?? 0;
  const linesInside = block === undefined || block.kind === 'row' ? 0 : text.slice(blockStart, from).split('\n').length - 1;
  const location = block?.location ?? { line: 1, headings: [] };
  return [{ text: trimmed, location: { ...location, line: location.line + linesInside, start: from, end: to } }];
}

function blockStarts(blocks: readonly Block[]): readonly number[] {
  let at = 0;
  return blocks.map(({ text }) => {
    const start = at;
    at += text.length + BLOCK_GAP.length;
    return start;
  });
}

function lastAtOrBefore(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
}

function defaultSize(text: string): number {
  return text.length + (DENSE_WEIGHT - 1) * (text.match(DENSE)?.length ?? 0);
}

/** Ends of sentences, words and runs of graphemes inside [from, to) of a text, as offsets in that text. */
type Cutter = {
  readonly sentences: (text: string, from: number, to: number) => readonly number[];
  readonly words: (text: string, from: number, to: number) => readonly number[];
  readonly graphemeRuns: (text: string, from: number, to: number, length: number) => readonly number[];
};

function sentenceCutter(language: string | undefined): Cutter {
  const locale = language !== undefined && isSupported(language) ? language : undefined;
  const sentences = new Intl.Segmenter(locale, { granularity: 'sentence' });
  const words = new Intl.Segmenter(locale, { granularity: 'word' });
  const graphemes = new Intl.Segmenter(locale, { granularity: 'grapheme' });
  const ends = (segmenter: Intl.Segmenter, text: string, from: number, to: number): readonly number[] =>
    windows(text, from, to, graphemes).flatMap((window) => [...segmenter.segment(text.slice(window.from, window.to))].map(({ index, segment }) => window.from + index + segment.length));
  return {
    sentences: (text, from, to) => ends(sentences, text, from, to),
    words: (text, from, to) => ends(words, text, from, to),
    graphemeRuns: (text, from, to, length) => {
      const runs: number[] = [];
      let last = from;
      for (const end of ends(graphemes, text, from, to)) {
        if (end - last < length) continue;
        runs.push(end);
        last = end;
      }
      return runs;
    },
  };
}

/** [from, to) in windows of at most about WINDOW code units that end after a line, else after a space, else after a grapheme. */
function windows(text: string, from: number, to: number, graphemes: Intl.Segmenter): readonly { readonly from: number; readonly to: number }[] {
  const list: { from: number; to: number }[] = [];
  let start = from;
  while (to - start > WINDOW) {
    const end = windowEnd(text, start, graphemes);
    list.push({ from: start, to: end });
    start = end;
  }
  return [...list, { from: start, to }];
}

function windowEnd(text: string, start: number, graphemes: Intl.Segmenter): number {
  const window = text.slice(start, start + WINDOW);
  const line = window.lastIndexOf('\n');
  if (line > 0) return start + line + 1;
  const space = window.lastIndexOf(' ');
  if (space > 0) return start + space + 1;
  const last = [...graphemes.segment(window)].at(-1)?.index ?? 0;
  return start + (last > 0 ? last : WINDOW); // one grapheme longer than a window: it has to be cut
}

function isSupported(language: string): boolean {
  try {
    return Intl.Segmenter.supportedLocalesOf(language).length > 0;
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}
