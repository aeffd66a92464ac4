/** With which weights does a transformer begin that nobody has trained? Matrices and embeddings by chance, biases 0, scales 1. */
import { seededRandom } from '../base/random.ts';
import type { TransformerParameter } from '../modules/transformer-shape.ts';

/** BERT and XLM-R: N(0, .02). */
const DEVIATION = 0.02;

/** Arrays by name; each is always the same for a seed, whatever others there are. */
export function chanceWeights(parameters: readonly TransformerParameter[], seed: number): Map<string, Float32Array> {
  return new Map(parameters.map((parameter) => [parameter.name, startOf(parameter, seed)]));
}

function startOf({ name, shape, kind }: TransformerParameter, seed: number): Float32Array {
  const values = new Float32Array(shape.reduce((product, size) => product * size, 1));
  if (kind === 'norm') return name.endsWith('.scale') ? values.fill(1) : values;
  if (kind === 'bias') return values;
  const random = seededRandom(seed, `start ${name}`);
  for (let i = 0; i < values.length; i += 1) values[i] = DEVIATION * random.normal();
  return values;
}
