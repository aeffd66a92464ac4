/** How does a trained model become a calibrated one? Vectors of its languages' texts, maps fitted, measured on held-out pairs, written beside it. */
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { writeFolderAtomic } from '../../base/atomic-files.ts';
import { CancellationError, InputError } from '../../base/errors.ts';
import { sha256, sha256OfFile } from '../../base/hashing.ts';
import type { ReportProgress } from '../../base/progress.ts';
import { seededPermutation } from '../../base/random.ts';
import { pairAccuracy } from '../../metrics/pair-accuracy.ts';
import { fitCalibration, type Calibration, type CalibrationSteps } from '../calibration.ts';
import type { Encoder, TextKind } from '../encoder.ts';
import { CALIBRATED_FORMAT_VERSION, damaged, MANIFEST_FILE, readManifest, type ModelManifest } from '../model-folder.ts';
import { openUncalibratedEncoder } from '../open-encoder.ts';
import { createCalibratedEncoder } from './calibrated-encoder.ts';
import { calibrationFiles, isCalibrationFile, type ModelCalibration, type Space } from './calibration-files.ts';
import { letterProfiles } from './letter-profiles.ts';

export type PairTexts = { readonly source: string; readonly target: string; readonly pairs: readonly { readonly source: string; readonly target: string }[] };

export type CalibrateModelOptions = {
  readonly modelFolder: string;
  /** Must not be there yet. */
  readonly outputFolder: string;
  readonly steps: CalibrationSteps;
  /** Running text of each language that is calibrated, by canonical tag. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  /** Sentence pairs: for `rotate: 'pairs'` those with the pivot; a part of each language pair is held out and measures. */
  readonly pairs: readonly PairTexts[];
  /** Pairs that training did not see: they measure in place of a part of `pairs`. */
  readonly heldOut?: readonly PairTexts[];
  readonly seed?: number;
  readonly threads?: number;
  readonly signal: AbortSignal;
  readonly report: ReportProgress;
};

export type Accuracy = { readonly accuracy: number; readonly forward: number; readonly backward: number };

export type CalibrationReport = {
  readonly model: string;
  readonly pivot: string;
  readonly steps: CalibrationSteps;
  /** `texts` that its mean and deviation are of; `pairs` by which it was turned onto the pivot (0: not turned, or without pairs). */
  readonly languages: readonly { readonly tag: string; readonly texts: number; readonly pairs: number; readonly rotated: boolean }[];
  /** On held-out pairs, each side among all of the other: before and after. */
  readonly heldOut: readonly { readonly source: string; readonly target: string; readonly pairs: number; readonly before: Accuracy; readonly after: Accuracy }[];
};

/** More text of a language changes its mean and deviation in no digit that counts; more pairs its rotation neither. */
const MOST_TEXTS = 10_000;
const MOST_PAIRS = 20_000;
/** Of the pairs of two languages, so many are held out: a fifth, at most Tatoeba's thousand. */
const HELD_OUT_SHARE = 0.2;
const MOST_HELD_OUT = 1000;
const LEAST_PAIRS = 10;
const TEXTS_AT_ONCE = 512;
const kindOf: { readonly [Of in Space]: TextKind } = { sentence: 'sentence', search: 'document' };
/** Texts by which it is seen whether both spaces are one. */
const PROBES = 8;

/**
 * Fits shift, scale and rotation (Wu et al. 2022, section 3.2) on a model's vectors, and writes a model folder that opens like any other. The
 * model it was made from stays as it is; one that is calibrated already is calibrated anew from what it was before.
 * A language without pairs is not rotated from pairs.
 * @throws InputError 'calibration.nothing-to-do', 'calibration.output-exists', 'calibration.no-text', 'calibration.too-few-pairs', 'calibration.too-few-vectors'; as `openEncoder`; EnvironmentError 'disk.full' ...
 */
export async function calibrateModel(options: CalibrateModelOptions): Promise<CalibrationReport> {
  const { modelFolder, outputFolder, steps, seed = 1, signal, report } = options;
  if (!steps.shift && !steps.scale && steps.rotate === 'none') throw new InputError('calibration.nothing-to-do', 'Expected at least one of shift, scale and rotate, found none.');
  await expectFree(outputFolder, modelFolder);
  const manifest = await readManifest(modelFolder);
  const encoder = await openUncalibratedEncoder(modelFolder, options.threads === undefined ? {} : { threads: options.threads });
  const { pivot, width } = encoder;
  const split = options.pairs.map((one) => splitPairs(one, options.heldOut?.find(({ source, target }) => source === one.source && target === one.target) ?? null, seed));
  const measured = [...split.map(({ heldOut }) => heldOut), ...(options.heldOut ?? []).filter((one) => !options.pairs.some(({ source, target }) => source === one.source && target === one.target))].filter(({ pairs }) => pairs.length > 0);
  const texts = new Map([...options.texts].map(([language, list]) => [language, evenly(list, MOST_TEXTS)]));
  const rotations = steps.rotate === 'pairs' ? pairsWithPivot(split.map(({ fitting }) => fitting), pivot) : new Map<string, { foreign: string[]; pivot: string[] }>();
  if (steps.rotate === 'pairs' && rotations.size === 0) throw new InputError('calibration.too-few-pairs', `A rotation from pairs needs sentence pairs with "${pivot}", found none. Add a parallel corpus, or choose the rotation without pairs.`);
  for (const language of rotations.keys()) if (!texts.has(language)) throw noText(language);
  const isRotated = (language: string): boolean => language !== pivot && (steps.rotate === 'unsupervised' || rotations.has(language));
  if (steps.rotate !== 'none' && !texts.has(pivot)) throw noText(pivot);

  const spaces: Space[] = (await isOneSpace(encoder, texts)) ? ['sentence'] : ['sentence', 'search'];
  const total = spaces.length * ([...texts.values()].reduce((sum, list) => sum + list.length, 0) + [...rotations.values()].reduce((sum, { foreign }) => sum + 2 * foreign.length, 0));
  let done = 0;
  const encode = async (list: readonly string[], language: string, kind: TextKind): Promise<Float32Array> => {
    const own = encoder.inLanguage?.(language) ?? encoder;
    const rows = new Float32Array(list.length * width);
    for (let start = 0; start < list.length; start += TEXTS_AT_ONCE) {
      if (signal.aborted) throw new CancellationError(undefined, { cause: signal.reason });
      const part = list.slice(start, start + TEXTS_AT_ONCE);
      rows.set(await own.encode(part, kind), start * width);
      done += part.length;
      report({ phase: 'encoding', done, total, unit: 'sentences' });
    }
    return rows;
  };
  const fitSpace = async (space: Space): Promise<Calibration> => {
    const vectors = new Map<string, Float32Array>();
    for (const [language, list] of texts) vectors.set(language, await encode(list, language, kindOf[space]));
    const pairs = new Map<string, { foreign: Float32Array; pivot: Float32Array }>();
    for (const [language, sides] of rotations) pairs.set(language, { foreign: await encode(sides.foreign, language, kindOf[space]), pivot: await encode(sides.pivot, pivot, kindOf[space]) });
    report({ phase: 'fitting', done: 0, total: 1, unit: 'spaces' });
    const of = (wanted: (language: string) => boolean): Map<string, Float32Array> => new Map([...vectors].filter(([language]) => wanted(language)));
    const rest = await fitCalibration({ width, pivot, texts: of((language) => language !== pivot && !isRotated(language)), steps: { ...steps, rotate: 'none' }, seed, signal });
    const main = await fitCalibration({ width, pivot, texts: of((language) => language === pivot || isRotated(language)), pairs, steps, seed, signal });
    return { width, pivot, languages: new Map([...texts.keys()].map((language) => [language, main.languages.get(language) ?? rest.languages.get(language) ?? { mean: null, deviation: null, rotation: null }])) };
  };
  const sentence = await fitSpace('sentence');
  const calibration: ModelCalibration = {
    facts: { width, pivot, steps, languages: [...texts.keys()].map((tag) => ({ tag, rotated: isRotated(tag) })), same: spaces.length === 1 },
    spaces: { sentence, search: spaces.length === 1 ? sentence : await fitSpace('search') },
    profiles: letterProfiles(texts),
  };
  report({ phase: 'evaluating', done: 0, total: measured.length, unit: 'language pairs' });
  const calibrated = createCalibratedEncoder(encoder, calibration, { modelId: '', hasPhraseSpace: true });
  const heldOut: CalibrationReport['heldOut'][number][] = [];
  for (const { source, target, pairs } of measured) {
    if (signal.aborted) throw new CancellationError(undefined, { cause: signal.reason });
    heldOut.push({ source, target, pairs: pairs.length, before: await accuracyOf(encoder, { source, target, pairs }), after: await accuracyOf(calibrated, { source, target, pairs }) });
    report({ phase: 'evaluating', done: heldOut.length, total: measured.length, unit: 'language pairs' });
  }
  await writeCalibratedFolder({ modelFolder, outputFolder, manifest, calibration });
  return {
    model: resolve(outputFolder), pivot, steps, heldOut,
    languages: [...texts].map(([tag, list]) => ({ tag, texts: list.length, pairs: rotations.get(tag)?.foreign.length ?? 0, rotated: isRotated(tag) })),
  };
}

function noText(language: string): InputError {
  return new InputError('calibration.no-text', `Calibration needs text in "${language}"; found none. Add a corpus in it.`, { data: { language } });
}

/** @throws InputError 'calibration.output-exists': nothing is ever written over. */
async function expectFree(outputFolder: string, modelFolder: string): Promise<void> {
  const isThere = resolve(outputFolder) === resolve(modelFolder) || (await stat(outputFolder).catch(() => null)) !== null; // nothing there: free
  if (isThere) throw new InputError('calibration.output-exists', `${outputFolder}: expected a folder that is not there yet, found one. The calibrated model never takes another's place: name a new folder.`, { data: { path: outputFolder } });
  await mkdir(dirname(resolve(outputFolder)), { recursive: true });
}

/** What is measured, and what is left to learn from: no sentence of the one stands in the other. */
function splitPairs({ source, target, pairs }: PairTexts, known: PairTexts | null, seed: number): { readonly heldOut: PairTexts; readonly fitting: PairTexts } {
  const chosen = known?.pairs ?? heldOutOf(pairs, seed);
  const taken = { sources: new Set(chosen.map((pair) => pair.source)), targets: new Set(chosen.map((pair) => pair.target)) };
  const fitting = pairs.filter((pair) => !taken.sources.has(pair.source) && !taken.targets.has(pair.target));
  return { heldOut: { source, target, pairs: chosen.slice(0, MOST_HELD_OUT) }, fitting: { source, target, pairs: fitting } };
}

function heldOutOf(pairs: PairTexts['pairs'], seed: number): PairTexts['pairs'] {
  if (pairs.length < LEAST_PAIRS) return [];
  const order = seededPermutation(pairs.length, { seed, purpose: 'held out of calibration' });
  return [...order.subarray(0, Math.min(MOST_HELD_OUT, Math.round(HELD_OUT_SHARE * pairs.length)))].flatMap((place) => pairs[place] ?? []);
}

/** The two sides of the pairs of each language with the pivot. */
function pairsWithPivot(all: readonly PairTexts[], pivot: string): Map<string, { foreign: string[]; pivot: string[] }> {
  const found = new Map<string, { foreign: string[]; pivot: string[] }>();
  for (const { source, target, pairs } of all) {
    if (source !== pivot && target !== pivot) continue;
    const language = source === pivot ? target : source;
    const sides = found.get(language) ?? { foreign: [], pivot: [] };
    for (const pair of pairs.slice(0, MOST_PAIRS - sides.foreign.length)) {
      sides.foreign.push(source === pivot ? pair.target : pair.source);
      sides.pivot.push(source === pivot ? pair.source : pair.target);
    }
    if (sides.foreign.length > 1) found.set(language, sides);
  }
  return found;
}

/** At most so many, spread over the whole list. */
function evenly(list: readonly string[], most: number): readonly string[] {
  const step = Math.max(1, list.length / most);
  return Array.from({ length: Math.min(most, list.length) }, (_, i) => list[Math.floor(i * step)] ?? '');
}

/** Whether texts have the same vectors as sentences and as documents (they have not where search is whitened, or documents have a prefix). */
async function isOneSpace(encoder: Encoder, texts: ReadonlyMap<string, readonly string[]>): Promise<boolean> {
  const probes = [...texts.values()].flatMap((list) => list.slice(0, 1)).slice(0, PROBES);
  const [sentence, document, query] = [await encoder.encode(probes, 'sentence'), await encoder.encode(probes, 'document'), await encoder.encode(probes, 'query')];
  return [document, query].every((rows) => rows.every((value, i) => value === sentence[i]));
}

async function accuracyOf(encoder: Encoder, { source, target, pairs }: PairTexts): Promise<Accuracy> {
  const side = (language: string, texts: readonly string[]): Promise<Float32Array> => (encoder.inLanguage?.(language) ?? encoder).encode(texts, 'sentence');
  const { accuracy, forward, backward } = pairAccuracy({ sources: await side(source, pairs.map((pair) => pair.source)), targets: await side(target, pairs.map((pair) => pair.target)), width: encoder.width });
  return { accuracy, forward, backward };
}

/** A copy of the model with the maps beside it, every file checked on the way. */
async function writeCalibratedFolder({ modelFolder, outputFolder, manifest, calibration }: { readonly modelFolder: string; readonly outputFolder: string; readonly manifest: ModelManifest; readonly calibration: ModelCalibration }): Promise<void> {
  const kept = Object.entries(manifest.files).filter(([name]) => !isCalibrationFile(name));
  const maps = calibrationFiles(calibration);
  const written: ModelManifest = {
    ...manifest,
    version: CALIBRATED_FORMAT_VERSION,
    calibration: calibration.facts,
    files: { ...Object.fromEntries(kept), ...Object.fromEntries([...maps].map(([name, bytes]) => [name, sha256(bytes)])) },
    createdAt: new Date().toISOString(),
  };
  await writeFolderAtomic(outputFolder, async (temporary) => {
    for (const [name, hash] of kept) {
      await mkdir(dirname(join(temporary, name)), { recursive: true });
      await copyFile(join(modelFolder, name), join(temporary, name));
      if ((await sha256OfFile(join(temporary, name))) !== hash) throw damaged(join(modelFolder, name));
    }
    for (const [name, bytes] of maps) await writeFile(join(temporary, name), bytes);
    await writeFile(join(temporary, MANIFEST_FILE), `${JSON.stringify(written, null, 2)}\n`);
  });
}
