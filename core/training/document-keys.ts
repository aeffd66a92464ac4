/** Which questions share a passage? Each distinct document of the retrieval data once, and the document of each question. */
import type { RetrievalExample } from './corpora.ts';

/** `passages[passageOf[i]]` answers question i; equal document keys give one passage (the first). */
export function sameDocumentKeys(examples: readonly RetrievalExample[]): { readonly passageOf: Int32Array; readonly passages: readonly string[] } {
  const known = new Map<string, number>();
  const passages: string[] = [];
  const passageOf = Int32Array.from(examples, (example) => {
    const seen = known.get(example.documentKey);
    if (seen !== undefined) return seen;
    known.set(example.documentKey, passages.length);
    passages.push(example.passage);
    return passages.length - 1;
  });
  return { passageOf, passages };
}
