/** What is the gradient of each operator? The one table, total over the operators. */
import type { OpType } from '../graph/operators.ts';
import { elementwiseRules } from './gradient-rules/elementwise.ts';
import { layoutRules } from './gradient-rules/layout.ts';
import { productRules } from './gradient-rules/products.ts';
import { reductionRules } from './gradient-rules/reductions.ts';
import type { GradientTable } from './rule.ts';

/** A rule, or 'none' (no gradient flows, and that is correct), or 'unsupported' (`backward` throws GradientError). */
export const gradientRules: GradientTable<OpType> = { ...elementwiseRules, ...reductionRules, ...productRules, ...layoutRules };
