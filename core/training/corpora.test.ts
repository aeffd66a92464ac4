import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import type { CorpusProblem } from '../corpus/records.ts';
import { strictestTerms } from '../corpus/terms.ts';
import { readCorpora, type Corpora, type ParallelCorpus, type RetrievalExample } from './corpora.ts';
import { termsOf } from './corpus-sources.ts';
import { sameDocumentKeys } from './document-keys.ts';
import { holdOut } from './held-out.ts';
import { holdOutQuestions } from './held-out-questions.ts';
import { parseRecipe } from './recipe.ts';
import { textsByLanguage, vocabularyTexts } from './vocabulary.ts';

async function read(folder: string, files: Readonly<Record<string, string>>, recipe: unknown): Promise<{ corpora: Corpora; problems: CorpusProblem[]; files: string[] }> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const problems: CorpusProblem[] = [];
  const seen: string[] = [];
  const corpora = await readCorpora({
    recipe: await parseRecipe({ text: JSON.stringify(recipe), recipePath: 'recipe.json', folder }), signal: new AbortController().signal,
    onProblem: (problem) => { problems.push(problem); }, onFile: (path) => { seen.push(path); },
  });
  return { corpora, problems, files: seen };
}

const pairsOf = (corpora: Corpora): string[][] => corpora.parallel.map(({ pairs }) => pairs.map(({ source, target }) => `${source}|${target}`));

describe('readCorpora', () => {
  it('thins a text of which few sentences are wanted while it is read, by whole documents from its beginning to its end', async () => {
    using folder = temporaryFolder();
    const text = Array.from({ length: 900 }, (_, document) => `kwanza ${document}\npili ${document}\n`).join('\n');
    const recipe = { retrieval: [{ pairs: 'q.jsonl' }], monolingual: [{ path: 'sw.txt', language: 'sw' }], sentencesPerLanguage: 10 };
    const { corpora } = await read(folder.path, { 'sw.txt': text, 'q.jsonl': '{"query":"a?","positive":"a"}' }, recipe);
    const [{ sentences, documents } = { sentences: [], documents: null }] = corpora.monolingual;
    expect(sentences.length).toBeGreaterThan(100);
    expect(sentences.length).toBeLessThanOrEqual(200);
    expect(sentences.slice(0, 2)).toEqual(['kwanza 0', 'pili 0']);
    expect(sentences.at(-1)).toMatch(/^pili 8\d\d$/);
    expect(documents?.length).toBe(sentences.length);
  });

  it('thins a text without documents too: the beginning of a long one, every so many lines where their order says nothing', async () => {
    using folder = temporaryFolder();
    const files = { 'sw.txt': Array.from({ length: 3000 }, (_, line) => `mstari ${line}`).join('\n'), 'q.jsonl': '{"query":"a?","positive":"a"}' };
    const of = async (documents: string) => (await read(folder.path, files, { retrieval: [{ pairs: 'q.jsonl' }], monolingual: [{ path: 'sw.txt', language: 'sw', documents }], sentencesPerLanguage: 10 })).corpora.monolingual[0]?.sentences ?? [];
    for (const documents of ['blank-lines', 'file']) expect(await of(documents)).toEqual(Array.from({ length: 200 }, (_, line) => `mstari ${line}`));
    const spread = await of('none');
    expect(spread.length).toBeGreaterThan(100);
    expect(spread.length).toBeLessThanOrEqual(200);
    expect(spread.at(-1)).toMatch(/^mstari 29\d\d$/);
  });

  it('reads field formats with their mapping and encoding, and keeps their terms', async () => {
    using folder = temporaryFolder();
    const lift = '<lift version="0.13"><entry id="e"><lexical-unit><form lang="sw"><text>maji</text></form></lexical-unit><sense><gloss lang="en"><text>water</text></gloss></sense></entry></lift>';
    await writeFile(join(folder.path, 'b.csv'), Buffer.from('caf\xe9;id;kahawa\nth\xe9;2;chai\n', 'latin1'));
    const recipe = {
      parallel: [
        { path: 'a.lift', source: 'en', target: 'sw', terms: { licence: 'CC BY-NC 4.0', access: 'community' } },
        { path: 'b.csv', source: 'fr', target: 'sw', format: 'csv', encoding: 'windows-1252', mapping: { hasHeader: false, columns: { source: 1, target: 3 } } },
      ],
      monolingual: [{ path: 'c.txt', language: 'sw', format: 'sfm', mapping: { markers: { record: 'ref', source: 'tx' } } }],
    };
    const { corpora } = await read(folder.path, { 'a.lift': lift, 'c.txt': '\\_sh v3.0\n\\ref 1\n\\tx habari   njema\n\\ft news\n' }, recipe);
    expect(pairsOf(corpora)).toEqual([['water|maji'], ['café|kahawa', 'thé|chai']]);
    expect(corpora.monolingual[0]?.sentences).toEqual(['habari njema']);
    const terms = strictestTerms(termsOf(await parseRecipe({ text: JSON.stringify(recipe), recipePath: 'recipe.json', folder: folder.path })));
    expect(terms).toMatchObject({ licence: 'unknown', access: 'closed', because: { licence: ['b.csv', 'c.txt'] } });
  });

  it('reads texts as documents: ended by blank lines, or by every line, or not at all, or without order', async () => {
    using folder = temporaryFolder();
    const files = { 'a.txt': 'One. Two.\nThree.\n\n\nFour.\n' };
    const of = async (documents?: string) => (await read(folder.path, files, { parallel: [], losses: { contextPrediction: { weight: 1 } }, monolingual: [{ path: 'a.txt', language: 'en', ...(documents === undefined ? {} : { documents }) }] })).corpora.monolingual[0];
    const plain = await of();
    expect(plain?.sentences).toEqual(['One. Two.', 'Three.', 'Four.']);
    expect([...(plain?.documents ?? [])]).toEqual([0, 0, 1]);
    const lines = await of('lines');
    expect(lines?.sentences).toEqual(['One.', 'Two.', 'Three.', 'Four.']);
    expect([...(lines?.documents ?? [])]).toEqual([0, 0, 1, 2]);
    expect([...((await of('file'))?.documents ?? [])]).toEqual([0, 0, 0]);
    expect((await of('none'))?.documents).toBeNull();
  });

  it('reads what the recipe names, and reports bad lines with file and line while it uses the rest', async () => {
    using folder = temporaryFolder();
    const { corpora, problems, files } = await read(
      folder.path,
      { 'a.tsv': 'water\tmaji\nno tab here\nriver\tmto\n', 'q.jsonl': '{"query":"what?","passage":"that"}\nnot json\n{"query":"who?","passage":"they","title":"People"}\n', 'm.txt': 'moja\n\nmbili\n' },
      { retrieval: [{ pairs: 'q.jsonl' }], parallel: [{ path: 'a.tsv', source: 'en', target: 'sw' }], monolingual: [{ path: 'm.txt', language: 'sw' }] },
    );
    expect(pairsOf(corpora)).toEqual([['water|maji', 'river|mto']]);
    expect(corpora.retrieval.map(({ query, passage }) => [query, passage])).toEqual([['what?', 'that'], ['who?', 'People\nthey']]);
    expect(corpora.monolingual).toEqual([{ name: join(folder.path, 'm.txt'), language: 'sw', sentences: ['moja', 'mbili'], documents: expect.any(Int32Array) }]);
    expect(problems.map(({ path, line }) => [path, line])).toEqual([[join(folder.path, 'q.jsonl'), 2], [join(folder.path, 'a.tsv'), 2]]);
    expect(problems[1]?.message).toMatch(/a\.tsv: line 2: expected .*found/);
    expect(files).toHaveLength(3);
  });

  it('removes pairs that stand twice, in a file or in two, also when the second has the languages the other way round', async () => {
    using folder = temporaryFolder();
    const { corpora } = await read(
      folder.path,
      { 'a.tsv': 'water\tmaji\nwater\tmaji\nriver\tmto\n', 'b.tsv': 'river\tmto\nfire\tmoto\n', 'c.tsv': 'maji\twater\nnyumba\thouse\n', 'd.tsv': 'mto\triver\n' },
      { parallel: [{ path: 'a.tsv', source: 'en', target: 'sw' }, { path: 'b.tsv', source: 'en', target: 'sw' }, { path: 'c.tsv', source: 'sw', target: 'en' }, { path: 'd.tsv', source: 'sw', target: 'en' }] },
    );
    expect(pairsOf(corpora)).toEqual([['water|maji', 'river|mto'], ['fire|moto'], ['house|nyumba']]);
    expect(corpora.parallel.every(({ source, target }) => source === 'en' && target === 'sw')).toBe(true);
  });

  it('leaves out pairs whose lengths cannot belong together', async () => {
    using folder = temporaryFolder();
    const { corpora } = await read(folder.path, { 'a.tsv': `yes\t${'maneno mengi '.repeat(40)}\nyes\tndiyo\n` }, { parallel: [{ path: 'a.tsv', source: 'en', target: 'sw' }] });
    expect(pairsOf(corpora)).toEqual([['yes|ndiyo']]);
  });

  it.each([
    ['parallel', { 'a.tsv': 'nothing here\n' }, { parallel: [{ path: 'a.tsv', source: 'en', target: 'sw' }] }, 'a.tsv'],
    ['retrieval, the second of two', { 'a.jsonl': '{"query":"what?","passage":"that"}\n', 'b.jsonl': 'x\n' }, { retrieval: [{ pairs: 'a.jsonl' }, { pairs: 'b.jsonl' }] }, 'b.jsonl'],
    ['monolingual', { 'q.jsonl': '{"query":"what?","passage":"that"}\n', 'm.txt': '\n\n' }, { retrieval: [{ pairs: 'q.jsonl' }], monolingual: [{ path: 'm.txt', language: 'sw' }] }, 'm.txt'],
  ])('names the file of which nothing can be used: %s', async (_name, files, recipe, name) => {
    using folder = temporaryFolder();
    await expect(read(folder.path, files, recipe)).rejects.toMatchObject({ family: 'input', message: expect.stringContaining(name) });
  });
});

const corpus = (count: number, changes: Partial<ParallelCorpus> = {}): ParallelCorpus => ({ name: 'c', source: 'en', target: 'sw', pairs: Array.from({ length: count }, (_, i) => ({ source: `word ${i}`, target: `neno ${i}` })), ...changes });
const only = (...parallel: ParallelCorpus[]): Corpora => ({ retrieval: [], parallel, monolingual: [] });

describe('holdOut', () => {
  it('leaves no sentence of a held-back pair in the training part, on either side', () => {
    // each English sentence has three translations, so a held-back pair must take its brothers along
    const pairs = Array.from({ length: 900 }, (_, i) => ({ source: `word ${Math.floor(i / 3)}`, target: `neno ${i}` }));
    const { corpora, heldOut } = holdOut(only(corpus(0, { pairs })), 1);
    const training = corpora.parallel.flatMap((entry) => [...entry.pairs]);
    const [held] = heldOut;
    expect(held?.pairs).toHaveLength(45);
    const [sources, targets] = [new Set(held?.pairs.map(({ source }) => source)), new Set(held?.pairs.map(({ target }) => target))];
    expect(training.filter(({ source, target }) => sources.has(source) || targets.has(target))).toEqual([]);
    expect(training.length).toBe(900 - 3 * sources.size);
  });

  it('is the same for a seed and another for another', () => {
    const first = holdOut(only(corpus(400)), 1).heldOut;
    expect(holdOut(only(corpus(400)), 1).heldOut).toEqual(first);
    expect(holdOut(only(corpus(400)), 2).heldOut).not.toEqual(first);
  });

  it('holds back nothing of a few pairs, a share of more, and 200 at most', () => {
    expect(holdOut(only(corpus(39)), 1)).toEqual({ corpora: only(corpus(39)), heldOut: [] });
    for (const [count, held] of [[40, 2], [1000, 50], [10_000, 200]] as const) expect(holdOut(only(corpus(count)), 1).heldOut[0]?.pairs).toHaveLength(held);
  });

  it('takes as many from a small corpus of a language pair as from a large one', () => {
    const large = corpus(5000, { name: 'bible' });
    const small = corpus(0, { name: 'stories', pairs: Array.from({ length: 2000 }, (_, i) => ({ source: `tale ${i}`, target: `hadithi ${i}` })) });
    const held = holdOut(only(large, small), 1).heldOut[0]?.pairs ?? [];
    expect(held.filter(({ source }) => source.startsWith('tale'))).toHaveLength(100);
    expect(held).toHaveLength(200);
  });

  it('leaves no corpus without pairs behind, when all its pairs share a held-back sentence', () => {
    const greetings = corpus(0, { pairs: Array.from({ length: 60 }, (_, i) => ({ source: 'hello', target: `habari ${i}` })) });
    expect(holdOut(only(greetings, corpus(100, { target: 'th' })), 1).corpora.parallel.map(({ target }) => target)).toEqual(['th']);
  });
});

describe('holdOutQuestions', () => {
  const examples: RetrievalExample[] = Array.from({ length: 1200 }, (_, i) => ({ query: `question ${i}`, passage: `passage ${i >> 1}`, documentKey: `d${i >> 1}` }));

  it('holds back whole documents with all their questions, among others that distract', () => {
    const { training, heldOut } = holdOutQuestions(examples, 1);
    expect(heldOut?.queries).toHaveLength(24); // 2 % of 600 documents, two questions each
    expect(heldOut?.documents).toHaveLength(600);
    const heldPassages = new Set(heldOut?.documentOf.map((place) => heldOut.documents[place]));
    expect(heldPassages.size).toBe(12);
    expect(training.filter(({ passage }) => heldPassages.has(passage))).toEqual([]);
    expect(training).toHaveLength(1200 - 24);
    heldOut?.queries.forEach((query, i) => { expect(heldOut.documents[heldOut.documentOf[i] ?? -1]).toBe(`passage ${Number(query.slice(9)) >> 1}`); });
  });

  it('is the same again, and nothing of fewer than 200 documents', () => {
    expect(holdOutQuestions(examples, 1)).toEqual(holdOutQuestions(examples, 1));
    expect(holdOutQuestions(examples.slice(0, 398), 1)).toEqual({ training: examples.slice(0, 398), heldOut: null });
  });
});

describe('sameDocumentKeys', () => {
  it('has each document once, and knows which question it answers', () => {
    const { passages, passageOf } = sameDocumentKeys(['a', 'b', 'a', 'c', 'b'].map((key, i) => ({ query: `${i}`, passage: `passage ${key}`, documentKey: key })));
    expect(passages).toEqual(['passage a', 'passage b', 'passage c']);
    expect([...passageOf]).toEqual([0, 1, 0, 2, 1]);
  });
});

describe('the texts of the vocabulary', () => {
  it('are those of each language, a sentence that several corpora share only once', () => {
    const corpora: Corpora = {
      retrieval: [{ query: 'q1', passage: 'p', documentKey: 'd' }, { query: 'q2', passage: 'p', documentKey: 'd' }],
      parallel: [{ name: 'a', source: 'en', target: 'sw', pairs: [{ source: 'water', target: 'maji' }] }, { name: 'b', source: 'en', target: 'th', pairs: [{ source: 'water', target: 'น้ำ' }] }],
      monolingual: [{ name: 'm', language: 'sw', sentences: ['mto'] }],
    };
    expect(textsByLanguage(corpora, 'en')).toEqual(new Map([['en', ['water', 'q1', 'p', 'q2']], ['sw', ['maji', 'mto']], ['th', ['น้ำ']]]));
  });

  it('weigh (2,000,000 / characters)^(1/2), at most 4, and a large language is sampled evenly', () => {
    const text = 'x'.repeat(1000);
    const weighed = (count: number): { text: string; weight: number }[] => [...vocabularyTexts(new Map([['en', Array.from({ length: count }, () => text)]]))];
    expect(weighed(2000)[0]?.weight).toBeCloseTo(1, 9);
    expect(weighed(500)[0]?.weight).toBeCloseTo(2, 9);
    expect(weighed(10)[0]?.weight).toBe(4);
    expect(weighed(8000)[0]?.weight).toBeCloseTo(Math.sqrt(2 / 6), 9);
    expect(weighed(2000)).toHaveLength(2000);
    expect(Math.abs(weighed(8000).length - 6000)).toBeLessThanOrEqual(1);
  });
});
