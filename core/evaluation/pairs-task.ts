/** Does the model find the translation of a sentence among all others? Tatoeba's task, both directions. */
import { InputError } from '../base/errors.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { pairAccuracy } from '../metrics/pair-accuracy.ts';
import type { PairAccuracy } from '../metrics/pair-accuracy.ts';

/**
 * @param sources sentence i translates `targets[i]`. @param targetEncoder where the other language has an encoder of its own, into the same space.
 * @throws InputError 'evaluation.no-pairs', 'evaluation.unequal-sides'.
 */
export async function evaluatePairs(options: { readonly encoder: Pick<Encoder, 'encode' | 'width'>; readonly targetEncoder?: Pick<Encoder, 'encode'>; readonly sources: readonly string[]; readonly targets: readonly string[] }): Promise<PairAccuracy> {
  const { encoder, targetEncoder = encoder, sources, targets } = options;
  if (sources.length !== targets.length) throw new InputError('evaluation.unequal-sides', `Expected as many source as target sentences, found ${sources.length} and ${targets.length}. Line n of one file must translate line n of the other.`);
  if (sources.length === 0) throw new InputError('evaluation.no-pairs', 'Expected at least one pair of sentences, found none.');
  return pairAccuracy({ sources: await encoder.encode(sources, 'sentence'), targets: await targetEncoder.encode(targets, 'sentence'), width: encoder.width });
}
