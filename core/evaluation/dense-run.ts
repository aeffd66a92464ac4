/** Which documents of a collection of any size are nearest to each question? Documents stream by, block after block; only the best are kept. */
import { ignoreProgress } from '../base/progress.ts';
import type { Encoder } from '../encoding/encoder.ts';
import type { ScoredDocument } from '../metrics/order.ts';
import type { Run } from '../metrics/ranking.ts';
import { denseIndexOf, RUN_DEPTH, searchedText, type TaskDocument, type TaskQuery } from './retrieval-task.ts';

/** Documents that are searched at once. */
const SEARCHED_AT_ONCE = 4096;
/** What can be asked: a question of marks alone finds nothing, as in every search. */
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/**
 * The run of `evaluateRetrieval` with method "dense", with memory for a block of documents and the best of each question, however many
 * documents there are (4,096 x width x 4 bytes and a few windows, and depth x questions).
 * @param documents in batches of any size; an id that comes again counts once, with its best score.
 * @throws InputError 'index.bad-vector'; what `documents` throws; the signal's reason once aborted.
 */
export async function denseRun({ documents, queries, encoder, depth = RUN_DEPTH, signal }: { readonly documents: AsyncIterable<readonly TaskDocument[]>; readonly queries: readonly TaskQuery[]; readonly encoder: Encoder; readonly depth?: number; readonly signal: AbortSignal }): Promise<Run> {
  const vectors = await encoder.encode(queries.map(({ text }) => text), 'query');
  const best = queries.map(() => createBest(depth));
  let block: TaskDocument[] = [];
  const search = async (): Promise<void> => {
    if (block.length === 0) return;
    signal.throwIfAborted();
    const index = await denseIndexOf(block.map(searchedText), encoder, { signal, report: ignoreProgress });
    for (const [i, { text }] of queries.entries()) {
      if (!LETTER_OR_DIGIT.test(text)) continue;
      const list = await index.nearest(vectors.subarray(i * encoder.width, (i + 1) * encoder.width), depth, null);
      const own = best[i];
      list.documents.forEach((document, place) => own?.add(block[document]?.id ?? '', list.scores[place] ?? 0));
    }
    block = [];
  };
  for await (const batch of documents) {
    for (const document of batch) {
      block.push(document);
      if (block.length === SEARCHED_AT_ONCE) await search();
    }
  }
  await search();
  return new Map(queries.map(({ id }, i) => [id, best[i]?.documents() ?? []]));
}

/** Once twice the wanted number has been added, the best half is kept, and its worst is what the next must be better than. */
function createBest(depth: number) {
  let kept: ScoredDocument[] = [];
  let worst = -Infinity;
  const order = (): void => {
    const byId = new Map<string, number>();
    for (const { documentId, score } of kept) byId.set(documentId, Math.max(score, byId.get(documentId) ?? -Infinity));
    kept = [...byId].map(([documentId, score]) => ({ documentId, score })).sort((a, b) => b.score - a.score).slice(0, depth); // stable: of equal ones the earlier
    if (kept.length === depth) worst = kept.at(-1)?.score ?? -Infinity;
  };
  return {
    add: (documentId: string, score: number): void => {
      if (score <= worst) return;
      kept.push({ documentId, score: Math.fround(score) });
      if (kept.length >= 2 * depth) order();
    },
    documents: (): readonly ScoredDocument[] => {
      order();
      return kept;
    },
  };
}
