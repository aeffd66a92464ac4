import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InputError } from '../base/errors.ts';
import { temporaryFolder } from '../base/test-disks.ts';
import { parseRecipe, readRecipe, recipeFiles } from './recipe.ts';

async function corporaFolder(): Promise<ReturnType<typeof temporaryFolder>> {
  const folder = temporaryFolder();
  for (const name of ['a.tsv', 'a.en', 'a.sw', 'q.jsonl', 'mono.txt']) await writeFile(join(folder.path, name), 'x\ty\n');
  await mkdir(join(folder.path, 'questions'));
  return folder;
}

const parallel = [{ path: 'a.tsv', source: 'en', target: 'sw' }];
const parse = (folder: string, value: unknown): ReturnType<typeof parseRecipe> => parseRecipe({ text: typeof value === 'string' ? value : JSON.stringify(value, null, 2), recipePath: 'recipe.json', folder });

async function mistakes(folder: string, value: unknown): Promise<string[]> {
  try {
    await parse(folder, value);
  } catch (thrown) {
    if (!(thrown instanceof InputError) || thrown.code !== 'recipe.invalid') throw thrown;
    return thrown.message.split('\n').slice(0, -1);
  }
  throw new Error('expected the recipe to be refused');
}

describe('a recipe', () => {
  it('needs corpora only: every other key has a default', async () => {
    using folder = await corporaFolder();
    const recipe = await parse(folder.path, { parallel });
    expect(Object.keys(recipe).sort()).toEqual(['budget', 'encoder', 'losses', 'monolingual', 'optimizer', 'parallel', 'seed']);
    expect(recipe.encoder).toEqual({ kind: 'static', width: expect.any(Number), vocabularySize: expect.any(Number) });
    expect(Object.keys(recipe.losses).sort()).toEqual(['contextPrediction', 'language', 'retrieval', 'semantic']);
    for (const loss of Object.values(recipe.losses)) expect(loss).toMatchObject({ weight: expect.any(Number), temperature: expect.any(Number) });
    for (const value of Object.values(recipe.optimizer)) expect(value).toBeTypeOf('number');
    expect('steps' in recipe.budget ? recipe.budget.steps : 0).toBeGreaterThan(0);
    expect(await parse(folder.path, { ...recipe })).toEqual(recipe); // the defaults, written out, mean the same
  });

  it('fills in what a section leaves out', async () => {
    using folder = await corporaFolder();
    const defaults = await parse(folder.path, { parallel });
    const recipe = await parse(folder.path, { parallel, encoder: { kind: 'static', width: 64 }, losses: { semantic: { weight: 0.5 } }, budget: { minutes: 2.5 }, seed: 7 });
    expect(recipe.encoder).toEqual({ ...defaults.encoder, width: 64 });
    expect(recipe.losses).toEqual({ ...defaults.losses, semantic: { ...defaults.losses.semantic, weight: 0.5 } });
    expect([recipe.budget, recipe.seed]).toEqual([{ minutes: 2.5 }, 7]);
  });

  it('has paths relative to itself, given back absolute, each file once', async () => {
    using folder = await corporaFolder();
    await writeFile(
      join(folder.path, 'recipe.json'),
      JSON.stringify({ retrieval: [{ pairs: 'q.jsonl' }, { folder: './questions' }], parallel: [...parallel, ...parallel, { sourcePath: 'a.en', targetPath: 'a.sw', source: 'en', target: 'sw' }], monolingual: [{ path: 'mono.txt', language: 'x-kisukuma' }] }),
    );
    const recipe = await readRecipe(join(folder.path, 'recipe.json'));
    expect(recipeFiles(recipe)).toEqual(['q.jsonl', 'questions', 'a.tsv', 'a.en', 'a.sw', 'mono.txt'].map((name) => join(folder.path, name)));
    expect(recipe.monolingual[0]?.language).toBe('x-kisukuma');
  });

  it('may begin with a byte order mark', async () => {
    using folder = await corporaFolder();
    await writeFile(join(folder.path, 'recipe.json'), `\uFEFF${JSON.stringify({ parallel })}`);
    expect((await readRecipe(join(folder.path, 'recipe.json'))).parallel).toHaveLength(1);
  });
});

describe('a mistaken recipe', () => {
  it('with three mistakes is told all three, each with its line', async () => {
    using folder = await corporaFolder();
    const text = '{\n  "encoder": { "kind": "static",\n    "width": "wide" },\n  "parallel": [\n    { "path": "gone.tsv", "source": "en", "target": "sw" }\n  ],\n  "bugdet": { "steps": 10 }\n}\n';
    expect(await mistakes(folder.path, text)).toEqual([
      'recipe.json: line 3: "encoder/width": expected a value of type number, found "wide"',
      'recipe.json: line 5: "parallel/0/path": expected a file, found nothing there (gone.tsv)',
      'recipe.json: line 7: "bugdet": expected a known key, found one that Isogloss does not know',
    ]);
    await expect(parse(folder.path, text)).rejects.toThrow(/Nothing was started. Mend these 3 places/);
  });

  it.each([
    ['a width that is not whole', { parallel, encoder: { kind: 'static', width: 64.5 } }, /"encoder\/width": expected a whole number, found 64.5/],
    ['a width too small', { parallel, encoder: { kind: 'static', width: 2 } }, /"encoder\/width": expected at least 16, found 2/],
    ['a width too large', { parallel, encoder: { kind: 'static', width: 1e6 } }, /"encoder\/width": expected at most 2048, found 1000000/],
    ['tables that fit no memory', { parallel, encoder: { kind: 'static', width: 2048, vocabularySize: 200_000 } }, /"encoder": expected width x vocabularySize of at most \d+, found 2048 x 200000/],
    ['another kind of encoder', { parallel, encoder: { kind: 'magic' } }, /"encoder\/kind": expected one of "static", "backbone", "transformer", found "magic"/],
    ['a temperature of 0', { parallel, losses: { semantic: { temperature: 0 } } }, /"losses\/semantic\/temperature": expected at least 0 \(not equal\), found 0/],
    ['a negative weight', { parallel, losses: { semantic: { weight: -1 } } }, /"losses\/semantic\/weight": expected at least 0, found -1/],
    ['an unknown loss', { parallel, losses: { hinge: {} } }, /"losses\/hinge": expected a known key/],
    ['two budgets', { parallel, budget: { minutes: 1, steps: 1 } }, /"budget": expected either {"minutes": NUMBER} or {"steps": NUMBER}, found/],
    ['no entries', { retrieval: [], parallel }, /"retrieval": expected at least 1 entry, found \[\]/],
    ['pairs without a language', { parallel: [{ path: 'a.tsv', source: 'en' }] }, /"parallel\/0": expected either {"path", "source", "target"}/],
    ['the same language twice', { parallel: [{ path: 'a.tsv', source: 'en', target: 'en' }] }, /"parallel\/0\/target": expected two different languages, found "en" twice/],
    ['something that is no language tag', { parallel, monolingual: [{ path: 'mono.txt', language: 'Ki swahili' }] }, /"monolingual\/0\/language": expected a language tag such as/],
    ['a folder for a file', { parallel: [{ path: 'questions', source: 'en', target: 'sw' }] }, /"parallel\/0\/path": expected a file, found a folder \(questions\)/],
    ['a file for a folder', { retrieval: [{ folder: 'q.jsonl' }] }, /"retrieval\/0\/folder": expected a folder, found a file/],
    ['no corpora', { seed: 1 }, /expected corpora under "parallel" or "retrieval", found none/],
    ['all losses off', { parallel, losses: { retrieval: { weight: 0 }, semantic: { weight: 0 } } }, /"losses": expected a loss with a weight above 0 and the corpora it needs.*nothing to train/],
    ['a loss whose corpora are missing', { parallel, losses: { semantic: { weight: 0 } } }, /nothing to train/],
    ['a list instead of an object', [], /expected a value of type object, found \[\]/],
    ['null', null, /expected a value of type object, found null/],
    ['a text for a section', { parallel: 'a.tsv' }, /"parallel": expected a value of type array, found "a.tsv"/],
  ])('is refused: %s', async (_name, value, sentence) => {
    using folder = await corporaFolder();
    const found = await mistakes(folder.path, value);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(sentence);
    expect(found[0]).toMatch(/^recipe\.json: line \d+: /);
  });

  it.each([
    ['{\n  "seed": 1\n  "parallel": []\n}', 3],
    ['{\n  "seed": one\n}', 2],
    ['{\n  "seed": 1,\n', 3],
    ['[1,\n x]', 2],
    ['', 1],
    ['PK\u0003\u0004binary', 1],
  ])('that is not JSON is told the line: %j', async (text, line) => {
    using folder = await corporaFolder();
    await expect(parse(folder.path, text)).rejects.toThrow(new RegExp(`^recipe\\.json: line ${line}: expected JSON, found text that does not parse`));
  });

  it('that is missing is said to be missing', async () => {
    using folder = await corporaFolder();
    await expect(readRecipe(join(folder.path, 'none.json'))).rejects.toMatchObject({ code: 'file.missing', message: expect.stringContaining('none.json') });
    await expect(readRecipe(folder.path)).rejects.toMatchObject({ code: 'recipe.not-a-file' });
  });
});
