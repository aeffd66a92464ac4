/** Which elements and texts are in this XML? As a stream of events or a small tree; what XML can do beyond that is refused. */
import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { InputError } from '../base/errors.ts';
import { printable } from '../base/text-files.ts';
import type { FileArea } from '../base/text-files.ts';

export type XmlAttributes = Readonly<Record<string, string>>;

export type XmlOptions = {
  /** The file, for messages; a part of an archive after " > ". */
  readonly path: string;
  readonly area: FileArea;
  /** What to do with a DOCTYPE. 'refuse' (default), or 'ignore' one without definitions of its own. Nothing it names is ever loaded. */
  readonly doctype?: 'refuse' | 'ignore';
  /** Told of broken XML; reading goes on behind it. Left out: broken XML is an error. */
  readonly onDamage?: (message: string, line: number) => void;
};

export type XmlEvents = {
  /** `local` is the name without its prefix; attributes keep theirs. */
  readonly onOpen?: (local: string, attributes: XmlAttributes, name: string) => void;
  /** Character data between two tags, references resolved; in as many pieces as CDATA and comments make. */
  readonly onText?: (text: string, isCdata: boolean) => void;
  readonly onClose?: (local: string, name: string) => void;
};

/** Eats pieces of text; events come while it eats. `line` counts from 1. */
export type XmlReader = { readonly push: (text: string) => void; readonly end: () => void; readonly line: () => number };

export type XmlElement = { readonly name: string; readonly local: string; readonly attributes: XmlAttributes; readonly children: readonly (XmlElement | string)[]; readonly line: number };

const DEPTH_LIMIT = 256; // reliability.md 2.3
const QUIET_LIMIT = 16 * 1024 * 1024; // characters between two events
const TREE_LIMIT = 1_000_000; // nodes
const DECLARATION_BYTES = 256;
const XML_DECLARATION = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/;

/** An attribute by its usual name ("w:val", "r:id"); other writers may call the prefix otherwise, never leave it out. */
export function qualified(attributes: XmlAttributes, usual: string): string | undefined {
  const own = attributes[usual];
  if (own !== undefined) return own;
  const ending = usual.slice(usual.indexOf(':'));
  const name = Object.keys(attributes).find((key) => key.endsWith(ending) && !key.startsWith('xmlns:') && !key.startsWith('xml:'));
  return name === undefined ? undefined : attributes[name];
}

/** The encoding an XML text declares, or shows by its first bracket (XML 1.0, appendix F); undefined: none, or UTF-16 that reads as bytes. */
export function xmlEncoding(sample: Uint8Array): string | undefined {
  if (sample[0] === 0x3c && sample[1] === 0) return 'utf-16le';
  if (sample[0] === 0 && sample[1] === 0x3c) return 'utf-16be';
  const declared = XML_DECLARATION.exec(Buffer.from(sample.subarray(0, DECLARATION_BYTES)).toString('latin1'))?.[1];
  return declared === undefined || /^utf-?16/i.test(declared) ? undefined : declared;
}

/** The name without its prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * A streaming reader. Only the five references of XML and numbers are known: nothing is ever expanded or fetched.
 * @throws (from push and end) InputError '<area>.xml-entities' (a DOCTYPE), '<area>.xml-too-deep' (more than 256 elements inside
 *   one another), '<area>.record-too-long' (16 M characters without a tag), '<area>.not-well-formed' unless `onDamage` is given.
 */
export function createXmlReader({ path, area, doctype: onDoctype = 'refuse', onDamage }: XmlOptions, { onOpen, onText, onClose }: XmlEvents): XmlReader {
  const parser = new SaxesParser({ xmlns: false, position: true, fileName: path });
  let depth = 0;
  let quiet = 0;
  const refusal = (reason: string, sentence: string): InputError => new InputError(`${area}.${reason}`, `${path}: line ${parser.line}: ${sentence}`, { data: { path, line: parser.line } });
  parser.on('error', (error) => {
    const message = printable(error.message.replace(/^.*?:\d+:\d+: /, '')); // saxes puts the place before it
    quiet = 0;
    if (onDamage === undefined) throw refusal('not-well-formed', `expected well-formed XML, found: ${message}. Export the file again.`);
    onDamage(message, parser.line);
  });
  parser.on('doctype', (doctype) => {
    quiet = 0;
    if (onDoctype === 'ignore' && !doctype.includes('[')) return;
    throw refusal('xml-entities', 'expected XML without definitions of its own, found a DOCTYPE. It can blow a file up or reach for other files; remove it.');
  });
  parser.on('opentag', ({ name, attributes }) => {
    quiet = 0;
    depth += 1;
    if (depth > DEPTH_LIMIT) throw refusal('xml-too-deep', `expected at most ${DEPTH_LIMIT} elements inside one another, found more.`);
    onOpen?.(localName(name), attributes, name);
  });
  parser.on('closetag', ({ name }) => {
    quiet = 0;
    depth -= 1;
    onClose?.(localName(name), name);
  });
  const takeText = (text: string, isCdata: boolean): void => {
    quiet = 0;
    onText?.(text, isCdata);
  };
  parser.on('text', (text) => takeText(text, false));
  parser.on('cdata', (text) => takeText(text, true));
  return {
    push: (text) => {
      quiet += text.length;
      parser.write(text);
      if (quiet > QUIET_LIMIT) throw refusal('record-too-long', `expected a tag at least every ${QUIET_LIMIT} characters, found none.`);
    },
    end: () => void parser.close(),
    line: () => parser.line,
  };
}

/** Reads pieces of bytes (of an archive's part) as XML. @throws as `createXmlReader` and `decodeXml`. */
export async function readXml(pieces: AsyncIterable<Uint8Array>, options: XmlOptions, events: XmlEvents | ((reader: () => XmlReader) => XmlEvents)): Promise<void> {
  const known = (): XmlReader => reader;
  const reader: XmlReader = createXmlReader(options, typeof events === 'function' ? events(known) : events);
  for await (const text of decodeXml(pieces, options)) reader.push(text);
  reader.end();
}

/**
 * The text of an XML file in pieces: the encoding is that of its byte order mark or declaration, else UTF-8. With `onDamage` wrong bytes
 * become U+FFFD. @throws InputError '<area>.unknown-encoding', '<area>.invalid-bytes'.
 */
export async function* decodeXml(pieces: AsyncIterable<Uint8Array>, options: XmlOptions): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  let head: Uint8Array = new Uint8Array(0); // as much as a declaration may need
  for await (const piece of pieces) {
    if (decoder !== null) yield decodeWith(decoder, piece, options);
    else {
      head = Buffer.concat([head, piece]);
      if (head.length < DECLARATION_BYTES) continue;
      decoder = decoderFor(head, options);
      yield decodeWith(decoder, head, options);
    }
  }
  if (decoder === null) {
    decoder = decoderFor(head, options);
    yield decodeWith(decoder, head, options);
  }
  yield decodeWith(decoder, null, options);
}

function decoderFor(sample: Uint8Array, options: XmlOptions): TextDecoder {
  const [a, b] = sample;
  const label = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : (xmlEncoding(sample) ?? 'utf-8');
  try {
    return new TextDecoder(label, { fatal: options.onDamage === undefined });
  } catch (cause) {
    throw new InputError(`${options.area}.unknown-encoding`, `${options.path}: expected a known encoding, found "${printable(label)}". Save the file again as UTF-8.`, { cause, data: { path: options.path, encoding: label } });
  }
}

function decodeWith(decoder: TextDecoder, piece: Uint8Array | null, { area, path }: XmlOptions): string {
  try {
    return piece === null ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch (cause) {
    throw new InputError(`${area}.invalid-bytes`, `${path}: expected bytes valid in ${decoder.encoding}, found others. Export the file again.`, { cause, data: { path } });
  }
}

/** A whole small XML text as a tree (settings, relations, package files). @throws as `createXmlReader`; InputError '<area>.xml-too-large' beyond a million nodes, '<area>.not-well-formed' without a root. */
export async function readXmlTree(pieces: AsyncIterable<Uint8Array>, options: XmlOptions): Promise<XmlElement> {
  type Growing = XmlElement & { readonly children: (XmlElement | string)[] };
  const open: Growing[] = [];
  const roots: XmlElement[] = [];
  let nodes = 0;
  const count = (): void => {
    nodes += 1;
    if (nodes > TREE_LIMIT) throw new InputError(`${options.area}.xml-too-large`, `${options.path}: expected at most ${TREE_LIMIT} elements, found more.`, { data: { path: options.path } });
  };
  await readXml(pieces, options, (reader) => ({
    onOpen: (local, attributes, name) => {
      count();
      const element: Growing = { name, local, attributes, children: [], line: reader().line() };
      open.at(-1)?.children.push(element);
      if (roots.length === 0) roots.push(element);
      open.push(element);
    },
    onText: (text) => {
      count();
      open.at(-1)?.children.push(text);
    },
    onClose: () => void open.pop(),
  }));
  const [root] = roots;
  if (root === undefined) throw new InputError(`${options.area}.not-well-formed`, `${options.path}: expected XML, found no element.`, { data: { path: options.path } });
  return root;
}

/** The text of an element and all inside it. */
export function textOf(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

/** The child elements with this local name, or all of them. */
export function childrenOf(element: XmlElement, local?: string): readonly XmlElement[] {
  return element.children.filter((child) => typeof child !== 'string').filter((child) => local === undefined || child.local === local);
}
