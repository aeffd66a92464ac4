/** Which sizes have the backbones that the papers use? For plans before their weights are there; from their published configurations. */
import type { ExperimentNeed } from '../../core/evaluation/experiments/experiment-file.ts';
import type { TransformerShape } from '../../core/modules/transformer-shape.ts';

type Sizes = Pick<TransformerShape, 'vocabularySize' | 'width' | 'layers' | 'heads' | 'feedForwardWidth'>;

const BASE = { width: 768, layers: 12, heads: 12, feedForwardWidth: 3072 };
const LARGE = { width: 1024, layers: 24, heads: 16, feedForwardWidth: 4096 };
const XLM_R_PIECES = 250_002;

const sizes: { readonly [Name in NonNullable<ExperimentNeed['backbone']>]: Sizes } = {
  mbert: { ...BASE, vocabularySize: 119_547 },
  'xlm-r-base': { ...BASE, vocabularySize: XLM_R_PIECES },
  'xlm-r-large': { ...LARGE, vocabularySize: XLM_R_PIECES },
  'infoxlm-base': { ...BASE, vocabularySize: XLM_R_PIECES },
  'infoxlm-large': { ...LARGE, vocabularySize: XLM_R_PIECES },
  labse: { ...BASE, vocabularySize: 501_153 },
};

/** bert's 512 positions, or xlm-roberta's 514 of which two are unused: the two rows do not matter to a plan. */
export function knownShape(name: NonNullable<ExperimentNeed['backbone']>): TransformerShape {
  return { ...sizes[name], positions: 514, positionOffset: 2, tokenTypes: 1, activation: 'gelu', layerNormEpsilon: 1e-5, padTokenId: 1 };
}
