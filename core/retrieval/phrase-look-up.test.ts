import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDictionary, readDictionary } from '../corpus/dictionary-entries.ts';
import type { CorpusSource } from '../corpus/sources.ts';
import { phraseVectors } from '../encoding/phrase-vectors.ts';
import { createStaticEncoder } from '../encoding/static-encoder.ts';
import { testModel } from '../encoding/test-models.ts';
import { createPhraseLookUp } from './phrase-look-up.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-dictionary-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const signal = new AbortController().signal;
const put = async (name: string, text: string): Promise<CorpusSource> => {
  await writeFile(join(folder, name), text);
  return { paths: [join(folder, name)] };
};

const entry = (id: string, word: string, gloss: string, example = ''): string =>
  `<entry id="${id}"><lexical-unit><form lang="sw"><text>${word}</text></form></lexical-unit><sense><gloss lang="en"><text>${gloss}</text></gloss>${example}</sense></entry>`;
const EXAMPLE = '<example><form lang="sw"><text>wavuvi huvuka mto mpana kwa mashua</text></form><translation><form lang="en"><text>the small boat crosses the wide river</text></form></translation></example>';
const LIFT = `<lift version="0.13">${entry('1', 'mto', 'river', EXAMPLE)}${entry('2', 'maji', 'water')}${entry('3', 'ọ̀rọ̀', 'word')}${entry('4', 'Mto', 'stream')}</lift>`;

describe('a dictionary', () => {
  it('of LIFT has each phrase once, with all its translations and examples', async () => {
    const { entries, problems } = await readDictionary(await put('a.lift', LIFT), signal);
    expect(problems).toEqual([]);
    expect(entries.map(({ phrase, translations }) => [phrase, translations])).toEqual([['mto', ['river', 'stream']], ['maji', ['water']], ['ọ̀rọ̀', ['word']]]);
    expect(entries[0]?.examples).toEqual([{ source: 'wavuvi huvuka mto mpana kwa mashua', target: 'the small boat crosses the wide river' }]);
  });

  it('in a table has translations in column 2 and examples behind them, or where its header says', async () => {
    const plain = await readDictionary(await put('a.tsv', 'mto\triver; stream\tmto ni mpana\tmto mkubwa\nmaji\twater\n\tnothing\nnyumba\n'), signal);
    expect(plain.entries).toEqual([
      { phrase: 'mto', line: 1, translations: ['river', 'stream'], examples: [{ source: 'mto ni mpana', target: null }, { source: 'mto mkubwa', target: null }] },
      { phrase: 'maji', line: 2, translations: ['water'], examples: [] },
    ]);
    expect(plain.problems.map(({ line, code }) => [line, code])).toEqual([[3, 'corpus.empty-text'], [4, 'corpus.column-count']]);
    const named = await readDictionary(await put('b.tsv', 'translation\tphrase\texample\texample translation\nriver\tmto\tmto ni mpana\tthe river is wide\n'), signal);
    expect(named.entries).toEqual([{ phrase: 'mto', line: 2, translations: ['river'], examples: [{ source: 'mto ni mpana', target: 'the river is wide' }] }]);
    const quoted = await readDictionary(await put('c.csv', 'word,gloss,example\n"mto","river","mto, mto"\n'), signal);
    expect(quoted.entries).toEqual([{ phrase: 'mto', line: 2, translations: ['river'], examples: [{ source: 'mto, mto', target: null }] }]);
  });

  it('is told from sentence pairs by its short phrases', async () => {
    expect(await isDictionary({ ...(await put('d.lift', LIFT)), format: 'lift' }, signal)).toBe(true);
    expect(await isDictionary(await put('d.tsv', 'mto\triver\nmaji safi\tclean water\n'), signal)).toBe(true);
    expect(await isDictionary(await put('e.tsv', 'wavuvi huvuka mto mpana kwa mashua\tthe small boat crosses the wide river\n'), signal)).toBe(false);
    expect(await isDictionary(await put('f.txt', 'mto\n'), signal)).toBe(false);
  });

  it('without an entry is refused', async () => {
    await expect(readDictionary(await put('g.tsv', 'mto\t\n'), signal)).rejects.toMatchObject({ code: 'corpus.no-records' });
    await expect(readDictionary(await put('h.lift', '<lift version="0.13"></lift>'), signal)).rejects.toMatchObject({ code: 'corpus.no-records' });
  });
});

describe('looking a phrase up', () => {
  const open = async (encoder: Parameters<typeof createPhraseLookUp>[0]['encoder']) => {
    const { entries } = await readDictionary(await put('look.lift', LIFT), signal);
    return createPhraseLookUp({ dictionaries: [{ name: 'look.lift', entries }, { name: 'other', entries: [{ phrase: 'MAJI', line: 7, translations: ['aqua'], examples: [] }] }], encoder, signal });
  };

  it('finds what is spelt alike on either side, then what is equal when folded, without a model', async () => {
    const { lookUp, entries } = await open(null);
    expect(entries).toBe(4);
    expect((await lookUp('maji', 10)).map(({ dictionary, line, match, matched, similarity }) => [dictionary, line > 0, match, matched.text, similarity])).toEqual([['look.lift', true, 'exact', 'maji', null], ['other', true, 'exact', 'MAJI', null]]);
    expect(await lookUp(' STREAM ', 10)).toMatchObject([{ phrase: 'mto', match: 'exact', matched: { text: 'stream', side: 'translation' }, examples: [{ target: 'the small boat crosses the wide river' }] }]);
    expect(await lookUp('oro', 10)).toMatchObject([{ phrase: 'ọ̀rọ̀', match: 'folded', translations: ['word'] }]);
    expect(await lookUp('ọ̀rọ̀'.normalize('NFD'), 10)).toMatchObject([{ match: 'exact' }]);
    expect(await lookUp('maji', 1)).toHaveLength(1);
    expect(await lookUp('nothing', 10)).toEqual([]);
  });

  it('then finds the nearest by vector, as a brute force orders them, each entry once', async () => {
    const encoder = createStaticEncoder(await testModel(), 'test');
    const { lookUp } = await open(encoder);
    const query = 'the wide river';
    const { entries } = await readDictionary(await put('look.lift', LIFT), signal);
    const all = [...entries, { phrase: 'MAJI', translations: ['aqua'], examples: [] as { source: string; target: string | null }[] }];
    const { vectors: asked, width } = await phraseVectors(encoder, [{ phrase: query, sentences: [] }]);
    const cosine = (row: Float32Array): number => row.reduce((sum, value, i) => sum + value * (asked[i] ?? 0), 0);
    const best: { readonly phrase: string; readonly similarity: number }[] = [];
    for (const { phrase, translations, examples } of all) {
      const { vectors } = await phraseVectors(encoder, [{ phrase, sentences: examples.map(({ source }) => source) }, ...translations.map((text) => ({ phrase: text, sentences: examples.flatMap(({ target }) => target ?? []) }))]);
      best.push({ phrase, similarity: Math.max(...Array.from({ length: 1 + translations.length }, (_, i) => cosine(vectors.subarray(i * width, (i + 1) * width)))) });
    }
    best.sort((a, b) => b.similarity - a.similarity);
    const hits = await lookUp(query, 10);
    expect(hits.map(({ phrase }) => phrase)).toEqual(best.map(({ phrase }) => phrase));
    hits.forEach(({ similarity, match }, i) => {
      expect(match).toBe('near');
      expect(similarity).toBeCloseTo(best[i]?.similarity ?? 0, 5);
    });
    const known = await lookUp('mto', 10);
    expect(known[0]).toMatchObject({ phrase: 'mto', match: 'exact', translations: ['river', 'stream'] });
    expect(known[0]?.similarity).toBeGreaterThan(0.99);
    expect(new Set(known.map(({ dictionary, phrase }) => `${dictionary} ${phrase}`)).size).toBe(known.length);
    expect(known).toHaveLength(4);
  });

  it('stops when it is cancelled', async () => {
    const abort = new AbortController();
    abort.abort(new Error('stop'));
    await expect(createPhraseLookUp({ dictionaries: [{ name: 'a', entries: [{ phrase: 'a', line: 1, translations: ['b'], examples: [] }] }], encoder: createStaticEncoder(await testModel(), 'test'), signal: abort.signal })).rejects.toThrow('stop');
  });
});

describe('the best translations of a hit', () => {
  const entries = ['mto', 'maji', 'nyumba'].map((phrase, i) => ({ phrase, line: i + 1, translations: [['river', 'stream'], ['water'], ['house']][i] ?? [], examples: [] }));
  /** Two directions: things of water, things of land; of equal words the longer lies a little aside. */
  const encoder = {
    width: 2,
    encode: (texts: readonly string[]) => Promise.resolve(Float32Array.from(texts.flatMap((text) => {
      const angle = (/nyumba|house/.test(text) ? 1.5 : 0) + text.length / 100;
      return [Math.cos(angle), Math.sin(angle)];
    }))),
  };

  it('are the nearest on the other side of all dictionaries, best first, each once', async () => {
    const { lookUp } = await createPhraseLookUp({ dictionaries: [{ name: 'a', entries }, { name: 'b', entries: entries.slice(0, 1) }], encoder, signal });
    const [hit] = await lookUp('maji', 1);
    expect(hit?.best.map(({ text }) => text)).toEqual(['river', 'water', 'stream', 'house']); // the first two are equally near: in the order of the dictionary
    const similarities = hit?.best.map(({ similarity }) => similarity) ?? [];
    expect(similarities).toEqual([...similarities].sort((x, y) => y - x));
    expect((await lookUp('house', 1))[0]?.best.map(({ text }) => text)[0]).toBe('nyumba'); // asked in English: words of the other side
  });

  it('are none without a model; sentences from texts stand behind those of the dictionary', async () => {
    const withOwn = entries.map((one) => ({ ...one, examples: [{ source: `${one.phrase} yao`, target: null }] }));
    const { lookUp } = await createPhraseLookUp({ dictionaries: [{ name: 'a', entries: withOwn }], encoder: null, inTexts: new Map([['maji', ['maji yao', 'maji safi']]]), signal });
    const [hit] = await lookUp('maji', 1);
    expect(hit).toMatchObject({ best: [], examples: [{ source: 'maji yao', from: 'dictionary' }, { source: 'maji safi', target: null, from: 'texts' }] });
    expect(hit?.examples).toHaveLength(2);
  });
});
