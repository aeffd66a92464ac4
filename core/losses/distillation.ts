/** How far is a student's vector of a sentence, and of its translation, from a teacher's vector of the sentence? */
import { expectSameFloat, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';

export type DistillationArguments = { readonly teacher: Value; readonly sources: Value; readonly targets: Value };

/**
 * Multilingual distillation: the student shall give a sentence and its translation the teacher's vector of the sentence.
 *
 *   loss = 1/(N H) Σᵢ ( ‖teacherᵢ − sourceᵢ‖² + ‖teacherᵢ − targetᵢ‖² )
 *
 * @param teacher  float [N, H]: the teacher's vectors of the source sentences; no gradient is asked for them.
 * @param sources  float [N, H]: the student's vectors of the same sentences.
 * @param targets  float [N, H]: the student's vectors of their translations.
 * @returns float []; the unit is that of squared vector elements.
 * @throws ShapeError when shapes or element types differ.
 * @see Reimers and Gurevych 2020, arXiv:2004.09813, section 2 (mean over the batch; the mean over H as in Sentence Transformers' MSELoss).
 */
export function distillationLoss(g: GraphBuilder, { teacher, sources, targets }: DistillationArguments): Value {
  expectShapes([[teacher, 'N H'], [sources, 'N H'], [targets, 'N H']]);
  expectSameFloat([teacher, sources, targets]);
  const meanSquare = (student: Value): Value => {
    const difference = g.sub(student, teacher); // [N, H]
    return g.reduceMean(g.mul(difference, difference));
  };
  return g.add(meanSquare(sources), meanSquare(targets));
}
