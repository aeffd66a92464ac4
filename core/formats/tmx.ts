/** Which translation units does a TMX file have? Broken units are skipped by number. */
import { badFile, fault, oneLine, part } from './parsing.ts';
import type { FormatPlace, PieceParser } from './parsing.ts';
import { xmlScanner } from './xml-scanner.ts';

/** One side of a unit: its tag as written, its text without inline markup; `hasMarkup`: there was some. */
export type TmxVariant = { readonly language: string; readonly text: string; readonly hasMarkup: boolean };

/** One <tu>; `unit` counts from 1, `line` is where it starts. */
export type TmxUnit = { readonly kind: 'unit'; readonly unit: number; readonly line: number; readonly variants: readonly TmxVariant[] };

export type TmxPart = { readonly kind: 'header'; readonly version: string; readonly sourceLanguage: string } | TmxUnit;

const SEGMENT_LIMIT = 16 * 1024 * 1024; // characters
const VARIANTS_LIMIT = 1000;

/** Elements whose content is native code of the translated file, not language (TMX 1.4b, section 3.3). <hi> holds language. */
const CODE_ELEMENTS = new Set(['bpt', 'ept', 'it', 'ph', 'ut', 'sub']);

type OpenUnit = { readonly unit: number; readonly line: number; readonly variants: TmxVariant[]; isBroken: boolean };

/**
 * Faults: 'invalid-bytes', 'not-well-formed', 'record-too-long', each with its unit; the unit is then left out.
 * @throws InputError '<area>.not-tmx', '<area>.no-units', '<area>.record-too-long'; what createXmlReader throws. @see TMX 1.4b, GALA/LISA OSCAR.
 */
export function tmxParser(place: FormatPlace): PieceParser<TmxPart> {
  return xmlScanner<TmxPart>(place, { element: 'tmx', format: 'tmx', called: 'a TMX file' }, ({ line, emit, isDamaged }) => {
    let units = 0;
    let open: OpenUnit | null = null;
    let version = '';
    let language = '';
    let segment: string | null = null;
    let hasMarkup = false;
    let depth = 0; // elements inside the segment
    let codeDepth = 0; // how many of them are code or lie in code
    let brokenAt = -1; // one fault for each unit
    const say = (reason: string, expected: string, found: string): void => {
      const facts = { line: open?.line ?? line(), expected, found };
      emit(fault(reason, open === null ? facts : { ...facts, unit: open.unit }));
    };
    const breakUnit = (reason: string, expected: string, found: string): void => {
      if (open !== null) open.isBroken = true;
      if (brokenAt === units) return;
      brokenAt = units;
      say(reason, expected, found);
    };
    const closeSegment = (text: string, unit: OpenUnit): void => {
      if (isDamaged() && text.includes('\uFFFD')) breakUnit('invalid-bytes', 'text in the encoding of the file', text);
      if (unit.variants.length >= VARIANTS_LIMIT) breakUnit('record-too-long', `at most ${VARIANTS_LIMIT} languages in a unit`, 'more');
      else unit.variants.push({ language, text: oneLine(text), hasMarkup });
      segment = null;
    };
    return {
      onOpen: (name, attributes) => {
        if (segment !== null) {
          hasMarkup = true;
          depth += 1;
          if (codeDepth > 0 || CODE_ELEMENTS.has(name)) codeDepth += 1;
        } else if (name === 'tmx') version = attributes['version'] ?? '';
        else if (name === 'header') emit(part({ kind: 'header', version, sourceLanguage: attributes['srclang'] ?? '' }));
        else if (name === 'tu') {
          units += 1;
          open = { unit: units, line: line(), variants: [], isBroken: false };
        } else if (name === 'tuv') language = attributes['xml:lang'] ?? attributes['lang'] ?? ''; // "lang" until TMX 1.1
        else if (name === 'seg' && open !== null) {
          segment = '';
          hasMarkup = false;
          depth = 0;
          codeDepth = 0;
        }
      },
      onText: (text) => {
        if (segment === null || codeDepth > 0) return;
        segment += text;
        if (segment.length > SEGMENT_LIMIT) throw badFile('record-too-long', place, `expected at most ${SEGMENT_LIMIT} characters in a segment, found more in translation unit ${units}.`, line());
      },
      onClose: (name) => {
        if (segment !== null && open !== null && name === 'seg' && depth === 0) closeSegment(segment, open);
        else if (segment !== null && depth > 0) {
          depth -= 1;
          codeDepth = Math.max(0, codeDepth - 1);
        } else if (name === 'tu' && open !== null) {
          if (!open.isBroken) emit(part({ kind: 'unit', unit: open.unit, line: open.line, variants: open.variants }));
          open = null;
          segment = null;
        }
      },
      onDamage: (expected, found) => breakUnit('not-well-formed', expected, found),
      onEnd: () => {
        if (units === 0) throw badFile('no-units', place, 'expected translation units (<tu>), found none.', line());
      },
    };
  });
}
