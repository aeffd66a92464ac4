/** What is the shipped starter made of? English token rows in 8 bits, token weights, whitening and the vocabulary, with a card. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeFolderAtomic } from '../base/atomic-files.ts';
import { EnvironmentError, InputError, toIsoglossError } from '../base/errors.ts';
import { sha256 } from '../base/hashing.ts';
import type { UnigramModel } from '../text/unigram-trainer.ts';

/** The file by which a starter is known. */
export const STARTER_CARD = 'starter.json';
const FILES = { vocabulary: 'vocabulary.json', rows: 'rows.i8', scales: 'row-scales.f32', weights: 'token-weights.f32', whitening: 'whitening.f32' } as const;
const LARGEST_BYTE = 127;

const cardSchema = z.object({
  format: z.literal('isogloss-starter'),
  version: z.literal(1),
  language: z.string(),
  width: z.int().positive(),
  vocabularySize: z.int().positive(),
  files: z.record(z.string(), z.string()),
  training: z.record(z.string(), z.json()),
});

export type StarterCard = z.infer<typeof cardSchema>;

/** English, trained on question-passage data; rows in the basis of their principal axes, so leading columns alone are a narrower starter. */
export type Starter = {
  readonly language: string;
  readonly width: number;
  readonly vocabulary: UnigramModel;
  /** float32 [V, H] without weights. */
  readonly rows: Float32Array;
  /** float32 [V] */
  readonly weights: Float32Array;
  /** float32 [H] each. */
  readonly mean: Float32Array;
  readonly scale: Float32Array;
};

/** Writes a starter folder atomically: row r is stored as round(127 x / m_r) with m_r the largest absolute value of the row. */
export async function writeStarterFolder(folder: string, starter: Starter, options: { readonly training: StarterCard['training']; readonly readme: string }): Promise<void> {
  const { width, vocabulary } = starter;
  const count = vocabulary.pieces.length;
  const bytes = new Int8Array(count * width);
  const scales = new Float32Array(count);
  for (let r = 0; r < count; r += 1) {
    let largest = 0;
    for (let i = r * width; i < (r + 1) * width; i += 1) largest = Math.max(largest, Math.abs(starter.rows[i] ?? 0));
    scales[r] = largest / LARGEST_BYTE;
    for (let i = r * width; i < (r + 1) * width; i += 1) bytes[i] = largest === 0 ? 0 : Math.round((LARGEST_BYTE * (starter.rows[i] ?? 0)) / largest);
  }
  const contents = new Map<string, Uint8Array>([
    [FILES.vocabulary, Buffer.from(JSON.stringify(vocabulary))],
    [FILES.rows, new Uint8Array(bytes.buffer)],
    [FILES.scales, bytesOf(scales)],
    [FILES.weights, bytesOf(starter.weights)],
    [FILES.whitening, bytesOf(Float32Array.from([...starter.mean, ...starter.scale]))],
  ]);
  const card: StarterCard = {
    format: 'isogloss-starter',
    version: 1,
    language: starter.language,
    width,
    vocabularySize: count,
    files: Object.fromEntries([...contents].map(([name, content]) => [name, sha256(content)])),
    training: options.training,
  };
  await writeFolderAtomic(folder, async (temporary) => {
    for (const [name, content] of contents) await writeFile(join(temporary, name), content);
    await writeFile(join(temporary, STARTER_CARD), `${JSON.stringify(card, null, 2)}\n`);
    await writeFile(join(temporary, 'README.md'), options.readme);
  });
}

/**
 * Reads a starter; `width` smaller than its own takes the leading columns.
 * @throws InputError 'starter.too-narrow', 'starter.not-a-starter'; EnvironmentError 'starter.damaged'.
 */
export async function readStarterFolder(folder: string, width?: number): Promise<Starter> {
  const parsed = cardSchema.safeParse(await readJson(join(folder, STARTER_CARD)));
  if (!parsed.success) throw new InputError('starter.not-a-starter', `${folder}: expected a starter model of Isogloss, found something else.`, { data: { path: folder } });
  const card = parsed.data;
  const read = async (name: string): Promise<ArrayBuffer> => {
    const bytes = await readFile(join(folder, name)).catch((thrown: unknown) => {
      throw toIsoglossError(thrown);
    });
    if (card.files[name] !== sha256(bytes)) throw new EnvironmentError('starter.damaged', `${join(folder, name)}: the file is not what was shipped (its SHA-256 differs). Install Isogloss again.`, { data: { path: folder } });
    const copy = new ArrayBuffer(bytes.length);
    new Uint8Array(copy).set(bytes);
    return copy;
  };
  const own = card.width;
  const wanted = width ?? own;
  if (wanted > own) throw new InputError('starter.too-narrow', `The English starter has width ${own}, the recipe asks for ${wanted}. Set "width" to at most ${own}, or give "retrieval" data to train English anew.`, { data: { width: wanted } });
  const vocabulary = z.object({ pieces: z.array(z.string()), scores: z.array(z.number()), unknownId: z.int() }).parse(JSON.parse(Buffer.from(await read(FILES.vocabulary)).toString('utf8')));
  const bytes = new Int8Array(await read(FILES.rows));
  const scales = new Float32Array(await read(FILES.scales));
  const whitening = new Float32Array(await read(FILES.whitening));
  const rows = new Float32Array(card.vocabularySize * wanted);
  for (let r = 0; r < card.vocabularySize; r += 1) for (let i = 0; i < wanted; i += 1) rows[r * wanted + i] = (bytes[r * own + i] ?? 0) * (scales[r] ?? 0);
  return { language: card.language, width: wanted, vocabulary, rows, weights: new Float32Array(await read(FILES.weights)), mean: whitening.slice(0, wanted), scale: whitening.slice(own, own + wanted) };
}

function bytesOf(array: Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
