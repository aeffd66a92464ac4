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
export { checkTransformerShape, longestSequence, maskedLanguageModelParameters, transformerParameters, type TransformerParameter, type TransformerShape } from './transformer-shape.ts';
