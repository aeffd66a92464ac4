/** Where does each mark begin and end? A text and overlapping marks become parts in order, each with at most one kind. */
import type { Highlight } from '../../main/contract/index.ts';

export type MarkedPart = { readonly text: string; readonly kind: Highlight['kind'] | null };

/** The stronger reason wins where marks overlap: the same word, then a translation, then similar meaning. */
const STRENGTH: Readonly<Record<Highlight['kind'], number>> = { 'same-word': 3, 'translated-word': 2, 'similar-meaning': 1 };

/**
 * Cuts a text at the borders of its marks; the parts joined give the text again.
 * Marks outside the text are cut to it; empty marks are ignored.
 */
export function markParts(text: string, marks: readonly Highlight[]): readonly MarkedPart[] {
  const usable = marks
    .map((mark) => ({ kind: mark.kind, start: Math.max(0, mark.start), end: Math.min(text.length, mark.end) }))
    .filter((mark) => mark.end > mark.start);
  const borders = [...new Set([0, text.length, ...usable.flatMap((mark) => [mark.start, mark.end])])].sort((a, b) => a - b);
  const parts: MarkedPart[] = [];
  for (const [index, start] of borders.entries()) {
    const end = borders[index + 1];
    if (end === undefined) break;
    const over = usable.filter((mark) => mark.start <= start && mark.end >= end);
    const strongest = over.reduce<Highlight['kind'] | null>((best, mark) => (best === null || STRENGTH[mark.kind] > STRENGTH[best] ? mark.kind : best), null);
    const previous = parts.at(-1);
    const piece = text.slice(start, end);
    if (previous !== undefined && previous.kind === strongest) parts[parts.length - 1] = { text: previous.text + piece, kind: strongest };
    else parts.push({ text: piece, kind: strongest });
  }
  return parts;
}
