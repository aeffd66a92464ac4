/** Do office files and books give their headings, paragraphs, tables, notes, slides and rows in place? */
import { describe, expect, test } from 'vitest';
import { makeZip } from '../formats/test-archives.ts';
import { makeWorkbook } from '../formats/test-office.ts';
import { collectWithin, createBlockCollector } from './block-collector.ts';
import { docxParts, makeDocx, makeEpub, makeOdt, makePptx, readBytes, rows, shape } from './test-documents.ts';

const p = (text: string, properties = ''): string => `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
const texts = async (name: string, content: Uint8Array): Promise<string[]> => (await readBytes(name, content)).blocks.map(({ text }) => text);

describe('Word', () => {
  const styles = '<w:style w:styleId="1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="My"><w:name w:val="Mine"/><w:basedOn w:val="1"/></w:style><w:style w:styleId="Out"><w:name w:val="Chapter"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>';

  test('headings by style, by a style based on one, and by outline level; lists; the rest are paragraphs', async () => {
    const body = p('One', '<w:pStyle w:val="1"/>') + p('text') + p('Two', '<w:pStyle w:val="Out"/>') + p('item', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="4"/></w:numPr>') + p('plain', '<w:numPr><w:numId w:val="0"/></w:numPr>') + p('Mine', '<w:pStyle w:val="My"/>') + p('Own', '<w:outlineLvl w:val="2"/>');
    const { title, format, blocks } = await readBytes('a.docx', makeDocx(body, { styles, core: 'The  title' }));
    expect([title, format]).toEqual(['The title', 'docx']);
    const renamed = makeZip(docxParts(body, { styles, core: 'The  title' }).map((part) => ({ ...part, content: String(part.content).replaceAll('w:', 'ns0:') }))); // as other writers call the prefix
    expect((await readBytes('a.docx', renamed)).blocks).toEqual(blocks);
    expect(rows(blocks, 'paragraph', 'headings')).toEqual([
      ['heading', 'One', 1, []], ['paragraph', 'text', 2, ['One']], ['heading', 'Two', 3, ['One']], ['list', 'item', 4, ['One', 'Two']], ['paragraph', 'plain', 5, ['One', 'Two']],
      ['heading', 'Mine', 6, []], ['heading', 'Own', 7, ['Mine']],
    ]);
  });

  test('deleted text, field codes and second forms of drawings are left out; tabs, breaks and soft hyphens stay', async () => {
    const body = `<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:softHyphen/><w:noBreakHyphen/></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:r><w:instrText>PAGE</w:instrText></w:r><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>
      <w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>${p('in a box')}</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>${p('in a box')}</w:txbxContent></mc:Fallback></mc:AlternateContent><w:t>around it</w:t></w:r></w:p>`;
    expect(await texts('a.docx', makeDocx(body))).toEqual(['a\tb\nc\u00AD\u2011new', 'in a box', 'around it']);
  });

  test('a table is a paragraph for each row; notes follow their paragraph; pages are those Word laid out', async () => {
    const cell = (...inside: string[]): string => `<w:tc>${inside.join('')}</w:tc>`;
    const table = `<w:tbl><w:tr>${cell(p('a'), p('b'))}${cell(p('c'))}</w:tr><w:tr>${cell('<w:p/>')}${cell(`<w:tbl><w:tr>${cell(p('in'))}</w:tr></w:tbl>`)}</w:tr></w:tbl>`;
    const note = '<w:p><w:r><w:t>Said</w:t><w:footnoteReference w:id="2"/></w:r></w:p><w:p><w:r><w:lastRenderedPageBreak/><w:t>next</w:t></w:r></w:p><w:p><w:r><w:t>then</w:t></w:r></w:p>';
    const footnotes = `<w:footnote w:type="separator" w:id="0">${p('no')}</w:footnote><w:footnote w:id="2">${p('one')}${p('two')}</w:footnote>`;
    const { blocks } = await readBytes('a.docx', makeDocx(table + note, { footnotes }));
    expect(rows(blocks, 'page')).toEqual([['paragraph', 'a\nb | c', 1], ['paragraph', 'in', 1], ['paragraph', 'Said', 1], ['note', 'one\ntwo', 1], ['paragraph', 'next', 1], ['paragraph', 'then', 2]]);
  });

  test('a table that only lays out a page is read as its paragraphs', async () => {
    const long = 'word '.repeat(80).trim();
    expect(await texts('a.docx', makeDocx(`<w:tbl><w:tr><w:tc>${p(long)}${p(long)}</w:tc><w:tc>${p('side')}</w:tc></w:tr></w:tbl>`))).toEqual([long, long, 'side']);
  });

  test('is known by its main part, wherever it lies and whatever the file is called', async () => {
    const moved = docxParts(p('here')).map((entry) => ({ ...entry, name: entry.name.replace('word/document', 'main/doc'), content: String(entry.content).replaceAll('word/document.xml', 'main/doc.xml') }));
    expect((await readBytes('a.xlsx', makeZip(moved))).format).toBe('docx');
    await expect(readBytes('a.docx', makeZip([{ name: 'readme.txt', content: 'x' }]))).rejects.toMatchObject({ code: 'documents.unknown-archive' });
  });

  test('nothing of 10,000 elements inside one another is read', async () => {
    await expect(readBytes('a.docx', makeDocx(`${'<w:tbl><w:tr><w:tc>'.repeat(10_000)}${p('x')}`))).rejects.toMatchObject({ code: 'documents.xml-too-deep' });
  });
});

test('of a million paragraphs the first are kept, with a word about it', () => {
  const collector = createBlockCollector('a.docx');
  const { blocks, problems } = collectWithin(collector, () => {
    for (let i = 0; i < 1_000_000; i += 1) collector.add('paragraph', 'x', { line: 0 });
  });
  expect([blocks.length, problems?.map(({ code }) => code)]).toEqual([500_000, ['documents.too-long']]);
});

describe('OpenDocument', () => {
  test('headings, spaces, lists, tables, notes and pages of a text; what is deleted or remarked is left out', async () => {
    const { title, blocks } = await readBytes('a.odt', makeOdt('<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="1">One</text:h><text:p>a<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d<office:annotation><text:p>remark</text:p></office:annotation><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>The note</text:p></text:note-body></text:note> e</text:p><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table><text:p><text:soft-page-break/>cut</text:p><text:p>after</text:p></office:text>'));
    expect(title).toBe('A title');
    expect(rows(blocks, 'page')).toEqual([
      ['heading', 'One', undefined], ['paragraph', 'a  b\tc\nd e', undefined], ['note', 'The note', undefined], ['list', 'item', undefined], ['paragraph', 'x | y', undefined], ['paragraph', 'cut', undefined], ['paragraph', 'after', 2],
    ]);
  });

  test('sheets give rows, repeated empty ones counted; slides give titles, texts and notes', async () => {
    const cell = (text: string): string => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
    const sheet = await readBytes('a.ods', makeOdt(`<office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row><table:table-row>${cell('a')}${cell('b')}</table:table-row></table:table></office:spreadsheet>`, { kind: 'spreadsheet' }));
    expect(rows(sheet.blocks, 'sheet', 'row')).toEqual([['row', 'a | b', 'S', 4]]);
    const page = (title: string): string => `<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>${title}</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>text</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>note</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>`;
    const slides = await readBytes('a.odp', makeOdt(`<office:presentation>${page('One')}${page('Two')}</office:presentation>`, { kind: 'presentation' }));
    expect(rows(slides.blocks, 'slide', 'headings')).toEqual([['heading', 'One', 1, []], ['paragraph', 'text', 1, ['One']], ['note', 'note', 1, ['One']], ['heading', 'Two', 2, []], ['paragraph', 'text', 2, ['Two']], ['note', 'note', 2, ['Two']]]);
  });

  test('with a password is told as such', async () => {
    await expect(readBytes('a.odt', makeOdt('', { manifest: '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>' }))).rejects.toMatchObject({ code: 'documents.encrypted' });
  });
});

test('PowerPoint: slides in the order they are shown, title, texts, tables, notes; dates and numbers of slides left out', async () => {
  const table = '<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>y</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>';
  const { blocks } = await readBytes('a.pptx', makePptx([{ shapes: shape('ctrTitle', 'First', 'line') + shape('', 'one', 'two') + shape('sldNum', '1') + table, notes: shape('body', 'Say this.') + shape('sldNum', '1') }, { shapes: shape('title', 'Second') }]));
  expect(rows(blocks, 'slide', 'headings')).toEqual([
    ['heading', 'First line', 1, []], ['paragraph', 'one', 1, ['First line']], ['paragraph', 'two', 1, ['First line']], ['paragraph', 'x | y', 1, ['First line']], ['note', 'Say this.', 1, ['First line']], ['heading', 'Second', 2, []],
  ]);
});

test('Excel: a block for each row, with its sheet and number', async () => {
  const { blocks } = await readBytes('a.xlsx', makeZip(makeWorkbook([{ name: 'Words', rows: '<row r="3"><c r="A3" t="inlineStr"><is><t> mti </t></is></c><c r="B3" t="inlineStr"><is><t>tree</t></is></c></row>' }])));
  expect(rows(blocks, 'sheet', 'row')).toEqual([['row', 'mti | tree', 'Words', 3]]);
});

describe('EPUB', () => {
  test('pages in reading order; scripts, frames, styles and pictures are only passed over', async () => {
    const { title, language, blocks, problems } = await readBytes('a.epub', makeEpub([
      ['two words.xhtml', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><html><head><title/><script src="http://127.0.0.1:9/x.js"/></head><body><h1>Eins</h1><p>a&nbsp;<a id="x"/>b</p><iframe src="http://127.0.0.1:9/"/><img src="http://127.0.0.1:9/a.png"/><script>bad()</script><p>c</p></body></html>'],
      ['b.xhtml', '<html><body><h2>Zwei</h2><p>d</p></body></html>'],
      ['gone.xhtml', ''],
    ]));
    expect([title, language]).toEqual(['Book', 'sw']);
    expect(rows(blocks, 'headings')).toEqual([['heading', 'Eins', []], ['paragraph', 'a\u00A0b', ['Eins']], ['paragraph', 'c', ['Eins']], ['heading', 'Zwei', []], ['paragraph', 'd', ['Zwei']]]);
    expect(problems.map(({ code }) => code)).toEqual(['documents.missing-part']);
  });

  test('a book that its seller locked is told as such; one with hidden fonts is read', async () => {
    const lock = (name: string): { name: string; content: string } => ({ name: 'META-INF/encryption.xml', content: `<encryption><EncryptedData><CipherData><CipherReference URI="${name}"/></CipherData></EncryptedData></encryption>` });
    await expect(readBytes('a.epub', makeEpub([['a.xhtml', 'noise']], [lock('OEBPS/a.xhtml')]))).rejects.toMatchObject({ code: 'documents.encrypted' });
    expect(await texts('a.epub', makeEpub([['a.xhtml', '<p>free</p>']], [lock('OEBPS/font.otf')]))).toEqual(['free']);
  });
});

test('a part that is no XML, or reaches for more, is an error of the file, not of the part', async () => {
  for (const [body, code] of [['</w:p>', 'documents.not-well-formed'], ['<w:p>&x;</w:p>', 'documents.not-well-formed']] as const) {
    await expect(readBytes('a.docx', makeDocx(body))).rejects.toMatchObject({ code, data: { path: expect.stringMatching(/a\.docx$/) } });
  }
  const entity = docxParts('').map((entry) => (entry.name === 'word/document.xml' ? { ...entry, content: '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document>&a;</w:document>' } : entry));
  await expect(readBytes('a.docx', makeZip(entity))).rejects.toMatchObject({ code: 'documents.xml-entities' });
});
