/** How does a parser of an XML format live with broken places? It is told of them, and reads on behind them. */
import { printable } from '../base/text-files.ts';
import { badFile } from './parsing.ts';
import type { FormatPlace, Parsed, PieceParser } from './parsing.ts';
import { createXmlReader } from './xml.ts';
import type { XmlAttributes } from './xml.ts';

export type XmlScan<T> = {
  readonly line: () => number;
  readonly emit: (one: Parsed<T>) => void;
  /** True when some U+FFFD in the text at hand may stand for bytes that are no text. */
  readonly isDamaged: () => boolean;
};

export type XmlScanEvents = {
  readonly onOpen: (local: string, attributes: XmlAttributes) => void;
  readonly onText: (text: string) => void;
  readonly onClose: (local: string) => void;
  /** Something is not well-formed here: what was expected, what was found. */
  readonly onDamage: (expected: string, found: string) => void;
  /** The file is at its end. */
  readonly onEnd?: () => void;
};

/**
 * An ampersand that begins no reference would swallow the text up to the next semicolon, other units with it. It is replaced
 * by this noncharacter, which marks the place as damaged (in CDATA it is turned back: there it is right).
 */
const STRAY_AMPERSAND = '\uFDD0';
const STRAY = /&(?!(?:#\d{1,8}|#x[\da-fA-F]{1,8}|[A-Za-z_][\w.:-]{0,30});)/g;
const LONGEST_REFERENCE = 40;
const SHOWN_NAME = 40;

/**
 * A parser of pieces on top of createXmlReader. @param root the first element's local name, and what such a file is called.
 * @throws InputError '<area>.not-<format>' for another first element or none; what createXmlReader throws.
 */
export function xmlScanner<T>(place: FormatPlace, root: { readonly element: string; readonly format: string; readonly called: string }, events: (scan: XmlScan<T>) => XmlScanEvents): PieceParser<T> {
  let parsed: Parsed<T>[] = [];
  let hasRoot = false;
  let isDamaged = false;
  let wasDamaged = false;
  let held = ''; // what may be the start of a reference
  const scan: XmlScan<T> = { line: () => reader.line(), emit: (one) => void parsed.push(one), isDamaged: () => isDamaged };
  const reader = createXmlReader(
    {
      ...place,
      doctype: 'ignore',
      onDamage: (message, line) => {
        if (hasRoot) handlers.onDamage(`well-formed XML (near line ${line})`, message);
      },
    },
    {
      onOpen: (local, attributes) => {
        if (!hasRoot && local !== root.element) throw notIt(`<${printable(local, SHOWN_NAME)}>`, reader.line());
        hasRoot = true;
        handlers.onOpen(local, attributes);
      },
      onText: (text, isCdata) => {
        if (!text.includes(STRAY_AMPERSAND)) return handlers.onText(text);
        const mended = text.replaceAll(STRAY_AMPERSAND, '&');
        if (!isCdata && hasRoot) handlers.onDamage('"&amp;" for an ampersand', mended);
        handlers.onText(mended);
      },
      onClose: (local) => handlers.onClose(local),
    },
  );
  const handlers = events(scan);
  function notIt(found: string, line?: number): Error {
    return badFile(`not-${root.format}`, place, `expected ${root.called} whose first element is <${root.element}>, found ${found}.`, line);
  }
  const take = (): readonly Parsed<T>[] => {
    const taken = parsed;
    parsed = [];
    return taken;
  };
  return {
    push: (text, hasDamage = false) => {
      isDamaged = hasDamage || wasDamaged;
      wasDamaged = hasDamage;
      const whole = held + text;
      const last = whole.lastIndexOf('&');
      const isOpen = last >= 0 && whole.length - last < LONGEST_REFERENCE && !whole.includes(';', last);
      held = isOpen ? whole.slice(last) : '';
      reader.push((isOpen ? whole.slice(0, last) : whole).replace(STRAY, STRAY_AMPERSAND));
      return take();
    },
    end: () => {
      reader.push(held.replace(STRAY, STRAY_AMPERSAND));
      reader.end();
      if (!hasRoot) throw notIt('no element');
      handlers.onEnd?.();
      return take();
    },
  };
}
