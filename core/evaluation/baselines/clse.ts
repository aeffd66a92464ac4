/** What do cross-lingual sentence encoders reach? Averaged hidden states of a chosen layer, as they are or rotated onto the pivot. */
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { InputError } from '../../base/errors.ts';
import { ignoreProgress, type ReportProgress } from '../../base/progress.ts';
import type { CorpusProblem } from '../../corpus/records.ts';
import { writeBackboneModelFolder } from '../../encoding/backbone-model-folder.ts';
import { openBackbone } from '../../encoding/backbones/open-backbone.ts';
import { calibrateModel } from '../../encoding/calibrated/calibrate-model.ts';
import { calibrate, fitCalibration, type Calibration } from '../../encoding/calibration.ts';
import type { Encoder } from '../../encoding/encoder.ts';
import { withMovedVectors } from '../../encoding/moved-vectors.ts';
import { modelAsItIs, pooledAs } from '../../encoding/open-as-it-is.ts';
import { dictionarySchema, pairFilesSchema, pairsOntoPivot, pathSchema, readDictionaryPairs, readLanguagePairs, readSentences, tagSchema, type LanguagePairs } from './settings.ts';

export const CLSE_MAPS = ['none', 'pairs', 'unsupervised'] as const;
export type ClseMap = (typeof CLSE_MAPS)[number];

export const clseSettingsSchema = z.strictObject({
  /** A Hugging Face or sentence-transformers folder; left out where a row of an experiment gives the model. */
  backbone: pathSchema.optional(),
  /** 0 = the embeddings; left out: two thirds of the way up (8 of 12), where states of different languages are most alike. */
  layer: z.int().min(0).max(1000).optional(),
  /** The language onto whose space the others are rotated. */
  pivot: tagSchema.default('en'),
  /** Left out: by pairs where there are any, else none. */
  map: z.enum(CLSE_MAPS).optional(),
  /** Pairs of phrases, and of sentences, with the pivot. */
  dictionaries: z.array(dictionarySchema).default([]),
  parallel: z.array(pairFilesSchema).default([]),
  /** Running text by language, for the rotation without pairs. */
  texts: z.record(tagSchema, z.array(pathSchema).min(1)).default({}),
  /** Pairs or texts of a language that are used, the first ones. */
  most: z.int().min(2).max(1_000_000).default(10_000),
});

export type ClseSettings = z.infer<typeof clseSettingsSchema>;

/** Of the layers of a transformer, from the embeddings up: 8 of 12. */
const USUAL_LAYER_SHARE = 2 / 3;

export function usualLayer(layers: number): number {
  return Math.round(USUAL_LAYER_SHARE * layers);
}

type Reading = { readonly folder: string; readonly signal: AbortSignal; readonly onProblem?: ((problem: CorpusProblem) => void) | undefined };

/** What the maps are learned from: pairs onto the pivot by language, and texts by language. */
export type ClseData = { readonly map: ClseMap; readonly pairs: ReadonlyMap<string, { readonly foreign: readonly string[]; readonly pivot: readonly string[] }>; readonly texts: ReadonlyMap<string, readonly string[]> };

/** Reads what the settings name. @throws InputError 'baseline.no-pairs', 'baseline.no-texts'; what the readers throw. */
export async function readClseData(settings: ClseSettings, { folder, signal, onProblem = () => undefined }: Reading): Promise<ClseData> {
  const { pivot, most } = settings;
  const reading = { folder, signal, onProblem };
  const given: LanguagePairs[] = [];
  for (const file of settings.dictionaries) given.push(await readDictionaryPairs(file, reading));
  for (const files of settings.parallel) given.push(await readLanguagePairs(files, reading));
  const map = settings.map ?? (given.length > 0 ? 'pairs' : 'none');
  const languages = new Set(given.flatMap(({ source, target }) => (source === pivot ? [target] : target === pivot ? [source] : [])));
  const pairs = new Map([...languages].map((language) => {
    const chosen = pairsOntoPivot(given, { language, pivot }).slice(0, most);
    return [language, { foreign: chosen.map(({ source }) => source), pivot: chosen.map(({ target }) => target) }] as const;
  }));
  if (map === 'pairs' && pairs.size === 0) throw new InputError('baseline.no-pairs', `A rotation from pairs needs pairs of phrases or sentences with the pivot "${pivot}", found none. Name them under "parallel" or "dictionaries".`, { data: { pivot } });
  const texts = new Map<string, readonly string[]>();
  for (const [language, paths] of Object.entries(settings.texts)) texts.set(language, (await readSentences(paths, reading)).slice(0, most));
  if (map === 'unsupervised' && (!texts.has(pivot) || texts.size < 2)) throw new InputError('baseline.no-texts', `A rotation without pairs needs text of the pivot "${pivot}" and of another language, found ${texts.size === 0 ? 'none' : [...texts.keys()].join(', ')}. Name it under "texts".`, { data: { pivot } });
  return { map, pairs: map === 'pairs' ? pairs : new Map(), texts: map === 'unsupervised' ? texts : new Map() };
}

/**
 * The encoder for texts of each language: of the pivot as `base` gives them, of another rotated onto it. A phrase is a text of its own (it has
 * no example sentences here), so its vector is the mean of the states of its tokens.
 * @see Zheng et al. 2022, section 4.2 (CLSE: the averaged hidden vector from a specific middle layer; with pairs an orthogonal mapping, as Wang et al. 2019).
 */
export async function openClse({ base, data, pivot, seed, signal }: { readonly base: Encoder; readonly data: ClseData; readonly pivot: string; readonly seed: number; readonly signal: AbortSignal }): Promise<(language: string | null) => Encoder> {
  const calibration = await fitClse({ base, data, pivot, seed, signal });
  const rotated = async (rows: Float32Array, language: string | null): Promise<Float32Array> => (language === null || language === pivot || calibration === null ? rows : calibrate(calibration, rows, language));
  const encoderFor = (language: string | null): Encoder => ({ ...withMovedVectors(base, { move: (rows) => rotated(rows, language), inLanguage: encoderFor }), pivot }); // no phrases: they are texts of their own
  return encoderFor;
}

async function fitClse({ base, data: { map, pairs, texts }, pivot, seed, signal }: Parameters<typeof openClse>[0]): Promise<Calibration | null> {
  if (map === 'none') return null;
  const vectors = new Map<string, Float32Array>();
  const sides = new Map<string, { foreign: Float32Array; pivot: Float32Array }>();
  for (const [language, list] of texts) vectors.set(language, await base.encode(list, 'sentence'));
  for (const [language, list] of pairs) {
    const own = { foreign: await base.encode(list.foreign, 'sentence'), pivot: await base.encode(list.pivot, 'sentence') };
    sides.set(language, own);
    vectors.set(language, own.foreign).set(pivot, own.pivot);
  }
  return fitCalibration({ width: base.width, pivot, texts: vectors, pairs: sides, steps: { shift: false, scale: false, rotate: map }, seed, signal });
}

export type MakeClseOptions = Reading & { readonly settings: ClseSettings; readonly out: string; readonly seed: number; readonly report?: ReportProgress };

export type ClseSummary = { readonly layer: number; readonly map: ClseMap; readonly width: number; readonly languages: readonly { readonly language: string; readonly pairs: number; readonly texts: number }[] };

/**
 * Writes such an encoder as a model folder. No training: the weights are those of the backbone.
 * @throws InputError 'baseline.no-backbone', 'backbone.no-such-layer'; as readClseData, openBackbone, calibrateModel.
 */
export async function makeClse({ settings, folder, out, seed, signal, onProblem, report = ignoreProgress }: MakeClseOptions): Promise<ClseSummary> {
  if (settings.backbone === undefined) throw new InputError('baseline.no-backbone', '"backbone": expected the folder of a pretrained model, found nothing.');
  const data = await readClseData(settings, { folder, signal, onProblem });
  const backbone = await openBackbone(resolve(folder, settings.backbone));
  const layer = settings.layer ?? (backbone.kind === 'transformer' ? usualLayer(backbone.shape.layers) : backbone.pooling.layer);
  const languages = [...new Set([...data.pairs.keys(), ...data.texts.keys()])].map((language) => ({ language, pairs: data.pairs.get(language)?.foreign.length ?? 0, texts: data.texts.get(language)?.length ?? 0 }));
  const model = {
    ...modelAsItIs(pooledAs(backbone, { mode: 'mean', layer })),
    pivot: settings.pivot,
    languages: [{ tag: settings.pivot, pairs: 0, sentences: 0 }, ...languages.filter(({ language }) => language !== settings.pivot).map(({ language, pairs, texts }) => ({ tag: language, pairs, sentences: texts }))],
    training: { baseline: 'clse', seed, settings: JSON.parse(JSON.stringify(settings)), node: process.version },
  };
  const plain = data.map === 'none' ? out : `${out}.plain`;
  const { encoder } = await writeBackboneModelFolder(plain, model);
  if (data.map !== 'none') {
    const pairs = [...data.pairs].map(([language, sides]) => ({ source: language, target: settings.pivot, pairs: sides.foreign.map((source, i) => ({ source, target: sides.pivot[i] ?? '' })) }));
    const texts = new Map([...data.texts, ...[...data.pairs].flatMap(([language, { foreign, pivot }]) => [[language, foreign], [settings.pivot, pivot]] as const)]);
    try {
      await calibrateModel({ modelFolder: plain, outputFolder: out, steps: { shift: false, scale: false, rotate: data.map }, texts, pairs, heldOut: pairs.map(({ source, target }) => ({ source, target, pairs: [] })), seed, signal, report });
    } finally {
      await rm(plain, { recursive: true, force: true });
    }
  }
  return { layer, map: data.map, width: encoder.width, languages };
}
