/** How long are real questions and passages? Those of ../shared/data/ir, cut into the pieces of the shipped English starter. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { readStarterFolder } from '../../core/encoding/starter-folder.ts';
import { createTokenizer } from '../../core/text/tokenizer.ts';
import { starterFolder } from '../../main/cli/places.ts';

const TRAIN = fileURLToPath(new URL('../../../shared/data/ir/train.jsonl.gz', import.meta.url));
const COLLECTION = fileURLToPath(new URL('../../../shared/data/ir/collection.jsonl.gz', import.meta.url));
/** Tokens that every sequence has at its ends. */
const [CLS, SEP] = [1, 2];

export type RealSequences = { readonly pairs: readonly { readonly query: readonly number[]; readonly document: readonly number[] }[]; readonly passages: readonly (readonly number[])[] };

/** Token ids with special tokens, cut at `maxTokens`, below `vocabularySize`; null where the data is not there. */
export async function readRealSequences({ maxTokens, passages: wanted }: { readonly maxTokens: number; readonly passages: number }): Promise<RealSequences | null> {
  if (!existsSync(TRAIN) || !existsSync(COLLECTION)) return null;
  const { vocabulary } = await readStarterFolder(starterFolder);
  const tokenizer = createTokenizer(vocabulary);
  const encode = (text: string): readonly number[] => [CLS, ...tokenizer.encode(text).subarray(0, maxTokens - 2), SEP];
  const pairs: { query: readonly number[]; document: readonly number[] }[] = [];
  for await (const row of jsonLines(TRAIN)) {
    const { query, positive } = z.object({ query: z.string(), positive: z.string() }).parse(row);
    pairs.push({ query: encode(query), document: encode(positive) });
  }
  const passages: (readonly number[])[] = [];
  for await (const row of jsonLines(COLLECTION)) {
    passages.push(encode(z.object({ text: z.string() }).parse(row).text));
    if (passages.length === wanted) break;
  }
  return { pairs, passages };
}

async function* jsonLines(path: string): AsyncGenerator<unknown> {
  for await (const line of createInterface({ input: createReadStream(path).pipe(createGunzip()) })) if (line !== '') yield JSON.parse(line);
}
