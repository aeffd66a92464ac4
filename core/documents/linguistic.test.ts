/** Do the linguists' formats come out as utterances, verses, entries and sentences, in place, with what is aligned to them? */
import { describe, expect, test } from 'vitest';
import { chunkDocument } from './chunker.ts';
import { readBytes, rows } from './test-documents.ts';

const eaf = (tiers: string, slots = '<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="1000"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="2500"/><TIME_SLOT TIME_SLOT_ID="t3" TIME_VALUE="4000"/></TIME_ORDER>'): string =>
  `<?xml version="1.0" encoding="UTF-8"?><ANNOTATION_DOCUMENT FORMAT="3.0">${slots}${tiers}<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="u"/><LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="a" CONSTRAINTS="Symbolic_Association"/><LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="s" CONSTRAINTS="Symbolic_Subdivision"/></ANNOTATION_DOCUMENT>`;
const timed = (id: string, from: string, to: string, text: string): string => `<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="${id}" TIME_SLOT_REF1="${from}" TIME_SLOT_REF2="${to}"><ANNOTATION_VALUE>${text}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>`;
const tied = (id: string, to: string, text: string, previous = ''): string => `<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="${id}" ANNOTATION_REF="${to}"${previous === '' ? '' : ` PREVIOUS_ANNOTATION="${previous}"`}><ANNOTATION_VALUE>${text}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>`;

describe('ELAN', () => {
  test('each utterance and each translation is a block with its time, tier and speaker, the other beside it; tags are no translation', async () => {
    const { blocks } = await readBytes('a.eaf', eaf(
      `<TIER TIER_ID="A" LINGUISTIC_TYPE_REF="u" PARTICIPANT="Asha">${timed('a2', 't2', 't3', 'Nakwenda zangu')}${timed('a1', 't1', 't2', 'Habari ya asubuhi')}</TIER>
      <TIER TIER_ID="A-eng" PARENT_REF="A" LINGUISTIC_TYPE_REF="a">${tied('b1', 'a1', 'Good morning to you')}${tied('b2', 'a2', 'I am going')}</TIER>
      <TIER TIER_ID="A-lang" PARENT_REF="A" LINGUISTIC_TYPE_REF="a">${tied('c1', 'a1', 'sw')}</TIER>`));
    expect(rows(blocks, 'timeMs', 'tier', 'speaker')).toEqual([
      ['segment', 'Habari ya asubuhi', { start: 1000, end: 2500 }, 'A', 'Asha'], ['segment', 'Good morning to you', { start: 1000, end: 2500 }, 'A-eng', 'Asha'],
      ['segment', 'Nakwenda zangu', { start: 2500, end: 4000 }, 'A', 'Asha'], ['segment', 'I am going', { start: 2500, end: 4000 }, 'A-eng', 'Asha'],
    ]);
    expect(blocks.map(({ aligned }) => aligned?.map(({ text }) => text))).toEqual([['Good morning to you', 'sw'], ['Habari ya asubuhi'], ['I am going'], ['Nakwenda zangu']]);
  });

  test('words below a numbered phrase are put together, with their glosses', async () => {
    const { blocks } = await readBytes('a.eaf', eaf(
      `<TIER TIER_ID="phrase" LINGUISTIC_TYPE_REF="u">${timed('a1', 't1', 't2', '1.1')}</TIER>
      <TIER TIER_ID="word" PARENT_REF="phrase" LINGUISTIC_TYPE_REF="s">${tied('w1', 'a1', 'kuke')}${tied('w2', 'a1', 'kundase', 'w1')}${tied('w3', 'a1', 'tsun', 'w2')}</TIER>
      <TIER TIER_ID="gloss" PARENT_REF="word" LINGUISTIC_TYPE_REF="a">${tied('g1', 'w1', 'hare')}${tied('g2', 'w2', 'tell')}${tied('g3', 'w3', 'do')}</TIER>
      <TIER TIER_ID="free" PARENT_REF="phrase" LINGUISTIC_TYPE_REF="a">${tied('f1', 'a1', 'The story of the hare')}</TIER>`));
    expect(rows(blocks, 'tier')).toEqual([['segment', 'kuke kundase tsun', 'word'], ['segment', 'The story of the hare', 'free']]);
    expect(blocks[0]?.aligned).toEqual([{ language: 'free', text: 'The story of the hare' }, { language: 'gloss', text: 'hare tell do' }]);
  });

  test('below reference numbers, texts and their translations are the utterances, single words too; what happens meanwhile is one of its own', async () => {
    const { blocks } = await readBytes('a.eaf', eaf(
      `<TIER TIER_ID="ref" LINGUISTIC_TYPE_REF="u">${timed('a1', 't1', 't2', 'KU.001')}${timed('a2', 't2', 't3', 'KU.002')}</TIER>
      <TIER TIER_ID="tx" PARENT_REF="ref" LINGUISTIC_TYPE_REF="a">${tied('b1', 'a1', 'moja')}${tied('b2', 'a2', 'mbili')}</TIER>
      <TIER TIER_ID="ft" PARENT_REF="tx" LINGUISTIC_TYPE_REF="a">${tied('c1', 'b1', 'one')}${tied('c2', 'b2', 'two')}</TIER>
      <TIER TIER_ID="pos" PARENT_REF="tx" LINGUISTIC_TYPE_REF="a">${tied('d1', 'b1', 'num')}${tied('d2', 'b2', 'num')}</TIER>
      <TIER TIER_ID="gesture" PARENT_REF="ref" LINGUISTIC_TYPE_REF="i">${timed('e1', 't1', 't2', 'points at the house')}</TIER><LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="i" CONSTRAINTS="Included_In"/>`));
    expect(rows(blocks, 'tier')).toEqual([['segment', 'moja', 'tx'], ['segment', 'one', 'ft'], ['segment', 'points at the house', 'gesture'], ['segment', 'mbili', 'tx'], ['segment', 'two', 'ft']]);
    expect(blocks[0]?.aligned?.map(({ text }) => text)).toEqual(['one', 'num']);
  });

  test('a chunk is one utterance and keeps all of this', async () => {
    const chunks = chunkDocument(await readBytes('a.eaf', eaf(`<TIER TIER_ID="A" LINGUISTIC_TYPE_REF="u" PARTICIPANT="Asha">${timed('a1', 't1', 't2', 'Moja')}${timed('a2', 't2', 't3', 'Mbili')}</TIER>`)));
    expect(chunks.map(({ text, location }) => [text, location.timeMs?.start, location.speaker])).toEqual([['Moja', 1000, 'Asha'], ['Mbili', 2500, 'Asha']]);
  });

  test('that is something else, or refers to itself, is an input error or a problem', async () => {
    await expect(readBytes('a.eaf', '<other/>')).rejects.toMatchObject({ family: 'input', code: 'documents.not-eaf' });
    const { problems } = await readBytes('a.eaf', eaf(`<TIER TIER_ID="A" PARENT_REF="A" LINGUISTIC_TYPE_REF="a">${tied('a1', 'a1', 'x y')}</TIER><TIER TIER_ID="B" LINGUISTIC_TYPE_REF="u">${timed('b1', 't1', 't2', 'kept here')}</TIER>`));
    expect(problems.length).toBeGreaterThan(0);
  });
});

test('FLEx texts: sentence, free translation and glosses with time and speaker; the title above them; also as .xml', async () => {
  const text = '<document><interlinear-text><item type="title" lang="sw">Hadithi</item><paragraphs><paragraph><phrases><phrase begin-time-offset="1200" end-time-offset="3400" speaker="Asha"><item type="txt" lang="sw">Paka alilala.</item><words><word><item type="txt" lang="sw">Paka</item><item type="gls" lang="en">cat</item></word><word><item type="txt" lang="sw">alilala</item><item type="gls" lang="en">slept</item></word></words><item type="gls" lang="en">The cat slept.</item></phrase></phrases></paragraph></paragraphs></interlinear-text></document>';
  for (const name of ['a.flextext', 'a.xml']) {
    const { format, title, blocks } = await readBytes(name, text);
    expect([format, title]).toEqual(['flextext', 'Hadithi']);
    expect(rows(blocks, 'timeMs', 'speaker').slice(1).map((row) => row.slice(2))).toEqual([[{ start: 1200, end: 3400 }, 'Asha'], [{ start: 1200, end: 3400 }, 'Asha']]);
    expect(blocks.map(({ kind, text: said, language, aligned }) => [kind, said, language, aligned?.map((one) => one.text)])).toEqual([
      ['heading', 'Hadithi', undefined, undefined], ['segment', 'Paka alilala.', 'sw', ['The cat slept.', 'cat slept']], ['segment', 'The cat slept.', 'en', ['Paka alilala.']],
    ]);
  }
});

test('LIFT: an entry with its variants, glosses and definitions; its examples with their translations', async () => {
  const { blocks } = await readBytes('a.lift', '<lift version="0.13"><entry id="e1"><lexical-unit><form lang="sw"><text>paka</text></form></lexical-unit><variant><form lang="sw"><text>mpaka</text></form></variant><sense><gloss lang="en"><text>cat</text></gloss><definition><form lang="en"><text>a small animal</text></form></definition><example><form lang="sw"><text>Paka analala.</text></form><translation><form lang="en"><text>The cat sleeps.</text></form></translation></example></sense></entry></lift>');
  expect(blocks.map(({ kind, text, language, aligned }) => [kind, text, language, aligned?.map((one) => one.text)])).toEqual([
    ['segment', 'paka, mpaka: cat; a small animal', 'sw', undefined], ['segment', 'Paka analala.', 'sw', ['The cat sleeps.']], ['segment', 'The cat sleeps.', 'en', ['Paka analala.']],
  ]);
});

describe('Toolbox', () => {
  test('interlinear records: the text with free translation and glosses, times of ELAN, the title above', async () => {
    const { format, blocks } = await readBytes('a.txt', '\\_sh v3.0  400  Text\n\\id Story\n\n\\ref S.001\n\\ELANBegin 1.5\n\\ELANEnd 00:00:02.750\n\\ELANParticipant Asha\n\\tx Paka   alilala\n\\mb paka  a-li-lala\n\\ge cat   SM-PST-sleep\n\\ft The cat slept.\n\n\\ref S.002\n\\tx Basi\n');
    expect(format).toBe('toolbox');
    expect(rows(blocks, 'line', 'timeMs', 'speaker')).toEqual([
      ['heading', 'Story', 1, undefined, undefined], ['segment', 'Paka alilala', 4, { start: 1500, end: 2750 }, 'Asha'], ['segment', 'The cat slept.', 4, { start: 1500, end: 2750 }, 'Asha'], ['segment', 'Basi', 13, undefined, undefined],
    ]);
    expect(blocks[1]?.aligned?.map(({ text }) => text)).toEqual(['The cat slept.', 'paka a-li-lala', 'cat SM-PST-sleep']);
  });

  test('dictionaries: the entry with its meanings, examples with their translations', async () => {
    const { blocks } = await readBytes('a.db', '\\lx paka\n\\ps n\n\\ge cat\n\\gn chat\n\\xv Paka analala.\n\\xe The cat sleeps.\n\\xv Paka!\n\\lx mti\n\\ge tree\n');
    expect(rows(blocks, 'line')).toEqual([['segment', 'paka: cat; chat', 1], ['segment', 'Paka analala.', 5], ['segment', 'The cat sleeps.', 5], ['segment', 'Paka!', 7], ['segment', 'mti: tree', 8]]);
    expect(rows((await readBytes('a.db', '\\lx ai\n\\ge tree\n\\se ai-balun\n\\ge box\n\\xv Ai-balun ida.\n\\lx uma\n\\ge house\n')).blocks, 'line')).toEqual([['segment', 'ai: tree', 1], ['segment', 'ai-balun: box', 3], ['segment', 'Ai-balun ida.', 5], ['segment', 'uma: house', 6]]);
    expect(rows((await readBytes('a.db', '\\w abi\n\\g water\n\\d some\n\n\\w cedi\n\\g fire\n')).blocks)).toEqual(['abi', 'water', 'some', 'cedi', 'fire'].map((text) => ['segment', text])); // markers of a project's own
    await expect(readBytes('a.dic', 'three\ncommon\nwords\n')).rejects.toMatchObject({ code: 'documents.not-toolbox' });
  });
});

test('TextGrid: phrases as they are, words joined between pauses, silence left out', async () => {
  const interval = (from: number, to: number, text: string): string => `${from}\n${to}\n"${text}"\n`;
  const { blocks } = await readBytes('a.TextGrid', `File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n9\n<exists>\n2\n"IntervalTier"\n"phrase"\n0\n9\n3\n${interval(0, 1, '')}${interval(1, 4, 'habari ya leo')}${interval(4, 9, 'njema sana ""rafiki""')}"IntervalTier"\n"word"\n0\n9\n4\n${interval(1, 2, 'habari')}${interval(2, 3, 'ya')}${interval(3, 5, 'sil')}${interval(5, 6, 'njema')}`);
  expect(rows(blocks, 'tier', 'timeMs')).toEqual([
    ['segment', 'habari ya leo', 'phrase', { start: 1000, end: 4000 }], ['segment', 'njema sana "rafiki"', 'phrase', { start: 4000, end: 9000 }], ['segment', 'habari ya', 'word', { start: 1000, end: 3000 }], ['segment', 'njema', 'word', { start: 5000, end: 6000 }],
  ]);
});

test('CoNLL-U: sentences and their translations, whatever the file is called', async () => {
  const { format, blocks } = await readBytes('a.txt', '# sent_id = 1\n# text = Paka alilala.\n# text_en = The cat slept.\n1\tPaka\tpaka\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\talilala\tlala\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n');
  expect(format).toBe('conllu');
  expect(blocks.map(({ text, language, aligned }) => [text, language, aligned?.[0]?.text])).toEqual([['Paka alilala.', undefined, 'The cat slept.'], ['The cat slept.', 'en', 'Paka alilala.']]);
});

test('USFM: a block for each verse with its reference, headings above, footnotes left out; .SFM and .txt too', async () => {
  const book = '\\id GEN Test\n\\mt1 Mwanzo\n\\c 1\n\\s Uumbaji\n\\p\n\\v 1 Hapo mwanzo\\f + \\ft note\\f* Mungu aliumba.\n\\q1 mbingu\n\\v 2-3 Nchi ilikuwa tupu.\n';
  for (const name of ['a.SFM', 'a.usfm', 'a.txt']) {
    const { format, title, blocks } = await readBytes(name, book);
    expect([format, title]).toEqual(['usfm', 'Mwanzo']);
    expect(rows(blocks, 'verse', 'headings')).toEqual([['heading', 'Mwanzo', undefined, []], ['heading', 'Uumbaji', undefined, ['Mwanzo']], ['segment', 'Hapo mwanzo Mungu aliumba. mbingu', 'GEN 1:1', ['Mwanzo', 'Uumbaji']], ['segment', 'Nchi ilikuwa tupu.', 'GEN 1:2-3', ['Mwanzo', 'Uumbaji']]]);
  }
});

test('TMX and XLIFF: a block for each side, the other beside it; a broken unit is a problem', async () => {
  const tmx = await readBytes('a.tmx', '<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>One <bpt i="1">{b}</bpt>tree<ept i="1">{/b}</ept></seg></tuv><tuv xml:lang="sw"><seg>Mti mmoja</seg></tuv></tu></body></tmx>');
  expect(tmx.blocks.map(({ text, language, aligned }) => [text, language, aligned?.[0]?.text])).toEqual([['One tree', 'en', 'Mti mmoja'], ['Mti mmoja', 'sw', 'One tree']]);
  const xliff = await readBytes('a.xlf', '<xliff version="1.2"><file source-language="en" target-language="sw"><body><trans-unit id="1"><source>tree</source><target>mti</target></trans-unit><trans-unit id="2"><source>water</source></trans-unit></body></file></xliff>');
  expect(xliff.blocks.map(({ text, language, aligned }) => [text, language, aligned?.[0]?.text])).toEqual([['tree', 'en', 'mti'], ['mti', 'sw', 'tree'], ['water', 'en', undefined]]);
  for (const name of ['a.tmx', 'a.xlf', 'a.lift', 'a.flextext', 'a.xml', 'a.txt']) {
    await expect(readBytes(name, '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]><tmx><body><tu><tuv xml:lang="en"><seg>&a;</seg></tuv></tu></body></tmx>')).rejects.toMatchObject({ family: 'input', code: 'documents.xml-entities' });
  }
});
