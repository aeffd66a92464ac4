/** Which translation units does a TMX file have? Read as a stream; markup is never trusted. */
import { SaxesParser } from 'saxes';
import { InputError } from '../base/errors.ts';
import { printable, readTextPieces } from '../base/text-files.ts';
import type { TextPiece } from '../base/text-files.ts';
import { corpusText } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { problem } from './records.ts';
import type { Reading } from './records.ts';

/** One side of a unit: its tag as written, its text without inline markup. */
export type TmxVariant = { readonly language: string; readonly text: string };

/** One <tu>; `unit` counts from 1, `line` is where it starts. */
export type TmxUnit = { readonly unit: number; readonly line: number; readonly variants: readonly TmxVariant[] };

const DEPTH_LIMIT = 256; // reliability.md 2.3
const RECORD_LIMIT = 16 * 1024 * 1024; // characters between two tags
const XML_DECLARATION = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/;
const DECLARATION_BYTES = 256;
const SHOWN_NAME = 40;

/**
 * An ampersand that begins no reference would swallow the text up to the next semicolon, other units with it. It is replaced
 * by this noncharacter, which then marks its unit as broken (in CDATA it is turned back: there it is right).
 */
const STRAY_AMPERSAND = '\uFDD0';
const STRAY = /&(?!(?:#\d{1,8}|#x[\da-fA-F]{1,8}|[A-Za-z_][\w.:-]{0,30});)/g;
const LONGEST_REFERENCE = 40;

/** Elements whose content is native code of the translated file, not language (TMX 1.4b, section 3.3). <hi> holds language. */
const CODE_ELEMENTS = new Set(['bpt', 'ept', 'it', 'ph', 'ut', 'sub']);

/**
 * Streams the units of a TMX file, a batch at a time. A unit with bytes that are not text ('corpus.invalid-bytes') or broken XML
 * ('corpus.not-well-formed') is a problem with its number and line; reading goes on behind it.
 * @throws InputError 'corpus.not-tmx', 'corpus.no-units', 'corpus.xml-entities', 'corpus.xml-too-deep', 'corpus.record-too-long';
 *   what readTextPieces throws.
 */
export async function* readTmxUnits(path: string, signal: AbortSignal, options: ReadOptions): AsyncGenerator<Reading<TmxUnit>[]> {
  const scanner = new TmxScanner(path);
  for await (const piece of readTextPieces(path, signal, { ...corpusText(options), declared: xmlEncoding })) yield scanner.push(piece);
  yield scanner.end();
}

/** The encoding an XML text declares, or shows by its first bracket (XML 1.0, appendix F). */
export function xmlEncoding(sample: Uint8Array): string | undefined {
  if (sample[0] === 0x3c && sample[1] === 0) return 'utf-16le';
  if (sample[0] === 0 && sample[1] === 0x3c) return 'utf-16be';
  const declared = XML_DECLARATION.exec(Buffer.from(sample.subarray(0, DECLARATION_BYTES)).toString('latin1'))?.[1];
  return declared === undefined || /^utf-?16/i.test(declared) ? undefined : declared; // readable as bytes, so not UTF-16
}

type OpenUnit = { readonly unit: number; readonly line: number; readonly variants: TmxVariant[]; isBroken: boolean };

/** Turns pieces of XML text into readings of units. */
class TmxScanner {
  private readonly path: string;
  private readonly parser: SaxesParser<{ xmlns: false; position: true; fileName: string }>;
  private readings: Reading<TmxUnit>[] = [];
  private units = 0;
  private open: OpenUnit | null = null;
  private language = '';
  private segment: string | null = null;
  private codeDepth = 0; // how deep inside code elements
  private depth = 0;
  private hasRoot = false;
  private brokenAt = -1; // one broken-XML problem per unit
  private isDamaged = false; // this piece of text or the one before it
  private wasDamaged = false;
  private quiet = 0; // characters since the last event
  private held = ''; // what may be the start of a reference

  constructor(path: string) {
    this.path = path;
    this.parser = new SaxesParser({ xmlns: false, position: true, fileName: path });
    this.parser.on('error', (error) => this.onError(error));
    this.parser.on('doctype', (doctype) => this.onDoctype(doctype));
    this.parser.on('opentag', ({ name, attributes }) => this.onOpenTag(name, attributes));
    this.parser.on('closetag', ({ name }) => this.onCloseTag(name));
    this.parser.on('text', (text) => this.onText(text));
    this.parser.on('cdata', (text) => this.onText(text.replaceAll(STRAY_AMPERSAND, '&')));
  }

  push({ text, isDamaged }: TextPiece): Reading<TmxUnit>[] {
    this.isDamaged = isDamaged || this.wasDamaged;
    this.wasDamaged = isDamaged;
    this.quiet += text.length;
    const whole = this.held + text;
    const last = whole.lastIndexOf('&');
    const isOpen = last >= 0 && whole.length - last < LONGEST_REFERENCE && !whole.includes(';', last);
    this.held = isOpen ? whole.slice(last) : '';
    this.parser.write((isOpen ? whole.slice(0, last) : whole).replace(STRAY, STRAY_AMPERSAND));
    if (this.quiet > RECORD_LIMIT) throw this.refusal('record-too-long', `expected a tag at least every ${RECORD_LIMIT} characters, found none after translation unit ${this.units}.`);
    return this.take();
  }

  end(): Reading<TmxUnit>[] {
    this.parser.write(this.held.replace(STRAY, STRAY_AMPERSAND));
    this.parser.close();
    if (!this.hasRoot) throw this.refusal('not-tmx', 'expected a TMX file whose first element is <tmx>, found no element.');
    if (this.units === 0) throw this.refusal('no-units', 'expected translation units (<tu>), found none.');
    return this.take();
  }

  private onError(error: Error): void {
    this.quiet = 0;
    if (!this.hasRoot) return; // "not TMX" will be said
    this.breakUnit(error.message.replace(/^.*?:\d+:\d+: /, ''), `well-formed XML (near line ${this.parser.line})`);
  }

  private onDoctype(doctype: string): void {
    this.quiet = 0;
    if (!doctype.includes('[')) return;
    throw this.refusal('xml-entities', 'expected a TMX file without definitions of its own, found a DOCTYPE with an internal part. Such a part can blow a file up or reach for other files; remove it.');
  }

  private onOpenTag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.quiet = 0;
    this.depth += 1;
    if (this.depth > DEPTH_LIMIT) throw this.refusal('xml-too-deep', `expected at most ${DEPTH_LIMIT} elements inside one another, found more.`);
    if (!this.hasRoot && name !== 'tmx') throw this.refusal('not-tmx', `expected a TMX file whose first element is <tmx>, found <${printable(name, SHOWN_NAME)}>.`);
    this.hasRoot = true;
    if (this.segment !== null) {
      if (this.codeDepth > 0 || CODE_ELEMENTS.has(name)) this.codeDepth += 1;
    } else if (name === 'tu') {
      this.units += 1;
      this.open = { unit: this.units, line: this.parser.line, variants: [], isBroken: false };
    } else if (name === 'tuv') this.language = attributes['xml:lang'] ?? attributes['lang'] ?? ''; // "lang" until TMX 1.1
    else if (name === 'seg' && this.open !== null) this.segment = '';
  }

  private onText(text: string): void {
    this.quiet = 0;
    if (this.segment === null || this.codeDepth > 0) return;
    if (text.includes(STRAY_AMPERSAND)) this.breakUnit(text.replaceAll(STRAY_AMPERSAND, '&'), '"&amp;" for an ampersand');
    this.segment += text;
    if (this.segment.length > RECORD_LIMIT) throw this.refusal('record-too-long', `expected at most ${RECORD_LIMIT} characters in a segment, found more in translation unit ${this.units}.`);
  }

  private onCloseTag(name: string): void {
    this.quiet = 0;
    this.depth -= 1;
    if (name === 'seg' && this.segment !== null && this.open !== null) this.closeSegment(this.segment, this.open);
    else if (this.segment !== null) this.codeDepth = Math.max(0, this.codeDepth - 1);
    else if (name === 'tu' && this.open !== null) {
      const { unit, line, variants, isBroken } = this.open;
      if (!isBroken) this.readings.push({ kind: 'record', value: { unit, line, variants } });
      this.open = null;
    }
  }

  private closeSegment(segment: string, open: OpenUnit): void {
    if (this.isDamaged && segment.includes('\uFFFD')) {
      open.isBroken = true;
      this.report('invalid-bytes', segment, 'text in the encoding of the file');
    }
    open.variants.push({ language: this.language, text: segment.replace(/[ \t\r\n]+/g, ' ').trim() });
    this.segment = null;
    this.codeDepth = 0;
  }

  private breakUnit(found: string, expected: string): void {
    if (this.brokenAt === this.units) return;
    this.brokenAt = this.units;
    this.report('not-well-formed', found, expected);
    if (this.open !== null) this.open.isBroken = true;
  }

  private report(reason: string, found: string, expected: string): void {
    const facts = { path: this.path, line: this.open?.line ?? this.parser.line, found, expected };
    this.readings.push(problem(reason, this.open === null ? facts : { ...facts, unit: this.open.unit }));
  }

  private refusal(reason: string, sentence: string): InputError {
    return new InputError(`corpus.${reason}`, `${this.path}: line ${this.parser.line}: ${sentence}`, { data: { path: this.path, line: this.parser.line, unit: this.units } });
  }

  private take(): Reading<TmxUnit>[] {
    const taken = this.readings;
    this.readings = [];
    return taken;
  }
}
