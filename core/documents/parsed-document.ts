/** What is a document once it is read? Blocks of text in reading order, each with its place. */
import type { FileProblem } from '../base/text-files.ts';

/**
 * 'row' is a row of a table, 'segment' a unit with a place of its own (verse, utterance, dictionary entry, translation unit):
 * a chunk never holds two of them. 'note' is a footnote, an endnote, a remark or a speaker's note.
 */
export type BlockKind = 'heading' | 'paragraph' | 'list' | 'code' | 'row' | 'segment' | 'note';

/** Milliseconds from the beginning of a recording. */
export type TimeSpan = { readonly start: number; readonly end: number };

/** A place inside a file, as its readers name it; all numbers count from 1. `line` is 0 where a file has no lines (PDF, office files). */
export type DocumentPlace = {
  readonly line: number;
  readonly row?: number;
  /** In files without lines: which paragraph, headings and table rows counted. */
  readonly paragraph?: number;
  readonly page?: number;
  /** Book, chapter and verse as in "GEN 1:3" or "GEN 1:3-4". */
  readonly verse?: string;
  readonly timeMs?: TimeSpan;
  readonly speaker?: string;
  readonly tier?: string;
  readonly sheet?: string;
  readonly slide?: number;
};

/** Where a block or chunk begins. `headings` are those above it, outermost first. */
export type DocumentLocation = DocumentPlace & { readonly headings: readonly string[] };

/** What says the same as a text: a translation or a gloss. `language` as the file writes it (BCP 47 where it does), or the name of its tier, or ''. */
export type AlignedText = { readonly language: string; readonly text: string };

/** `text` is never empty and has no white space at its ends. `aligned` is shown with a hit, not searched. `language` where the file says it of this block. */
export type Block = { readonly kind: BlockKind; readonly text: string; readonly location: DocumentLocation; readonly aligned?: readonly AlignedText[]; readonly language?: string };

export type ParsedDocument = {
  readonly path: string;
  /** A row of the format table. */
  readonly format: string;
  /** Its own title, else the name of the file without its ending. */
  readonly title: string;
  /** The language the document declares (BCP 47, as written), if it does. */
  readonly language?: string;
  readonly blocks: readonly Block[];
  /** What could not be read as it stands; the rest is in `blocks`. */
  readonly problems: readonly FileProblem[];
};

/** What a format makes of a decoded text. */
export type DocumentContent = { readonly title?: string; readonly language?: string; readonly blocks: readonly Block[]; readonly problems?: readonly FileProblem[] };

/** What stands between two blocks in the text of a document. */
export const BLOCK_GAP = '\n\n';

/** The text that chunk offsets count in: all blocks, joined by BLOCK_GAP. */
export function documentText({ blocks }: { readonly blocks: readonly Block[] }): string {
  return blocks.map(({ text }) => text).join(BLOCK_GAP);
}

export type BlockExtras = { readonly aligned?: readonly AlignedText[]; readonly language?: string };

/** A block, or nothing when no text is left after trimming; a line moves with trimmed line ends. Aligned texts without text are left out. */
export function makeBlock(kind: BlockKind, text: string, location: DocumentLocation, { aligned = [], language = '' }: BlockExtras = {}): Block[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const before = text.length === trimmed.length || location.line === 0 ? '' : text.slice(0, text.length - text.trimStart().length);
  const kept = aligned.map(({ language, text: said }) => ({ language, text: said.trim() })).filter(({ text: said }) => said !== '');
  const moved = before === '' ? location : { ...location, line: location.line + before.split('\n').length - 1 };
  return [{ kind, text: trimmed, location: moved, ...(kept.length === 0 ? {} : { aligned: kept }), ...(language === '' ? {} : { language }) }];
}

/** The headings above a place. `enter` closes those of the new heading's level and below, and returns the ones above it. */
export function headingStack(): { readonly enter: (level: number, text: string) => readonly string[]; readonly current: () => readonly string[] } {
  let open: readonly { readonly level: number; readonly text: string }[] = [];
  const current = (): readonly string[] => open.map(({ text }) => text);
  return {
    enter: (level, text) => {
      open = open.filter((heading) => heading.level < level);
      const above = current();
      open = [...open, { level, text }];
      return above;
    },
    current,
  };
}

/** The line (from 1) of places in a text that are asked for in rising order; a place before the last one gets the last one's line. */
export function lineCounter(text: string): (index: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (index) => {
    while (next >= 0 && next < index) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}
