/** Which sentences stand beside which? The texts of a recipe as documents, language by language. */
import { keysOfTexts } from '../../sampling/keys.ts';
import { segmentSentences } from '../../text/segment.ts';
import type { Corpora } from '../corpora.ts';
import { sameDocumentKeys } from '../document-keys.ts';

/** The sentences of a language in reading order; those of a document stand together. */
export type LanguageDocuments = {
  readonly language: string;
  readonly sentences: readonly string[];
  /** [sentences]: the document of each. */
  readonly documents: Int32Array;
  /** [sentences]: equal for equal sentences. */
  readonly keys: Int32Array;
};

/**
 * Monolingual texts in their documents and, where wanted, the passages of the questions (`pivot`), each a document cut into sentences.
 * Texts whose order says nothing are left out, and languages of which no document has two sentences.
 */
export function documentsOf({ corpora, pivot, passages }: { readonly corpora: Pick<Corpora, 'retrieval' | 'monolingual'>; readonly pivot: string; readonly passages: boolean }): readonly LanguageDocuments[] {
  const languages = new Map<string, { sentences: string[]; documents: number[]; next: number }>();
  const open = (language: string): { sentences: string[]; documents: number[]; next: number } => {
    const entry = languages.get(language) ?? { sentences: [], documents: [], next: 0 };
    languages.set(language, entry);
    return entry;
  };
  for (const { language, sentences, documents = null } of corpora.monolingual) {
    if (documents === null) continue;
    const entry = open(language);
    let last = -1;
    sentences.forEach((sentence, i) => {
      if (documents[i] !== last || i === 0) entry.next += 1;
      last = documents[i] ?? -1;
      entry.sentences.push(sentence);
      entry.documents.push(entry.next);
    });
  }
  if (passages && corpora.retrieval.length > 0) {
    const entry = open(pivot);
    for (const passage of sameDocumentKeys(corpora.retrieval).passages) {
      entry.next += 1;
      for (const { text } of segmentSentences(passage, pivot)) {
        entry.sentences.push(text);
        entry.documents.push(entry.next);
      }
    }
  }
  return [...languages].flatMap(([language, { sentences, documents }]) => {
    if (!documents.some((document, i) => i > 0 && document === documents[i - 1])) return [];
    const [keys = new Int32Array(0)] = keysOfTexts([sentences]);
    return [{ language, sentences, documents: Int32Array.from(documents), keys }];
  });
}
