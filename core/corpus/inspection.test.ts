/** Does an inspection say what is doubled, leaked, mixed, untranslated or too little, and do the strictest terms win? */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectedMrr, judgeAmount, MEASURED_CURVE } from './enough.ts';
import { fingerprint, fingerprintSet, sameText } from './fingerprints.ts';
import { inspectCorpus } from './inspect.ts';
import type { CorpusInspection, InspectOptions } from './inspect.ts';
import { checkLetters } from './letter-checks.ts';
import type { CorpusSource } from './sources.ts';
import { ACCESS_LEVELS, CONSENT_STATES, licenceStrictness, strictestTerms } from './terms.ts';
import type { NamedTerms } from './terms.ts';

const never = new AbortController().signal;

async function inspect(files: Readonly<Record<string, string | Uint8Array>>, options: (path: (name: string) => string) => InspectOptions = () => ({}), said: Omit<CorpusSource, 'paths'> = {}): Promise<CorpusInspection> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-inspection-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder.path, name), content);
  const path = (name: string): string => join(folder.path, name);
  return await inspectCorpus({ paths: [path(Object.keys(files)[0] ?? '')], ...said }, never, options(path));
}

describe('letters', () => {
  const check = (...texts: readonly string[]) => {
    const checker = checkLetters();
    texts.forEach((text, i) => checker.add(text, i + 1));
    return checker.result();
  };

  test('fault 8: words in two scripts and words that only look the same are named, never merged', () => {
    const { mixedScripts, lookAlikes } = check('an \u0430pple', 'the apple', 'a сор came', 'a cop came', 'plain');
    expect(mixedScripts).toEqual({ count: 1, examples: [{ line: 1, text: 'an \u0430pple' }] });
    expect(lookAlikes).toEqual([{ one: '\u0430pple', other: 'apple' }, { one: 'сор', other: 'cop' }]);
    expect(check('Ελλάδα και English', 'слово и word').mixedScripts.count).toBe(0);
  });

  test('fault 9: composed and decomposed letters are counted apart', () => {
    const { composition } = check('caf\u00e9', 'cafe\u0301', 'caf\u00e9 e\u0301', 'cafe', 'ไทย');
    expect(composition).toMatchObject({ nfc: 1, nfd: 1, neither: 1 });
    expect(composition.examples.map(({ line }) => line)).toEqual([2, 3]);
    expect(check('cafe\u0301').composition.examples).toEqual([]);
  });

  test('fault 7: signs that turn the direction are kept and shown; apostrophes of several kinds are listed', () => {
    const { directionSigns, apostrophes } = check('a\u202Eb', "k'iche'", 'k\u2019iche', 'k\u02BCiche', 'k\u02BCaq');
    expect([directionSigns.count, directionSigns.examples[0]?.text]).toEqual([1, 'a\u202Eb']);
    expect(apostrophes).toEqual([{ sign: '\u02BC', count: 2 }, { sign: "'", count: 1 }, { sign: '\u2019', count: 1 }]);
    expect(check("don't", "can't").apostrophes).toEqual([]);
  });
});

describe('overlaps', () => {
  const training = 'What is the capital of Kenya?\tMji mkuu wa Kenya ni upi?\nA sentence of its own.\tSentensi peke yake.\nyes\tndiyo\n';

  test('a training pair that stands in an evaluation set is a leak, with its row; punctuation and case do not hide it', async () => {
    const { overlaps } = await inspect(
      { 'en-sw.tsv': training, 'test.jsonl': '{"question":"what is the CAPITAL of Kenya","passage":"Nairobi is the capital."}\n{"question":"yes","passage":"no"}\n' },
      (path) => ({ purpose: 'training', others: [{ name: 'test', purpose: 'evaluation', source: { paths: [path('test.jsonl')] } }] }),
    );
    expect(overlaps).toEqual([{ name: 'test', purpose: 'evaluation', isLeak: true, count: 1, rows: [{ line: 1, text: 'What is the capital of Kenya?' }] }]);
  });

  test('the same pairs in two training files are told, and are no leak', async () => {
    const { overlaps, statistics } = await inspect({ 'en-sw.tsv': `${training}A sentence of its own.\tSentensi peke yake.\n`, 'other.en-sw.tsv': 'A sentence of its own.\tSentensi peke yake.\n' }, (path) => ({
      others: [{ name: 'other', purpose: 'training', source: { paths: [path('other.en-sw.tsv')] } }],
    }));
    expect(overlaps).toMatchObject([{ isLeak: false, count: 2 }]);
    expect(statistics.duplicates).toBe(1);
  });

  test('a set of fingerprints is a set, up to its limit', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 3000 }), (texts) => {
        const set = fingerprintSet(Infinity);
        const isNew = texts.map((text) => set.add(fingerprint([text])));
        expect(isNew.filter(Boolean).length).toBe(new Set(texts).size);
        expect(texts.every((text) => set.has(fingerprint([text])))).toBe(true);
      }),
      { numRuns: 30 },
    );
    const small = fingerprintSet(1);
    expect([small.add(1), small.add(2), small.add(2), small.add(1), small.size()]).toEqual([true, true, true, false, 1]);
    expect(fingerprint(['a', 'b'])).not.toBe(fingerprint(['ab', '']));
    expect(sameText('Café, «x»!')).toBe(sameText('cafe\u0301 X'));
  });
});

describe('pairs', () => {
  test('untranslated pairs and pairs of unfitting lengths are shares with examples', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => `a sentence number ${i}\tsentensi nambari ${i}`);
    rows[3] = 'Same text here\tsame text here';
    rows[7] = `short one\t${'very long text that goes on and on '.repeat(8)}`;
    const { quality } = await inspect({ 'a.tsv': rows.join('\n') });
    expect(quality).toMatchObject({ sampled: 40, untranslatedShare: 1 / 40, lengthOutlierShare: 1 / 40, misalignedShare: null });
    expect(quality?.examples.map(({ line, why }) => [line, why])).toEqual([[8, 'length'], [4, 'untranslated']]);
  });

  test('the judge of words is asked with the pairs, and its doubtful ones are shown', async () => {
    const { quality } = await inspect({ 'a.tsv': 'one\tmoja\ntwo\tmbili\n' }, () => ({ scorePairs: (pairs) => Promise.resolve({ scores: Float64Array.from(pairs, (_, i) => -i), misalignedShare: 0.5, threshold: -1 }) }));
    expect([quality?.misalignedShare, quality?.examples]).toEqual([0.5, [{ line: 2, source: 'two', target: 'mbili', why: 'words' }]]);
  });
});

describe('what the file says', () => {
  test('fault 2: bytes that are no UTF-8 are counted with the first five places, and encodings are offered', async () => {
    const line = (text: string): Buffer => Buffer.concat([Buffer.from('one\t'), Buffer.from(text, 'latin1'), Buffer.from('\n')]);
    const { invalidBytes, count, problemKinds } = await inspect({ 'a.tsv': Buffer.concat([...Array.from({ length: 7 }, () => line('caf\xe9 cr\xe8me')), Buffer.from('two\tmbili\n')]) });
    expect([count, invalidBytes?.count, invalidBytes?.places.length, invalidBytes?.places[0]]).toEqual([1, 7, 5, { path: expect.stringContaining('a.tsv'), line: 1, byteOffset: 7 }]);
    expect(invalidBytes?.encodings.map(({ label }) => label)).toContain('windows-1252');
    expect(invalidBytes?.encodings.find(({ label }) => label === 'windows-1252')?.sample).toContain('café crème');
    expect(problemKinds).toMatchObject([{ code: 'corpus.invalid-bytes', count: 7 }]);
    const tmx = await inspect({ 'a.tmx': Buffer.from('<tmx version="1.4"><header/><body><tu><tuv xml:lang="en"><seg>coffee</seg></tuv><tuv xml:lang="fr"><seg>le caf\xe9</seg></tuv></tu></body></tmx>', 'latin1') });
    expect([tmx.invalidBytes?.count, tmx.invalidBytes?.encodings[0]?.label, tmx.invalidBytes?.encodings[0]?.sample]).toEqual([1, 'windows-1252', expect.stringContaining('café')]);
    const [before, after] = ['<tmx version="1.4"><header/><body><tu><tuv xml:lang="en"><seg>water</seg></tuv><tuv xml:lang="ru"><seg>вода', ' рядом</seg></tuv></tu></body></tmx>'];
    const stray = await inspect({ 'a.tmx': Buffer.concat([Buffer.from(before), Buffer.from([0xe9]), Buffer.from(after)]) });
    expect([stray.invalidBytes?.count, stray.invalidBytes?.encodings]).toEqual([1, []]); // read otherwise, all that is right would be wrong
    const alone = await inspect({ 'a.tmx': '<tmx version="1.4"><header/><body><tu><tuv xml:lang="en"><seg>coffee</seg></tuv></tu></body></tmx>' }); // nothing read is never said to be all right
    expect([alone.count, alone.problemKinds.map(({ code }) => code)]).toEqual([0, ['corpus.missing-language']]);
  });

  test('faults 3 and 4: UTF-16 and a UTF-8 mark are detected, the header still matches', async () => {
    const table = 'English\tSwahili\none\tmoja\n';
    for (const [bytes, encoding] of [[Buffer.from(`\uFEFF${table}`), 'utf-8'], [Buffer.from(`\uFEFF${table}`, 'utf16le'), 'utf-16le'], [Buffer.from(`\uFEFF${table}`, 'utf16le').swap16(), 'utf-16be']] as const) {
      const found = await inspect({ 'a.tsv': bytes });
      expect([found.encodings, found.mapping, found.count, found.languages, found.languagesFrom]).toEqual([[encoding], { hasHeader: true, columns: { source: 'English', target: 'Swahili' } }, 1, ['en', 'sw'], 'file']);
    }
  });

  test('columns, tiers and markers are offered with counts and examples; the role follows what is there', async () => {
    const one = await inspect({ 'a.csv': 'id,text\n1,habari\n2,njema\n' });
    expect([one.role, one.roles, one.proposal?.fields.map(({ name, count, example }) => [name, count, example])]).toEqual(['monolingual', ['parallel', 'monolingual'], [['id', 2, '1'], ['text', 2, 'habari']]]);
    expect((await inspect({ 'a.csv': 'id,text\n1,habari\n2,njema\n' }, () => ({ role: 'parallel' }))).role).toBe('monolingual');
    expect((await inspect({ 'a.csv': 'English,Swahili\none,moja\n' }, () => ({ role: 'monolingual' }))).role).toBe('monolingual');
    const left = await inspect({ 'a.xlf': '<xliff version="1.2"><file source-language="en" target-language="sw"><body><trans-unit id="1"><source>a</source></trans-unit><trans-unit id="2"><source>b</source><target>c</target></trans-unit></body></file></xliff>' });
    expect([left.count, left.leftOut]).toEqual([1, [{ reason: 'not-translated', count: 1 }]]);
  });

  test('a script that one language writes suggests it', async () => {
    expect(await inspect({ 'notes.txt': 'สวัสดีชาวโลก\n' })).toMatchObject({ languages: ['th'], languagesFrom: 'script' });
    expect(await inspect({ 'notes.txt': 'habari\n' })).toMatchObject({ languages: [], languagesFrom: 'none' });
  });
});

describe('enough', () => {
  test('measured points come back, doublings lie between, and nothing is promised beyond', () => {
    for (const { pairs, mrr } of MEASURED_CURVE) expect(expectedMrr(pairs)).toBeCloseTo(mrr, 10);
    expect(expectedMrr(125)).toBeCloseTo(0.254 - 0.09, 10);
    expect([expectedMrr(0), expectedMrr(1), expectedMrr(100_000)]).toEqual([0, 0, null]);
    const rising = [1, 100, 250, 300, 900, 1500, 2000, 4000].map((pairs) => expectedMrr(pairs) ?? 1);
    expect(rising).toEqual(rising.toSorted((a, b) => a - b));
  });

  test('one sentence says it, with the curve behind it', () => {
    expect([20, 400, 1500, 50_000].map((pairs) => judgeAmount(pairs, 80).verdict)).toEqual(['too-few', 'some', 'good', 'good']);
    expect(judgeAmount(1500, 80).sentence).toBe('1,500 different pairs are enough: expect an MRR near 0.48 across the languages (about 48 in 100 for the right passage at the top); each doubling is worth about .09 MRR (measured with Hindi and Arabic).');
    expect(judgeAmount(900, 6).sentence).toMatch(/words and short phrases/);
    expect(judgeAmount(1, 80).sentence).toMatch(/^One pair is too few/);
  });
});

describe('terms', () => {
  const terms = (name: string, said: Partial<NamedTerms> = {}): NamedTerms => ({ name, source: null, licence: 'CC0', consent: 'given', access: 'public', ...said });

  test('licences stand in their order, and an unknown one is the strictest', () => {
    const order = ['CC0 1.0', 'CC BY 4.0', 'CC BY-SA 4.0', 'CC-BY-NC-4.0', 'CC BY-NC-SA', 'CC BY-ND 4.0', 'CC BY-NC-ND 4.0', 'All rights reserved', 'ask the chief'];
    const found = order.map(licenceStrictness);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(new Set(found).size).toBe(order.length);
    expect([licenceStrictness(null), licenceStrictness(' ')]).toEqual([10, 10]);
  });

  test('the strictest of each wins, and says which corpus decided it', () => {
    const found = strictestTerms([terms('a', { licence: 'CC BY-NC 4.0', source: 'ELAR' }), terms('b', { access: 'community', consent: 'conditional', source: 'PARADISEC' })]);
    expect(found).toMatchObject({ licence: 'CC BY-NC 4.0', consent: 'conditional', access: 'community', because: { licence: ['a'], consent: ['b'], access: ['b'] }, sources: ['ELAR', 'PARADISEC'] });
    expect(found?.sentence).toBe('Made of 2 corpora; use it under the strictest of their terms: licence CC BY-NC 4.0 (a), consent conditional (b), access community (b).');
    expect(strictestTerms([terms('a'), { name: 'b', source: null, licence: null, consent: null, access: null }])).toMatchObject({ licence: 'unknown', consent: 'unknown', access: 'closed' });
    expect(strictestTerms([])).toBeNull();
  });

  test('one corpus more never makes anything freer', () => {
    const any = fc.record({ name: fc.string(), source: fc.constant(null), licence: fc.constantFrom(null, 'CC0', 'CC BY 4.0', 'CC BY-NC 4.0', 'x'), consent: fc.constantFrom(null, ...CONSENT_STATES), access: fc.constantFrom(null, ...ACCESS_LEVELS) });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 5 }), any, (corpora, more) => {
        const [before, after] = [strictestTerms(corpora), strictestTerms([...corpora, more])];
        if (before === null || after === null) throw new Error('some corpora were given');
        expect(licenceStrictness(after.licence)).toBeGreaterThanOrEqual(licenceStrictness(before.licence));
        expect(ACCESS_LEVELS.indexOf(after.access)).toBeGreaterThanOrEqual(ACCESS_LEVELS.indexOf(before.access));
        expect(CONSENT_STATES.indexOf(after.consent)).toBeGreaterThanOrEqual(CONSENT_STATES.indexOf(before.consent));
      }),
    );
  });
});
