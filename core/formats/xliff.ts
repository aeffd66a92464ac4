/** Which translated segments does an XLIFF file hold (1.2 and 2.x)? */
import { badFile, fault, oneLine, part } from './parsing.ts';
import type { FormatPlace, PieceParser } from './parsing.ts';
import { xmlScanner } from './xml-scanner.ts';

/** `target` is null where the file has none, '' where it is there but empty. */
export type XliffSegment = { readonly id: string; readonly source: string; readonly target: string | null };

/** A <trans-unit> of XLIFF 1 (one segment), or a <unit> of XLIFF 2. `unit` counts from 1, `line` is where it starts. */
export type XliffUnit = {
  readonly kind: 'unit';
  readonly unit: number;
  readonly id: string;
  readonly line: number;
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  /** False where the file says translate="no" for it or for what it lies in. */
  readonly isTranslatable: boolean;
  readonly segments: readonly XliffSegment[];
};

export type XliffPart = { readonly kind: 'header'; readonly version: string; readonly sourceLanguage: string; readonly targetLanguage: string } | { readonly kind: 'file'; readonly line: number } | XliffUnit;

/** Native code of the translated document, not language (XLIFF 1.2, section 2.3); <g>, <mrk>, <pc> and <hi> hold language. */
const CODE_ELEMENTS = new Set(['bpt', 'ept', 'it', 'ph', 'sub']);
/** Elements whose own source and target are no part of the unit: suggestions, glossaries, changes, notes. */
const ASIDE_ELEMENTS = new Set(['alt-trans', 'matches', 'match', 'glossary', 'notes', 'metadata', 'originalData', 'revisions', 'changeTrack', 'bin-source', 'bin-target', 'seg-source']);
const SEGMENT_LIMIT = 16 * 1024 * 1024; // characters
const SEGMENTS_LIMIT = 10_000;

type OpenUnit = { readonly unit: number; readonly id: string; readonly line: number; readonly isTranslatable: boolean; sourceLanguage: string; targetLanguage: string; readonly segments: { id: string; source: string; target: string | null }[]; isBroken: boolean };

/**
 * Faults: 'invalid-bytes', 'not-well-formed', 'record-too-long', each with its unit; the unit is then left out.
 * @throws InputError '<area>.not-xliff', '<area>.no-units', '<area>.record-too-long'; what createXmlReader throws.
 * @see docs.oasis-open.org/xliff/v1.2 and /xliff-core/v2.1
 */
export function xliffParser(place: FormatPlace): PieceParser<XliffPart> {
  return xmlScanner<XliffPart>(place, { element: 'xliff', format: 'xliff', called: 'an XLIFF file' }, ({ line, emit, isDamaged }) => {
    let units = 0;
    let source = '';
    let target = '';
    let open: OpenUnit | null = null;
    let side: 'source' | 'target' | null = null;
    let text = '';
    let depth = 0; // elements inside the side
    let codeDepth = 0;
    let asideDepth = 0;
    let brokenAt = -1;
    const translatable: boolean[] = [];
    const isTranslatable = (): boolean => translatable.at(-1) ?? true;
    const breakUnit = (reason: string, expected: string, found: string): void => {
      if (open !== null) open.isBroken = true;
      if (brokenAt === units) return;
      brokenAt = units;
      const facts = { line: open?.line ?? line(), expected, found };
      emit(fault(reason, open === null ? facts : { ...facts, unit: open.unit }));
    };
    const segmentOf = (unit: OpenUnit): OpenUnit['segments'][number] => {
      const last = unit.segments.at(-1);
      if (last !== undefined) return last;
      const added = { id: unit.id, source: '', target: null };
      unit.segments.push(added);
      return added;
    };
    const closeSide = (unit: OpenUnit): void => {
      if (isDamaged() && text.includes('\uFFFD')) breakUnit('invalid-bytes', 'text in the encoding of the file', text);
      const segment = segmentOf(unit);
      if (side === 'source') segment.source = oneLine(text);
      else segment.target = oneLine(text);
      side = null;
    };
    return {
      onOpen: (name, attributes) => {
        if (side !== null) {
          depth += 1;
          if (codeDepth > 0 || CODE_ELEMENTS.has(name)) codeDepth += 1;
          else if (name === 'cp') text += codePoint(attributes['hex'] ?? '');
          return;
        }
        if (asideDepth > 0 || ASIDE_ELEMENTS.has(name)) {
          asideDepth += 1;
          return;
        }
        if (name === 'xliff' || name === 'file' || name === 'group' || name === 'unit' || name === 'trans-unit') translatable.push(attributes['translate'] === undefined ? isTranslatable() : attributes['translate'] !== 'no');
        if (name === 'xliff') {
          source = attributes['srcLang'] ?? '';
          target = attributes['trgLang'] ?? '';
          emit(part({ kind: 'header', version: attributes['version'] ?? '', sourceLanguage: source, targetLanguage: target }));
        } else if (name === 'file') {
          source = attributes['source-language'] ?? source;
          target = attributes['target-language'] ?? target;
          emit(part({ kind: 'file', line: line() }));
        } else if (name === 'trans-unit' || name === 'unit') {
          units += 1;
          open = { unit: units, id: attributes['id'] ?? '', line: line(), isTranslatable: isTranslatable(), sourceLanguage: source, targetLanguage: target, segments: [], isBroken: false };
        } else if (open !== null && name === 'segment') {
          if (open.segments.length >= SEGMENTS_LIMIT) breakUnit('record-too-long', `at most ${SEGMENTS_LIMIT} segments in a unit`, 'more');
          else open.segments.push({ id: attributes['id'] ?? open.id, source: '', target: null });
        } else if (name === 'ignorable') asideDepth += 1;
        else if (open !== null && (name === 'source' || name === 'target')) {
          side = name;
          text = '';
          depth = 0;
          codeDepth = 0;
          const language = attributes['xml:lang'];
          if (language !== undefined && name === 'source') open.sourceLanguage = language;
          if (language !== undefined && name === 'target') open.targetLanguage = language;
        }
      },
      onText: (piece) => {
        if (side === null || codeDepth > 0) return;
        text += piece;
        if (text.length > SEGMENT_LIMIT) throw badFile('record-too-long', place, `expected at most ${SEGMENT_LIMIT} characters in a segment, found more in unit ${units}.`, line());
      },
      onClose: (name) => {
        if (side !== null && depth > 0) {
          depth -= 1;
          codeDepth = Math.max(0, codeDepth - 1);
        } else if (side !== null && open !== null) closeSide(open);
        else if (asideDepth > 0) asideDepth -= 1;
        else if ((name === 'trans-unit' || name === 'unit') && open !== null) {
          const { isBroken, ...unit } = open;
          if (!isBroken) emit(part({ kind: 'unit', ...unit }));
          open = null;
        }
        if (side === null && asideDepth === 0 && (name === 'xliff' || name === 'file' || name === 'group' || name === 'unit' || name === 'trans-unit')) translatable.pop();
      },
      onDamage: (expected, found) => breakUnit('not-well-formed', expected, found),
      onEnd: () => {
        if (units === 0) throw badFile('no-units', place, 'expected translation units (<trans-unit> or <unit>), found none.', line());
      },
    };
  });
}

const LAST_CODE_POINT = 0x10ffff;

function codePoint(hex: string): string {
  const value = /^[\da-f]{1,6}$/i.test(hex) ? Number.parseInt(hex, 16) : LAST_CODE_POINT + 1;
  return value <= LAST_CODE_POINT && (value < 0xd800 || value > 0xdfff) ? String.fromCodePoint(value) : '';
}
