/** Which entries does a dictionary hold? Its phrase pairs put together: each phrase once, with all its translations and examples. */
import { InputError } from '../base/errors.ts';
import { phraseForm } from '../text/phrase-places.ts';
import type { CorpusProblem } from './records.ts';
import { readPhrases } from './sources.ts';
import type { CorpusSource } from './sources.ts';

export type DictionaryExample = { readonly source: string; readonly target: string | null };

/** `line`: where its first pair stands. `examples` are in the language of the phrase, with their translations where there are. */
export type DictionaryEntry = { readonly phrase: string; readonly line: number; readonly translations: readonly string[]; readonly examples: readonly DictionaryExample[] };

/** Entries beyond this are not read: their vectors would not fit beside a model. */
const MOST_ENTRIES = 200_000;

/**
 * All entries of a dictionary (LIFT, Toolbox, TSV, CSV), in the order of the file. Phrases that differ in case or composition alone are one
 * entry, as it is written first; equal translations and examples are kept once.
 * @throws InputError 'corpus.no-records' when there is none, 'corpus.too-many-entries'; as readPhrases.
 */
export async function readDictionary(source: CorpusSource, signal: AbortSignal): Promise<{ readonly entries: readonly DictionaryEntry[]; readonly problems: readonly CorpusProblem[] }> {
  const entries = new Map<string, { phrase: string; line: number; translations: Map<string, string>; examples: Map<string, DictionaryExample> }>();
  const problems: CorpusProblem[] = [];
  const [path = ''] = source.paths;
  for await (const readings of readPhrases(source, signal)) {
    for (const reading of readings) {
      if (reading.kind === 'problem') {
        problems.push(reading.problem);
        continue;
      }
      const { source: phrase, target, line, examples } = reading.value;
      const key = phraseForm(phrase);
      const entry = entries.get(key) ?? { phrase, line, translations: new Map<string, string>(), examples: new Map<string, DictionaryExample>() };
      entries.set(key, entry);
      if (!entry.translations.has(phraseForm(target))) entry.translations.set(phraseForm(target), target);
      for (const example of examples) if (!entry.examples.has(example.source)) entry.examples.set(example.source, example);
    }
    if (entries.size > MOST_ENTRIES) throw new InputError('corpus.too-many-entries', `${path}: expected a dictionary of at most ${MOST_ENTRIES} entries, found more. Divide it into several files.`, { data: { path } });
  }
  if (entries.size === 0) throw new InputError('corpus.no-records', `${path}: expected entries with a phrase and a translation, found none that can be used.`, { data: { path } });
  return { entries: [...entries.values()].map(({ phrase, line, translations, examples }) => ({ phrase, line, translations: [...translations.values()], examples: [...examples.values()] })), problems };
}

/** Formats that hold dictionaries whatever is in them. */
const DICTIONARIES: ReadonlySet<string> = new Set(['lift']);
const LOOKED_AT = 200;
/** Words, on the mean, of what stands for itself in a dictionary; sentences have more. */
const MOST_WORDS = 3;

/**
 * Whether a corpus is a dictionary: LIFT is; of other formats with phrases (tables, Toolbox) one whose first phrases have at most three words
 * on the mean. False for what cannot be read.
 */
export async function isDictionary(source: CorpusSource, signal: AbortSignal): Promise<boolean> {
  if (source.format !== undefined && DICTIONARIES.has(source.format)) return true;
  let [phrases, words] = [0, 0];
  try {
    for await (const readings of readPhrases(source, signal)) {
      for (const reading of readings) {
        if (reading.kind === 'problem' || phrases >= LOOKED_AT) continue;
        phrases += 1;
        words += lengthInWords(reading.value.source);
      }
      if (phrases >= LOOKED_AT) break;
    }
  } catch (thrown) {
    if (thrown instanceof InputError) return false;
    throw thrown;
  }
  return phrases > 0 && words / phrases <= MOST_WORDS;
}

const CHARACTERS_OF_A_WORD = 8;

/** Words between spaces; a stretch without spaces (Thai, Han) counts by its length. */
function lengthInWords(text: string): number {
  return text.trim().split(/\s+/).reduce((sum, word) => sum + Math.max(1, /[\p{Script=Thai}\p{Script=Han}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u.test(word) ? word.length / CHARACTERS_OF_A_WORD : 1), 0);
}
