/** How does a student learn the vectors of a teacher? In each step, for a sentence and for its translation, the teacher's vector of the sentence. */
import { buildGradientModel, gradientName } from '../autodiff/gradient-model.ts';
import { InputError, InvariantError } from '../base/errors.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { distillationLoss } from '../losses/distillation.ts';
import { jointLoss } from '../losses/joint.ts';
import { l2Normalise } from '../modules/l2-normalise.ts';
import { modelFor } from '../runtime/device-session.ts';
import { createSession, type Device, type Session } from '../runtime/session.ts';
import { keysOfTexts } from '../sampling/keys.ts';
import { createParallelSampler } from '../sampling/parallel-batches.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';
import { sidesOf, type PreparedTexts } from './prepare.ts';
import type { Recipe } from './recipe-schema.ts';
import { openTeacher } from './teacher.ts';
import type { LossAndGradient, VectorPart } from './trainable-encoder.ts';

/** Teacher vectors that are kept once they are known: 256 MB of float32. */
const MOST_KEPT_NUMBERS = 2 ** 26;

export type Distillation = AsyncDisposable & {
  /** The part of a batch: sentences in the teacher's language, then their translations. */
  readonly partAt: (place: number) => VectorPart;
};

export type DistillationOptions = {
  readonly recipe: Recipe;
  readonly texts: PreparedTexts;
  readonly starterFolder: string;
  /** H of the student. */
  readonly width: number;
  readonly threads: number;
  readonly device: Device;
};

/**
 * Opens the teacher that a recipe names; null without one. Every pair of a corpus that has the teacher's language (left out: the pivot) on
 * one side takes part. The teacher encodes a sentence when it first comes up, and its vector is kept.
 *
 *   loss = 1/N Σᵢ ( ‖t(sᵢ) − n(m(sᵢ))‖² + ‖t(sᵢ) − n(m(tᵢ))‖² ),   n(x) = x / ‖x‖
 *
 * Encoders give vectors of length 1, the teacher's too, so the student's are brought to length 1 before they are compared; each term is
 * 2 − 2 cos, from 0 to 4. Sentence Transformers' MSELoss is this divided by the width.
 * @throws InputError 'recipe.distillation-width', 'recipe.distillation-pairs'; what opening the teacher throws.
 * @see Reimers and Gurevych 2020, arXiv:2004.09813, section 2.
 */
export async function openDistillation(options: DistillationOptions): Promise<Distillation | null> {
  const { recipe, texts, starterFolder, width, threads, device } = options;
  if (recipe.distillation === undefined) return null;
  const { teacher: folder, weight, language = texts.pivot } = recipe.distillation;
  const teacher = await openTeacher({ teacher: folder, starterFolder, width, threads });
  if (teacher.width !== width) throw new InputError('recipe.distillation-width', `"distillation/teacher": expected a teacher whose vectors have the ${width} numbers of the student's, found ${teacher.width} (${folder}). Set "encoder": {"width": ${teacher.width}}, or choose a backbone of that width.`, { data: { path: folder, found: teacher.width, expected: width } });
  const corpora = texts.parallel.flatMap(({ corpus, sources, targets }) => {
    const sides = sidesOf(corpus, language);
    if (sides === null) return [];
    const isFirst = sides.pivotIsSource;
    return [{ sentences: corpus.pairs.map((pair) => (isFirst ? pair.source : pair.target)), translations: corpus.pairs.map((pair) => (isFirst ? pair.target : pair.source)), own: isFirst ? sources : targets, foreign: isFirst ? targets : sources }];
  });
  if (corpora.length === 0) throw new InputError('recipe.distillation-pairs', `"distillation": expected parallel corpora with the teacher's language "${language}" on one side, found none. Add one, or say "distillation": {"language": ...}.`, { data: { language } });
  const keys = keysOfTexts(corpora.flatMap(({ sentences, translations }) => [sentences, translations]));
  const sampler = createParallelSampler({
    sources: corpora.map((_, c) => ({ sourceKeys: keys[2 * c] ?? new Int32Array(0), targetKeys: keys[2 * c + 1] ?? new Int32Array(0) })),
    batchSize: Math.max(recipe.optimizer.parallelBatch, corpora.length),
    seed: recipe.seed,
  });
  const vectorsOf = rememberedVectors(teacher);
  let session: Session | null = null;
  const evaluate = async (vectors: Float32Array, sentences: readonly string[]): Promise<LossAndGradient> => {
    session ??= await createSession(modelFor(lossGraph(width, weight), device), { threads, device });
    const count = sentences.length;
    const rows = (from: number): Tensor => tensorOf('float32', [count, width], vectors.subarray(from * width, (from + count) * width));
    const outputs = await session.run({ teacher: tensorOf('float32', [count, width], await vectorsOf(sentences)), sources: rows(0), targets: rows(count) });
    const gradient = new Float32Array(vectors.length);
    gradient.set(floats(outputs[gradientName('sources')]));
    gradient.set(floats(outputs[gradientName('targets')]), count * width);
    return { loss: (floats(outputs['loss'])[0] ?? Number.NaN) / weight, gradient };
  };
  return {
    partAt: (place) => {
      const batch = sampler.batchAt(place);
      const chosen = [...batch.indices].map((index, i) => ({ corpus: corpora[batch.sources[i] ?? 0], index }));
      const ids = (side: 'own' | 'foreign'): Uint32Array[] => chosen.map(({ corpus, index }) => corpus?.[side][index] ?? new Uint32Array(0));
      const sentences = chosen.map(({ corpus, index }) => corpus?.sentences[index] ?? '');
      return { kind: 'vectors', name: 'distillation', texts: [...ids('own'), ...ids('foreign')], queries: 0, evaluate: (vectors) => evaluate(vectors, sentences) };
    },
    [Symbol.asyncDispose]: async () => {
      await session?.dispose();
    },
  };
}

/** The gradient model of `weight` times the loss; N is a symbol, and no gradient reaches the teacher. */
export function lossGraph(width: number, weight: number): ReturnType<typeof buildGradientModel>['graph'] {
  return buildGradientModel({
    name: 'distillation-loss',
    inputs: { teacher: { shape: ['N', width] }, sources: { shape: ['N', width] }, targets: { shape: ['N', width] } },
    wrt: ['sources', 'targets'],
    build: (g, { teacher, sources, targets }) => jointLoss(g, [{ loss: distillationLoss(g, { teacher, sources: l2Normalise(g, sources), targets: l2Normalise(g, targets) }), weight: weight * width }]),
  }).graph;
}

/** The teacher's vectors of sentences, float32 [n, H]; each sentence is encoded once, as far as there is room to remember it. */
function rememberedVectors(teacher: Pick<Encoder, 'encode' | 'width'>): (sentences: readonly string[]) => Promise<Float32Array> {
  const { width } = teacher;
  const room = Math.floor(MOST_KEPT_NUMBERS / width);
  const known = new Map<string, Float32Array>();
  return async (sentences) => {
    const unknown = [...new Set(sentences.filter((sentence) => !known.has(sentence)))];
    const found = new Map<string, Float32Array>();
    if (unknown.length > 0) {
      const encoded = await teacher.encode(unknown, 'sentence');
      unknown.forEach((sentence, i) => found.set(sentence, encoded.slice(i * width, (i + 1) * width)));
    }
    for (const [sentence, vector] of found) if (known.size < room) known.set(sentence, vector);
    const vectors = new Float32Array(sentences.length * width);
    sentences.forEach((sentence, i) => vectors.set(found.get(sentence) ?? known.get(sentence) ?? new Float32Array(width), i * width));
    return vectors;
  };
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (tensor?.dtype !== 'float32') throw new InvariantError('training.loss-output', 'The distillation model gave no float32 output.');
  return tensor.data;
}
