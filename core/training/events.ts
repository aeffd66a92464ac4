/** What does a training run tell its listeners, and what can they tell it? */

export type TrainingPhase = 'reading' | 'vocabulary' | 'alignment' | 'starting' | 'training' | 'evaluating' | 'finishing';

/** A held-back sentence and at which place its translation is found; rank 1 = first, out of `of`. */
export type HeldBackSentence = {
  readonly source: string;
  readonly target: string;
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  readonly rank: number;
  readonly of: number;
};

/** A held-back pair on the map: x and y of the sentence and of its translation in the pivot language. */
export type MapPair = {
  readonly source: string;
  readonly target: string;
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
};

/** The losses on vectors of texts (Hu et al. 2023). */
export type LossName = 'retrieval' | 'semantic' | 'language';

/** Losses in nats; one that is switched off is 0; `maskedLanguage` is there when hidden tokens are guessed, `contextPrediction` when neighbours are, `phrases` when phrases are told from each other, `distillation` (a squared distance, 0 to 8) with a teacher. */
export type Losses = Readonly<Record<LossName, number>> & { readonly maskedLanguage?: number | undefined; readonly contextPrediction?: number | undefined; readonly phrases?: number | undefined; readonly distillation?: number | undefined };

export type TrainingEvent =
  | { readonly kind: 'progress'; readonly phase: TrainingPhase; readonly done: number; readonly total: number | null; readonly unit: string; readonly leftMs: number | null }
  | { readonly kind: 'plan'; readonly steps: number; readonly estimatedMinutes: number; readonly estimatedMemoryMB: number }
  | { readonly kind: 'step'; readonly step: number; readonly steps: number; readonly losses: Losses; readonly learningRate: number; readonly tokensPerSecond: number; readonly leftMs: number | null }
  | { readonly kind: 'held-back'; readonly step: number; readonly sentences: readonly HeldBackSentence[] }
  /** `share` of the variance that the map shows; `nearness`: mean distance of translations over that of any two sentences, 1 = no nearer. */
  | { readonly kind: 'map'; readonly step: number; readonly share: number; readonly nearness: number; readonly pairs: readonly MapPair[] }
  | { readonly kind: 'evaluation'; readonly step: number; readonly pairAccuracy: Readonly<Record<string, number>>; readonly retrievalMRR: number | null }
  | { readonly kind: 'problem'; readonly code: string; readonly message: string; readonly path: string | null; readonly line: number | null }
  /** `data`: the places of the sentence, for translation. */
  | { readonly kind: 'message'; readonly code: string; readonly message: string; readonly data?: Readonly<Record<string, string | number>> | undefined };

export type ReportTraining = (event: TrainingEvent) => void;

/** Wishes of the person at the window, asked between steps. */
export type TrainingControl = { readonly paused: () => boolean; readonly stopAndKeep: () => boolean };

export const noControl: TrainingControl = { paused: () => false, stopAndKeep: () => false };

/** What a finished run took and gave. */
export type TrainingSummary = {
  readonly model: string;
  readonly steps: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMemoryMB: number;
  readonly parameters: number;
  readonly losses: Losses;
};
