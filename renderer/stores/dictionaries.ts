/** Which corpora may be dictionaries? Those in a format that can hold phrases with translations; the program looks whether they do. */
import type { Corpus, CorpusFormat } from '../../main/contract/index.ts';

const FORMATS: ReadonlySet<CorpusFormat> = new Set(['lift', 'sfm', 'tsv', 'csv']);

export function mayBeDictionary({ role, format, state }: Pick<Corpus, 'role' | 'format' | 'state'>): boolean {
  return role === 'pairs' && FORMATS.has(format) && state !== 'missing';
}
