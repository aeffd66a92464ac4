/** In which order is a page of a PDF read, and where do its paragraphs end? From the places of its text alone. */

/** A run of text as a page draws it. `x`, `y` is the left end of its baseline, y upwards; lengths in points. */
export type Fragment = { readonly text: string; readonly x: number; readonly y: number; readonly width: number; readonly size: number; readonly font: string; readonly isRightToLeft: boolean };

/** A line of text in a column. `order` is where the page draws it, `font` the one most of it is set in. */
export type Line = { readonly text: string; readonly x: number; readonly y: number; readonly width: number; readonly size: number; readonly font: string; readonly order: number };

const SAME_BASELINE = 0.4; // of the size
const RAISED = { size: 0.87, by: 0.65 }; // marks of notes and the like, raised or lowered: smaller than their line, and further from its baseline
const WORD_GAP = 0.18; // of the size: a wider gap is a space
const COLUMN_GAP = 1.6; // of the size: a wider gap may be one between columns or cells
const FEWEST_COLUMN_LINES = 4;
const MOST_CROSSING = 0.35; // share of lines that may reach over the gap between two columns
const FULL_LINE = 0.55; // of its column: prose fills it, cells of a table do not
const GUTTER_STEPS = 60;
const OVER_COLUMNS = 0.6; // of the width of the page: no line of a column is so long
const MIDDLE = { from: 0.2, to: 0.8 }; // of the width, where a gap between columns may be
const DEPTH = 3; // columns inside columns
const PARAGRAPH_GAP = 1.45; // of the usual distance between lines
const INDENT = 0.9; // of the size
const SIZE_CHANGE = 1.15;
const SHORT_LINE = 0.75; // of the column: the last line of a paragraph

/** Thai and Lao "am", which fonts draw as a ring and a stroke: in the order of the parts, a tone between them or before. */
const TAKEN_APART = /\u0E4D([\u0E48-\u0E4B]?)\u0E32/g;
const TAKEN_APART_LAO = /\u0ECD([\u0EC8-\u0ECB]?)\u0EB2/g;

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Mandaic}\p{Script=Samaritan}\p{Script=Adlam}]/gu;
const LEFT_TO_RIGHT = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}]/u;
const LETTER = /\p{L}/gu;
const SENTENCE_END = /[.!?:;\u2026\u3002\uFF01\uFF1F\u061F\u06D4\u0964\u0965\u1362\u104B\u17D4][\p{Pe}\p{Pf}"'\u201D\u2019]*$/u;
const STARTS_ITEM = /^(?:[\u2022\u25CF\u25E6\u2023\u25AA\u2013\u2014*-]\s|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]\s)/;

/** The lines of a page in reading order: columns one after another, rows of a table side by side, right to left where the script runs so. */
export function linesOf(fragments: readonly Fragment[]): readonly Line[] {
  const pieces = piecesOf(fragments);
  const isRightToLeft = pieces.reduce((sum, { text }) => sum + direction(text), 0) < 0;
  return inReadingOrder(pieces, isRightToLeft, 0);
}

/** Above zero: more letters run from left to right. */
function direction(text: string): number {
  const backwards = text.match(RIGHT_TO_LEFT)?.length ?? 0;
  return (text.match(LETTER)?.length ?? 0) - 2 * backwards;
}

/** Fragments on one baseline, without wide gaps between them. */
function piecesOf(fragments: readonly Fragment[]): readonly Line[] {
  const groups: Fragment[][] = [];
  for (const fragment of fragments) {
    if (fragment.text.trim() === '' && fragment.width > COLUMN_GAP * fragment.size) continue; // a gap, not a space
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && isNextTo(last, fragment)) group.push(fragment);
    else groups.push([fragment]);
  }
  return groups.flatMap((group, order) => {
    const text = textOfRun(group).replace(/\s+/g, ' ').replace(TAKEN_APART, '$1\u0E33').replace(TAKEN_APART_LAO, '$1\u0EB3').trim();
    if (text === '') return [];
    const visible = group.filter((fragment) => fragment.text.trim() !== '');
    const x = Math.min(...visible.map((fragment) => fragment.x));
    const right = Math.max(...visible.map((fragment) => fragment.x + fragment.width));
    const largest = visible.reduce((a, b) => (b.text.length * b.size > a.text.length * a.size ? b : a));
    return [{ text, x, y: largest.y, width: right - x, size: largest.size, font: largest.font, order }];
  });
}

function isNextTo(last: Fragment, next: Fragment): boolean {
  const size = Math.max(last.size, next.size);
  if (!onOneLine(last, next)) return false;
  const gap = next.x >= last.x ? next.x - (last.x + last.width) : last.x - (next.x + next.width);
  return gap < COLUMN_GAP * size && gap > -COLUMN_GAP * size - Math.min(last.width, next.width);
}

/** On one baseline, or a smaller sign a little above or below it. */
function onOneLine(one: Pick<Line, 'y' | 'size'>, other: Pick<Line, 'y' | 'size'>): boolean {
  const size = Math.max(one.size, other.size);
  return Math.abs(one.y - other.y) <= (Math.min(one.size, other.size) <= RAISED.size * size ? RAISED.by : SAME_BASELINE) * size;
}

/** The text of fragments side by side: spaces where there are gaps, from right to left where most letters run so. */
function textOfRun(fragments: readonly Fragment[]): string {
  if (fragments.reduce((sum, { text }) => sum + direction(text), 0) >= 0) return joined(fragments);
  const sorted = [...fragments].sort((a, b) => b.x - a.x);
  const logical: Fragment[] = [];
  let run: Fragment[] = []; // what runs from left to right inside
  const flush = (): void => {
    logical.push(...run.reverse());
    run = [];
  };
  for (const fragment of sorted) {
    if (!fragment.isRightToLeft && LEFT_TO_RIGHT.test(fragment.text)) run.push(fragment);
    else {
      flush();
      logical.push(fragment);
    }
  }
  flush();
  return joined(logical);
}

function joined(fragments: readonly Fragment[]): string {
  let text = '';
  let last: Fragment | null = null;
  for (const fragment of fragments) {
    if (last !== null && !text.endsWith(' ') && !fragment.text.startsWith(' ')) {
      const gap = fragment.x >= last.x ? fragment.x - (last.x + last.width) : last.x - (fragment.x + fragment.width);
      if (gap > WORD_GAP * fragment.size) text += ' ';
    }
    text += fragment.text;
    last = fragment;
  }
  return text;
}

/** Lines over the whole width part the page; between them, columns are read one after the other, and so on inside them. */
function inReadingOrder(pieces: readonly Line[], isRightToLeft: boolean, depth: number): readonly Line[] {
  if (depth >= DEPTH || pieces.length < 2 * FEWEST_COLUMN_LINES) return inRows(pieces);
  const start = Math.min(...pieces.map(({ x }) => x));
  const width = Math.max(...pieces.map((piece) => piece.x + piece.width)) - start;
  const usual = pieces.map(({ size }) => size).sort((a, b) => a - b)[Math.floor(pieces.length / 2)] ?? 1;
  /** A line over the whole width, or a heading with nothing beside it. */
  const parts = (piece: Line): boolean => piece.width > OVER_COLUMNS * width || (piece.size >= SIZE_CHANGE * usual && pieces.every((other) => other === piece || Math.abs(other.y - piece.y) > piece.size));
  const ordered: Line[] = [];
  let between: Line[] = [];
  let over: Line[] = [];
  const flush = (): void => {
    ordered.push(...inRows(over), ...inColumns(between, isRightToLeft, depth));
    [over, between] = [[], []];
  };
  for (const piece of [...pieces].sort((a, b) => b.y - a.y)) {
    if (parts(piece)) {
      if (between.length > 0) flush();
      over.push(piece);
    } else between.push(piece);
  }
  flush();
  return ordered;
}

/** Columns where a gap runs down between them; what reaches over the gap (a heading, a caption) parts them again. */
function inColumns(pieces: readonly Line[], isRightToLeft: boolean, depth: number): readonly Line[] {
  const gutter = findGutter(pieces);
  if (gutter === null) return inRows(pieces);
  const ordered: Line[] = [];
  let [left, right]: [Line[], Line[]] = [[], []];
  const flush = (): void => {
    for (const column of isRightToLeft ? [right, left] : [left, right]) ordered.push(...inReadingOrder(column, isRightToLeft, depth + 1));
    [left, right] = [[], []];
  };
  for (const piece of [...pieces].sort((a, b) => b.y - a.y)) {
    if (piece.x + piece.width <= gutter) left.push(piece);
    else if (piece.x >= gutter) right.push(piece);
    else {
      flush();
      ordered.push(piece);
    }
  }
  flush();
  return ordered;
}

/** Where the gap between two columns of prose is; null when there are none. */
function findGutter(pieces: readonly Line[]): number | null {
  if (pieces.length < 2 * FEWEST_COLUMN_LINES) return null;
  const start = Math.min(...pieces.map(({ x }) => x));
  const end = Math.max(...pieces.map(({ x, width }) => x + width));
  let best: { readonly at: number; readonly crossing: number } | null = null;
  for (let step = 0; step <= GUTTER_STEPS; step += 1) {
    const at = start + (end - start) * (MIDDLE.from + ((MIDDLE.to - MIDDLE.from) * step) / GUTTER_STEPS);
    const crossing = pieces.reduce((sum, { x, width }) => sum + (x < at && x + width > at ? 1 : 0), 0);
    if (best === null || crossing < best.crossing) best = { at, crossing };
  }
  if (best === null || best.crossing > MOST_CROSSING * pieces.length) return null;
  const { at } = best;
  const left = pieces.filter(({ x, width }) => x + width <= at);
  const right = pieces.filter(({ x }) => x >= at);
  if (left.length < FEWEST_COLUMN_LINES || right.length < FEWEST_COLUMN_LINES || !overlap(left, right)) return null;
  return areColumns(left, right) ? at : null;
}

/** Do two sets of lines stand side by side for a good part of their height? */
function overlap(left: readonly Line[], right: readonly Line[]): boolean {
  const [leftTop, leftEnd] = [Math.max(...left.map(({ y }) => y)), Math.min(...left.map(({ y }) => y))];
  const [rightTop, rightEnd] = [Math.max(...right.map(({ y }) => y)), Math.min(...right.map(({ y }) => y))];
  const shared = Math.min(leftTop, rightTop) - Math.max(leftEnd, rightEnd);
  return shared > 0 && shared >= Math.min(leftTop - leftEnd, rightTop - rightEnd) / 2;
}

/** Columns, not a table: their lines are full, or the page draws one side after the other. */
function areColumns(left: readonly Line[], right: readonly Line[]): boolean {
  const room = Math.min(...right.map(({ x }) => x)) - Math.min(...left.map(({ x }) => x)); // from one column to the next
  if (usualWidth(left) >= FULL_LINE * room && usualWidth(right) >= FULL_LINE * room) return true;
  const sides = [...left.map(({ order }) => ({ order, side: 0 })), ...right.map(({ order }) => ({ order, side: 1 }))].sort((a, b) => a.order - b.order);
  const changes = sides.reduce((sum, { side }, i) => sum + (i > 0 && sides[i - 1]?.side !== side ? 1 : 0), 0);
  return changes <= 2;
}

function usualWidth(lines: readonly Line[]): number {
  return lines.map(({ width }) => width).sort((a, b) => a - b)[Math.floor(lines.length / 2)] ?? 0;
}

/** Lines from the top; what stands on one baseline is one line. Where the page draws them in that order already, nothing changes. */
function inRows(pieces: readonly Line[]): readonly Line[] {
  const rows: Line[][] = [];
  for (const piece of [...pieces].sort((a, b) => b.y - a.y || a.order - b.order)) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (row !== undefined && first !== undefined && onOneLine(first, piece)) row.push(piece);
    else rows.push([piece]);
  }
  return rows.map((row) => {
    const isRightToLeft = row.reduce((sum, { text }) => sum + direction(text), 0) < 0;
    const cells = [...row].sort((a, b) => (isRightToLeft ? b.x - a.x : a.x - b.x));
    const x = Math.min(...cells.map((cell) => cell.x));
    const [first] = cells;
    return { text: cells.map(({ text }) => text).join(' '), x, y: first?.y ?? 0, width: Math.max(...cells.map((cell) => cell.x + cell.width)) - x, size: Math.max(...cells.map(({ size }) => size)), font: first?.font ?? '', order: first?.order ?? 0 };
  });
}

/** Lines that belong together: no wide gap, no new size, no indent, no list mark, no short line that ends a sentence before them. */
export function paragraphsOf(lines: readonly Line[]): readonly (readonly Line[])[] {
  const distances = lines.slice(1).map((line, i) => (lines[i]?.y ?? 0) - line.y).filter((distance) => distance > 0).sort((a, b) => a - b);
  const usual = distances[Math.floor((distances.length - 1) / 4)] ?? 0; // the lower quarter: inside paragraphs
  const paragraphs: Line[][] = [];
  lines.forEach((line, i) => {
    const last = lines[i - 1];
    const open = paragraphs.at(-1);
    if (last === undefined || open === undefined || beginsParagraph({ line, last, open, usual })) paragraphs.push([line]);
    else open.push(line);
  });
  return paragraphs;
}

function beginsParagraph({ line, last, open, usual }: { readonly line: Line; readonly last: Line; readonly open: readonly Line[]; readonly usual: number }): boolean {
  const size = Math.max(line.size, last.size);
  if (size / Math.max(1, Math.min(line.size, last.size)) > SIZE_CHANGE) return true;
  if (line.font !== last.font && last.width < SHORT_LINE * line.width && open.every(({ font }) => font === last.font)) return true; // a heading in another cut
  const distance = last.y - line.y;
  if (distance < 0) return SENTENCE_END.test(last.text); // the next column: a sentence may go on
  if (distance > PARAGRAPH_GAP * Math.max(usual, size) || STARTS_ITEM.test(line.text)) return true;
  const left = Math.min(...open.slice(-3).map(({ x }) => x));
  if (line.x - left > INDENT * size && SENTENCE_END.test(last.text)) return true;
  const widest = Math.max(line.width, ...open.map(({ width }) => width));
  return last.width < SHORT_LINE * widest && SENTENCE_END.test(last.text);
}

const HYPHEN = /([\p{L}\p{M}]+)[-\u00AD\u2010]$/u;
const WORD_START = /^\p{Ll}[\p{L}\p{M}]*/u;
const NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\u3000-\u303F\uFF00-\uFFEF]/u;

/**
 * The text of a paragraph. A word cut by a hyphen at the end of a line becomes whole, unless its hyphenated form is known.
 * @param words words that stand whole in the document, lower case.
 */
export function joinLines(lines: readonly Line[], words: ReadonlySet<string>): string {
  let text = '';
  for (const { text: line } of lines) {
    const head = HYPHEN.exec(text)?.[1];
    const tail = WORD_START.exec(line)?.[0];
    if (head !== undefined && tail !== undefined) {
      const keepsHyphen = !words.has(`${head}${tail}`.toLowerCase()) && words.has(`${head}-${tail}`.toLowerCase());
      text = keepsHyphen ? text + line : text.slice(0, -1) + line;
    } else if (text === '' || (NO_SPACES.test(text.slice(-1)) && NO_SPACES.test(line.slice(0, 1)))) text += line;
    else text += text.endsWith('\u2010') || text.endsWith('\u00AD') ? line : ` ${line}`;
  }
  return text;
}

/** Words of lines that stand whole: not the last of a line that ends in a hyphen. */
export function wholeWords(lines: readonly Line[], into: Set<string>): void {
  for (const { text } of lines) {
    const found = text.toLowerCase().match(/[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*(?![\p{L}\p{M}-])/gu) ?? [];
    for (const word of found) into.add(word);
  }
}
