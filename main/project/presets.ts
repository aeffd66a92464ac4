/** What does a preset mean, and how long will it take here? */
import type { Preset, TrainingSettings } from '../contract/index.ts';
import type { ProjectFile } from './project-file.ts';

/** Steps, not minutes, so that the same project gives the same model on every machine. */
export const PRESETS: { readonly [Name in Preset]: { readonly width: number; readonly steps: number } } = {
  quick: { width: 512, steps: 120 },
  balanced: { width: 1024, steps: 480 },
  thorough: { width: 1024, steps: 1200 },
};

/** A usual two-core laptop (test/bench, "training"): seconds per step and per unit of width; reading and vocabulary; memory. */
const SECONDS_PER_STEP_PER_WIDTH = 0.33 / 1024;
const STARTING_SECONDS = 10;
const SECONDS_PER_THOUSAND_RECORDS = 0.5;
const BASE_MEMORY_MB = 450;
const MEMORY_MB_PER_WIDTH = 0.5;
const MODEL_MB_PER_WIDTH = 24_000 * 2 / 1e6;
const CHECKPOINT_COPIES = 8; // float32 weights and two moments, two checkpoints

const SECONDS_A_MINUTE = 60;

export type Estimate = { readonly preset: Preset; readonly steps: number; readonly estimatedMinutes: number; readonly estimatedMemoryMB: number; readonly diskMB: number; readonly basis: 'trial' | 'last-run' | 'usual' };

/** What each preset would cost. A measurement of this project scales to the other presets by steps and width. */
export function estimatePresets(file: ProjectFile): readonly Estimate[] {
  const records = file.corpora.reduce((sum, corpus) => sum + corpus.counts.records, 0);
  return (['quick', 'balanced', 'thorough'] as const).map((preset) => {
    const usual = usualMinutes(preset, records);
    const measured = file.measured;
    const reference = measured === null || !isPreset(measured.preset) ? null : usualMinutes(measured.preset, records);
    return {
      preset,
      steps: PRESETS[preset].steps,
      estimatedMinutes: measured === null || reference === null ? usual : (measured.minutes * usual) / reference,
      estimatedMemoryMB: Math.round(BASE_MEMORY_MB + PRESETS[preset].width * MEMORY_MB_PER_WIDTH),
      diskMB: Math.round(PRESETS[preset].width * MODEL_MB_PER_WIDTH * CHECKPOINT_COPIES),
      basis: measured === null || reference === null ? 'usual' : measured.basis,
    };
  });
}

/** The threads a job takes: what the user says, else the given number. */
export function threadsOf(settings: TrainingSettings, usual: number): number {
  return settings.threads ?? usual;
}

function usualMinutes(preset: Preset, records: number): number {
  const { width, steps } = PRESETS[preset];
  return (STARTING_SECONDS + (records / 1000) * SECONDS_PER_THOUSAND_RECORDS + steps * width * SECONDS_PER_STEP_PER_WIDTH) / SECONDS_A_MINUTE;
}

function isPreset(name: string): name is Preset {
  return Object.hasOwn(PRESETS, name);
}
