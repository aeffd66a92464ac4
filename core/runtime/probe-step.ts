/** What does a device calculate when it is tried? A short training step: a feed-forward layer, a contrastive loss, its gradients. */
import { backward } from '../autodiff/backward.ts';
import { createGraphBuilder, type Value } from '../graph/builder.ts';
import type { Graph } from '../graph/graph.ts';
import { semanticContrastiveLoss } from '../losses/semantic-contrastive.ts';
import { linear } from '../modules/linear.ts';

const TEMPERATURE = 0.1;

/** Texts N, width H and inner width F of a try: 3 MFLOP, then (where that is quick) 0.8 GFLOP, in which starting a calculation does not decide. */
export const PROBE_SIZES = [{ N: 32, H: 64, F: 128 }, { N: 256, H: 256, F: 1024 }] as const;

/** Outputs: loss [], and the gradient of the first matrix, by which the device's numbers are compared with the CPU's. */
export function probeStep(): Graph {
  const g = createGraphBuilder('probe-step');
  const input = (name: string, shape: readonly string[]): Value => g.input(name, 'float32', shape);
  const texts = input('texts', ['N', 'H']);
  const targets = input('targets', ['N', 'H']);
  const up = { weight: input('up.weight', ['F', 'H']), bias: input('up.bias', ['F']) };
  const down = { weight: input('down.weight', ['H', 'F']), bias: input('down.bias', ['H']) };
  const sources = linear(g, g.gelu(linear(g, texts, up)), down); // [N, H]
  const loss = semanticContrastiveLoss(g, { sources, targets, temperature: TEMPERATURE });
  const gradients = backward(g, { loss, wrt: [up.weight, up.bias, down.weight, down.bias] });
  const gradient = gradients.get(up.weight) ?? g.zerosLike(up.weight);
  const others = [up.bias, down.weight, down.bias].map((w) => g.reduceSumSquare(gradients.get(w) ?? w));
  return g.build({ loss, gradient, others: others.reduce((a, b) => g.add(a, b)) });
}
