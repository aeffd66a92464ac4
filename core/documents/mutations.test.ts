/** Is every file that was damaged on its way read or refused, never anything else? Good files of all formats with bytes changed, cut and doubled. */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { InputError } from '../base/errors.ts';
import { makeZip } from '../formats/test-archives.ts';
import { makeWorkbook } from '../formats/test-office.ts';
import { chunkDocument } from './chunker.ts';
import { createDocumentReader } from './document-reader.ts';
import { documentText } from './parsed-document.ts';
import { readDocument } from './read-document.ts';
import { docxParts, makeOdt, makePdf, makePptx, shape } from './test-documents.ts';

const never = new AbortController().signal;
const body = '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p><w:pPr><w:pStyle w:val="1"/></w:pPr><w:r><w:t>One</w:t><w:footnoteReference w:id="1"/></w:r></w:p>';
/** A format, its file, and, where only a part is worth damaging, how a damaged part becomes a file. */
const files: Readonly<Record<string, { readonly bytes: Buffer; readonly wrap?: (part: Buffer) => Buffer }>> = {
  docx: { bytes: Buffer.from(`<w:document><w:body>${body}</w:body></w:document>`), wrap: (part) => makeZip(docxParts(body, { footnotes: '<w:footnote w:id="1"><w:p><w:r><w:t>n</w:t></w:r></w:p></w:footnote>' }).map((entry) => (entry.name === 'word/document.xml' ? { ...entry, content: part } : entry))) },
  odt: { bytes: Buffer.from('<office:text><text:h text:outline-level="1">H</text:h><text:list><text:p>a<text:s text:c="2"/></text:p></text:list><table:table><table:table-row><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table></office:text>'), wrap: (part) => makeOdt(part.toString()) },
  pptx: { bytes: Buffer.from(shape('title', 'T') + shape('', 'text')), wrap: (part) => makePptx([{ shapes: part.toString(), notes: shape('body', 'n') }]) },
  xlsx: { bytes: Buffer.from('<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" s="1"><v>44367</v></c><c t="inlineStr"><is><t>in</t></is></c></row>'), wrap: (part) => makeZip(makeWorkbook([{ name: 'S', rows: part.toString() }], ['<si><t>s</t></si>'])) },
  pdf: { bytes: makePdf([[{ x: 72, y: 700, text: 'Some text' }, { x: 72, y: 680, text: 'more of it.' }], [{ x: 72, y: 700, text: 'Two' }]]) },
  rtf: { bytes: Buffer.from("{\\rtf1\\ansi\\ansicpg1251{\\fonttbl{\\f0\\fcharset204 A;}}{\\stylesheet{\\s1 heading 1;}}\\s1 H\\par\\pard \\f0 \\'cf\\u1072?{\\footnote n}\\par\\intbl a\\cell\\row}") },
  eaf: { bytes: Buffer.from('<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="1"/></TIME_ORDER><TIER TIER_ID="A" LINGUISTIC_TYPE_REF="u"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t1"><ANNOTATION_VALUE>x</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER><TIER TIER_ID="B" PARENT_REF="A" LINGUISTIC_TYPE_REF="s"><ANNOTATION><REF_ANNOTATION ANNOTATION_ID="b" ANNOTATION_REF="a"><ANNOTATION_VALUE>y</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>') },
  flextext: { bytes: Buffer.from('<document><interlinear-text><item type="title" lang="a">T</item><paragraphs><paragraph><phrases><phrase><words><word><item type="txt" lang="a">w</item><item type="gls" lang="en">g</item></word></words><item type="gls" lang="en">f</item></phrase></phrases></paragraph></paragraphs></interlinear-text></document>') },
  lift: { bytes: Buffer.from('<lift version="0.13"><entry id="e"><lexical-unit><form lang="a"><text>w</text></form></lexical-unit><sense><gloss lang="en"><text>g</text></gloss></sense></entry></lift>') },
  tmx: { bytes: Buffer.from('<tmx version="1.4"><body><tu><tuv xml:lang="en"><seg>a<ph/></seg></tuv><tuv xml:lang="sw"><seg>b</seg></tuv></tu></body></tmx>') },
  xlf: { bytes: Buffer.from('<xliff version="1.2"><file source-language="en"><body><trans-unit id="1"><source>a</source><target>b</target></trans-unit></body></file></xliff>') },
  sfm: { bytes: Buffer.from('\\id GEN x\n\\c 1\n\\v 1 a\\f + \\ft n\\f* b\n\\v 2-3 c\n') },
  db: { bytes: Buffer.from('\\_sh v3.0\n\\lx a\n\\ge b\n\\xv c\n\\xe d\n') },
  TextGrid: { bytes: Buffer.from('File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n<exists>\n1\n"IntervalTier"\n"w"\n0\n1\n1\n0\n1\n"a"\n') },
  conllu: { bytes: Buffer.from('# text = a b\n# text_en = c\n1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n2\tb\tb\tX\t_\t_\t1\tdep\t_\t_\n\n') },
};

test.each(Object.entries(files))('%s', async (extension, { bytes, wrap }) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-mutation-'));
  const path = join(folder.path, `a.${extension}`);
  const reader = createDocumentReader();
  onTestFinished(reader.dispose);
  const read = extension === 'pdf' ? reader.read : readDocument; // pdf.js leaves rejected promises behind, which only its own process bears
  const outcome = async (content: Buffer): Promise<boolean> => {
    await writeFile(path, wrap === undefined ? content : wrap(content));
    try {
      const document = await read(path, never);
      const text = documentText(document);
      for (const chunk of chunkDocument(document)) expect(chunk.text).toBe(text.slice(chunk.location.start, chunk.location.end));
      for (const block of document.blocks) expect([block.text, block.text === '']).toEqual([block.text.trim(), false]);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof InputError) || thrown.code === 'documents.reading-failed') throw thrown;
      return false;
    }
  };
  expect(await outcome(bytes)).toBe(true);
  const place = fc.nat(bytes.length - 1);
  const change = fc.oneof(
    fc.record({ kind: fc.constant('byte' as const), at: place, byte: fc.nat(255) }),
    fc.record({ kind: fc.constant('cut' as const), at: place, length: fc.nat(40) }),
    fc.record({ kind: fc.constant('copy' as const), at: place, from: place, length: fc.nat(40) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      let content = Buffer.from(bytes);
      for (const one of changes) {
        const at = Math.min(one.at, content.length);
        if (one.kind === 'byte') content = Buffer.concat([content.subarray(0, at), Buffer.from([one.byte]), content.subarray(at + 1)]);
        else if (one.kind === 'cut') content = Buffer.concat([content.subarray(0, at), content.subarray(at + one.length)]);
        else content = Buffer.concat([content.subarray(0, at), content.subarray(one.from, one.from + one.length), content.subarray(at)]);
      }
      await outcome(content);
    }),
    { numRuns: 40 },
  );
});
