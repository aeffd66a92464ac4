/** Faults 60 to 62 of reliability.md and the filters: whatever stands in them, search answers as plain JavaScript would. */
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIndex } from './build-index.ts';
import { createHashEncoder } from './hash-encoder.ts';
import { openIndex, type SearchIndex } from './open-index.ts';
import { partFilter, searchFilterSchema } from './search-filter.ts';
import type { SearchFilter } from './search-filter.ts';

const encoder = createHashEncoder({ width: 16 });
const signal = new AbortController().signal;
/** Names that would break a query put together from text. */
const names = ["o'brien/it's.txt", "a'; DROP TABLE chunks; --/x.md", 'back\\slash/y.txt', 'per%cent_/z.txt', 'plain/deep/er/w.txt', 'plain/v.MD', 'top.txt', 'ዐማርኛ/ቋንቋ.txt', 'space here/q"uote.txt'];
const day = (i: number): Date => new Date(Date.UTC(2026, 0, 1 + i, 12));
let root = '';
let index: SearchIndex;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'isogloss-filter-'));
  const documentsFolder = join(root, 'documents');
  for (const [i, name] of names.entries()) {
    const path = join(documentsFolder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `the river number${i} is wide`);
    await utimes(path, day(i), day(i));
  }
  await writeFile(join(documentsFolder, 'zalgo.txt'), `zalgo${'\u0301\u0316\u0488'.repeat(4000)} text <img src=x onerror=alert(1)> <svg><script>alert(2)</script></svg>`);
  await utimes(join(documentsFolder, 'zalgo.txt'), day(40), day(40));
  await buildIndex({ encoder, documentsFolder, indexFolder: join(root, 'index'), signal });
  index = await openIndex(join(root, 'index'), encoder);
});

afterAll(async () => {
  index.dispose();
  await rm(root, { recursive: true, force: true });
});

const pathsFor = async (filter: SearchFilter, method: 'bm25' | 'dense' | 'hybrid' = 'hybrid'): Promise<string[]> => (await index.search({ query: 'the river', k: 50, method, filter })).hits.map(({ path }) => path).filter((path) => path !== 'zalgo.txt').sort();

/** What the documents themselves say. */
const expected = (filter: SearchFilter): string[] =>
  names
    .filter((name, i) => {
      const own = dirname(name) === '.' ? '' : dirname(name);
      const inFolder = filter.folders === undefined || filter.folders.some((folder) => folder.replace(/^\/+|\/+$/g, '') === '' || `${own}/`.startsWith(`${folder.replace(/^\/+|\/+$/g, '')}/`));
      const ofType = filter.fileTypes === undefined || filter.fileTypes.some((type) => name.toLowerCase().endsWith(`.${type.toLowerCase()}`));
      const inLanguage = filter.languages === undefined || filter.languages.includes(null);
      const at = day(i).getTime();
      const inTime = filter.dates === undefined || (at >= (filter.dates.from === undefined ? -Infinity : Date.parse(filter.dates.from)) && at <= (filter.dates.to === undefined ? Infinity : Date.parse(filter.dates.to)));
      return inFolder && ofType && inLanguage && inTime && filter.speakers === undefined && filter.tiers === undefined;
    })
    .sort();

const hostile = fc.constantFrom("'", "' OR 1=1 --", '\\', '--', '\n', '%', '_', '"', ';', '\0', "x' UNION SELECT path FROM chunks", '');
const folder = fc.oneof(fc.constantFrom(...names.map((name) => dirname(name)), 'plain', 'plain/deep', ''), hostile, fc.string());
const dates = fc.record({ from: fc.constantFrom('2026-01-03T00:00:00Z', '2026-01-05T00:00:00Z'), to: fc.constantFrom('2026-01-04T23:00:00Z', '2026-01-08T00:00:00Z') }, { requiredKeys: [] });
const filters = fc.record(
  { folders: fc.array(folder, { minLength: 1, maxLength: 4 }), fileTypes: fc.array(fc.oneof(fc.constantFrom('txt', 'md', 'MD', 'eaf'), hostile.filter((text) => text !== '')), { minLength: 1, maxLength: 3 }), languages: fc.array(fc.constantFrom(null, 'en', "e'n"), { minLength: 1, maxLength: 3 }), dates },
  { requiredKeys: [] },
);

describe('61: a filter', () => {
  it('lets the same documents pass as JavaScript does, whatever characters it has', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(filters, async (drawn) => {
        const filter = searchFilterSchema.parse(drawn);
        const paths = await pathsFor(filter);
        found += paths.length;
        expect(paths).toEqual(expected(filter));
      }),
      { numRuns: 120, seed: 7 },
    );
    expect(found).toBeGreaterThan(30);
  });

  it('stands a megabyte', async () => {
    expect(await pathsFor({ folders: [`plain${"'".repeat(2 ** 20)}`] })).toEqual([]);
  });

  it('narrows every method, and an empty list lets nothing pass', async () => {
    for (const method of ['bm25', 'dense', 'hybrid'] as const) expect(await pathsFor({ folders: ['plain'] }, method)).toEqual(['plain/deep/er/w.txt', 'plain/v.MD']);
    expect(await pathsFor({ folders: [] })).toEqual([]);
    expect(await pathsFor({ dates: { from: '2026-01-02', to: '2026-01-02' } })).toEqual([names[1]]);
    expect(await pathsFor({ dates: { from: 'not a date' } })).toEqual([]);
  });

  it('compares speakers and tiers as they are', () => {
    const passes = partFilter({ speakers: ['Ana', "O'Neil"], tiers: ['ft'] });
    expect([passes({ speaker: 'Ana', tier: 'ft' }), passes({ speaker: "O'Neil", tier: 'ft' }), passes({ speaker: 'Ana', tier: 'tx' }), passes({ speaker: null, tier: 'ft' })]).toEqual([true, true, false, false]);
  });
});

describe('60: a text with piled-up marks and with markup', () => {
  it('is found, explained and given back as the text it is', async () => {
    const [hit] = (await index.search({ query: 'alert text' })).hits.filter(({ path }) => path === 'zalgo.txt');
    expect(hit?.text).toContain('<img src=x onerror=alert(1)>');
    expect(hit?.highlights.length).toBeGreaterThan(0);
  });
});

describe('62: a query', () => {
  it.each([['empty', ''], ['of spaces', ' \n\t '], ['of punctuation', '?!…—"()[]{}*'], ['of marks', '\u0301\u0316\u0488'], ['of symbols', '💥'.repeat(2000)], ['of 100 KB of punctuation', '.'.repeat(100_000)]])('%s finds nothing and is no error', async (_, query) => {
    for (const method of ['bm25', 'bm25-char', 'hybrid', 'dense'] as const) expect((await index.search({ query, method })).hits).toEqual([]);
  });

  it('of 100 KB of a word that no document has finds nothing by words', async () => {
    for (const method of ['bm25', 'bm25-char'] as const) expect((await index.search({ query: 'qzx'.repeat(33_000), method })).hits).toEqual([]);
  });

  it('may have lone surrogates', async () => {
    expect((await index.search({ query: 'river \ud800', method: 'bm25' })).hits.length).toBe(9);
  });
});
