import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { openLossSessions } from './loss-sessions.ts';
import { prepareTraining, type PreparedTraining } from './prepare.ts';
import { createStepBatches } from './step-batches.ts';
import { smallRecipe } from './test-recipes.ts';

async function prepared(changes: Readonly<Record<string, unknown>> = {}): Promise<PreparedTraining> {
  using folder = temporaryFolder();
  return await prepareTraining({ recipe: await smallRecipe(folder.path, changes), starter: null, signal: new AbortController().signal, report: () => undefined });
}

function batches(of: PreparedTraining): ReturnType<typeof createStepBatches>['partsAt'] {
  return createStepBatches({ recipe: of.recipe, texts: of, sessions: openLossSessions({ settings: of.recipe.losses, width: of.recipe.encoder.width, threads: 1, device: 'cpu' }) }).partsAt; // no session is opened before a loss is asked for
}

describe('the parts of a step', () => {
  it('are those losses that have a weight and their data, in one order', async () => {
    const names = async (changes: Readonly<Record<string, unknown>>): Promise<string[]> => batches(await prepared(changes))(0).map(({ name }) => name);
    expect(await names({})).toEqual(['retrieval', 'semantic', 'language']);
    expect(await names({ losses: { retrieval: { weight: 0 }, language: { weight: 0 } } })).toEqual(['semantic']);
    expect(await names({ parallel: [], monolingual: [] })).toEqual(['retrieval']);
  });

  it('are a function of seed and step: asked in any order, the same texts', async () => {
    const of = await prepared();
    const forward = batches(of);
    const inOrder = [0, 1, 2, 3, 70, 71].map((step) => forward(step).map(({ texts }) => texts));
    const jumping = batches(await prepared());
    for (const [place, step] of [[5, 71], [2, 2], [0, 0], [4, 70]] as const) expect(jumping(step).map(({ texts }) => texts)).toEqual(inOrder[place]);
    expect(inOrder[0]).not.toEqual(inOrder[1]);
    const other = batches(await prepared({ seed: 4 }));
    expect(other(0).map(({ texts }) => texts)).not.toEqual(inOrder[0]);
  });

  it('hold question and passage, source and target in the order that the losses expect', async () => {
    const of = await prepared({ optimizer: { retrievalBatch: 16, parallelBatch: 20, tokenDropout: 0 } });
    const [retrieval, semantic, language] = batches(of)(3);
    const bagsOf = (part: typeof retrieval): string[] => part?.texts.map((ids) => ids.join(' ')) ?? [];
    const pairs = new Set(of.parallel.flatMap(({ sources, targets }) => sources.map((source, i) => `${source.join(' ')}|${targets[i]?.join(' ') ?? ''}`)));
    const found = bagsOf(semantic);
    expect(found).toHaveLength(40);
    for (let i = 0; i < 20; i += 1) expect(pairs.has(`${found[i] ?? ''}|${found[20 + i] ?? ''}`)).toBe(true);
    expect(bagsOf(language).slice(0, 40)).toEqual(found);
    expect(bagsOf(language)).toHaveLength(50); // and half as many sentences of no pair
    const answers = new Set(of.retrieval.queries.map((query, i) => `${query.join(' ')}|${of.retrieval.passages[of.retrieval.passageOf[i] ?? 0]?.join(' ') ?? ''}`));
    const questions = bagsOf(retrieval);
    expect(questions).toHaveLength(32);
    for (let i = 0; i < 16; i += 1) expect(answers.has(`${questions[i] ?? ''}|${questions[16 + i] ?? ''}`)).toBe(true);
  });
});
