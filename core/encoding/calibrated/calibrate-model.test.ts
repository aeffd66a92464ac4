/** Is a calibrated model a model like any other, and does it undo what was done to a language? Word vectors of one language turned and moved by the test. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Matrix, QrDecomposition } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/test-disks.ts';
import { seededRandom } from '../../base/random.ts';
import { readManifest, writeModelFolder } from '../model-folder.ts';
import { openEncoder, openUncalibratedEncoder } from '../open-encoder.ts';
import { TEST_SENTENCES, testModel } from '../test-models.ts';
import { writeWordsModelFolder } from '../words/words-model-folder.ts';
import { calibrateModel, type CalibrateModelOptions, type CalibrationReport } from './calibrate-model.ts';

const WIDTH = 12;
const WORDS = 90;
const random = seededRandom(5, 'calibrate-model.test');
const syllables = ['ka', 'mo', 'ti', 'su', 'le', 'na', 'wi', 'bo', 'ra'];
const english = Array.from({ length: WORDS }, (_, i) => `${syllables[i % 9] ?? ''}${syllables[Math.floor(i / 9) % 9] ?? ''}rth`);
const foreign = english.map((word) => `qu${[...word].reverse().join('').slice(3)}z`);

/** The foreign rows are the English ones, turned and then moved away together. */
async function writeTurned(folder: string, { far = 0.5 } = {}): Promise<void> {
  const { orthogonalMatrix } = new QrDecomposition(new Matrix(Array.from({ length: WIDTH }, (_, i) => Array.from({ length: WIDTH }, (__, j) => (i === j ? 1.5 : 0) + far * random.normal()))));
  const turn = orthogonalMatrix.mmul(Matrix.diagonal(orthogonalMatrix.diagonal().map((value) => (value < 0 ? -1 : 1))));
  const rows = Array.from({ length: WORDS }, () => Array.from({ length: WIDTH }, (_, i) => random.normal() / (1 + i / 3)));
  const turned = new Matrix(rows).mmul(turn).to2DArray().map((row) => row.map((value, i) => value + (i < 3 ? 0.8 : 0)));
  const unit = (list: readonly number[][]): Float32Array => Float32Array.from(list.flatMap((row) => row.map((value) => value / Math.hypot(...row))));
  const vocabularies = new Map([['en', { words: english, width: WIDTH, vectors: unit(rows) }], ['xx', { words: foreign, width: WIDTH, vectors: unit(turned) }]]);
  await writeWordsModelFolder(folder, { width: WIDTH, pivot: 'en', languages: [{ tag: 'en', pairs: 0, sentences: 0 }, { tag: 'xx', pairs: 0, sentences: 0 }], vocabularies, training: {} });
}

/** Sentences of three words, and their translations word by word. */
function sentencePairs(count: number, seed: number) {
  const draw = seededRandom(seed, 'pairs');
  return Array.from({ length: count }, () => {
    const words = [0, 1, 2].map(() => draw.integer(WORDS));
    return { source: words.map((word) => english[word]).join(' '), target: words.map((word) => foreign[word]).join(' ') };
  });
}

const pairs = sentencePairs(400, 1);
const texts = new Map([['en', pairs.map(({ source }) => source)], ['xx', sentencePairs(400, 2).map(({ target }) => target)]]);
const never = new AbortController().signal;

describe('calibrateModel', () => {
  it('turns a language back onto the pivot, step by step, and writes a model that opens like any other', async () => {
    using place = temporaryFolder();
    const modelFolder = join(place.path, 'model');
    await writeTurned(modelFolder);
    const before = await readFile(join(modelFolder, 'model.json'), 'utf8');
    const calibrated = async (name: string, steps: CalibrateModelOptions['steps']): Promise<CalibrationReport> =>
      calibrateModel({ modelFolder, outputFolder: join(place.path, name), steps, texts, pairs: [{ source: 'en', target: 'xx', pairs }], signal: never, report: () => undefined });
    const moved = await calibrated('moved', { shift: true, scale: true, rotate: 'none' });
    const turned = await calibrated('turned', { shift: true, scale: false, rotate: 'pairs' });
    const [first, second] = [moved.heldOut[0], turned.heldOut[0]];
    expect(first?.pairs).toBe(80);
    expect(second?.before).toEqual(first?.before);
    expect(second?.before.accuracy).toBeLessThan(0.4);
    expect(second?.after.accuracy).toBeGreaterThan(0.9);
    expect(second?.after.accuracy).toBeGreaterThan((first?.after.accuracy ?? 1) + 0.1);
    expect(turned.languages).toEqual([{ tag: 'en', texts: 400, pairs: 0, rotated: false }, { tag: 'xx', texts: 400, pairs: 320, rotated: true }]);
    expect(await readFile(join(modelFolder, 'model.json'), 'utf8')).toBe(before);

    const opened = await openEncoder(join(place.path, 'turned'));
    const [{ source, target }] = pairs as [{ source: string; target: string }];
    const cosine = async (encoder: typeof opened): Promise<number> => {
      const [left, right] = [await (encoder.inLanguage?.('en') ?? encoder).encode([source], 'sentence'), await (encoder.inLanguage?.('xx') ?? encoder).encode([target], 'sentence')];
      return left.reduce((sum, value, i) => sum + value * (right[i] ?? 0), 0);
    };
    expect(await cosine(opened)).toBeGreaterThan(0.9);
    expect(await cosine(await openUncalibratedEncoder(join(place.path, 'turned')))).toBeCloseTo(await cosine(await openEncoder(modelFolder)), 6);
    expect(opened.modelId).not.toBe((await openEncoder(modelFolder)).modelId);
    // where nobody says the language, letters do; windows are calibrated as the text is
    expect([...(await opened.encode([target], 'sentence'))]).toEqual([...(await (opened.inLanguage?.('xx') ?? opened).encode([target], 'sentence'))]);
    const [windows] = await opened.encodeDocuments([target]);
    expect([...(windows ?? [])].slice(0, WIDTH)).toEqual([...(await opened.encode([target], 'document'))]);

    const again = await calibrateModel({ modelFolder: join(place.path, 'turned'), outputFolder: join(place.path, 'again'), steps: { shift: true, scale: false, rotate: 'pairs' }, texts, pairs: [{ source: 'en', target: 'xx', pairs }], signal: never, report: () => undefined });
    expect(again.heldOut[0]).toEqual(second); // from what it was, not on top of what it is
    expect((await readManifest(join(place.path, 'again'))).files).toEqual((await readManifest(join(place.path, 'turned'))).files);
  });

  it('needs no pairs to turn a language whose space lies near, and measures on pairs that it learned nothing from', async () => {
    using place = temporaryFolder();
    await writeTurned(join(place.path, 'model'), { far: 0.25 });
    const known = sentencePairs(60, 9);
    const report = await calibrateModel({ modelFolder: join(place.path, 'model'), outputFolder: join(place.path, 'out'), steps: { shift: true, scale: false, rotate: 'unsupervised' }, texts, pairs: [], heldOut: [{ source: 'en', target: 'xx', pairs: known }], signal: never, report: () => undefined });
    expect(report.heldOut[0]?.pairs).toBe(60);
    expect(report.heldOut[0]?.after.accuracy).toBeGreaterThan((report.heldOut[0]?.before.accuracy ?? 1) + 0.2);
    expect(report.languages.find(({ tag }) => tag === 'xx')).toMatchObject({ rotated: true, pairs: 0 });
  });

  it('of a static model calibrates sentences and search each in its own space', async () => {
    using place = temporaryFolder();
    await writeModelFolder(join(place.path, 'model'), await testModel(), { 'held-out.json': '{"pairs":[]}' });
    const [en, sw] = [TEST_SENTENCES.slice(0, 4), TEST_SENTENCES.slice(4)];
    const report = await calibrateModel({ modelFolder: join(place.path, 'model'), outputFolder: join(place.path, 'out'), steps: { shift: true, scale: true, rotate: 'none' }, texts: new Map([['en', en], ['sw', sw]]), pairs: [], signal: never, report: () => undefined });
    expect(report.heldOut).toEqual([]);
    const encoder = await openEncoder(join(place.path, 'out'));
    expect(encoder.tokenSums).toBeUndefined();
    for (const kind of ['sentence', 'query'] as const) {
      const rows = await encoder.encode(sw, kind);
      for (const row of [0, 1, 2, 3]) expect(Math.hypot(...rows.subarray(row * encoder.width, (row + 1) * encoder.width))).toBeCloseTo(1, 5);
    }
    expect([...(await encoder.encode(sw, 'sentence'))]).not.toEqual([...(await encoder.encode(sw, 'query'))]);
    expect([...(await encoder.encode([''], 'query'))].every((value) => value === 0)).toBe(true);
    expect(await readFile(join(place.path, 'out', 'held-out.json'), 'utf8')).toBe('{"pairs":[]}');
    const file = Object.keys((await readManifest(join(place.path, 'out'))).files).find((name) => name.includes('search.sw')) ?? '';
    const bytes = await readFile(join(place.path, 'out', file));
    bytes[5] = (bytes[5] ?? 0) ^ 1;
    await writeFile(join(place.path, 'out', file), bytes);
    await expect(openEncoder(join(place.path, 'out'))).rejects.toMatchObject({ code: 'model.damaged', message: expect.stringContaining(file) });
  });

  it('never takes a place that is taken, and says what is missing', async () => {
    using place = temporaryFolder();
    await writeTurned(join(place.path, 'model'));
    const base = { modelFolder: join(place.path, 'model'), outputFolder: join(place.path, 'out'), texts, pairs: [], signal: never, report: () => undefined };
    const shift = { shift: true, scale: false, rotate: 'none' } as const;
    await expect(calibrateModel({ ...base, steps: shift, outputFolder: base.modelFolder })).rejects.toMatchObject({ code: 'calibration.output-exists', family: 'input' });
    await expect(calibrateModel({ ...base, steps: { ...shift, shift: false } })).rejects.toMatchObject({ code: 'calibration.nothing-to-do' });
    await expect(calibrateModel({ ...base, steps: { ...shift, rotate: 'pairs' } })).rejects.toMatchObject({ code: 'calibration.too-few-pairs' });
    await expect(calibrateModel({ ...base, steps: { ...shift, rotate: 'unsupervised' }, texts: new Map([['xx', ['quz']]]) })).rejects.toMatchObject({ code: 'calibration.no-text', data: { language: 'en' } });
    await expect(calibrateModel({ ...base, steps: shift, signal: AbortSignal.abort() })).rejects.toMatchObject({ family: 'cancellation' });
  });
});
