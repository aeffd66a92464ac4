/** Does a model that was trained on phrases come back from its folder as it was, and read phrases through its head? */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { openTransformerFolder } from './backbones/open-backbone.ts';
import { fixtureFolder } from './backbones/test-backbones.ts';
import { writeBackboneModelFolder } from './backbone-model-folder.ts';
import { readManifest, writeModelFolder } from './model-folder.ts';
import { openEncoder } from './open-encoder.ts';
import { createProjection, HEAD, headShapes, PHRASE_HEAD_FILE, PLAIN_READING, type PhraseHead } from './phrase-reading.ts';
import { testModel } from './test-models.ts';

const SIZES = { hidden: 5, out: 3 };
/** Numbers without a pattern, but always the same. */
const numbers = (length: number, first: number): Float32Array => Float32Array.from({ length }, (_, i) => Math.sin(12.9898 * (i + first)));

function headOf(placement: PhraseHead['placement'], width: number): PhraseHead {
  const sizes = { width, ...SIZES };
  return { placement, ...sizes, parameters: new Map([...headShapes(sizes)].map(([name, shape], i) => [name, numbers(shape.reduce((product, size) => product * size, 1), 100 * i)])) };
}

/** W2 relu(W1 x + b1) + b2, in loops. */
function byHand({ parameters, width, hidden, out }: PhraseHead, x: readonly number[]): number[] {
  const of = (name: string, i: number): number => parameters.get(name)?.[i] ?? Number.NaN;
  const inner = Array.from({ length: hidden }, (_, f) => Math.max(0, x.reduce((sum, value, i) => sum + of(HEAD.firstWeight, f * width + i) * value, of(HEAD.firstBias, f))));
  return Array.from({ length: out }, (_, p) => inner.reduce((sum, value, f) => sum + of(HEAD.secondWeight, p * hidden + f) * value, of(HEAD.secondBias, p)));
}
/** The same head with biases of zero: twice the input, twice the output. */
function withoutBiases(head: PhraseHead): PhraseHead {
  return { ...head, parameters: new Map([...head.parameters].map(([name, values]) => [name, name.endsWith('.bias') ? new Float32Array(values.length) : values])) };
}
const unit = (row: readonly number[]): number[] => row.map((value) => value / Math.hypot(...row));

describe('a head of phrases', () => {
  it('is the two maps with a ReLU between them', async () => {
    const head = headOf('phrase', 4);
    await using projection = createProjection({ threads: 1 });
    const rows = numbers(8, 7);
    const found = await projection.project(rows, head);
    [0, 1].forEach((r) => {
      byHand(head, [...rows.subarray(r * 4, r * 4 + 4)]).forEach((value, i) => expect(found[r * 3 + i]).toBeCloseTo(value, 5));
    });
  });

  it('stands after the mean or before it, as the folder of the model says, and a flipped bit is noticed', async () => {
    using place = temporaryFolder();
    const model = await testModel();
    const phrase = { phrase: 'the river', sentences: ['the river is wide'] };
    const plain = await openEncoderOf(join(place.path, 'plain'), model);
    const vectors: Float32Array[] = [];
    for (const placement of ['phrase', 'token'] as const) {
      const head = headOf(placement, model.width);
      const folder = join(place.path, placement);
      const manifest = await writeModelFolder(folder, { ...model, phrases: { ...PLAIN_READING, head } });
      expect(manifest).toMatchObject({ version: 3, phrases: { head: { placement, ...SIZES } } });
      const encoder = await openEncoder(folder);
      expect(encoder.phrases?.width).toBe(SIZES.out);
      vectors.push((await encoder.phrases?.vectors([phrase])) ?? new Float32Array(0));
      expect(await encoder.encode(['the river'], 'sentence')).toEqual(await plain.encode(['the river'], 'sentence')); // the head concerns phrases alone
    }
    expect(vectors[0]).not.toEqual(vectors[1]);
    const path = join(place.path, 'phrase', PHRASE_HEAD_FILE);
    const bytes = await readFile(path);
    bytes[9] = (bytes[9] ?? 0) ^ 1;
    await writeFile(path, bytes);
    await expect(openEncoder(join(place.path, 'phrase'))).rejects.toMatchObject({ code: 'model.damaged' });
  });

  it('of a transformer reads the states of the layer that the folder names', async () => {
    using place = temporaryFolder();
    const backbone = await openTransformerFolder(fixtureFolder('bert'));
    const model = { backbone, queryBackbone: null, pivot: 'en', languages: [], translations: [], training: {} };
    const { width } = backbone.shape;
    const head = withoutBiases(headOf('phrase', width));
    await writeBackboneModelFolder(join(place.path, 'plain'), model);
    await writeBackboneModelFolder(join(place.path, 'head'), { ...model, phrases: { ...PLAIN_READING, layer: 1, head } });
    expect((await readManifest(join(place.path, 'plain'))).version).toBe(2);
    const asked = [{ phrase: 'water', sentences: ['clean water here', 'water'] }];
    const means = await (await openEncoder(join(place.path, 'plain'), { threads: 1 })).phrases?.vectors(asked, { layer: 1 });
    const found = await (await openEncoder(join(place.path, 'head'), { threads: 1 })).phrases?.vectors(asked);
    expect([means?.length, found?.length]).toEqual([width, SIZES.out]);
    // Without biases a head does not see the length of the mean, which the plain model has taken away.
    unit(byHand(head, [...(means ?? [])])).forEach((value, i) => expect(found?.[i]).toBeCloseTo(value, 5));
    await expect((await openEncoder(join(place.path, 'head'), { threads: 1 })).phrases?.vectors(asked, { layer: 9 })).rejects.toMatchObject({ code: 'phrases.no-such-layer' });
  });
});

async function openEncoderOf(folder: string, model: Awaited<ReturnType<typeof testModel>>): Promise<Awaited<ReturnType<typeof openEncoder>>> {
  expect((await writeModelFolder(folder, model)).version).toBe(1);
  return openEncoder(folder);
}
