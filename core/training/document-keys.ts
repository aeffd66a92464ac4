/** Which questions share a passage? Each distinct document of the retrieval data once, the document of each question, and those said not to answer it. */
import type { RetrievalExample } from './corpora.ts';

/**
 * `passages[passageOf[i]]` answers question i; equal document keys give one passage (the first). `passages[j]` for j of `negativesOf[i]` were said
 * not to answer it; those that answer no question stand behind all others. Equal texts are one passage there.
 */
export function sameDocumentKeys(examples: readonly RetrievalExample[]): { readonly passageOf: Int32Array; readonly passages: readonly string[]; readonly negativesOf: readonly (readonly number[])[] } {
  const known = new Map<string, number>();
  const passages: string[] = [];
  const passageOf = Int32Array.from(examples, (example) => {
    const seen = known.get(example.documentKey);
    if (seen !== undefined) return seen;
    known.set(example.documentKey, passages.length);
    passages.push(example.passage);
    return passages.length - 1;
  });
  const places = new Map<string, number>();
  passages.forEach((passage, place) => {
    if (!places.has(passage)) places.set(passage, place);
  });
  const negativesOf = examples.map(({ passage, negatives = [] }) =>
    negatives.filter((negative) => negative !== passage).map((negative) => {
      const place = places.get(negative) ?? passages.push(negative) - 1;
      places.set(negative, place);
      return place;
    }),
  );
  return { passageOf, passages, negativesOf };
}
