/** Is XML read as it stands, and refused where it would blow up, reach out or never end? */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../base/errors.ts';
import { childrenOf, createXmlReader, localName, readXml, readXmlTree, textOf, xmlEncoding } from './xml.ts';
import type { XmlOptions } from './xml.ts';

const place: XmlOptions = { path: 'a.xml', area: 'documents' };

async function* pieces(text: string | Uint8Array, length = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** What the events say, as one line. */
async function read(text: string | Uint8Array, options: Partial<XmlOptions> = {}): Promise<string> {
  const seen: string[] = [];
  await readXml(pieces(text), { ...place, ...options }, { onOpen: (local, attributes) => seen.push(`<${local}${Object.keys(attributes).length > 0 ? ` ${JSON.stringify(attributes)}` : ''}>`), onText: (said) => seen.push(said), onClose: (local) => seen.push(`</${local}>`) });
  return seen.join('');
}

const refusal = (text: string | Uint8Array, options: Partial<XmlOptions> = {}): Promise<unknown> => read(text, options).then(() => 'read', (thrown: unknown) => (thrown instanceof InputError ? thrown.code : thrown));

describe('XML', () => {
  test('comes as elements without prefixes, attributes with them, and text with its references', async () => {
    expect(await read('<?xml version="1.0"?><w:a x:y="1 &lt; 2"><!-- no --><b/>t&amp;&#x e9;'.replace('&#x e9;', '&#xe9;') + '<![CDATA[<c>&d;]]></w:a>')).toBe('<a {"x:y":"1 < 2"}><b></b>t&é<c>&d;</a>');
    expect([localName('w:p'), localName('p')]).toEqual(['p', 'p']);
  });

  test('is decoded as its mark, its first bracket or its declaration says', async () => {
    expect(await read(Buffer.from('\uFEFF<a>ñ</a>', 'utf16le'))).toBe('<a>ñ</a>');
    expect(await read(Buffer.from('<a>ñ</a>', 'utf16le'))).toBe('<a>ñ</a>');
    expect(await read(Buffer.from('\uFEFF<a>ñ</a>', 'utf16le').swap16())).toBe('<a>ñ</a>');
    expect(await read(Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>ñ</a>', 'latin1'))).toBe('<a>ñ</a>');
    expect(xmlEncoding(Buffer.from('<?xml version="1.0" encoding="utf-16"?>'))).toBeUndefined();
    expect(await refusal(Buffer.from('<a>ñ</a>', 'latin1'))).toBe('documents.invalid-bytes');
    expect(await refusal('<?xml version="1.0" encoding="none-such"?><a/>')).toBe('documents.unknown-encoding');
  });

  test('as a tree has elements, their texts and lines', async () => {
    const root = await readXmlTree(pieces('<a>\n<b x="1">one</b><c/><b>two<d>three</d></b></a>'), place);
    expect(childrenOf(root).map(({ local, line }) => [local, line])).toEqual([['b', 2], ['c', 2], ['b', 2]]);
    expect(childrenOf(root, 'b').map(textOf)).toEqual(['one', 'twothree']);
    await expect(readXmlTree(pieces(' '), place)).rejects.toMatchObject({ code: 'documents.not-well-formed' });
  });

  test('that is broken is an error with its line, or told to who wants to go on', async () => {
    await expect(read('<a>\n<b></a>')).rejects.toMatchObject({ code: 'documents.not-well-formed', data: { line: 2 } });
    const told: number[] = [];
    expect(await read('<a>\n<b>&nope;</b>\n</a>', { onDamage: (_, line) => told.push(line) })).toContain('</a>');
    expect(told).toEqual([2]);
  });
});

describe('hostile XML', () => {
  test('a DOCTYPE is refused: entities never grow, no file and no address is looked at', async () => {
    const lol = '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><lolz>&b;</lolz>';
    const file = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';
    const address = '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>';
    for (const text of [lol, file, address]) expect(await refusal(text)).toBe('documents.xml-entities');
    for (const text of [lol, file]) expect(await refusal(text, { doctype: 'ignore' })).toBe('documents.xml-entities');
    expect(await read(address, { doctype: 'ignore' })).toBe('<a></a>');
    expect(await refusal('<a>&unknown;</a>')).toBe('documents.not-well-formed');
  });

  test('more than 256 elements inside one another are refused', async () => {
    const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth);
    expect(await refusal(nested(256))).toBe('read');
    expect(await refusal(nested(257))).toBe('documents.xml-too-deep');
    expect(await refusal('<a>'.repeat(100_000))).toBe('documents.xml-too-deep');
  });

  test('text, an attribute or a comment without an end is stopped', () => {
    for (const start of ['<a>', '<a b="', '<a><!--']) {
      const reader = createXmlReader(place, {});
      reader.push(start);
      const push = (): void => {
        for (let i = 0; i < 40; i += 1) reader.push('x'.repeat(1024 * 1024));
      };
      expect(push).toThrow(expect.objectContaining({ code: 'documents.record-too-long' }));
    }
  });

  test('any text is read or refused, never anything else', async () => {
    const part = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('<a>', '</a>', '<b x="', '"/>', '<!DOCTYPE ', '[<!ENTITY', ']>', '<![CDATA[', ']]>', '<?xml ', '?>', '&', ';', '&#', '<!--', '-->', '\uFEFF'));
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 20 }), async (parts) => {
        expect(typeof (await refusal(parts.join('')))).toBe('string');
      }),
      { numRuns: 150 },
    );
  });
});
