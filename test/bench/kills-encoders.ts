/** With which encoders are indexes killed? One whose vectors are rows of the store, and one whose documents are compared by their tokens. */
import type { Encoder } from '../../core/encoding/encoder.ts';
import { createStaticEncoder } from '../../core/encoding/static-encoder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { createHashEncoder } from '../../core/retrieval/hash-encoder.ts';

const WIDTH = 16;

export const testEncoders: Readonly<Record<'rows' | 'sums', () => Promise<Encoder>>> = {
  rows: () => Promise.resolve(createHashEncoder({ width: WIDTH })),
  sums: async () => createStaticEncoder(await testModel({ width: WIDTH }), 'kills'),
};
