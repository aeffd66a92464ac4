/** Do tables, tiers, dictionaries, Bible translations and published question sets become the right records, with every choice a person can make? */
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../base/errors.ts';
import type { CorpusSource } from './sources.ts';
import { readPairs, readPhrases, readQuestions, readTexts } from './sources.ts';
import type { CorpusProblem, Reading } from './records.ts';
import { proposeColumns } from './table-columns.ts';
import { zipOf } from './test-archives.ts';

const never = new AbortController().signal;

/** Writes the files, names them as paths of a source, and reads it. */
async function read<T>(reader: (source: CorpusSource, signal: AbortSignal, options: { onLeftOut: (reason: string) => void }) => AsyncIterable<readonly Reading<T>[]>, files: Readonly<Record<string, string | Uint8Array>>, said: Omit<CorpusSource, 'paths'> & { readonly drop?: readonly string[] } = {}) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-field-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), content);
  }
  const { drop = Object.keys(files), ...rest } = said;
  const records: T[] = [];
  const problems: CorpusProblem[] = [];
  const leftOut: string[] = [];
  for await (const readings of reader({ paths: drop.map((name) => join(folder.path, name)), ...rest }, never, { onLeftOut: (reason) => leftOut.push(reason) })) {
    for (const one of readings) {
      if (one.kind === 'record') records.push(one.value);
      else problems.push(one.problem);
    }
  }
  return { records, codes: problems.map(({ code, line }) => `${code} ${line}`), leftOut };
}
const sides = ({ records }: { readonly records: readonly { readonly source: string; readonly target: string }[] }): string[][] => records.map(({ source, target }) => [source, target]);

const proposeTsv = (text: string) => proposeColumns(text.trim().split('\n').map((line) => line.split('\t')));

describe('tables', () => {
  test('columns by name, by number and by guess; quoted cells hold commas, quotes and line ends', async () => {
    const csv = 'id,English,note,Swahili\n1,"one, two",x,"moja\nmbili"\n2,"say ""hi""",y,habari\n';
    const expected = [['one, two', 'moja\nmbili'], ['say "hi"', 'habari']];
    expect(sides(await read(readPairs, { 'a.csv': csv }))).toEqual(expected);
    expect(sides(await read(readPairs, { 'a.csv': csv }, { mapping: { columns: { source: 'swahili', target: 'english' } } }))).toEqual(expected.map(([a = '', b = '']) => [b, a]));
    expect(sides(await read(readPairs, { 'a.csv': csv }, { mapping: { hasHeader: true, columns: { source: 2, target: 4 } } }))).toEqual(expected);
    expect(sides(await read(readPairs, { 'a.csv': csv }, { languages: { source: 'sw', target: 'en' } }))).toEqual(expected.map(([a = '', b = '']) => [b, a]));
    expect((await read(readTexts, { 'a.csv': csv }, { mapping: { columns: { text: 'Swahili' } } })).records.map(({ text }) => text)).toEqual(['moja\nmbili', 'habari']);
    await expect(read(readPairs, { 'a.csv': csv }, { mapping: { columns: { source: 'Kiswahili', target: 'English' } } })).rejects.toMatchObject({ code: 'corpus.missing-column', message: expect.stringContaining('"Swahili"') });
  });

  test('names of columns that are codes of languages too are names of columns; licences and addresses are no text', () => {
    const { languages, mapping } = proposeTsv('src\ttgt\nHello you\tHabari yako\n');
    expect([languages, mapping.columns]).toEqual([[], { source: 'src', target: 'tgt' }]);
    expect(proposeTsv('Go.\tNenda.\tCC-BY 2.0 (France) Attribution: a.org #1\nHi.\tHujambo.\tCC-BY 2.0 (France) Attribution: a.org #2\n').mapping.columns).toEqual({ source: 1, target: 2 });
  });

  test('fault 11: a quotation mark that stays open is named with its own line, and later rows are read', async () => {
    const { codes, records } = await read(readPairs, { 'a.csv': 'source,target\none,"moja\ntwo,mbili\nthree,tatu\n' });
    expect(codes).toEqual(['corpus.unclosed-quote 2']);
    expect(records.map(({ source }) => source)).toEqual(['two', 'three']);
    const later = await read(readPairs, { 'a.csv': 'source,target\none,"moja\ntwo,"mbili"\nthree,tatu\n' });
    expect([later.codes, sides(later)]).toEqual([['corpus.unclosed-quote 2'], [['two', 'mbili'], ['three', 'tatu']]]);
  });

  test('fault 12: ragged rows and repeated headers are problems with their lines; the good rows come', async () => {
    const { codes, records } = await read(readPairs, { 'a.csv': 'source,target,target\na,b,c\nd,e\nf,g,h,i\nj,k,l\n' });
    expect(codes).toEqual(['corpus.repeated-column 1', 'corpus.column-count 3', 'corpus.column-count 4']);
    expect(records.map(({ source, target }) => source + target)).toEqual(['ab', 'jk']);
  });

  test('fault 13: only a header, only spaces and nothing at all are said', async () => {
    await expect(read(readPairs, { 'a.csv': 'English,Swahili\n' })).rejects.toMatchObject({ code: 'corpus.only-header' });
    await expect(read(readPairs, { 'a.csv': 'source,target\n' }, { mapping: { hasHeader: true, columns: { source: 1, target: 2 } } })).rejects.toMatchObject({ code: 'corpus.only-header' });
    for (const text of ['', '  \n \n']) await expect(read(readPairs, { 'a.csv': text })).rejects.toMatchObject({ code: 'corpus.empty-file' });
  });

  test('WikiMatrix: rows below the margin are left out, and counted; the margin can be chosen', async () => {
    const text = '1.2\tone\tmoja\n1.03\tbad\tmbaya\n1.05\ttwo\tmbili\n';
    const usual = await read(readPairs, { 'a.tsv': text });
    expect([usual.records.map(({ source }) => source), usual.leftOut]).toEqual([['one', 'two'], ['below-score']]);
    expect((await read(readPairs, { 'a.tsv': text }, { mapping: { minimumScore: 1.1 } })).records.length).toBe(1);
    expect((await read(readPairs, { 'a.tsv': `${text}x\ta\tb\n` }, { format: 'wikimatrix' })).codes).toEqual(['corpus.not-a-number 4']);
  });

  test('any table of cells comes back from CSV with quotes', async () => {
    const cell = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replace(/[\r\0\uFEFF]/g, '').trim()).filter((text) => /\p{L}/u.test(text));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 2, maxLength: 10 }), async (rows) => {
        const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')).join('\r\n');
        const { records, codes } = await read(readPairs, { 'a.csv': text }, { format: 'csv', mapping: { hasHeader: false, columns: { source: 1, target: 2 } } });
        expect([codes, records.map(({ source, target }) => [source, target])]).toEqual([[], rows]);
      }),
      { numRuns: 30 },
    );
  });
});

const time = (id: number, ms: number): string => `<TIME_SLOT TIME_SLOT_ID="t${id}" TIME_VALUE="${ms}"/>`;
const said = (id: string, from: number, to: number, text: string): string => `<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="${id}" TIME_SLOT_REF1="t${from}" TIME_SLOT_REF2="t${to}"><ANNOTATION_VALUE>${text}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>`;
const on = (id: string, to: string, text: string, previous = ''): string => `<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="${id}" ANNOTATION_REF="${to}"${previous === '' ? '' : ` PREVIOUS_ANNOTATION="${previous}"`}><ANNOTATION_VALUE>${text}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>`;
const speaker = (name: string, from: number): string => `<TIER TIER_ID="tx@${name}" LINGUISTIC_TYPE_REF="tx" PARTICIPANT="${name}">${said(`${name}1`, from, from + 1, `utterance of ${name}`)}${said(`${name}2`, from + 1, from + 2, 'not translated')}</TIER>
<TIER TIER_ID="w@${name}" LINGUISTIC_TYPE_REF="word" PARENT_REF="tx@${name}">${on(`${name}w2`, `${name}1`, 'second', `${name}w1`)}${on(`${name}w1`, `${name}1`, 'first')}</TIER>
<TIER TIER_ID="ft@${name}" LINGUISTIC_TYPE_REF="free translation" PARENT_REF="tx@${name}">${on(`${name}f`, `${name}1`, `translation of ${name}`)}${on(`${name}g`, `${name}2`, '')}</TIER>`;
const eaf = `<ANNOTATION_DOCUMENT FORMAT="3.0"><TIME_ORDER>${[0, 100, 200, 300, 400, 500].map((ms, i) => time(i + 1, ms)).join('')}</TIME_ORDER>${speaker('Ana', 1)}${speaker('Ben', 4)}<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="word" CONSTRAINTS="Symbolic_Subdivision"/><LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="free translation" CONSTRAINTS="Symbolic_Association"/></ANNOTATION_DOCUMENT>`;

describe('tiers', () => {
  test('translation tiers of all speakers are found, with time, tier and speaker; what has no translation is left out', async () => {
    const { records, leftOut } = await read(readPairs, { 'a.eaf': eaf });
    expect(records.map(({ source, target, place }) => [source, target, place?.speaker, place?.timeMs])).toEqual([
      ['utterance of Ana', 'translation of Ana', 'Ana', { start: 0, end: 100 }],
      ['utterance of Ben', 'translation of Ben', 'Ben', { start: 300, end: 400 }],
    ]);
    expect(leftOut).toEqual(['not-translated', 'not-translated']);
  });

  test('tiers are chosen by name, by type and by order; words are joined in their own order', async () => {
    const choose = async (tiers: NonNullable<NonNullable<CorpusSource['mapping']>['tiers']>) => sides(await read(readPairs, { 'a.eaf': eaf }, { mapping: { tiers } }));
    expect(await choose({ source: { name: 'tx@Ben' }, target: { name: 'ft@Ben' } })).toEqual([['utterance of Ben', 'translation of Ben']]);
    expect(await choose({ source: { type: 'word' }, target: { type: 'free translation' } })).toEqual([['first second', 'translation of Ana'], ['first second', 'translation of Ben']]);
    expect(await choose({ source: { order: 1 }, target: { order: 3 } })).toEqual([['utterance of Ana', 'translation of Ana']]);
    await expect(choose({ source: { name: 'tx' }, target: { name: 'ft@Ana' } })).rejects.toMatchObject({ code: 'corpus.missing-tier' });
    expect((await read(readTexts, { 'a.eaf': eaf }, { mapping: { tiers: { source: { type: 'tx' } } } })).records.map(({ text }) => text)).toEqual(['utterance of Ana', 'not translated', 'utterance of Ben', 'not translated']);
  });

  test('numbers that sentences are referred by are no text; transcriptions of all speakers are read where nobody translated', async () => {
    const numbered = `<ANNOTATION_DOCUMENT><TIME_ORDER>${time(1, 0)}${time(2, 100)}${time(3, 200)}</TIME_ORDER><TIER TIER_ID="ref" LINGUISTIC_TYPE_REF="ref">${said('r1', 1, 2, 'STORY.001')}${said('r2', 2, 3, 'STORY.002')}</TIER><TIER TIER_ID="tx" LINGUISTIC_TYPE_REF="a" PARENT_REF="ref">${on('t1', 'r1', 'moja')}${on('t2', 'r2', 'mbili')}</TIER><TIER TIER_ID="ft" LINGUISTIC_TYPE_REF="a" PARENT_REF="ref">${on('f1', 'r1', 'one')}${on('f2', 'r2', 'two')}</TIER><LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="a" CONSTRAINTS="Symbolic_Association"/></ANNOTATION_DOCUMENT>`;
    expect(sides(await read(readPairs, { 'a.eaf': numbered }))).toEqual([['moja', 'one'], ['mbili', 'two']]);
    const tier = (name: string, from: number): string => `<TIER TIER_ID="${name}" LINGUISTIC_TYPE_REF="default-lt" PARTICIPANT="${name}">${said(name, from, from + 1, `spoken by ${name}`)}</TIER>`;
    const spoken = `<ANNOTATION_DOCUMENT><TIME_ORDER>${time(1, 0)}${time(2, 100)}${time(3, 200)}</TIME_ORDER>${tier('Ana', 1)}${tier('Ben', 2)}</ANNOTATION_DOCUMENT>`;
    expect((await read(readTexts, { 'a.eaf': spoken })).records.map(({ text }) => text)).toEqual(['spoken by Ana', 'spoken by Ben']);
  });

  test('tiers of a TextGrid in UTF-16 or Latin-1 are paired by time', async () => {
    const tier = (name: string, ...labels: readonly (readonly [number, number, string])[]): string => `"IntervalTier"\n"${name}"\n0\n2\n${labels.length}\n${labels.map(([from, to, text]) => `${from}\n${to}\n"${text}"`).join('\n')}\n`;
    const grid = `File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n2\n<exists>\n2\n${tier('utterance', [0, 1, 'habari'], [1, 2, ''])}${tier('gloss', [0, 0.4, 'good'], [0.4, 1, 'news'], [1, 2, ''])}`;
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(grid, 'utf16le')]);
    expect((await read(readPairs, { 'a.TextGrid': bytes })).records).toMatchObject([{ source: 'habari', target: 'good news', place: { timeMs: { start: 0, end: 1000 } } }]);
    const old = await read(readPairs, { 'a.TextGrid': Buffer.from(grid.replace('habari', 'ñandú'), 'latin1') }); // as Praat reads what is no UTF-8
    expect([sides(old), old.codes]).toEqual([[['ñandú', 'good news']], ['corpus.invalid-bytes 15']]);
  });
});

describe('languages', () => {
  const flextext = '<document><interlinear-text><paragraphs><paragraph><phrases><phrase><item type="txt" lang="con-Latn-EC">tsa\'u</item><item type="gls" lang="en">house</item><item type="gls" lang="es">casa</item></phrase><phrase><item type="txt" lang="con-Latn-EC">bare</item></phrase></phrases></paragraph></paragraphs></interlinear-text></document>';
  test('a file whose own language has another tag is read; the translation must be in the language asked for; directions turn', async () => {
    const pairs = async (source: string, target: string) => sides(await read(readPairs, { 'a.flextext': flextext }, { languages: { source, target } }));
    expect(await pairs('x-aingae', 'es')).toEqual([["tsa'u", 'casa']]);
    expect(await pairs('en', 'x-aingae')).toEqual([['house', "tsa'u"]]);
    expect(await pairs('x-aingae', 'fr')).toEqual([]);
  });

  test('of an XLIFF file with several target languages one is read, the one asked for; what must not be translated is no pair', async () => {
    const file = (target: string, ...units: readonly string[]): string => `<file source-language="en" target-language="${target}"><body>${units.join('')}</body></file>`;
    const xliff = `<xliff version="1.2">${file('sw', '<trans-unit id="1"><source>one</source><target>moja</target></trans-unit>', '<trans-unit id="2" translate="no"><source>IMG</source><target>IMG</target></trans-unit>')}${file('fr', '<trans-unit id="1"><source>one</source><target>un</target></trans-unit>', '<trans-unit id="2"><source>two</source></trans-unit>')}</xliff>`;
    const swahili = await read(readPairs, { 'a.xlf': xliff });
    expect([sides(swahili), swahili.codes, swahili.leftOut]).toEqual([[['one', 'moja']], ['corpus.missing-language 1'], ['not-translated', 'not-translated']]);
    expect(sides(await read(readPairs, { 'a.xlf': xliff }, { languages: { source: 'fr', target: 'en' } }))).toEqual([['un', 'one']]);
  });

  test('characters of two bytes stay whole where a file is read piece by piece', async () => {
    const [units, times] = [4000, 20]; // three pieces of 256 KB, which end inside characters
    const unit = Buffer.concat([Buffer.from('<tu><tuv xml:lang="en"><seg>s</seg></tuv><tuv xml:lang="zh"><seg>'), ...Array.from({ length: times }, () => Buffer.from([0xd6, 0xd0, 0xce, 0xc4])), Buffer.from('</seg></tuv></tu>')]);
    const { records, codes } = await read(readPairs, { 'a.tmx': Buffer.concat([Buffer.from('<?xml version="1.0" encoding="GB2312"?><tmx version="1.4"><header srclang="en"/><body>'), ...Array.from({ length: units }, () => unit), Buffer.from('</body></tmx>')]) });
    expect([records.length, codes, records.every(({ target }) => target === '中文'.repeat(times))]).toEqual([units, [], true]);
  });
});

describe('dictionaries', () => {
  test('Toolbox: words with glosses, examples with the sentences that show them; other markers can be chosen', async () => {
    const text = '\\_sh v3.0  400  MDF\n\\lx fyɛ\n\\ps v\n\\sn 1\n\\ge blow\n\\gn souffler\n\\xv file fyɛ\n\\xe whistle\n\\xn siffler\n\\sn 2\n\\ge winnow\n\\lx empty\n';
    const phrases = await read(readPhrases, { 'a.db': text });
    expect(phrases.records).toMatchObject([{ source: 'fyɛ', target: 'blow', examples: [{ source: 'file fyɛ', target: 'whistle' }] }, { source: 'fyɛ', target: 'winnow', examples: [] }]);
    expect(phrases.leftOut).toEqual(['not-translated']);
    expect(sides(await read(readPairs, { 'a.db': text }))).toEqual([['fyɛ', 'blow'], ['file fyɛ', 'whistle'], ['fyɛ', 'winnow']]);
    expect(sides(await read(readPairs, { 'a.db': text }, { mapping: { markers: { target: 'gn' } } }))).toEqual([['fyɛ', 'souffler'], ['file fyɛ', 'siffler']]);
    await expect(read(readPairs, { 'a.db': text }, { mapping: { markers: { target: 'zz' } } })).rejects.toMatchObject({ code: 'corpus.missing-marker' });
  });

  test('Toolbox: a subentry has its own word and meanings', async () => {
    const text = '\\lx ai\n\\ps n\n\\ge tree\n\\se ai-balun\n\\ps n\n\\ge box\n\\ps v\n\\ge to box\n\\xv Ai-balun ida.\n\\xe One box.\n\\lx uma\n\\ge house\n';
    expect(sides(await read(readPairs, { 'a.db': text }))).toEqual([['ai', 'tree'], ['ai-balun', 'box'], ['ai-balun', 'to box'], ['Ai-balun ida.', 'One box.'], ['uma', 'house']]);
  });

  test('LIFT: definitions stand in for missing glosses, and examples come with their translation', async () => {
    const lift = '<lift version="0.13"><entry id="e"><lexical-unit><form lang="sw"><text>maji</text></form></lexical-unit><sense><definition><form lang="en"><text>a liquid</text></form></definition><example><form lang="sw"><text>Maji moto</text></form><translation><form lang="en"><text>hot water</text></form></translation></example></sense></entry></lift>';
    expect((await read(readPhrases, { 'a.lift': lift })).records).toMatchObject([{ source: 'maji', target: 'a liquid', examples: [{ source: 'Maji moto', target: 'hot water' }] }]);
    expect(sides(await read(readPairs, { 'a.lift': lift }, { languages: { source: 'en', target: 'sw' } }))).toEqual([['a liquid', 'maji'], ['hot water', 'Maji moto']]);
  });
});

describe('Bible translations', () => {
  const book = (code: string, ...verses: readonly string[]): string => `\\id ${code}\n\\c 1\n\\p\n${verses.map((verse) => `\\v ${verse}`).join('\n')}\n`;

  test('verses pair by id; a range on one side joins the verses of the other; what one side lacks is left out', async () => {
    const { records, leftOut } = await read(readPairs, { 'a.usfm': book('GEN', '1 one', '2-3 two three', '4 four', '5'), 'b.usfm': book('GEN', '1 moja', '2 mbili', '3 tatu', '5 tano') });
    expect(records.map(({ source, target, place }) => [source, target, place?.verse])).toEqual([['one', 'moja', 'GEN 1:1'], ['two three', 'mbili tatu', 'GEN 1:2-3']]);
    expect(leftOut).toEqual(['not-translated', 'not-translated']);
  });

  test('Paratext folders: names and encoding from Settings.xml, numbering from both versifications', async () => {
    const settings = (versification: number, encoding: string) => `<ScriptureText><Versification>${versification}</Versification><Encoding>${encoding}</Encoding><LanguageIsoCode>en:::</LanguageIsoCode><Naming PrePart="" PostPart="X.SFM" BookNameForm="41MAT"/></ScriptureText>`;
    const { records, codes } = await read(
      readPairs,
      {
        'en/Settings.xml': settings(4, '65001'), 'en/39MALX.SFM': '\\id MAL\n\\c 4\n\\v 1 english\n', 'en/other.SFM': '\\id GEN\n\\c 1\n\\v 1 no book of the project\n',
        'org/Settings.xml': settings(1, '1252'), 'org/39MALX.SFM': Buffer.concat([Buffer.from('\\id MAL\n\\c 3\n\\v 19 caf'), Buffer.from([0xe9]), Buffer.from('\n')]), 'org/custom.vrs': '# none\n',
      },
      { drop: ['en', 'org'] },
    );
    expect([records.map(({ source, target }) => [source, target]), codes]).toEqual([[['english', 'café']], []]);
  });

  test('one translation is a text whose chapters are documents', async () => {
    const { records } = await read(readTexts, { 'a.usfm': `${book('GEN', '1 one')}\\c 2\n\\v 1 two\n` });
    expect(records.map(({ text, document, place }) => [text, document, place?.verse])).toEqual([['one', 0, 'GEN 1:1'], ['two', 1, 'GEN 2:1']]);
  });
});

describe('question sets', () => {
  test('DPR gives positives and hard negatives; a broken item is a problem with its line, the rest is read', async () => {
    const items = ['{"question":"q1","positive_ctxs":[{"title":"T","text":"yes","passage_id":7}],"hard_negative_ctxs":[{"text":"no"}]}', '{"question":"q2","positive_ctxs":[]}', '{"question":,}', '{"question":"q3 \\"]}","positive_ctxs":[{"text":"also"}]}'];
    const { records, codes } = await read(readQuestions, { 'nq.json': `[\n${items.join(',\n')}\n]` });
    expect(records).toEqual([{ query: 'q1', passage: 'yes', title: 'T', documentId: '7', negatives: ['no'] }, { query: 'q3 "]}', passage: 'also' }]);
    expect(codes).toEqual(['corpus.missing-field 3', 'corpus.not-json 4']);
    expect((await read(readQuestions, { 'nq.json': `[${items[0] ?? ''},${(items[3] ?? '').slice(0, 20)}` }, { format: 'dpr-json' })).codes).toEqual(['corpus.truncated-json 1']);
  });

  test('fault 10: half characters are replaced and counted', async () => {
    const { records, codes } = await read(readQuestions, { 'squad.json': '{"data": [{"paragraphs": [{"context": "ab \\udc00 cd", "qas": [{"question": "q \\ud83d?"}]}]}]}' });
    expect([records, codes]).toEqual([[{ query: 'q \uFFFD?', passage: 'ab \uFFFD cd', documentId: 'paragraph-1' }], ['corpus.half-character 1', 'corpus.half-character 1']]);
  });

  test('SQuAD leaves unanswerable questions out and keeps its paragraphs apart', async () => {
    const squad = { version: 'v2.0', data: [{ title: 'A_title', paragraphs: [{ context: 'one', qas: [{ id: '1', question: 'a?' }, { id: '2', question: 'b?', is_impossible: true }] }, { context: 'two', qas: [{ id: '3', question: 'c?' }] }] }] };
    const { records } = await read(readQuestions, { 'squad.json': JSON.stringify(squad, null, 1) });
    expect(records.map(({ query, passage, title, documentId }) => [query, passage, title, documentId])).toEqual([['a?', 'one', 'A title', 'paragraph-1'], ['c?', 'two', 'A title', 'paragraph-2']]);
  });

  test('Mr.TyDi lines have a pair for each passage; MS MARCO triples have a negative', async () => {
    const line = JSON.stringify({ query_id: '1', query: 'q', positive_passages: [{ docid: 'a', title: 't', text: 'p1' }, { docid: 'b', text: 'p2' }], negative_passages: [{ docid: 'c', text: 'n' }] });
    expect((await read(readQuestions, { 'train.jsonl': `${line}\n{"positive_passages"\n` })).records.map(({ passage, negatives }) => [passage, negatives])).toEqual([['p1', ['n']], ['p2', ['n']]]);
    expect((await read(readQuestions, { 'triples.tsv': 'q\tyes it is\tno it is not\nbad\n' }, { format: 'triples' })).codes).toEqual(['corpus.column-count 2']);
  });
});

describe('archives', () => {
  test('OPUS: the two languages asked for, in that order; lengths must agree; nothing is written', async () => {
    const zip = zipOf({ LICENSE: 'x', 'GV.en-sw.en': 'one\ntwo\n', 'GV.en-sw.sw': 'moja\nmbili\n', 'GV.en-sw.ids': '1\n2\n' });
    expect(sides(await read(readPairs, { 'a.zip': zip }, { languages: { source: 'sw', target: 'en' } }))).toEqual([['moja', 'one'], ['mbili', 'two']]);
    await expect(read(readPairs, { 'a.zip': zip }, { languages: { source: 'sw', target: 'fr' } })).rejects.toMatchObject({ code: 'corpus.no-moses-files' });
    await expect(read(readPairs, { 'a.zip': zipOf({ 'a.en': 'one\n', 'a.sw': 'moja\nmbili\n' }) })).rejects.toMatchObject({ code: 'corpus.moses-length' });
  });
});

test('files of any kind under any format give records, problems or an input error', async () => {
  const formats = ['eaf', 'flextext', 'lift', 'sfm', 'textgrid', 'conllu', 'usfm', 'tmx', 'xliff', 'csv', 'dpr-json', 'squad-json', 'moses-zip', 'xlsx', 'triples'] as const;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...formats), fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.string().map((text) => Buffer.from(text)), fc.constantFrom('<', '{"data":[', '[', 'PK\x03\x04', '\\lx ').map((text) => Buffer.from(text))), async (format, bytes) => {
      for (const reader of [readPairs, readTexts, readQuestions] as const) {
        await read<unknown>(reader, { file: bytes }, { format }).catch((thrown: unknown) => {
          if (!(thrown instanceof InputError)) throw thrown;
        });
      }
    }),
    { numRuns: 60 },
  );
});
