/** Does a translation pair look the same from every other sentence, whatever its language? */
import { expectPositive, expectSameFloat, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { ShapeError } from '../tensor/shape-error.ts';

export type LanguageContrastiveArguments = {
  readonly sources: Value;
  readonly targets: Value;
  /** Sentences without a translation, of any language; absent when the batch holds pairs only. */
  readonly others?: Value | null;
  readonly temperature: number;
};

/**
 * Language contrastive loss L_langCL: smallest (= 2 ln 2 · pairs / N) exactly when cos(zᵢ,zₖ) = cos(zⱼ,zₖ) for every pair
 * (i,j) and every other sentence k.
 *
 *   loss = −1/(N(N−2)) Σ_{(i,j) in P} Σ_{k in (P ∪ Q) \ {i,j}} [ log( eᵢₖ / (eᵢₖ + eⱼₖ) ) + log( eⱼₖ / (eᵢₖ + eⱼₖ) ) ],
 *   eᵢₖ = exp(cos(zᵢ, zₖ) / τ)
 *
 * N is the number of sentences in the batch, N = 2P + Q for P pairs and Q sentences without a translation: the paper's N(N−2)
 * is then the number of ordered choices (i, k) with k outside i's pair, when all sentences are in pairs.
 *
 * With d = (cos(zᵢ,zₖ) − cos(zⱼ,zₖ))/τ one term is softplus(d) + softplus(−d) = 2 softplus(d) − d, and all d are one product
 * (zᵢ − zⱼ)·zₖ. The terms k = i and k = j (equal: the term is even in d) are taken out of the full sum.
 *
 * @param sources      float [P, H], any length > 0 per row: the cosine is taken here.
 * @param targets      float [P, H]; row i is the translation of source i.
 * @param others       float [Q, H] or absent.
 * @param temperature  τ > 0; the paper has 1.
 * @returns float [], nats.
 * @throws ShapeError when shapes or element types differ, or the batch has no sentence outside a pair (N < 3).
 * @see Hu et al. 2023, eq. 3.
 */
export function languageContrastiveLoss(g: GraphBuilder, { sources, targets, others = null, temperature }: LanguageContrastiveArguments): Value {
  expectShapes([[sources, 'P H'], [targets, 'P H'], ...(others === null ? [] : [[others, 'Q H'] as const])]);
  expectSameFloat(others === null ? [sources, targets] : [sources, targets, others]);
  expectPositive('temperature', temperature);
  const left = g.l2Normalise(sources); // [P, H]
  const right = g.l2Normalise(targets); // [P, H]
  const sentences = g.concat(others === null ? [left, right] : [left, right, g.l2Normalise(others)], { axis: 0 }); // [N, H]
  const difference = g.sub(left, right); // [P, H]
  const all = g.gemm(difference, sentences, { transB: true, alpha: 1 / temperature }); // [P, N]
  const own = g.mul(g.reduceSum(g.mul(difference, left), { axis: 1 }), 1 / temperature); // [P], the terms k = i
  const sum = g.sub(g.reduceSum(evenTerms(g, all)), g.mul(g.reduceSum(evenTerms(g, own)), 2)); // []
  const count = sentences.shape[0];
  if (typeof count === 'number') {
    const fewest = 3; // a pair and one more sentence
    if (count < fewest) throw new ShapeError('graph.shape-mismatch', `languageContrastiveLoss needs at least ${fewest} sentences, found ${count}.`);
    return g.mul(sum, 1 / (count * (count - 2)));
  }
  const size = g.sizeAlong(sentences, [0]);
  return g.div(sum, g.mul(size, g.sub(size, 2)));
}

/** softplus(d) + softplus(−d), element by element. */
function evenTerms(g: GraphBuilder, d: Value): Value {
  return g.sub(g.mul(g.softplus(d), 2), d);
}
