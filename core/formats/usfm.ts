/** Which verses does a USFM file hold (Paratext, Bible translations)? Notes, cross-references, figures and numbers are dropped. */
import { fault, oneLine, part } from './parsing.ts';
import type { LineParser, Parsed } from './parsing.ts';

/** A verse, or several written as one: "3", "3-4", "3a". */
export type UsfmVerse = {
  readonly kind: 'verse';
  readonly book: string;
  readonly chapter: number;
  /** As written, without spaces. */
  readonly verse: string;
  readonly first: number;
  readonly last: number;
  /** Without markup, on one line; '' for a verse that is only announced. */
  readonly text: string;
  readonly footnotes: number;
  readonly crossReferences: number;
  readonly line: number;
};

/** A heading or a paragraph outside verses (introductions, Psalm titles); `marker` as written ("s1", "ip", "d"). */
export type UsfmAside = {
  readonly kind: 'heading' | 'paragraph';
  readonly book: string;
  readonly chapter: number;
  readonly marker: string;
  readonly text: string;
  readonly footnotes: number;
  readonly crossReferences: number;
  readonly line: number;
};

export type UsfmPart = UsfmVerse | UsfmAside;

/** `\marker`, `\+nested`, `\marker*`, a milestone `\zaln-s ... \*` or a bare `\*`. */
const MARKER = /\\(?:(\+?)([a-zA-Z][a-zA-Z0-9]*(?:-[se])?)(\*?)|\*)/g;

const FOOTNOTES = new Set(['f', 'fe', 'ef']);
const CROSS_REFERENCES = new Set(['x', 'ex']);
/** Runs whose content is no running text: figures, other numbers of chapters and verses, pronunciation, quoted references, ... */
const DROPPED_RUNS = new Set(['fig', 'ca', 'va', 'vp', 'pro', 'rq', 'cat', 'xt', 'rt', 'ior']);
/** Lines about the file, its names and its chapters. */
const DROPPED_LINES = new Set(['ide', 'usfm', 'rem', 'sts', 'h', 'h1', 'h2', 'h3', 'toc', 'toc1', 'toc2', 'toc3', 'toca1', 'toca2', 'toca3', 'cl', 'cp', 'cd', 'restore', 'r', 'mr', 'sr']);
const HEADING = /^(?:mt|mte|ms|s|sd|sp|qa|imt|imte|is|iex|iot)\d*$/;
/** Canonical or introductory text that belongs to no verse where it stands before the first. */
const TITLE = /^(?:d|ip|ipi|im|imi|ipq|imq|ipr|iq|ib|ili|io|ie)\d*$/;
const PARAGRAPH = /^(?:p|m|po|pr|cls|pmo|pm|pmc|pmr|pi|mi|nb|pc|ph|b|q|qr|qc|qm|qd|lh|li|lf|lim|tr|pb|lit)\d*$/;
/** Cells and other markers that set words apart. */
const CELL = /^(?:th|thr|thc|tc|tcr|tcc)\d*(?:-\d+)?$/;
const VERSE = /^(\d{1,3})([a-z]?)(?:[-,\u2013\u2010\u2011\u200F\u200E]+(\d{1,3})([a-z]?))*/;
const BOOK = /^([A-Z0-9]{3})\b/i;
const SHOWN = 80;

type OpenPart = { kind: UsfmPart['kind']; marker: string; line: number; verse: string; first: number; last: number; text: string; footnotes: number; crossReferences: number };

/**
 * Reads a book line by line. Text behind a heading goes on in the verse that was open, as USFM has it.
 * Faults: 'missing-book', 'not-a-chapter', 'not-a-verse', 'repeated-verse', 'unclosed-note'. @see USFM 3.0, ubsicap.github.io/usfm
 */
export function usfmParser(): LineParser<UsfmPart> {
  let book = '';
  let chapter = 0;
  let verse: OpenPart | null = null;
  let aside: OpenPart | null = null;
  let isLineDropped = false;
  let note: { readonly marker: string; readonly line: number } | null = null;
  let isSidebar = false;
  let isMilestone = false;
  let awaits: 'book' | 'chapter' | 'verse' | null = null;
  let areAttributes = false; // behind the "|" of a word or a milestone
  let seen = new Set<string>();
  let hasSaidMissingBook = false;
  let found: Parsed<UsfmPart>[] = [];

  const finish = (open: OpenPart): void => {
    const text = oneLine(open.text.replace(/~/g, ' ').replace(/\/\//g, ' ')).replace(/\s+([,.;:!?])(?=\s|$)/g, (whole, sign: string) => (open.footnotes + open.crossReferences > 0 ? sign : whole));
    const { marker, line, footnotes, crossReferences } = open;
    if (open.kind === 'verse') found.push(part({ kind: 'verse', book, chapter, verse: open.verse, first: open.first, last: open.last, text, footnotes, crossReferences, line }));
    else if (text !== '' || footnotes + crossReferences > 0) found.push(part({ kind: open.kind, book, chapter, marker, text, footnotes, crossReferences, line }));
  };
  const closeAside = (): void => {
    if (aside !== null) finish(aside);
    aside = null;
  };
  const closeVerse = (): void => {
    closeAside();
    if (verse !== null) finish(verse);
    verse = null;
  };
  const closeNote = (line: number): void => {
    if (note !== null && (FOOTNOTES.has(note.marker) || CROSS_REFERENCES.has(note.marker))) {
      found.push(fault('unclosed-note', { line: note.line, expected: `\\${note.marker}* before the next verse or chapter (line ${line})`, found: `\\${note.marker} that stays open in ${book} ${chapter}` }));
    }
    note = null;
    areAttributes = false;
    isMilestone = false;
  };
  const target = (): OpenPart | null => aside ?? verse;
  const addText = (text: string, line: number): void => {
    let rest = text;
    if (awaits === 'book') {
      const code = BOOK.exec(rest.trimStart())?.[1];
      book = code?.toUpperCase() ?? '';
      if (book === '') found.push(fault('missing-book', { line, expected: 'the three letters of a book behind \\id', found: rest.trim().slice(0, SHOWN) }));
      hasSaidMissingBook = true;
      awaits = null;
      isLineDropped = true;
      return;
    }
    if (awaits === 'chapter') {
      if (rest.trim() === '') return;
      const number = /^\s*(\d{1,3})(?=\s|$)/.exec(rest);
      awaits = null;
      if (number === null) {
        found.push(fault('not-a-chapter', { line, expected: 'the number of a chapter behind \\c', found: rest.trim().slice(0, SHOWN) }));
        isLineDropped = true;
        return;
      }
      chapter = Number(number[1]);
      rest = rest.slice(number[0].length);
    }
    if (awaits === 'verse') {
      if (rest.trim() === '') return;
      const trimmed = rest.trimStart();
      const number = VERSE.exec(trimmed);
      awaits = null;
      if (number === null) {
        found.push(fault('not-a-verse', { line, expected: 'the number of a verse behind \\v', found: trimmed.slice(0, SHOWN) }));
        verse = null;
        return;
      }
      openVerse(number[0].replace(/[\u200E\u200F]/g, '').replace(/[\u2010\u2011\u2013]/g, '-'), line);
      rest = trimmed.slice(number[0].length);
    }
    if (isLineDropped || isSidebar || isMilestone || note !== null) return;
    if (areAttributes) return;
    const bar = rest.indexOf('|');
    const open = target();
    if (bar >= 0 && isRunOpen) {
      areAttributes = true;
      rest = rest.slice(0, bar);
    }
    if (open !== null) open.text += rest;
  };
  let isRunOpen = false; // inside \w ...\w* and the like, where "|" begins attributes
  const openVerse = (written: string, line: number): void => {
    const numbers = [...written.matchAll(/\d+/g)].map(Number);
    const first = numbers[0] ?? 0;
    const last = Math.max(first, ...numbers);
    const key = `${chapter}:${written}`;
    if (seen.has(key)) found.push(fault('repeated-verse', { line, expected: 'each verse once', found: `${book} ${key} again` }));
    seen.add(key);
    if (book === '' && !hasSaidMissingBook) {
      hasSaidMissingBook = true;
      found.push(fault('missing-book', { line, expected: 'a line \\id with the three letters of the book before the first verse', found: 'none' }));
    }
    verse = { kind: 'verse', marker: 'v', line, verse: written, first, last, text: '', footnotes: 0, crossReferences: 0 };
  };
  const onMarker = (marker: string, isEnd: boolean, line: number): void => {
    if (isMilestone && !isEnd) return;
    if (isEnd) {
      if (note !== null) {
        if (note.marker === marker) note = null;
      } else isRunOpen = false;
      areAttributes = false;
      return;
    }
    if (/-[se]$/.test(marker) || marker === 'ts') {
      isMilestone = true;
      return;
    }
    const isBlock = marker === 'c' || marker === 'v' || marker === 'id' || PARAGRAPH.test(marker) || HEADING.test(marker) || TITLE.test(marker) || DROPPED_LINES.has(marker);
    if (note !== null) {
      if (!isBlock) return;
      closeNote(line);
    }
    if (isBlock) {
      isLineDropped = false;
      areAttributes = false;
      isRunOpen = false;
    }
    if (marker === 'esb') {
      closeAside();
      isSidebar = true;
    } else if (marker === 'esbe') isSidebar = false;
    else if (marker === 'id') {
      closeVerse();
      book = '';
      chapter = 0;
      seen = new Set();
      hasSaidMissingBook = false;
      awaits = 'book';
    } else if (marker === 'c') {
      closeVerse();
      awaits = 'chapter';
    } else if (marker === 'v') {
      closeVerse();
      awaits = 'verse';
    } else if (isSidebar) return;
    else if (FOOTNOTES.has(marker) || CROSS_REFERENCES.has(marker) || DROPPED_RUNS.has(marker)) {
      note = { marker, line };
      const open = target();
      if (open !== null && FOOTNOTES.has(marker)) open.footnotes += 1;
      if (open !== null && CROSS_REFERENCES.has(marker)) open.crossReferences += 1;
    } else if (DROPPED_LINES.has(marker)) {
      closeAside();
      isLineDropped = true;
    } else if (HEADING.test(marker)) {
      closeAside();
      aside = { kind: 'heading', marker, line, verse: '', first: 0, last: 0, text: '', footnotes: 0, crossReferences: 0 };
    } else if (TITLE.test(marker)) {
      closeAside();
      aside = { kind: 'paragraph', marker, line, verse: '', first: 0, last: 0, text: '', footnotes: 0, crossReferences: 0 };
    } else if (PARAGRAPH.test(marker)) {
      closeAside();
      if (verse !== null) verse.text += ' ';
      else aside = { kind: 'paragraph', marker, line, verse: '', first: 0, last: 0, text: '', footnotes: 0, crossReferences: 0 };
    } else if (CELL.test(marker)) addText(' ', line);
    else isRunOpen = true;
  };
  return {
    push: (text, line) => {
      found = [];
      const open = target();
      if (open !== null) open.text += ' ';
      let at = 0;
      for (const match of text.matchAll(MARKER)) {
        addText(text.slice(at, match.index), line);
        at = match.index + match[0].length;
        const [, , marker, star] = match;
        if (marker === undefined) {
          isMilestone = false; // the bare \* that ends a milestone
          areAttributes = false;
        } else {
          onMarker(marker, star === '*', line);
          if (star !== '*' && /\s/.test(text[at] ?? '')) at += 1; // the space that ends a marker is no text
        }
      }
      addText(text.slice(at), line);
      return found;
    },
    end: () => {
      found = [];
      closeNote(0);
      closeVerse();
      return found;
    },
  };
}
