/** How many sentences without a translation are used of each language? At most so many, whole documents drawn evenly from its texts. */
import { seededPermutation } from '../base/random.ts';
import type { MonolingualCorpus } from './corpora.ts';

/**
 * Keeps at most `most` sentences of each language, from every text the same share, in their order; always the same for a seed. Documents are
 * kept whole, but for the last one that fits only in part, so that neighbouring sentences stay neighbours; where there are none, or one,
 * sentences are drawn one by one from a text whose order says nothing, and taken from the beginning of one that has an order.
 */
export function limitSentences(corpora: readonly MonolingualCorpus[], most: number, seed: number): readonly MonolingualCorpus[] {
  const totals = new Map<string, number>();
  for (const { language, sentences } of corpora) totals.set(language, (totals.get(language) ?? 0) + sentences.length);
  return corpora.map((corpus, place) => {
    const total = totals.get(corpus.language) ?? 0;
    if (total <= most) return corpus;
    const wanted = Math.max(1, Math.floor((corpus.sentences.length * most) / total));
    const { sentences, documents = null } = corpus;
    const chosen = new Set(inDrawnOrder(corpus, { seed, purpose: `sentence limit ${place}` }).slice(0, wanted));
    const kept = sentences.flatMap((_, index) => (chosen.has(index) ? [index] : []));
    return { ...corpus, sentences: kept.map((index) => sentences[index] ?? ''), ...(documents === null ? {} : { documents: Int32Array.from(kept, (index) => documents[index] ?? 0) }) };
  });
}

/** Places of sentences: document after document in a drawn order, each from its beginning. */
function inDrawnOrder({ sentences, documents = null }: MonolingualCorpus, draw: { readonly seed: number; readonly purpose: string }): readonly number[] {
  if (documents === null) return [...seededPermutation(sentences.length, draw)];
  const byDocument = new Map<number, number[]>();
  sentences.forEach((_, index) => {
    const document = documents[index] ?? 0;
    const own = byDocument.get(document);
    if (own === undefined) byDocument.set(document, [index]);
    else own.push(index);
  });
  const all = [...byDocument.values()];
  return [...seededPermutation(all.length, draw)].flatMap((place) => all[place] ?? []);
}
