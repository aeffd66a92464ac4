/** Is context prediction in training what Wu et al. 2022 write down? Step by step against PyTorch's layers, and what the paper says of it. */
import { describe, expect, it } from 'vitest';
import referenceJson from '../../../test/reference/context-prediction.json' with { type: 'json' };
import type { ContextPredictionSettings } from '../recipe-schema.ts';
import type { VectorPart } from '../trainable-encoder.ts';
import { isCentreTurn, neighboursOf, openContextPrediction, type ContextPrediction } from './context-prediction.ts';
import { openContextSessions } from './context-sessions.ts';
import { documentsOf, type LanguageDocuments } from './documents.ts';
import { createHeadState } from './head-state.ts';

const { sizes, optimizer, temperature } = referenceJson;
const { width, projected } = sizes;
type Case = (typeof referenceJson.cases)[number];
type Numbers = { readonly data: readonly number[] };

const settingsOf = ({ normalisation, similarity }: Case) => ({ normalisation, similarity, temperature }) as Pick<ContextPredictionSettings, 'normalisation' | 'similarity' | 'temperature'>; // boundary: the script writes these words
const floats = ({ data }: Numbers): Float32Array => Float32Array.from(data);
const near = (found: ArrayLike<number>, expected: readonly number[], digits = 3): void => {
  expect(found).toHaveLength(expected.length);
  expected.forEach((value, i) => { expect(found[i]).toBeCloseTo(value, digits); });
};

describe('steps of context prediction', () => {
  it.each(referenceJson.cases.map((one) => [`${one.normalisation} normalisation, ${one.similarity}, bank of ${one.bank}`, one] as const))('%s: losses, gradients, running moments, bank and the head after AdamW are PyTorch\'s', async (_, one) => {
    const settings = settingsOf(one);
    const { learningRate, ...adamw } = optimizer;
    const state = createHeadState({ ...sizes, ...settings, bank: [one.bank, one.bank], optimizer: adamw, seed: 1 });
    const start = Object.entries(one.start as Record<string, Numbers>);
    for (const [name, { data }] of start) state.parameters.get(torchName(name))?.set(data);
    expect(start.map(([name]) => torchName(name)).sort()).toEqual([...state.parameters.keys()].sort());
    await using sessions = openContextSessions({ ...sizes, ...settings, threads: 1, device: 'cpu' });
    expect(one.steps.length).toBeGreaterThan(4);
    for (const [place, step] of one.steps.entries()) {
      expect(isCentreTurn(place, 2)).toBe(step.centresTrained);
      const [centres, contexts] = [floats(step.centres), floats(step.contexts)];
      const [trained, evaluated] = step.centresTrained ? [centres, contexts] : [contexts, centres];
      const count = centres.length / width;
      state.begin();
      const bank = state.negatives(step.language);
      const found = await sessions.run({ trained, evaluated, parameters: state.parameters, running: state.running(), bank: bank.vectors, leaveOut: new Uint8Array(count * (count + bank.labels.length)), scale: 1 });
      expect(found.loss).toBeCloseTo(step.loss, 4);
      const [ofCentres, ofContexts] = step.centresTrained ? [found.gradients.trained, found.gradients.evaluated] : [found.gradients.evaluated, found.gradients.trained];
      near(ofCentres, step.gradients[0]?.data ?? []);
      near(ofContexts, step.gradients[1]?.data ?? []);
      for (const [name, gradient] of found.gradients.head) state.addGradient(name, gradient);
      for (const moments of found.moments) state.observe({ ...moments, rows: count });
      state.remember(step.language, { vectors: step.centresTrained ? found.projected.evaluated : found.projected.trained, labels: new Int32Array(count) });
      state.apply({ learningRate, scale: 1 });
    }
    for (const [name, { data }] of Object.entries(one.after as Record<string, Numbers>)) near(state.parameters.get(torchName(name)) ?? [], data, 3);
    if (one.running !== null) {
      near(state.running().mean, one.running.mean.data);
      near(state.running().variance, one.running.variance.data);
    }
    for (const language of [0, 1]) {
      const rows = (one.banks as Record<string, number[][]>)[String(language)] ?? [];
      const kept = state.negatives(language).vectors;
      const inOrder = (list: readonly number[][]): number[] => [...list].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0)).flat();
      near(inOrder(Array.from({ length: kept.length / projected }, (__, i) => [...kept.subarray(i * projected, (i + 1) * projected)])), inOrder(rows), 3);
    }
  });

  it('leak nothing through the side in evaluation mode: a row is projected the same whatever stands beside it; in training mode it is not', async () => {
    const state = createHeadState({ ...sizes, normalisation: 'asymmetric', bank: [0], optimizer, seed: 4 });
    await using sessions = openContextSessions({ ...sizes, normalisation: 'asymmetric', similarity: 'cosine', temperature, threads: 1, device: 'cpu' });
    const project = async (others: number) => {
      const side = Float32Array.from({ length: 3 * width }, (_, i) => (i < width ? i + 1 : Math.sin(others * i)));
      return (await sessions.run({ trained: side, evaluated: side, parameters: state.parameters, running: state.running(), bank: new Float32Array(0), leaveOut: new Uint8Array(9), scale: 1 })).projected;
    };
    const [one, other] = [await project(1), await project(7)];
    expect([...one.evaluated.subarray(0, projected)]).toEqual([...other.evaluated.subarray(0, projected)]);
    expect(one.trained[0]).not.toBeCloseTo(other.trained[0] ?? Number.NaN, 3);
  });
});

/** PyTorch's names are ours. */
function torchName(name: string): string {
  return name.replace('norm.weight', 'norm.scale');
}

const texts = (language: string, documents: number, length: number): LanguageDocuments => ({
  language,
  sentences: Array.from({ length: documents * length }, (_, i) => `${language} ${i}`),
  documents: Int32Array.from({ length: documents * length }, (_, i) => Math.floor(i / length)),
  keys: Int32Array.from({ length: documents * length }, (_, i) => i),
});

const SETTINGS: ContextPredictionSettings = { weight: 0.5, temperature: 0.2, window: 3, batch: 4, projection: { width: 6 }, normalisation: 'asymmetric', similarity: 'cosine', bank: 8, passages: true, pretrainingSteps: 0 };

function open(changes: Partial<Parameters<typeof openContextPrediction>[0]> = {}): ContextPrediction {
  return openContextPrediction({
    settings: SETTINGS, languages: [texts('sw', 6, 10), texts('yo', 6, 10)], width: 5, tokens: (text) => Uint32Array.from([...text], (letter) => letter.charCodeAt(0)),
    tokenDropout: 0, accumulation: 1, optimizer, seed: 3, threads: 1, device: 'cpu', ...changes,
  });
}

/** Runs the parts of a step with vectors that are a function of the step (`salt` changes those of Yoruba). */
async function step(contexts: ContextPrediction, place: number, { salt = 0, apply = true } = {}): Promise<readonly number[]> {
  const losses: number[] = [];
  const parts = contexts.partsAt(place);
  parts[0]?.own?.begin();
  for (const part of parts) losses.push((await part.evaluate(vectorsOf(part, place, salt))).loss);
  if (apply) parts[0]?.own?.apply({ learningRate: 0, scale: 1 });
  return losses;
}

function vectorsOf(part: VectorPart, place: number, salt: number): Float32Array {
  const isYoruba = part.texts[0]?.[0] === 'y'.charCodeAt(0);
  return Float32Array.from({ length: part.texts.length * 5 }, (_, i) => Math.sin((i + 1) * (place + 1.3)) + (isYoruba ? salt * Math.cos(i) : 0));
}

describe('openContextPrediction', () => {
  it('takes negatives of the same language alone: whatever the other language brought, the loss is the same to the bit', async () => {
    const run = async (salt: number) => {
      await using contexts = open({ optimizer: { ...optimizer, weightDecay: 0 }, settings: { ...SETTINGS, normalisation: 'none' } });
      const losses: number[] = [];
      for (let place = 0; place < 6; place += 1) losses.push(...(await step(contexts, place, { salt })));
      return losses;
    };
    const [plain, salted] = [await run(0), await run(3)];
    const of = (losses: readonly number[], language: number): number[] => losses.filter((_, place) => place % 2 === language);
    expect(of(salted, 0)).toEqual(of(plain, 0));
    expect(of(salted, 1)).not.toEqual(of(plain, 1));
  });

  it('takes more negatives with a bank than without: the loss is larger from the second batch of a language on', async () => {
    const lossesOf = async (bank: number) => {
      await using contexts = open({ settings: { ...SETTINGS, bank } });
      return [...(await step(contexts, 0)), ...(await step(contexts, 1)), ...(await step(contexts, 2))];
    };
    const [without, withBank] = [await lossesOf(0), await lossesOf(8)];
    expect(withBank.slice(0, 2)).toEqual(without.slice(0, 2));
    expect(withBank[2]).toBeGreaterThan(without[2] ?? Number.NaN);
  });

  it('never keeps more rows of a language than it has sentences: none of them stands there twice', async () => {
    await using contexts = open({ languages: [texts('sw', 2, 4), texts('yo', 6, 10)], settings: { ...SETTINGS, batch: 2, bank: 20 } });
    for (let place = 0; place < 30; place += 1) await step(contexts, place);
    expect(contexts.arrays.get('context.bank')).toHaveLength((8 + 20) * SETTINGS.projection.width);
  });

  it('forgets a step that was not applied: it is as if it had not been', async () => {
    await using contexts = open();
    await step(contexts, 0);
    const before = new Map([...contexts.arrays].map(([name, array]) => [name, array.slice()]));
    const first = await step(contexts, 2, { apply: false });
    expect(new Map(contexts.arrays)).toEqual(before);
    expect(await step(contexts, 2)).toEqual(first);
    expect(new Map(contexts.arrays)).not.toEqual(before);
    contexts.restart();
    const fresh = open();
    expect(new Map(contexts.arrays)).toEqual(new Map(fresh.arrays));
    await fresh[Symbol.asyncDispose]();
  });

  it('of several batches in a step, each sees what the ones before it left, and counts its share', async () => {
    await using contexts = open({ accumulation: 4 });
    const parts = contexts.partsAt(0);
    expect(parts).toHaveLength(4);
    await using single = open();
    const singles = [await step(single, 0), await step(single, 1), await step(single, 2)];
    parts[0]?.own?.begin();
    for (const place of [0, 1, 2]) expect((await parts[place]?.evaluate(vectorsOf(parts[place], place, 0)))?.loss).toBeCloseTo(singles[place]?.[0] ?? Number.NaN, 5);
    const [share] = [await parts[3]?.evaluate(new Float32Array(parts[3].texts.length * 5).fill(1))];
    expect(share?.gradient).toHaveLength((parts[3]?.texts.length ?? 0) * 5);
    expect(parts.every(({ own }) => own === parts[0]?.own)).toBe(true);
  });

  it('gives every language both modes', () => {
    for (const languages of [1, 2, 3, 4]) {
      for (let language = 0; language < languages; language += 1) {
        const turns = Array.from({ length: 6 }, (_, round) => isCentreTurn(round * languages + language, languages));
        for (let round = 1; round < turns.length; round += 1) expect(turns[round]).not.toBe(turns[round - 1]);
      }
    }
  });

  it('says what is missing where no text has neighbours', () => {
    expect(() => open({ languages: [] })).toThrow(/two sentences in one document/);
  });
});

describe('neighboursOf', () => {
  it('spares the windows of centre and context, and equal texts, in batch and bank', () => {
    const language = { documents: Int32Array.of(0, 0, 0, 0, 0, 1, 1, 1), keys: Int32Array.of(0, 1, 2, 3, 4, 5, 6, 1) };
    const batch = { centres: Int32Array.of(0, 5, 6), contexts: Int32Array.of(1, 6, 7) };
    const marks = neighboursOf({ batch, language, bank: Int32Array.of(1, 2, 3, 5, 7), reach: 1 });
    const rows = [0, 1, 2].map((i) => [...marks.subarray(i * 8, (i + 1) * 8)]);
    expect(rows).toEqual([
      [0, 0, 1, 1, 1, 0, 0, 1], // pair 2: its context has the text of context 1; bank: itself, beside it, the same text
      [0, 0, 1, 0, 0, 0, 1, 1], // pair 2 holds its context
      [1, 1, 0, 1, 0, 0, 1, 1],
    ]);
  });
});

describe('documentsOf', () => {
  const corpora = {
    monolingual: [
      { name: 'a', language: 'sw', sentences: ['a', 'b', 'c'], documents: Int32Array.of(0, 0, 1) },
      { name: 'b', language: 'sw', sentences: ['d', 'a'], documents: Int32Array.of(0, 0) },
      { name: 'c', language: 'yo', sentences: ['x', 'y'], documents: null },
      { name: 'd', language: 'ha', sentences: ['x', 'y'], documents: Int32Array.of(0, 1) },
    ],
    retrieval: [{ query: 'q', passage: 'One. Two.', documentKey: 'k' }, { query: 'r', passage: 'One. Two.', documentKey: 'k' }, { query: 's', passage: 'Three.', documentKey: 'l' }],
  };

  it('keeps documents of files apart, cuts each passage once, and leaves out languages and texts without neighbours', () => {
    const [sw, en, ...rest] = documentsOf({ corpora, pivot: 'en', passages: true });
    expect(rest).toHaveLength(0);
    expect(sw).toMatchObject({ language: 'sw', sentences: ['a', 'b', 'c', 'd', 'a'] });
    expect([...(sw?.documents ?? [])]).toEqual([1, 1, 2, 3, 3]);
    expect(sw?.keys[0]).toBe(sw?.keys[4]);
    expect(en).toMatchObject({ language: 'en', sentences: ['One.', 'Two.', 'Three.'] });
    expect([...(en?.documents ?? [])]).toEqual([1, 1, 2]);
    expect(documentsOf({ corpora, pivot: 'en', passages: false }).map(({ language }) => language)).toEqual(['sw']);
  });
});
