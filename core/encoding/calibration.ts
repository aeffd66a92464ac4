/** How are the vectors of several languages brought onto each other after training? Shifted, scaled and rotated, language by language. */
import { InputError } from '../base/errors.ts';
import { learnMapWithoutPairs } from './self-learned-map.ts';
import { applyMap, orthogonalMap } from './orthogonal-map.ts';

/** Which operations; rotation from pairs of sentences, or without any. */
export type CalibrationSteps = { readonly shift: boolean; readonly scale: boolean; readonly rotate: 'none' | 'pairs' | 'unsupervised' };

/** What is subtracted, what each column is divided by, and W; null: not done. */
export type LanguageCalibration = { readonly mean: Float32Array | null; readonly deviation: Float32Array | null; readonly rotation: Float32Array | null };

export type Calibration = { readonly width: number; readonly pivot: string; readonly languages: ReadonlyMap<string, LanguageCalibration> };

export type FitCalibrationOptions = {
  readonly width: number;
  /** The language onto which the others are rotated. */
  readonly pivot: string;
  /** Vectors of running text of each language: float32 [n, H]. */
  readonly texts: ReadonlyMap<string, Float32Array>;
  /** For `rotate: 'pairs'`: float32 [p, H] each, row i of one translates row i of the other. */
  readonly pairs?: ReadonlyMap<string, { readonly foreign: Float32Array; readonly pivot: Float32Array }>;
  readonly steps: CalibrationSteps;
  readonly seed: number;
  readonly signal?: AbortSignal;
};

/** Columns that do not vary are divided by this share of the mean deviation, so that noise is not blown up. */
const LEAST_DEVIATION_SHARE = 1e-3;

/**
 * Fits a calibration:  y = ((x − mean_language) / deviation_language) W_language, then to length 1.
 * Mean and deviation (the root of the variance of each column) are of a language's own text; W brings a language onto the pivot,
 * fitted after shift and scale; the pivot itself is not rotated.
 * @throws InputError 'calibration.no-text' for a language without vectors, 'calibration.too-few-pairs', 'calibration.too-few-vectors'.
 * @see Wu et al. 2022, section 3.2.
 */
export async function fitCalibration({ width, pivot, texts, pairs = new Map(), steps, seed, signal }: FitCalibrationOptions): Promise<Calibration> {
  const languages = new Map<string, LanguageCalibration>();
  for (const [language, vectors] of texts) {
    if (vectors.length < width) throw new InputError('calibration.no-text', `Calibration needs text in every language; "${language}" has none. Add a monolingual corpus in it.`, { data: { language } });
    languages.set(language, { ...momentsOf(vectors, width, steps), rotation: null });
  }
  const calibration = { width, pivot, languages };
  if (steps.rotate === 'none') return calibration;
  const centre = texts.get(pivot);
  if (centre === undefined) throw new InputError('calibration.no-text', `Calibration needs text in "${pivot}", onto which the other languages are rotated. Add a corpus in it.`, { data: { language: pivot } });
  const targets = await calibrate(calibration, centre, pivot);
  for (const [language, vectors] of texts) {
    if (language === pivot) continue;
    const own = languages.get(language) ?? { mean: null, deviation: null };
    const rotation =
      steps.rotate === 'pairs'
        ? await rotationFromPairs(calibration, language, pairs.get(language))
        : (await learnMapWithoutPairs({ sources: await calibrate(calibration, vectors, language), targets, width, start: 'as they are', seed, ...(signal === undefined ? {} : { signal }) })).map;
    languages.set(language, { ...own, rotation });
  }
  return calibration;
}

/** Calibrated copies of vectors of a language: float32 [n, H], rows of length 1. A language the calibration does not know is only brought to length 1. */
export async function calibrate({ width, languages }: Calibration, vectors: Float32Array, language: string): Promise<Float32Array> {
  const { mean, deviation, rotation } = languages.get(language) ?? { mean: null, deviation: null, rotation: null };
  const moved = vectors.map((value, i) => (value - (mean?.[i % width] ?? 0)) / (deviation?.[i % width] ?? 1));
  const turned = rotation === null ? moved : await applyMap(moved, rotation, width);
  for (let start = 0; start < turned.length; start += width) {
    const row = turned.subarray(start, start + width);
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
    if (length > 0) for (let i = 0; i < width; i += 1) row[i] = (row[i] ?? 0) / length;
  }
  return turned;
}

async function rotationFromPairs(calibration: Calibration, language: string, pairs: { readonly foreign: Float32Array; readonly pivot: Float32Array } | undefined): Promise<Float32Array> {
  if (pairs === undefined) throw new InputError('calibration.too-few-pairs', `A rotation of "${language}" from pairs needs a parallel corpus with "${calibration.pivot}". Add one, or choose the rotation without pairs.`, { data: { language } });
  return orthogonalMap({ sources: await calibrate(calibration, pairs.foreign, language), targets: await calibrate(calibration, pairs.pivot, calibration.pivot), width: calibration.width });
}

function momentsOf(vectors: Float32Array, width: number, { shift, scale }: CalibrationSteps): Pick<LanguageCalibration, 'mean' | 'deviation'> {
  const count = vectors.length / width;
  const mean = new Float64Array(width);
  const squares = new Float64Array(width);
  vectors.forEach((value, i) => {
    mean[i % width] = (mean[i % width] ?? 0) + value / count;
  });
  vectors.forEach((value, i) => {
    squares[i % width] = (squares[i % width] ?? 0) + (value - (mean[i % width] ?? 0)) ** 2 / count;
  });
  const deviations = squares.map(Math.sqrt);
  const least = LEAST_DEVIATION_SHARE * (deviations.reduce((sum, value) => sum + value, 0) / width);
  return { mean: shift ? Float32Array.from(mean) : null, deviation: scale ? Float32Array.from(deviations, (value) => Math.max(value, least) || 1) : null };
}
