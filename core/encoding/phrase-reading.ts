/** How does a model that was trained on phrases read them? Which states, in which spelling, between which marks, through which head. */
import { z } from 'zod';
import { InputError } from '../base/errors.ts';
import { createGraphBuilder } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { projectionHead, type HeadPlacement } from '../modules/index.ts';
import { createSession, type Device, type Session } from '../runtime/session.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';
import { InvariantError } from '../base/errors.ts';

/** y = W₂ relu(W₁ x + b₁) + b₂, W₁ [F, H], W₂ [P, F]. */
export type PhraseHead = { readonly placement: Exclude<HeadPlacement, 'none'>; readonly width: number; readonly hidden: number; readonly out: number; readonly parameters: ReadonlyMap<string, Float32Array> };

export type PhraseReading = {
  /** After how many layers the states are taken; null: the layer that the model pools, or none to choose from. */
  readonly layer: number | null;
  /** Whether the phrase is lower-cased where it stands; the rest of the sentence is not. */
  readonly isLowerCased: boolean;
  /** Whether end marks of a text stand before and behind the phrase, and count in its mean. */
  readonly hasMarks: boolean;
  /** Most tokens of a sentence, special ones included; null: as many as the model takes. */
  readonly maxTokens: number | null;
  /** Sentences of a phrase that are read, the first ones; 0: the phrase alone; null: all. */
  readonly mostSentences: number | null;
  readonly head: PhraseHead | null;
};

/** As a model reads phrases that was never trained on them. */
export const PLAIN_READING: PhraseReading = { layer: null, isLowerCased: false, hasMarks: false, maxTokens: null, mostSentences: null, head: null };

export const HEAD = { firstWeight: 'phrase.first.weight', firstBias: 'phrase.first.bias', secondWeight: 'phrase.second.weight', secondBias: 'phrase.second.bias' } as const;

/** Names and shapes of a head's parameters, in the order in which they are stored. */
export function headShapes({ width, hidden, out }: Pick<PhraseHead, 'width' | 'hidden' | 'out'>): ReadonlyMap<string, readonly number[]> {
  return new Map([[HEAD.firstWeight, [hidden, width]], [HEAD.firstBias, [hidden]], [HEAD.secondWeight, [out, hidden]], [HEAD.secondBias, [out]]]);
}

/** The file of a model folder that holds a head: its parameters one after another, float32, little-endian. */
export const PHRASE_HEAD_FILE = 'phrase-head.f32';

/** What a manifest says of it. */
export const phraseReadingSchema = z.object({
  layer: z.int().min(0).nullable(),
  isLowerCased: z.boolean(),
  hasMarks: z.boolean(),
  maxTokens: z.int().positive().nullable(),
  mostSentences: z.int().min(0).nullable().default(null),
  head: z.object({ placement: z.enum(['phrase', 'token']), width: z.int().positive(), hidden: z.int().positive(), out: z.int().positive() }).nullable(),
});
export type PhraseReadingFacts = z.infer<typeof phraseReadingSchema>;

/** A reading as a manifest and a file; no file without a head. */
export function phraseReadingFiles({ head, ...facts }: PhraseReading): { readonly facts: PhraseReadingFacts; readonly contents: ReadonlyMap<string, Uint8Array> } {
  if (head === null) return { facts: { ...facts, head: null }, contents: new Map() };
  const { placement, width, hidden, out, parameters } = head;
  const parts = [...headShapes(head).keys()].map((name) => parameters.get(name) ?? new Float32Array(0));
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return { facts: { ...facts, head: { placement, width, hidden, out } }, contents: new Map([[PHRASE_HEAD_FILE, new Uint8Array(all.buffer)]]) };
}

/** The way back. @param read  the bytes of a file of the model, checked. @throws InputError 'model.shape-mismatch'. */
export async function readPhraseReading({ head, ...facts }: PhraseReadingFacts, read: (name: string) => Promise<Uint8Array>): Promise<PhraseReading> {
  if (head === null) return { ...facts, head: null };
  const all = new Float32Array(Uint8Array.from(await read(PHRASE_HEAD_FILE)).buffer);
  const parameters = new Map<string, Float32Array>();
  let at = 0;
  for (const [name, shape] of headShapes(head)) {
    const length = shape.reduce((product, size) => product * size, 1);
    parameters.set(name, all.slice(at, at + length));
    at += length;
  }
  if (at !== all.length) throw new InputError('model.shape-mismatch', `${PHRASE_HEAD_FILE}: the manifest says a head of ${head.width}, ${head.hidden} and ${head.out} (${at} numbers), the file holds ${all.length}. Copy the model again or train it once more.`);
  return { ...facts, head: { ...head, parameters } };
}

export type Projection = AsyncDisposable & {
  /** rows float32 [R, H] through the head whose parameters are given: float32 [R, P]. */
  readonly project: (rows: Float32Array, head: PhraseHead) => Promise<Float32Array>;
};

/** Rows that are projected at once: bounds the memory of what stands between the two maps. */
const ROWS_AT_ONCE = 2048;

/** Opens its session when it is first needed. @throws what `createSession` and its runs throw. */
export function createProjection({ threads, device = 'cpu' }: { readonly threads: number; readonly device?: Device }): Projection {
  let opened: Promise<Session> | null = null;
  const open = (head: PhraseHead): Promise<Session> => {
    const g = createGraphBuilder('phrase-head');
    const input = (name: string): ReturnType<typeof g.input> => g.input(name, 'float32', headShapes(head).get(name) ?? []);
    const y = projectionHead(g, g.input('rows', 'float32', ['R', head.width]), { first: { weight: input(HEAD.firstWeight), bias: input(HEAD.firstBias) }, second: { weight: input(HEAD.secondWeight), bias: input(HEAD.secondBias) } });
    return createSession(encodeModel(g.build({ projected: y })), { threads, device });
  };
  return {
    project: async (rows, head) => {
      const { width, out } = head;
      const session = await (opened ??= open(head));
      const projected = new Float32Array((rows.length / width) * out);
      const fixed = headFeeds(head);
      for (let row = 0; row * width < rows.length; row += ROWS_AT_ONCE) {
        const part = rows.subarray(row * width, (row + ROWS_AT_ONCE) * width);
        const found = (await session.run({ ...fixed, rows: tensorOf('float32', [part.length / width, width], part) }))['projected'];
        if (found?.dtype !== 'float32') throw new InvariantError('encoding.output', 'The head of phrases gave no float32 rows.');
        projected.set(found.data, row * out);
      }
      return projected;
    },
    [Symbol.asyncDispose]: async () => {
      await (await opened)?.dispose();
      opened = null;
    },
  };
}

/** A head's parameters as feeds of a graph; read in place. */
export function headFeeds(head: PhraseHead): Readonly<Record<string, Tensor>> {
  return Object.fromEntries([...headShapes(head)].map(([name, shape]) => [name, tensorOf('float32', shape, head.parameters.get(name) ?? new Float32Array(0))]));
}
