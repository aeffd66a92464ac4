/** Into which chunks is a document cut for search? By structure first, then by sentences; never inside a visible character. */
import { canonicaliseTag, isLanguageTag } from '../text/language.ts';
import { segmentGraphemes, segmentSentences, segmentWords } from '../text/segment.ts';
import type { TextSpan } from '../text/segment.ts';
import { BLOCK_GAP, documentText, lineCounter } from './parsed-document.ts';
import type { AlignedText, Block, BlockKind, DocumentLocation, DocumentPlace, ParsedDocument } from './parsed-document.ts';

/**
 * `text` is exactly documentText(document).slice(start, end); start and end count UTF-16 code units. The location is that of the
 * chunk's beginning, but `timeMs` spans all of it; `last` is the place of its end where page, verse, slide or row differ.
 * `aligned` are the translations and glosses of its blocks, in order; `language` is that of its blocks where the file says it.
 */
export type Chunk = {
  readonly text: string;
  readonly location: DocumentLocation & { readonly start: number; readonly end: number; readonly last?: DocumentPlace };
  readonly aligned?: readonly AlignedText[];
  readonly language?: string;
};

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
/** Whatever is dense lies here: one cheap look spares most texts the exact one. */
const MAY_BE_DENSE = /[\u1100-\u11FF\u2E80-\uDFFF\uF900-\uFAFF\uFF00-\uFFEF]/;
const NEARBY = 64; // code units that decide where a visible character begins
const FIRST_MARK = 0x300; // below it every code unit but CR LF is a visible character of its own
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const WINDOW = 8192; // text is segmented in windows, so that one endless line costs no more than many short ones

const STANDS_ALONE: ReadonlySet<BlockKind> = new Set(['row', 'segment']);

/** A stretch of the document's text: [start, end) with its size. */
type Span = { readonly start: number; readonly end: number; readonly size: number };

/**
 * Cuts a document into chunks, in reading order. Together they hold all its text but the white space between them.
 * A heading and a slide begin a chunk; table rows and segments (verses, utterances ...) are chunks of their own; short paragraphs are
 * joined; long ones are cut between sentences into parts of even size, a sentence too long between words, a word too long between graphemes.
 */
export function chunkDocument(document: Pick<ParsedDocument, 'blocks' | 'language'>, options: ChunkOptions = {}): readonly Chunk[] {
  const { limit = DEFAULT_LIMIT, measure = defaultSize, language = document.language } = options;
  const text = documentText(document);
  const cut = cutterFor(language);
  const chunks: Chunk[] = [];
  const starts = blockStarts(document.blocks);
  const locate = locator(text, document.blocks, starts);
  let open: Span | null = null;

  const close = (): void => {
    if (open !== null) chunks.push(...chunkOf(text, open, locate));
    open = null;
  };
  const extend = (span: Span): void => {
    open = open === null ? span : { start: open.start, end: span.end, size: open.size + BLOCK_GAP.length + span.size };
  };

  document.blocks.forEach((block, i) => {
    const start = starts[i] ?? 0;
    const whole = { start, end: start + block.text.length, size: measure(block.text) };
    const openSize = sizeOf(open);
    const isAlone = STANDS_ALONE.has(block.kind);
    const isNewSlide = block.location.slide !== document.blocks[i - 1]?.location.slide;
    if (isAlone || isNewSlide || (block.kind === 'heading' && openSize >= limit * SMALL_SHARE)) close();
    if (whole.size + withGap(open) <= limit) extend(whole);
    else {
      if (sizeOf(open) >= limit * SMALL_SHARE) close();
      const isOnePart = open === null && whole.size <= limit; // no need to look for its sentences
      for (const part of isOnePart ? [whole] : evenParts({ text, whole, limit, measure, cut, already: withGap(open) })) {
        if (open !== null && withGap(open) + part.size > limit) close();
        extend(part);
        if (part.end < whole.end) close();
      }
    }
    if (isAlone) close();
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

/** Spans between consecutive cuts inside a whole; a cut inside a visible character is no cut. */
function spansOf(cuts: readonly number[], { start, end }: Span, measure: (text: string) => number, text: string): readonly Span[] {
  const spans: Span[] = [];
  let from = start;
  for (const to of [...cuts.filter((at) => at > start && at < end && isBetweenGraphemes(text, at)), end]) {
    if (to > from) spans.push({ start: from, end: to, size: measure(text.slice(from, to)) });
    from = to;
  }
  return spans;
}

function chunkOf(text: string, { start, end }: Span, locate: Locate): Chunk[] {
  const raw = text.slice(start, end);
  const trimmed = raw.trim();
  if (trimmed === '') return [];
  const to = start + raw.trimEnd().length;
  let from = start + raw.length - raw.trimStart().length;
  while (from > start && !isBetweenGraphemes(text, from)) from -= 1; // a mark that stands on a space keeps it
  const { location, last, aligned, language } = locate(from, to);
  return [
    {
      text: text.slice(from, to),
      location: { ...location, start: from, end: to, ...(last === undefined ? {} : { last }) },
      ...(aligned.length === 0 ? {} : { aligned }),
      ...(language === '' ? {} : { language }),
    },
  ];
}

/** What the blocks of [from, to) say of it. Asked for in rising order. */
type Locate = (from: number, to: number) => { readonly location: DocumentLocation; readonly last?: DocumentPlace; readonly aligned: readonly AlignedText[]; readonly language: string };

/** The location of the block where a stretch begins, with the lines inside the block counted on, and what its other blocks add. */
function locator(text: string, blocks: readonly Block[], starts: readonly number[]): Locate {
  const lineAt = lineCounter(text);
  let index = 0;
  let firstLine = 1; // of the block, counted in the text of the document
  return (from, to) => {
    while (index + 1 < starts.length && (starts[index + 1] ?? 0) <= from) {
      index += 1;
      firstLine = lineAt(starts[index] ?? 0);
    }
    let end = index;
    while (end + 1 < starts.length && (starts[end + 1] ?? 0) < to) end += 1;
    const [first, final] = [blocks[index], blocks[end]];
    if (first === undefined || final === undefined) return { location: { line: 1, headings: [] }, aligned: [], language: '' };
    const hasLines = first.kind !== 'row' && first.location.line > 0;
    const location = hasLines ? { ...first.location, line: first.location.line + lineAt(from) - firstLine } : first.location;
    if (end === index) return { location, aligned: first.aligned ?? [], language: first.language ?? '' };
    const inside = blocks.slice(index, end + 1);
    const language = inside.every((block) => block.language === first.language) ? (first.language ?? '') : '';
    const { timeMs } = final.location;
    const isElsewhere = PLACES.some((key) => final.location[key] !== first.location[key]);
    return {
      location: location.timeMs === undefined || timeMs === undefined ? location : { ...location, timeMs: { start: location.timeMs.start, end: Math.max(location.timeMs.end, timeMs.end) } },
      ...(isElsewhere ? { last: final.location } : {}),
      aligned: inside.flatMap((block) => block.aligned ?? []),
      language,
    };
  };
}

/** Where two blocks of one chunk may lie apart. */
const PLACES = ['page', 'verse', 'slide', 'sheet', 'row'] as const;

function blockStarts(blocks: readonly Block[]): readonly number[] {
  let at = 0;
  return blocks.map(({ text }) => {
    const start = at;
    at += text.length + BLOCK_GAP.length;
    return start;
  });
}

function defaultSize(text: string): number {
  return MAY_BE_DENSE.test(text) ? text.length + (DENSE_WEIGHT - 1) * (text.match(DENSE)?.length ?? 0) : text.length;
}

/** Where a text may be cut inside [from, to): the starts of its sentences, words, runs of graphemes; offsets in that text. */
type Cutter = {
  readonly sentences: (text: string, from: number, to: number) => readonly number[];
  readonly words: (text: string, from: number, to: number) => readonly number[];
  readonly graphemeRuns: (text: string, from: number, to: number, length: number) => readonly number[];
};

function cutterFor(language: string | undefined): Cutter {
  const tag = language !== undefined && isLanguageTag(language) ? canonicaliseTag(language) : undefined;
  const starts = (segment: (text: string) => readonly TextSpan[], text: string, from: number, to: number): readonly number[] =>
    windows(text, from, to).flatMap((window) => [window.from, ...segment(text.slice(window.from, window.to)).map(({ start }) => window.from + start)]);
  return {
    sentences: (text, from, to) => starts((window) => segmentSentences(window, tag), text, from, to),
    words: (text, from, to) => starts((window) => segmentWords(window, tag), text, from, to),
    graphemeRuns: (text, from, to, length) => {
      let last = from;
      return starts(segmentGraphemes, text, from, to).filter((start) => {
        if (start - last < length) return false;
        last = start;
        return true;
      });
    },
  };
}

/** [from, to) in windows of at most WINDOW code units that end after a line, else after a space, else anywhere. */
function windows(text: string, from: number, to: number): readonly { readonly from: number; readonly to: number }[] {
  const list: { from: number; to: number }[] = [];
  let start = from;
  while (to - start > WINDOW) {
    const window = text.slice(start, start + WINDOW);
    const cut = Math.max(window.lastIndexOf('\n'), 0) || Math.max(window.lastIndexOf(' '), 0) || WINDOW - 1;
    list.push({ from: start, to: start + cut + 1 });
    start += cut + 1;
  }
  return [...list, { from: start, to }];
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Is a cut here between two visible characters? Judged from the text nearby. */
function isBetweenGraphemes(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (before < FIRST_MARK && after < FIRST_MARK) return before !== CARRIAGE_RETURN || after !== LINE_FEED;
  const from = Math.max(0, at - NEARBY);
  return graphemes.segment(text.slice(from, at + NEARBY)).containing(at - from)?.index === at - from;
}
