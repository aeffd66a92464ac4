/** What do all tasks of an experiment share? The shape of their answer, and the encoder of a search. */
import type { Encoder } from '../../../core/encoding/encoder.ts';
import type { System } from '../system.ts';

/** Values of single items by metric, the task's own metric first; `weights` as Measurement has them. `note`: what the value alone does not say. */
export type TaskMeasurement = { readonly values: ReadonlyMap<string, { readonly items: readonly number[]; readonly weights?: readonly number[] }>; readonly note?: string };

export type MeasureOptions = { readonly threads: number; readonly signal: AbortSignal };

/** The encoder of a search: questions by that of their language, documents by that of theirs. */
export function searchEncoder({ encoderFor }: System, { queryLanguage, documentLanguage }: { readonly queryLanguage: string; readonly documentLanguage: string }): Encoder | null {
  if (encoderFor === null) return null;
  const query = encoderFor(queryLanguage);
  const document = encoderFor(documentLanguage);
  return query === document ? document : { ...document, encode: (texts, kind) => (kind === 'query' ? query : document).encode(texts, kind) };
}
