/** How does contrastive context prediction take part in the training loop? Batches of neighbours, one language each, as parts with a head of their own. */
import { InputError, InvariantError } from '../../base/errors.ts';
import { seededRandom } from '../../base/random.ts';
import type { AdamwSettings } from '../../optimizers/adamw.ts';
import type { Device } from '../../runtime/session.ts';
import { contextWindow, createContextSampler, type ContextBatch } from '../../sampling/context-batches.ts';
import type { Arrays } from '../checkpoint.ts';
import type { ContextPredictionSettings } from '../recipe-schema.ts';
import { dropTokens } from '../step-batches.ts';
import type { LossAndGradient, VectorPart } from '../trainable-encoder.ts';
import { openContextSessions } from './context-sessions.ts';
import type { LanguageDocuments } from './documents.ts';
import { createHeadState } from './head-state.ts';

export type ContextPredictionOptions = {
  readonly settings: ContextPredictionSettings;
  readonly languages: readonly LanguageDocuments[];
  /** H of the encoder. */
  readonly width: number;
  readonly tokens: (text: string) => Uint32Array;
  /** Share of the tokens that a step leaves out by chance (static encoders); 0: none. */
  readonly tokenDropout: number;
  /** Batches in a step. */
  readonly accumulation: number;
  readonly optimizer: AdamwSettings;
  readonly seed: number;
  readonly threads: number;
  readonly device: Device;
};

export type ContextPrediction = AsyncDisposable & {
  /** The batches of a step: `accumulation` of them, each a language's, the languages in turn. */
  readonly partsAt: (step: number) => readonly VectorPart[];
  /** Head, running moments and bank, by name: what a checkpoint keeps. */
  readonly arrays: Arrays;
  readonly restart: () => void;
};

/**
 * Wu et al. 2022, section 3.1 and Algorithm 1: a centre and a sentence of its window go through the encoder and the head; each picks the
 * other among the batch and the bank of its language. Never a negative: a sentence of either window, or of the same text, or of another
 * language. The projections of the contexts join the bank when the step has been applied.
 * @throws InputError 'recipe.no-documents' when no text has two sentences in one document.
 */
export function openContextPrediction(options: ContextPredictionOptions): ContextPrediction {
  const { settings, languages, width, tokens, tokenDropout, accumulation, seed, threads, device } = options;
  if (languages.length === 0) throw new InputError('recipe.no-documents', '"losses/contextPrediction": expected texts under "monolingual" with two sentences in one document (a blank line ends one), found none. Add running text, or take this loss out of the recipe.');
  const sampler = createContextSampler({ languages, batchSize: settings.batch, window: settings.window, seed });
  const sizes = { width, hidden: settings.projection.hidden ?? width, projected: settings.projection.width };
  const state = createHeadState({ ...sizes, normalisation: settings.normalisation, bank: languages.map(({ sentences }) => Math.min(settings.bank, sentences.length)), optimizer: options.optimizer, seed });
  const sessions = openContextSessions({ ...sizes, ...settings, threads, device });
  const weight = settings.weight > 0 ? settings.weight : 1; // steps of nothing but pretraining
  const scale = weight / accumulation;
  const reach = contextWindow(settings.window).behind;

  const partAt = (place: number): VectorPart => {
    const batch = sampler.batchAt(place);
    const language = languages[batch.language];
    if (language === undefined) throw new InvariantError('training.context-language', `There is no language ${batch.language}.`);
    const random = seededRandom(seed, 'token dropout of contexts', place);
    const texts = [...batch.centres, ...batch.contexts].map((sentence) => dropTokens(tokens(language.sentences[sentence] ?? ''), tokenDropout, random));
    const evaluate = async (vectors: Float32Array): Promise<LossAndGradient> => {
      const half = vectors.length / 2;
      const sides = [vectors.subarray(0, half), vectors.subarray(half)] as const;
      const isCentreTrained = isCentreTurn(place, sampler.languages);
      const [trained, evaluated] = isCentreTrained ? sides : [sides[1], sides[0]];
      const bank = state.negatives(batch.language);
      const leaveOut = neighboursOf({ batch, language, bank: bank.labels, reach });
      const { loss, gradients, projected, moments } = await sessions.run({ trained, evaluated, parameters: state.parameters, running: state.running(), bank: bank.vectors, leaveOut, scale });
      for (const [name, gradient] of gradients.head) state.addGradient(name, gradient);
      for (const observed of moments) state.observe({ ...observed, rows: batch.centres.length });
      state.remember(batch.language, { vectors: isCentreTrained ? projected.evaluated : projected.trained, labels: batch.contexts });
      const gradient = new Float32Array(vectors.length);
      gradient.set(isCentreTrained ? gradients.trained : gradients.evaluated);
      gradient.set(isCentreTrained ? gradients.evaluated : gradients.trained, half);
      return { loss: loss / scale, gradient };
    };
    return { kind: 'vectors', name: 'contextPrediction', texts, queries: 0, own: state, evaluate };
  };
  return {
    partsAt: (step) => Array.from({ length: accumulation }, (_, k) => partAt(step * accumulation + k)),
    arrays: state.arrays,
    restart: state.restart,
    [Symbol.asyncDispose]: sessions[Symbol.asyncDispose],
  };
}

/** Are the centres in training mode? In turn from batch to batch, and with an even number of languages once more each round, so that every language has both. */
export function isCentreTurn(place: number, languages: number): boolean {
  const round = languages % 2 === 0 ? Math.floor(place / languages) : 0;
  return (place + round) % 2 === 0;
}

/**
 * Who is no negative of whom, bool [N, N + M]: two pairs of the batch of which one sentence has the text of another; a row of the bank
 * that stands within the window of the centre or of the context, or has the text of either.
 * @param bank the sentences of its rows.
 */
export function neighboursOf({ batch, language, bank, reach }: { readonly batch: Pick<ContextBatch, 'centres' | 'contexts'>; readonly language: Pick<LanguageDocuments, 'documents' | 'keys'>; readonly bank: Int32Array; readonly reach: number }): Uint8Array {
  const { centres, contexts } = batch;
  const { documents, keys } = language;
  const count = centres.length;
  const marks = new Uint8Array(count * (count + bank.length));
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= reach && documents[a] === documents[b];
  const isSame = (a: number, b: number): boolean => keys[a] === keys[b];
  for (let i = 0; i < count; i += 1) {
    const [centre, context] = [centres[i] ?? 0, contexts[i] ?? 0];
    const row = marks.subarray(i * (count + bank.length), (i + 1) * (count + bank.length));
    for (let j = 0; j < count; j += 1) {
      const [other, its] = [centres[j] ?? 0, contexts[j] ?? 0];
      if (j !== i && (isSame(centre, other) || isSame(centre, its) || isSame(context, other) || isSame(context, its))) row[j] = 1;
    }
    bank.forEach((sentence, m) => {
      if (isNear(sentence, centre) || isNear(sentence, context) || isSame(sentence, centre) || isSame(sentence, context)) row[count + m] = 1;
    });
  }
  return marks;
}
