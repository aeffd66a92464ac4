/** Which entries does a LIFT dictionary hold, with their senses and examples? */
import { fault, oneLine, part } from './parsing.ts';
import type { FormatPlace, PieceParser, TaggedText } from './parsing.ts';
import { xmlScanner } from './xml-scanner.ts';

export type LiftExample = { readonly texts: readonly TaggedText[]; readonly translations: readonly TaggedText[] };

/** `isSubsense`: it lies in another sense; senses come in file order, each before those inside it. */
export type LiftSense = { readonly isSubsense: boolean; readonly glosses: readonly TaggedText[]; readonly definitions: readonly TaggedText[]; readonly examples: readonly LiftExample[] };

export type LiftEntry = {
  readonly kind: 'entry';
  readonly id: string;
  readonly line: number;
  readonly lexicalUnit: readonly TaggedText[];
  readonly citation: readonly TaggedText[];
  /** Other spellings and forms of the word. */
  readonly variants: readonly TaggedText[];
  readonly senses: readonly LiftSense[];
};

export type LiftPart = { readonly kind: 'header'; readonly version: string; readonly producer: string } | LiftEntry;

const TEXTS_LIMIT = 100_000; // in one entry

type OpenSense = { readonly isSubsense: boolean; readonly glosses: TaggedText[]; readonly definitions: TaggedText[]; readonly examples: { readonly texts: TaggedText[]; readonly translations: TaggedText[] }[] };
type OpenEntry = Omit<LiftEntry, 'senses' | 'lexicalUnit' | 'citation' | 'variants'> & { readonly lexicalUnit: TaggedText[]; readonly citation: TaggedText[]; readonly variants: TaggedText[]; readonly senses: OpenSense[] };

/**
 * Faults: 'invalid-bytes', 'not-well-formed', 'record-too-long'; the entry is then left out.
 * @throws InputError '<area>.not-lift'; what createXmlReader throws. @see LIFT 0.13, github.com/sillsdev/lift-standard
 */
export function liftParser(place: FormatPlace): PieceParser<LiftPart> {
  return xmlScanner<LiftPart>(place, { element: 'lift', format: 'lift', called: 'a LIFT dictionary' }, ({ line, emit, isDamaged }) => {
    const path: string[] = [];
    const openSenses: OpenSense[] = [];
    let entry: OpenEntry | null = null;
    let texts = 0; // in the entry
    let isBroken = false; // the entry is
    let language = '';
    let text: string | null = null;
    const breakEntry = (reason: string, expected: string, found: string): void => {
      if (isBroken && entry !== null) return;
      isBroken = true;
      emit(fault(reason, { line: entry?.line ?? line(), expected, found }));
    };
    /** `path` ends in the <text> that is closing: .../owner/form/text or .../sense/gloss/text. */
    const takeText = (found: string, into: OpenEntry): void => {
      const tagged = { language, text: oneLine(found) };
      if (tagged.text === '') return;
      if (isDamaged() && tagged.text.includes('\uFFFD')) breakEntry('invalid-bytes', 'text in the encoding of the file', tagged.text);
      texts += 1;
      if (texts > TEXTS_LIMIT) return breakEntry('record-too-long', `at most ${TEXTS_LIMIT} texts in an entry`, 'more');
      const [above = '', owner = '', form = ''] = path.slice(-4, -1);
      const sense = openSenses.at(-1);
      const isInSense = (name: string): boolean => name === 'sense' || name === 'subsense';
      if (form === 'gloss') {
        if (isInSense(owner)) sense?.glosses.push(tagged);
      } else if (form !== 'form') return;
      else if (owner === 'lexical-unit' && above === 'entry') into.lexicalUnit.push(tagged);
      else if (owner === 'citation' && above === 'entry') into.citation.push(tagged);
      else if (owner === 'variant' && above === 'entry') into.variants.push(tagged);
      else if (owner === 'definition' && isInSense(above)) sense?.definitions.push(tagged);
      else if (owner === 'example' && isInSense(above)) sense?.examples.at(-1)?.texts.push(tagged);
      else if (owner === 'translation' && above === 'example') sense?.examples.at(-1)?.translations.push(tagged);
    };
    return {
      onOpen: (name, attributes) => {
        const parent = path.at(-1) ?? '';
        path.push(name);
        if (name === 'lift') emit(part({ kind: 'header', version: attributes['version'] ?? '', producer: attributes['producer'] ?? '' }));
        else if (name === 'entry' && parent === 'lift') {
          entry = { kind: 'entry', id: attributes['id'] ?? '', line: line(), lexicalUnit: [], citation: [], variants: [], senses: [] };
          texts = 0;
          isBroken = false;
          openSenses.length = 0;
        } else if (entry === null) return;
        else if (name === 'sense' || name === 'subsense') {
          texts += 1;
          const sense = { isSubsense: openSenses.length > 0, glosses: [], definitions: [], examples: [] };
          if (texts <= TEXTS_LIMIT) entry.senses.push(sense);
          openSenses.push(sense);
        } else if (name === 'example' && (parent === 'sense' || parent === 'subsense')) {
          texts += 1;
          if (texts <= TEXTS_LIMIT) openSenses.at(-1)?.examples.push({ texts: [], translations: [] });
          else breakEntry('record-too-long', `at most ${TEXTS_LIMIT} texts in an entry`, 'more');
        } else if (name === 'form' || name === 'gloss') language = attributes['lang'] ?? '';
        else if (name === 'text') text = '';
      },
      onText: (piece) => {
        if (text !== null) text += piece;
      },
      onClose: (name) => {
        if (name === 'text' && text !== null && entry !== null) {
          takeText(text, entry);
          text = null;
        } else if (name === 'sense' || name === 'subsense') openSenses.pop();
        else if (name === 'entry' && entry !== null && path.length === 2) {
          if (!isBroken) emit(part(entry));
          entry = null;
        }
        path.pop();
      },
      onDamage: (expected, found) => breakEntry('not-well-formed', expected, found),
    };
  });
}
