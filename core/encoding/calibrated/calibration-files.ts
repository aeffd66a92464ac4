/** How does a calibration lie in a model folder? Numbers of each language and space in a file of their own, and what the manifest says of them. */
import { z } from 'zod';
import { InputError } from '../../base/errors.ts';
import type { Calibration, LanguageCalibration } from '../calibration.ts';
import { alignedBuffer, bytesOf } from '../translation-files.ts';
import type { LetterProfiles } from './letter-profiles.ts';

/** Sentences are compared with their translations in one space, queries with documents in another (whitened, in static models). */
export const SPACES = ['sentence', 'search'] as const;
export type Space = (typeof SPACES)[number];

export const stepsSchema = z.object({ shift: z.boolean(), scale: z.boolean(), rotate: z.enum(['none', 'pairs', 'unsupervised']) });

/** What a manifest says. `rotated`: which languages were turned onto the pivot. `same`: both spaces have the maps of 'sentence'. */
export const calibrationFactsSchema = z.object({
  width: z.int().positive(),
  pivot: z.string(),
  steps: stepsSchema,
  languages: z.array(z.object({ tag: z.string(), rotated: z.boolean() })),
  same: z.boolean(),
});
export type CalibrationFacts = z.infer<typeof calibrationFactsSchema>;

/** The maps of a model, and how it tells its languages apart. */
export type ModelCalibration = { readonly facts: CalibrationFacts; readonly spaces: Readonly<Record<Space, Calibration>>; readonly profiles: LetterProfiles };

const PROFILES_FILE = 'calibration.letters.json';
const PREFIX = 'calibration.';
const fileOf = (space: Space, language: string): string => `${PREFIX}${space}.${language}.f32`;

/** Is this a file of a calibration? */
export function isCalibrationFile(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** The files by name. Each holds mean [H], deviation [H] and rotation [H, H], those of them that are there, float32, little-endian. */
export function calibrationFiles({ facts, spaces, profiles }: ModelCalibration): ReadonlyMap<string, Uint8Array> {
  const contents = new Map<string, Uint8Array>([[PROFILES_FILE, Buffer.from(`${JSON.stringify(profiles)}\n`)]]);
  for (const space of spacesOf(facts)) {
    for (const [language, { mean, deviation, rotation }] of spaces[space].languages) {
      const parts = [mean, deviation, rotation].filter((part) => part !== null);
      const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const part of parts) {
        all.set(part, at);
        at += part.length;
      }
      contents.set(fileOf(space, language), bytesOf(all));
    }
  }
  return contents;
}

/** The way back. @param read the bytes of a file of the model, checked. @throws InputError 'model.shape-mismatch' naming the file. */
export async function readCalibration(facts: CalibrationFacts, read: (name: string) => Promise<Buffer>): Promise<ModelCalibration> {
  const profiles = profilesSchema.parse(JSON.parse((await read(PROFILES_FILE)).toString('utf8')));
  const ofSpace = async (space: Space): Promise<Calibration> => {
    const languages = new Map<string, LanguageCalibration>();
    for (const { tag, rotated } of facts.languages) languages.set(tag, partsOf(new Float32Array(alignedBuffer(await read(fileOf(space, tag)))), { ...facts, rotated, name: fileOf(space, tag) }));
    return { width: facts.width, pivot: facts.pivot, languages };
  };
  const sentence = await ofSpace('sentence');
  return { facts, profiles, spaces: { sentence, search: facts.same ? sentence : await ofSpace('search') } };
}

const profilesSchema = z.record(z.string(), z.array(z.string()));

function spacesOf({ same }: CalibrationFacts): readonly Space[] {
  return same ? ['sentence'] : SPACES;
}

function partsOf(all: Float32Array, { width, steps, rotated, name }: CalibrationFacts & { readonly rotated: boolean; readonly name: string }): LanguageCalibration {
  let at = 0;
  const next = (isThere: boolean, length: number): Float32Array | null => {
    if (!isThere) return null;
    const part = all.slice(at, at + length);
    at += length;
    return part;
  };
  const parts = { mean: next(steps.shift, width), deviation: next(steps.scale, width), rotation: next(rotated, width * width) };
  if (at !== all.length) throw new InputError('model.shape-mismatch', `${name}: expected ${at} numbers, found ${all.length}. Copy the model again, or calibrate once more.`);
  return parts;
}
