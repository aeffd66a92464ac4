/** The parts of encoders, for those who build encoders. */
export { attention, type AttentionParameters } from './attention.ts';
export { batchMoments, batchNormalisation, contextProjectionHead, type BatchMoments, type BatchNormParameters } from './batch-normalisation.ts';
export { l2Normalise } from './l2-normalise.ts';
export { layerNorm, type LayerNormParameters } from './layer-norm.ts';
export { linear, type LinearParameters } from './linear.ts';
export { clsPooling, meanPooling } from './pooling.ts';
export { projectionHead } from './projection-head.ts';
export { staticEmbeddings, sumStaticEmbeddings, type StaticEmbeddingsArguments } from './static-embeddings.ts';
export { transformerBlock, transformerBlockInputs, type TransformerBlockParameters } from './transformer-block.ts';
export { dropout, dropoutInputName } from './dropout.ts';
export { probabilityMask, rowMask, tokenMask, type MaskArguments } from './dropout-masks.ts';
export { lowRankNames, lowRankTerm, mergeLowRank, type LowRank } from './low-rank.ts';
export { maskedTokenLosses, type MaskedLanguageModelArguments } from './masked-language-model.ts';
export { paddedEmbeddings, paddedTransformerStates, type PaddedTransformerArguments } from './padded-transformer.ts';
export { packTokens, type PackedBatch, type PackedGroup, type PackedKind } from './packed-tokens.ts';
export { packedLayout, type PackedLayout } from './packed-layout.ts';
export { DENSE, TOKEN_ROWS, transformerEmbeddings, transformerInputs, transformerPooled, transformerStates, type DropoutRates, type TransformerEncoderArguments, type TransformerPooling, type TransformerValues } from './transformer-encoder.ts';
export { checkTransformerShape, longestSequence, maskedLanguageModelParameters, transformerParameters, type TransformerParameter, type TransformerShape } from './transformer-shape.ts';
