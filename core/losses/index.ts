/** The losses, for those who train. */
export { contextPredictionLoss, type ContextPredictionArguments } from './context-prediction.ts';
export { distillationLoss, type DistillationArguments } from './distillation.ts';
export { contrastRowsLoss, type ContrastRowsArguments } from './contrast-rows.ts';
export { jointLoss } from './joint.ts';
export { languageContrastiveLoss, type LanguageContrastiveArguments } from './language-contrastive.ts';
export { phraseContrastLoss, type PhraseContrastArguments } from './phrase-contrast.ts';
export { retrievalLoss, symmetricRetrievalLoss, type RetrievalLossArguments } from './retrieval.ts';
export { semanticContrastiveLoss } from './semantic-contrastive.ts';
