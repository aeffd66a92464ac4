/** Do the parsers of linguists' formats follow their specifications, in small files written here, whole and broken? */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../base/errors.ts';
import { conlluParser } from './conllu.ts';
import { eafParser } from './eaf.ts';
import { flextextParser } from './flextext.ts';
import { liftParser } from './lift.ts';
import { parseAllLines, parseAllText, partsOf } from './parsing.ts';
import type { LineParser, Parsed, PieceParser } from './parsing.ts';
import { countMarkers, guessRecordMarker, sfmParser, sfmText } from './sfm.ts';
import { parseBinaryTextGrid, parseTextGrid } from './textgrid.ts';
import { tmxParser } from './tmx.ts';
import { usfmParser } from './usfm.ts';
import { englishVersification, parseVersification } from './versification.ts';
import { xliffParser } from './xliff.ts';

const place = { path: 'file', area: 'corpus' as const };
const faultsOf = <T>(parsed: readonly Parsed<T>[]): string[] => parsed.flatMap((one) => (one.kind === 'fault' ? [`${one.fault.reason} ${one.fault.line}`] : []));

const annotation = (id: string, from: string, to: string, text: string): string => `<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="${id}" TIME_SLOT_REF1="${from}" TIME_SLOT_REF2="${to}"><ANNOTATION_VALUE>${text}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>`;
const reference = (id: string, to: string, text: string, previous = ''): string => `<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="${id}" ANNOTATION_REF="${to}"${previous === '' ? '' : ` PREVIOUS_ANNOTATION="${previous}"`}><ANNOTATION_VALUE>${text}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>`;
const eaf = `<ANNOTATION_DOCUMENT FORMAT="3.0"><HEADER><MEDIA_DESCRIPTOR MEDIA_URL="file:///C:/a/b.wav"/></HEADER>
<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="100"/><TIME_SLOT TIME_SLOT_ID="t2"/><TIME_SLOT TIME_SLOT_ID="t3"/><TIME_SLOT TIME_SLOT_ID="t4" TIME_VALUE="400"/></TIME_ORDER>
<TIER TIER_ID="ft" LINGUISTIC_TYPE_REF="free" PARENT_REF="tx" LANG_REF="eng">${reference('b1', 'a1', 'one &amp; two')}</TIER>
<TIER TIER_ID="tx" LINGUISTIC_TYPE_REF="utt" PARTICIPANT="Ana">${annotation('a1', 't1', 't4', 'moja\n na mbili')}</TIER>
<TIER TIER_ID="w" LINGUISTIC_TYPE_REF="word" PARENT_REF="tx">${annotation('w1', 't1', 't2', 'moja')}${annotation('w2', 't2', 't3', 'na')}${annotation('w3', 't3', 't4', 'mbili')}</TIER>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="word" CONSTRAINTS="Time_Subdivision"/></ANNOTATION_DOCUMENT>`;

describe('ELAN', () => {
  const tiersOf = (text: string) => partsOf(parseAllText(text, eafParser(place)))[0]?.tiers ?? [];

  test('children inherit times, unaligned slots are spread evenly, words find their utterance by time', () => {
    const [free, utterance, words] = tiersOf(eaf);
    expect(free).toMatchObject({ name: 'ft', parent: 'tx', type: 'free', language: 'eng' });
    expect(free?.annotations).toMatchObject([{ text: 'one & two', startMs: 100, endMs: 400, parentId: 'a1' }]);
    expect(utterance?.annotations[0]?.text).toBe('moja na mbili');
    expect(words?.constraint).toBe('Time_Subdivision');
    expect(words?.annotations.map(({ startMs, endMs, parentId }) => [startMs, endMs, parentId])).toEqual([[100, 200, 'a1'], [200, 300, 'a1'], [300, 400, 'a1']]);
  });

  test('what refers to nothing, to itself or twice is a fault, and the rest is read', () => {
    const broken = eaf.replace('ANNOTATION_REF="a1"', 'ANNOTATION_REF="zz"').replace('PARENT_REF="tx" LANG_REF', 'PARENT_REF="ft" LANG_REF').replace('ANNOTATION_ID="w2"', 'ANNOTATION_ID="w1"');
    const parsed = parseAllText(broken, eafParser(place));
    expect(faultsOf(parsed).map((one) => one.split(' ')[0]).sort()).toEqual(['circular-tier', 'repeated-id', 'unknown-annotation']);
    expect(tiersOf(broken).map(({ annotations }) => annotations.length)).toEqual([1, 1, 3]);
  });

  test('a chain of references that comes back to itself ends', () => {
    const circle = `<ANNOTATION_DOCUMENT><TIER TIER_ID="a" LINGUISTIC_TYPE_REF="x">${reference('r1', 'r2', 'one')}${reference('r2', 'r1', 'two')}</TIER></ANNOTATION_DOCUMENT>`;
    const parsed = parseAllText(circle, eafParser(place));
    expect(faultsOf(parsed).map((one) => one.split(' ')[0])).toContain('circular-annotation');
    expect(tiersOf(circle)[0]?.annotations.map(({ startMs }) => startMs)).toEqual([null, null]);
  });
});

const flextext = `<document version="2"><interlinear-text><item type="title" lang="sw">Habari</item><paragraphs><paragraph><phrases>
<phrase begin-time-offset="10" end-time-offset="20" speaker="Ana"><item type="segnum" lang="en">1</item><words>
<word><item type="txt" lang="sw">Habari</item><morphemes><morph type="stem"><item type="txt" lang="sw">habari</item><item type="gls" lang="en">news</item></morph></morphemes><item type="gls" lang="en">news</item><item type="pos" lang="en">n</item></word>
<word><item type="punct" lang="sw">(</item></word><word><item type="txt" lang="sw">njema</item></word><word><item type="punct" lang="sw">).</item></word></words>
<item type="gls" lang="en">Good news</item><item type="gls" lang="fr"> </item><item type="lit" lang="en">news good</item></phrase>
<phrase><item type="txt" lang="sw">Bila maneno</item></phrase></phrases></paragraph></paragraphs><languages><language lang="en"/><language lang="sw" vernacular="true"/></languages></interlinear-text></document>`;

describe('FLEx', () => {
  test('words, glosses and translations keep their owners; a sentence is put together with its stops', () => {
    const parts = partsOf(parseAllText(flextext, flextextParser(place)));
    expect(parts.map(({ kind }) => kind)).toEqual(['text', 'phrase', 'phrase', 'languages']);
    const [first, second] = parts.filter((part) => part.kind === 'phrase');
    expect(first).toMatchObject({ number: '1', startMs: 10, endMs: 20, speaker: 'Ana', texts: [{ language: 'sw', text: 'Habari (njema).' }], freeTranslations: [{ language: 'en', text: 'Good news' }], literalTranslations: [{ language: 'en', text: 'news good' }] });
    expect(first?.words[0]).toMatchObject({ glosses: [{ text: 'news' }], partsOfSpeech: [{ text: 'n' }], morphemes: [{ type: 'stem', glosses: [{ text: 'news' }] }] });
    expect(second?.texts).toEqual([{ language: 'sw', text: 'Bila maneno' }]);
    expect(parts.at(-1)).toMatchObject({ languages: [{ language: 'sw', isVernacular: true }, { language: 'en', isVernacular: false }] });
  });

  test('a file without words, and one whose phrases are called words, are read', () => {
    const bare = '<document><interlinear-text><paragraphs><paragraph><phrases><word><item type="gls" lang="en">only a translation</item></word></phrases></paragraph></paragraphs></interlinear-text></document>';
    expect(partsOf(parseAllText(bare, flextextParser(place))).filter(({ kind }) => kind === 'phrase')).toMatchObject([{ element: 'word', texts: [], words: [], freeTranslations: [{ text: 'only a translation' }] }]);
  });
});

describe('LIFT', () => {
  const lift = `<lift version="0.13"><entry id="e1"><lexical-unit><form lang="sw"><text>ma<span lang="sw">ji</span></text></form></lexical-unit><etymology><gloss lang="en"><text>not this</text></gloss></etymology>
<sense><gloss lang="en"><text>water</text></gloss><definition><form lang="en"><text>a liquid</text></form></definition><example><form lang="sw"><text>Maji moto</text></form><translation><form lang="en"><text>hot water</text></form></translation></example><note><form lang="en"><text>a note</text></form></note>
<subsense><gloss lang="en"><text>juice</text></gloss></subsense></sense></entry><entry id="e2"><citation><form lang="sw"><text>moto</text></form></citation></entry></lift>`;

  test('senses, subsenses and examples keep what is theirs', () => {
    const [, first, second] = partsOf(parseAllText(lift, liftParser(place)));
    expect(first).toMatchObject({
      id: 'e1',
      lexicalUnit: [{ language: 'sw', text: 'maji' }],
      senses: [{ isSubsense: false, glosses: [{ text: 'water' }], definitions: [{ text: 'a liquid' }], examples: [{ texts: [{ text: 'Maji moto' }], translations: [{ text: 'hot water' }] }] }, { isSubsense: true, glosses: [{ text: 'juice' }] }],
    });
    expect(second).toMatchObject({ id: 'e2', lexicalUnit: [], citation: [{ text: 'moto' }], senses: [] });
  });

  test('an entry with a stray ampersand is a fault, the ones around it are read', () => {
    const parsed = parseAllText(lift.replace('<text>water</text>', '<text>water & ice</text>'), liftParser(place));
    expect(faultsOf(parsed)).toEqual(['not-well-formed 1']);
    expect(partsOf(parsed).map((part) => (part.kind === 'entry' ? part.id : part.kind))).toEqual(['header', 'e2']);
  });
});

describe('Toolbox', () => {
  test('values go on over lines, the header is no record, wrapped lines are joined', () => {
    const text = '\\_sh v3.0  400  Text\n\\id a text\n\n\\ref 1\n\\tx one\n  more\n\\ge a\n\\tx two\n\n\\ref 2\n\\tx C:\\folder\n';
    const records = partsOf(parseAllLines(text, sfmParser('ref')));
    expect(records.map(({ isHeader, line, fields }) => [isHeader, line, fields.length])).toEqual([[true, 1, 2], [false, 4, 4], [false, 10, 2]]);
    expect(records.slice(1).map((record) => sfmText(record, 'tx'))).toEqual(['one more two', 'C:\\folder']);
    expect(faultsOf(parseAllLines('text\n\\ref 1\n', sfmParser('ref')))).toEqual(['text-before-marker 1']);
  });

  test('the record marker is the known one, else the first that comes again', () => {
    const guess = (text: string) => guessRecordMarker(countMarkers(text.split('\n')));
    expect([guess('\\lx a\n\\ge b'), guess('\\id x\n\\ref 1\n\\tx a'), guess('\\_sh v3\n\\wd a\n\\gl b\n\\wd c\n\\gl d'), guess('plain')]).toEqual(['lx', 'ref', 'wd', null]);
  });
});

describe('Praat', () => {
  const long = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0 \nxmax = 2.5 \ntiers? <exists> \nsize = 2 \nitem []: \n    item [1]:\n        class = "IntervalTier" \n        name = "say ""hi""" \n        xmin = 0 \n        xmax = 2.5 \n        intervals: size = 2 \n        intervals [1]:\n            xmin = 0 \n            xmax = 1e0 \n            text = "two\nlines" \n        intervals [2]:\n            xmin = 1 \n            xmax = 2.5 \n            text = "" \n    item [2]:\n        class = "TextTier" \n        name = "points" \n        xmin = 0 \n        xmax = 2.5 \n        points: size = 1 \n        points [1]:\n            number = 0.5 \n            mark = "x" \n';
  const grid = { start: 0, end: 2.5, tiers: [{ kind: 'intervals', name: 'say "hi"', items: [{ start: 0, end: 1, text: 'two lines' }, { start: 1, end: 2.5, text: '' }] }, { kind: 'points', name: 'points', items: [{ start: 0.5, end: 0.5, text: 'x' }] }], faults: [] };

  test('the long form, the short form and other spacing say the same', () => {
    const short = '"ooTextFile short"\n"TextGrid"\n\n0\n2.5\n<exists>\n2\n"IntervalTier"\n"say ""hi"""\n0\n2.5\n2\n0\n1\n"two\nlines"\n1\n2.5\n""\n"TextTier"\n"points"\n0\n2.5\n1\n0.5\n"x"\n';
    const chronological = '"Praat chronological TextGrid text file"\n0 2.5   ! Time domain.\n2   ! Number of tiers.\n"IntervalTier" "say ""hi""" 0 2.5\n"TextTier" "points" 0 2.5\n\n! say "hi":\n1 0 1\n"two\nlines"\n\n! points:\n2 0.5\n"x"\n\n1 1 2.5\n""\n';
    expect(parseTextGrid(chronological, place)).toEqual(grid);
    expect(parseTextGrid(`${chronological}3 1\n"y"`, place)).toMatchObject({ tiers: grid.tiers, faults: [{ reason: 'truncated' }] });
    for (const text of [long, short, `File type = ${short}`, long.replaceAll(' = ', '=  ').replaceAll('=', ' = '), `! a comment with 7 and "quotes"\n${long}`]) expect(parseTextGrid(text, place)).toEqual(grid);
  });

  test('a grid that ends too early gives what was there and a fault', () => {
    const { tiers, faults } = parseTextGrid(long.slice(0, long.indexOf('points: size')), place);
    expect(tiers.map(({ items }) => items.length)).toEqual([2, 0]);
    expect(faults.map(({ reason }) => reason)).toEqual(['truncated']);
    expect(() => parseTextGrid('"ooTextFile"\n"PitchTier"\n0\n1\n', place)).toThrow(InputError);
    expect(() => parseBinaryTextGrid(Buffer.from('ooBinaryFile\x07'), place)).toThrow(InputError);
  });
});

describe('CoNLL-U', () => {
  test('text and translations come from comments, else from the written forms; words not written do not count', () => {
    const row = (id: string, form: string, misc = '_'): string => `${id}\t${form}\t_\tX\t_\t_\t0\t_\t_\t${misc}`;
    const text = ['# newdoc id = d1', '# sent_id = s1', '# text_en = of the', '# text_orig = no', row('1-2', 'du'), row('1', 'de'), row('2', 'le'), row('2.1', 'ghost'), row('3', 'pain', 'SpaceAfter=No'), row('4', '.'), '', '# newdoc', row('1', 'x'), 'bad row'].join('\n');
    const parsed = parseAllLines(text, conlluParser());
    expect(partsOf(parsed)).toMatchObject([{ id: 's1', document: 'd1', documentNumber: 0, text: 'du pain.', translations: [{ language: 'en', text: 'of the' }] }, { documentNumber: 1, text: 'x' }]);
    expect(faultsOf(parsed)).toEqual(['column-count 14']);
  });
});

describe('USFM', () => {
  const verses = (text: string) => partsOf(parseAllLines(text, usfmParser())).flatMap((part) => (part.kind === 'verse' ? [[part.chapter, part.verse, part.first, part.last, part.text]] : []));

  test('notes, figures, numbers, attributes and milestones are no text; styles, poetry and tables are', () => {
    const text = '\\id GEN\n\\c 1\n\\s Heading\n\\p\n\\v 1 In \\add the\\add* \\nd Lord\\nd*\\f + \\fr 1:1 \\ft note \\fv 3\\fv* more\\f*, he\n\\s2 Between\n\\q1 said\\x - \\xo 1 \\xt Gen 2\\x*\n\\q2 \\w word|lemma="w" strong="H1"\\w*\\fig cap|src="a.jpg"\\fig*\n\\v 2-3 \\va 4\\va*\\zaln-s |x-strong="H"\\*two~three\\zaln-e\\*\n\\tr \\tc1 a \\tc2 b\n\\c 2 \\p \\v 1a half \\v 1b whole';
    expect(verses(text)).toEqual([[1, '1', 1, 1, 'In the Lord, he said word'], [1, '2-3', 2, 3, 'two three a b'], [2, '1a', 1, 1, 'half'], [2, '1b', 1, 1, 'whole']]);
    const parts = partsOf(parseAllLines(text, usfmParser()));
    expect(parts.filter(({ kind }) => kind === 'heading').map((part) => [part.text, 'marker' in part ? part.marker : ''])).toEqual([['Heading', 's'], ['Between', 's2']]);
    expect([parts.reduce((sum, { footnotes }) => sum + footnotes, 0), parts.reduce((sum, { crossReferences }) => sum + crossReferences, 0)]).toEqual([1, 1]);
  });

  test('what is wrong has its line, and the next verse is whole', () => {
    const parsed = parseAllLines('\\c one\n\\v 1 a\\f + \\ft open\n\\v 2 b\n\\v x\n\\v 2 again', usfmParser());
    expect(faultsOf(parsed)).toEqual(['not-a-chapter 1', 'missing-book 2', 'unclosed-note 2', 'not-a-verse 4', 'repeated-verse 5']);
    expect(verses('\\id GEN\n\\c 1\n\\v 1 a\\f + \\ft open\n\\v 2 b').at(-1)).toEqual([1, '2', 2, 2, 'b']);
  });

  test('English and Hebrew chapters meet in the original numbering; a custom file goes before', () => {
    const at = (book: string, chapter: number, verse: number) => englishVersification.toOriginal({ book, chapter, verse });
    expect([at('MAL', 4, 1), at('PSA', 3, 1), at('PSA', 51, 1), at('JOL', 3, 21), at('GEN', 1, 1)]).toEqual([
      { book: 'MAL', chapter: 3, verse: 19 }, { book: 'PSA', chapter: 3, verse: 2 }, { book: 'PSA', chapter: 51, verse: 3 }, { book: 'JOL', chapter: 4, verse: 21 }, { book: 'GEN', chapter: 1, verse: 1 },
    ]);
    const { versification, faults } = parseVersification('# c\nGEN 1:1-2 = GEN 1:2-3\nROM 14:26\n-3JN 1:15\nGEN 1:1-2 = GEN 1:5', 'custom', englishVersification);
    expect([versification.toOriginal({ book: 'GEN', chapter: 1, verse: 2 }).verse, versification.toOriginal({ book: 'MAL', chapter: 4, verse: 1 }).verse, faults.length]).toEqual([3, 19, 1]);
  });
});

describe('XLIFF', () => {
  test('version 2 has segments in units; suggestions and code are no text', () => {
    const text = '<xliff version="2.0" srcLang="en" trgLang="sw"><file id="f"><group translate="no"><unit id="u1"><notes><note>n</note></notes><segment id="s1"><source>One <pc id="1">bold</pc><ph id="2"/></source><target>Moja <mrk id="m">nene</mrk></target></segment><ignorable><source> </source></ignorable><segment><source>Two<cp hex="0021"/></source></segment></unit></group></file></xliff>';
    expect(partsOf(parseAllText(text, xliffParser(place))).filter(({ kind }) => kind === 'unit')).toMatchObject([{ isTranslatable: false, sourceLanguage: 'en', targetLanguage: 'sw', segments: [{ id: 's1', source: 'One bold', target: 'Moja nene' }, { id: 'u1', source: 'Two!', target: null }] }]);
    const old = '<xliff version="1.2"><file source-language="en" target-language="sw"><body><trans-unit id="1"><source>A<ph id="1">&lt;b></ph></source><seg-source><mrk mtype="seg">no</mrk></seg-source><target>B</target><alt-trans><source>x</source><target>y</target></alt-trans></trans-unit></body></file></xliff>';
    expect(partsOf(parseAllText(old, xliffParser(place))).at(-1)).toMatchObject({ segments: [{ source: 'A', target: 'B' }] });
  });
});

/** One whole file of each, to be cut, doubled and changed. */
const xml: readonly (readonly [string, () => PieceParser<unknown>, string])[] = [
  ['eaf', () => eafParser(place), eaf],
  ['flextext', () => flextextParser(place), flextext],
  ['lift', () => liftParser(place), '<lift version="0.13"><entry id="e"><lexical-unit><form lang="sw"><text>maji</text></form></lexical-unit><sense><gloss lang="en"><text>water</text></gloss></sense></entry></lift>'],
  ['tmx', () => tmxParser(place), '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>a <bpt i="1">x</bpt>b</seg></tuv><tuv xml:lang="sw"><seg>c</seg></tuv></tu></body></tmx>'],
  ['xliff', () => xliffParser(place), '<xliff version="1.2"><file source-language="en"><body><trans-unit id="1"><source>a</source><target>b</target></trans-unit></body></file></xliff>'],
];
const lines: readonly (readonly [string, () => LineParser<unknown>, string])[] = [
  ['sfm', () => sfmParser('lx'), '\\_sh v3.0 400 MDF\n\\lx a\n\\ge b\n\n\\lx c\n\\xv d\n\\xe e\n'],
  ['conllu', () => conlluParser(), '# sent_id = 1\n# text = a b\n1-2\ta\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n'],
  ['usfm', () => usfmParser(), '\\id GEN\n\\c 1\n\\p\n\\v 1 a\\f + \\ft b\\f* c \\w d|e\\w*\n\\v 2-3 f\n\\s g\n'],
];

describe('hostile input', () => {
  const mutated = (text: string) =>
    fc.tuple(fc.nat(text.length), fc.nat(text.length), fc.oneof(fc.constantFrom('', '<', '>', '&', '"', '\\', '|', '\t', '\n', '*', '<!DOCTYPE x [<!ENTITY y "z">]>', '\uFFFD', '</TIER>', '\\f ', '\\v '), fc.string({ unit: 'binary', maxLength: 8 }))).map(([a, b, put]) => text.slice(0, Math.min(a, b)) + put + text.slice(Math.max(a, b)));
  /** Nothing but InputError may come out. */
  const survives = (work: () => unknown): void => {
    try {
      work();
    } catch (thrown) {
      if (!(thrown instanceof InputError)) throw thrown;
    }
  };

  test.each(xml)('%s: changed anywhere and cut anywhere, gives parts, faults or an input error', (_, make, text) => {
    fc.assert(
      fc.property(mutated(text), fc.nat(text.length), (changed, cut) => {
        survives(() => {
          const parser = make();
          parser.push(changed.slice(0, cut));
          parser.push(changed.slice(cut), true);
          parser.end();
        });
      }),
      { numRuns: 300 },
    );
  });

  test.each(xml)('%s: cut into pieces gives what the whole gives', (_, make, text) => {
    fc.assert(
      fc.property(fc.nat(text.length), (cut) => {
        const parser = make();
        expect([...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut)), ...parser.end()]).toEqual(parseAllText(text, make()));
      }),
      { numRuns: 50 },
    );
  });

  test.each(lines)('%s: changed anywhere gives parts or faults, never an error', (_, make, text) => {
    fc.assert(fc.property(mutated(text), (changed) => void parseAllLines(changed, make())), { numRuns: 500 });
  });

  test('TextGrids of any text and any bytes give a grid or an input error', () => {
    fc.assert(fc.property(mutated('"Praat chronological TextGrid text file"\n0 1\n1\n"IntervalTier" "a" 0 1\n1 0 1\n"b"\n'), (text) => survives(() => parseTextGrid(text, place))), { numRuns: 100 });
    fc.assert(fc.property(mutated('File type = "ooTextFile"\nObject class = "TextGrid"\n0\n1\n<exists>\n1\n"IntervalTier"\n"a"\n0\n1\n1\n0\n1\n"b"\n'), (text) => survives(() => parseTextGrid(text, place))), { numRuns: 300 });
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => survives(() => parseBinaryTextGrid(Buffer.concat([Buffer.from('ooBinaryFile\x08TextGrid'), bytes]), place))), { numRuns: 300 });
  });

  test('definitions, depth and other roots are refused', () => {
    for (const [, make, text] of xml) {
      expect(() => parseAllText(`<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>${text}`, make())).toThrow(expect.objectContaining({ code: 'corpus.xml-entities' }));
      expect(() => parseAllText('<html/>', make())).toThrow(expect.objectContaining({ code: expect.stringMatching(/^corpus\.not-/) }));
      expect(() => parseAllText(text.replace('>', `>${'<deep>'.repeat(300)}`), make())).toThrow(expect.objectContaining({ code: 'corpus.xml-too-deep' }));
    }
  });
});
