/** What is trained, whatever it is made of? Its texts, the encoder as the loop sees it, and how it becomes a model folder. */
import type { TranslationTableData } from '../alignment/translation-table.ts';
import type { ModelLanguage, ModelManifest } from '../encoding/model-folder.ts';
import type { DeviceChoice } from '../runtime/choose-device.ts';
import type { LookResult } from './look.ts';
import type { PreparedTexts } from './prepare.ts';
import type { MaskedPart, TrainableEncoder } from './trainable-encoder.ts';

/** What every model folder says beside its weights. */
export type ModelFacts = {
  readonly pivot: string;
  readonly languages: readonly ModelLanguage[];
  readonly translations: readonly TranslationTableData[];
  readonly training: ModelManifest['training'];
};

/** Writes a finished model, atomically. */
export type WriteModel = (folder: string, extraFiles: Readonly<Record<string, string>>) => Promise<void>;

export type TrainingSubject = AsyncDisposable & {
  readonly texts: PreparedTexts;
  readonly encoder: TrainableEncoder;
  readonly device: DeviceChoice;
  /** Looks once at an encoder that has learned nothing, not even what a table of translations knows. */
  readonly lookBefore: (lookAt: (step: number) => Promise<LookResult>) => Promise<void>;
  /** The part of a step that guesses hidden tokens; null when there is none. */
  readonly maskedAt: ((step: number) => MaskedPart) | null;
  /** After the last step. */
  readonly finish: (facts: ModelFacts) => Promise<WriteModel>;
};
