/** Facts about transformers on the command line: a recipe with another encoder goes through the very same commands. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTsv, expectRefusal, inRepository, resultOf, runHere, SAMPLE_PAIRS, writeCorpora, writeRecipe } from './test-program.ts';

const ENCODER = { kind: 'transformer', layers: 1, width: 32, heads: 2, feedForward: 64, positions: 48, vocabularySize: 600 };

let folder: string;
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-transformer-'));
  writeCorpora(folder);
  await writeFile(at('more.tsv'), asTsv(SAMPLE_PAIRS.slice(0, 50)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a transformer', () => {
  it('is trained, evaluated, indexes and is searched like the static encoder', async () => {
    const recipe = writeRecipe(folder, 'recipe.json', { encoder: ENCODER, budget: { steps: 60 }, optimizer: { retrievalBatch: 16, parallelBatch: 24, learningRate: 0.003 }, losses: { maskedLanguage: { weight: 0.05 } } });
    const trained = await runHere(['train', '--recipe', recipe, '--out', at('model'), '--threads', '1', '--json']);
    const summary = resultOf(trained);
    expect(Object.keys(summary as object)).toEqual(['model', 'steps', 'wallSeconds', 'cpuSeconds', 'peakMemoryMB', 'parameters', 'losses']);
    expect(summary).toMatchObject({ model: at('model'), steps: 60, losses: { maskedLanguage: expect.any(Number) } });
    expect(trained.stderr).toMatch(/plan: 60 steps, about .* MB of memory/);

    await writeFile(at('a.en'), SAMPLE_PAIRS.map(([english]) => `${english}\n`).join(''));
    await writeFile(at('a.sw'), SAMPLE_PAIRS.map(([, swahili]) => `${swahili}\n`).join(''));
    const pairs = resultOf(await runHere(['evaluate', '--task', 'pairs', '--model', at('model'), '--source', at('a.en'), '--target', at('a.sw'), '--json'])) as { readonly pairs: number; readonly accuracy: number };
    expect(pairs.pairs).toBe(60);
    expect(pairs.accuracy).toBeGreaterThan(0.2); // chance is 0.017

    expect(resultOf(await runHere(['index', '--model', at('model'), '--documents', inRepository('core/sample/documents'), '--index', at('index'), '--json']))).toMatchObject({ files: 60, failed: [] });
    const hits = resultOf(await runHere(['search', '--index', at('index'), '--query', 'the boat that brings books', '--k', '3', '--json'])) as readonly { readonly path: string }[];
    expect(hits[0]?.path).toBe('en/library-boat.txt');
    expect(resultOf(await runHere(['search', '--index', at('index'), '--query', 'the boat that brings books', '--k', '3', '--method', 'dense', '--json']))).toHaveLength(3);
  });

  it('asked for what does not go together is refused with the line and the key', async () => {
    const refused = async (encoder: object, changes: object, sentences: readonly RegExp[]): Promise<void> => {
      const recipe = writeRecipe(folder, 'wrong.json', { encoder, ...changes });
      expectRefusal(await runHere(['train', '--recipe', recipe, '--out', at('wrong'), '--json']), 2, sentences);
    };
    await refused({ ...ENCODER, heads: 3 }, { losses: { maskedLanguage: { pretrainingSteps: 9 } } }, [/"encoder\/heads": expected a number that divides the width 32, found 3/, /"losses\/maskedLanguage\/pretrainingSteps": expected at most the steps of the budget, 4, found 9/]);
    await refused({ kind: 'backbone', path: '.' }, {}, [/config\.json/]);
  });
});
