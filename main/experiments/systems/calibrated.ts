/** The model of another row with its languages shifted, scaled and rotated (Wu et al. 2022, section 3.2), as a row. */
import { calibrate, fitCalibration, type Calibration } from '../../../core/encoding/calibration.ts';
import { readPairs } from '../../../core/corpus/sources.ts';
import { InvariantError } from '../../../core/base/errors.ts';
import type { Encoder, TextKind } from '../../../core/encoding/encoder.ts';
import { withMovedVectors } from '../../../core/encoding/moved-vectors.ts';
import { readSentences } from '../../../core/evaluation/baselines/settings.ts';
import type { RowOf } from '../../../core/evaluation/experiments/rows.ts';
import { corpusSourceOf, parallelSource } from '../../../core/training/corpus-sources.ts';
import type { System, SystemContext } from '../system.ts';

type Texts = ReadonlyMap<string, readonly string[]>;
type PairTexts = ReadonlyMap<string, { readonly foreign: readonly string[]; readonly pivot: readonly string[] }>;

/** Each kind of text has a space of its own (search is whitened), so each is calibrated when it is first asked for. @throws as fitCalibration; what the readers throw. */
export async function openCalibratedSystem(row: RowOf<'calibrated'>, context: SystemContext): Promise<System> {
  const { seed, signal } = context;
  const base = await context.systemOf(row.of);
  if (base.encoderFor === null) throw new InvariantError('experiment.no-vectors', `Row "${row.of}" has no vectors.`);
  const { encoderFor } = base;
  const texts = await readTextsOf(row, context);
  const pairs = row.steps.rotate === 'pairs' ? await readPairsOf(row, signal) : new Map();
  const fitted = new Map<TextKind, Promise<Calibration>>();
  const calibrationOf = (kind: TextKind): Promise<Calibration> => {
    const found = fitted.get(kind) ?? fit({ row, encoderFor, texts, pairs, kind, seed, signal });
    fitted.set(kind, found);
    return found;
  };
  const calibratedFor = (language: string | null): Encoder =>
    withMovedVectors(encoderFor(language), {
      inLanguage: calibratedFor,
      move: async (rows, _, kind) => (language === null ? rows : calibrate(await calibrationOf(kind), rows, language)),
    });
  return { method: row.method, encoderFor: calibratedFor };
}

type FitOptions = { readonly row: RowOf<'calibrated'>; readonly encoderFor: (language: string | null) => Encoder; readonly texts: Texts; readonly pairs: PairTexts; readonly kind: TextKind; readonly seed: number; readonly signal: AbortSignal };

async function fit({ row, encoderFor, texts, pairs, kind, seed, signal }: FitOptions): Promise<Calibration> {
  const vectors = new Map<string, Float32Array>();
  for (const [language, own] of texts) vectors.set(language, await encoderFor(language).encode(own, kind));
  const sides = new Map<string, { foreign: Float32Array; pivot: Float32Array }>();
  for (const [language, { foreign, pivot }] of pairs) sides.set(language, { foreign: await encoderFor(language).encode(foreign, kind), pivot: await encoderFor(row.pivot).encode(pivot, kind) });
  return fitCalibration({ width: encoderFor(row.pivot).width, pivot: row.pivot, texts: vectors, pairs: sides, steps: row.steps, seed, signal });
}

async function readTextsOf({ texts, sentencesPerLanguage }: RowOf<'calibrated'>, { signal, say }: SystemContext): Promise<Texts> {
  const found = new Map<string, readonly string[]>();
  for (const [language, paths] of Object.entries(texts)) found.set(language, (await readSentences(paths, { folder: '', signal, onProblem: ({ message }) => say(message) })).slice(0, sentencesPerLanguage));
  return found;
}

async function readPairsOf({ pairs, pivot, sentencesPerLanguage }: RowOf<'calibrated'>, signal: AbortSignal): Promise<PairTexts> {
  const found = new Map<string, { foreign: string[]; pivot: string[] }>();
  for (const written of pairs) {
    const source = parallelSource.parse(written);
    const language = source.source === pivot ? source.target : source.source;
    const entry = found.get(language) ?? { foreign: [], pivot: [] };
    found.set(language, entry);
    for await (const readings of readPairs(corpusSourceOf(source), signal)) {
      for (const reading of readings) {
        if (reading.kind !== 'record' || entry.foreign.length >= sentencesPerLanguage) continue;
        entry.foreign.push(source.source === pivot ? reading.value.target : reading.value.source);
        entry.pivot.push(source.source === pivot ? reading.value.source : reading.value.target);
      }
    }
  }
  return found;
}
