/** How fast and how lean is training against PyTorch on the same processor? Interleaved in one run; with --recipe: what one recipe takes. */
import type { Random } from '../../core/base/random.ts';
import { InputError } from '../../core/base/errors.ts';
import { optional, wholeNumber, type Command, type CommandContext } from '../../main/cli/command.ts';
import { compareEncoding, compareSteps, measureGrowth, measureLargeBatch, productPeak, type Batch } from './compare-training.ts';
import { ensureTorch } from './line-peer.ts';
import { MODEL_SIZES, sizeNames, type SizeName } from './model-sizes.ts';
import { readRealSequences, type RealSequences } from './real-lengths.ts';
import { measureRecipe } from './recipe-run.ts';

const DEFAULT_PAIRS = 7;
const MOST_PAIRS = 1000;
const MOST_THREADS = 256;
const DEFAULT_THREADS = 2;
const FIXED_LENGTH = 64;
const LONGEST = 256;
const MOST_PASSAGES = 10_000;
/** The larger the encoder, the fewer passages: a pass of PyTorch over 10,000 takes most of an hour with c. */
const PASSAGE_SHARES: Readonly<Record<SizeName, number>> = { a: 1, b: 0.2, c: 0.04 };
const PARTS = ['fixed', 'real', 'inference', 'growth', 'cached'] as const;
type Part = (typeof PARTS)[number];

export const trainingBenchmark: Command = {
  summary: 'Training of transformers against PyTorch; or, with --recipe, what training by a recipe takes ("sample": the sample project).',
  usage: '[--pairs N] [--threads N] [--sizes a,b,c] [--parts fixed,real,inference,growth,cached] [--passages N] [--pooling cls|mean] [--recipe FILE|sample] [--json]',
  options: { pairs: { type: 'string' }, threads: { type: 'string' }, sizes: { type: 'string' }, parts: { type: 'string' }, passages: { type: 'string' }, pooling: { type: 'string' }, recipe: { type: 'string' } },
  run: async (values, context) => {
    const threads = wholeNumber(values, 'threads', { least: 1, most: MOST_THREADS });
    const recipe = optional(values, 'recipe');
    if (recipe !== null) return measureRecipe(recipe, threads ?? 1, context);
    const pairs = wholeNumber(values, 'pairs', { least: 1, most: MOST_PAIRS }) ?? DEFAULT_PAIRS;
    const passages = wholeNumber(values, 'passages', { least: pairs, most: MOST_PASSAGES }) ?? MOST_PASSAGES;
    const sizes = chosen(optional(values, 'sizes'), sizeNames, 'sizes');
    const parts = chosen(optional(values, 'parts'), PARTS, 'parts');
    const [pooling = 'cls'] = chosen(optional(values, 'pooling') ?? 'cls', ['cls', 'mean'] as const, 'pooling');
    return compare({ pairs, threads: threads ?? DEFAULT_THREADS, sizes, parts, passages, pooling }, context);
  },
};

type Plan = { readonly pairs: number; readonly threads: number; readonly sizes: readonly SizeName[]; readonly parts: readonly Part[]; readonly passages: number; readonly pooling: 'cls' | 'mean' };

async function compare({ pairs, threads, sizes, parts, passages, pooling }: Plan, { signal, say }: CommandContext) {
  ensureTorch(say);
  const gemmPeakGflops = await productPeak({ threads, say });
  const real = await readRealSequences({ maxTokens: LONGEST, passages: MOST_PASSAGES });
  if (real === null) say('../shared/data/ir is not there: real lengths and inference are left out.');
  const fixed: Record<string, unknown> = {};
  const realLengths: Record<string, unknown> = {};
  const inference: Record<string, unknown> = {};
  let growth: unknown = null;
  let cached: unknown = null;
  for (const size of sizes) {
    const common = { size: MODEL_SIZES[size], pairs, threads, pooling, gemmPeakGflops, signal, say };
    if (parts.includes('fixed')) fixed[size] = await compareSteps({ ...common, name: `${size}, length ${FIXED_LENGTH}`, draw: fixedBatches(size) });
    if (parts.includes('real') && real !== null) realLengths[size] = await compareSteps({ ...common, name: `${size}, real lengths`, draw: realBatches(size, real), alsoTogether: true });
    if (parts.includes('inference') && real !== null) inference[size] = await compareEncoding({ ...common, name: `${size}, encoding`, passages: real.passages.slice(0, Math.max(pairs, Math.ceil(passages * PASSAGE_SHARES[size]))) });
    if (parts.includes('growth') && size === 'a') growth = await measureGrowth({ ...common, name: 'a, growth', length: FIXED_LENGTH });
    if (parts.includes('cached') && size === 'a') cached = await measureLargeBatch({ ...common, name: 'a, large batch' });
  }
  const json = { fixed, real: real === null ? null : realLengths, inference: real === null ? null : inference, growth, cached, pooling, threads, gemmPeakGflops, pairs };
  return { json, text: JSON.stringify(json, null, 2) };
}

/** Random tokens, every sequence of one length. */
function fixedBatches(size: SizeName): (random: Random) => Batch {
  const { shape, sequences } = MODEL_SIZES[size];
  return (random) => {
    const part = (): readonly (readonly number[])[] => Array.from({ length: sequences / 2 }, () => Array.from({ length: FIXED_LENGTH }, () => 1 + random.integer(shape.vocabularySize - 1)));
    return { queries: part(), documents: part() };
  };
}

/** Questions with their passages, drawn at random. */
function realBatches(size: SizeName, { pairs }: RealSequences): (random: Random) => Batch {
  return (random) => {
    const drawn = Array.from({ length: MODEL_SIZES[size].sequences / 2 }, () => pairs[random.integer(pairs.length)]);
    return { queries: drawn.map((pair) => pair?.query ?? []), documents: drawn.map((pair) => pair?.document ?? []) };
  };
}

/** The chosen names of a list like "a,c"; all when nothing was said. @throws InputError 'bench.unknown-part'. */
function chosen<Name extends string>(given: string | null, names: readonly Name[], option: string): readonly Name[] {
  if (given === null) return names;
  const wanted = given.split(',');
  const strange = wanted.find((name) => !names.some((known) => known === name));
  if (strange !== undefined) throw new InputError('bench.unknown-part', `--${option}: expected some of ${names.join(', ')}, found "${strange}".`);
  return names.filter((name) => wanted.includes(name));
}
