/** What is a document once it is read? Blocks of text in reading order, each with its place. */
import type { FileProblem } from '../base/text-files.ts';

/** 'row' is a row of a table file; a chunk never holds two. */
export type BlockKind = 'heading' | 'paragraph' | 'list' | 'code' | 'row';

/** Where a block or chunk begins. `line` and `row` count from 1; `headings` are those above it, outermost first. */
export type DocumentLocation = { readonly line: number; readonly row?: number; readonly headings: readonly string[] };

/** `text` is never empty and has no white space at its ends. */
export type Block = { readonly kind: BlockKind; readonly text: string; readonly location: DocumentLocation };

export type ParsedDocument = {
  readonly path: string;
  /** A row of the format table: 'text', 'markdown', 'html', 'csv', 'tsv'. */
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

/** A block, or nothing when no text is left after trimming; the location moves with trimmed line ends. */
export function makeBlock(kind: BlockKind, text: string, location: DocumentLocation): Block[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const before = text.slice(0, text.length - text.trimStart().length);
  return [{ kind, text: trimmed, location: { ...location, line: location.line + before.split('\n').length - 1 } }];
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
