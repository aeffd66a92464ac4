/** The losses, for those who train. */
export { jointLoss } from './joint.ts';
export { languageContrastiveLoss, type LanguageContrastiveArguments } from './language-contrastive.ts';
export { retrievalLoss, symmetricRetrievalLoss, type RetrievalLossArguments } from './retrieval.ts';
export { semanticContrastiveLoss } from './semantic-contrastive.ts';
