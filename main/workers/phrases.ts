/** How does the search worker look a phrase up? The dictionaries of one project are kept open; after a change they are opened anew. */
import { stat } from 'node:fs/promises';
import { InputError, toIsoglossError } from '../../core/base/errors.ts';
import { isDictionary, readDictionary } from '../../core/corpus/dictionary-entries.ts';
import { findSentences } from '../../core/corpus/phrase-sentences.ts';
import { readTexts } from '../../core/corpus/sources.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { createPhraseLookUp, type Dictionary, type PhraseLookUp } from '../../core/retrieval/phrase-look-up.ts';
import { phraseForm } from '../../core/text/phrase-places.ts';
import { corpusSource } from '../project/inspection.ts';
import type { CallInput, CallOutput } from './messages.ts';

type Task = CallInput<'phrases'>;
type Opened = { readonly lookUp: PhraseLookUp; readonly dictionaries: number };

let opened: { readonly key: string; readonly lookUp: Promise<Opened> } | null = null;

export async function lookPhraseUp({ query, limit, ...which }: Task, signal: AbortSignal): Promise<CallOutput<'phrases'>> {
  const { lookUp, dictionaries } = await openedFor(which);
  signal.throwIfAborted();
  return { hits: (await lookUp.lookUp(query, limit)).map(({ best, ...hit }) => ({ ...hit, best: [...best] })), dictionaries, entries: lookUp.entries, isByMeaning: which.modelFolder !== null };
}

async function openedFor(which: Omit<Task, 'query' | 'limit'>): Promise<Opened> {
  const states = await Promise.all([...which.corpora, ...which.texts].flatMap(({ paths }) => paths).map(async (path) => {
    const { size, mtimeMs } = await stat(path).catch((thrown: unknown) => {
      throw toIsoglossError(thrown, path);
    });
    return [path, size, mtimeMs];
  }));
  const key = JSON.stringify([which, states]);
  if (opened?.key === key) return opened.lookUp;
  const lookUp = open(which, new AbortController().signal); // not the query's: the next one waits for the same vectors
  opened = { key, lookUp };
  lookUp.catch(() => {
    if (opened?.key === key) opened = null; // the next look-up tries again
  });
  return lookUp;
}

/** How many entries each corpus has as a dictionary; 0: it is none. */
export async function countDictionaries(corpora: Task['corpora'], signal: AbortSignal): Promise<CallOutput<'dictionaries'>> {
  const entries: number[] = [];
  for (const corpus of corpora) entries.push((await entriesOf(corpus, signal)).length);
  return { entries };
}

/** The entries of a corpus that is a dictionary; of another, none. Languages choose among those of LIFT; other formats have two. */
async function entriesOf({ paths, format, languages, encoding, mapping }: Task['corpora'][number], signal: AbortSignal): Promise<Dictionary['entries']> {
  const source = corpusSource({ paths, format, languages: format === 'lift' ? languages : null, encoding, mapping });
  return (await isDictionary(source, signal)) ? (await readDictionary(source, signal)).entries : [];
}

/** Found in the texts for each phrase or translation. */
const SENTENCES_OF_A_PHRASE = 4;
/** Texts beyond this are not read: a look-up should not wait for them. */
const MOST_SENTENCES_READ = 300_000;

/** Sentences of the project's texts that show what stands in its dictionaries, by phraseForm. What cannot be read is left to the page of texts. */
async function sentencesInTexts(texts: Task['texts'], dictionaries: readonly Dictionary[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly string[]>> {
  const phrases = [...new Set(dictionaries.flatMap(({ entries }) => entries.flatMap(({ phrase, translations }) => [phrase, ...translations])))];
  if (texts.length === 0 || phrases.length === 0) return new Map();
  const read = async function* (): AsyncGenerator<readonly string[]> {
    let left = MOST_SENTENCES_READ;
    for (const { paths, format, encoding, mapping } of texts) {
      try {
        for await (const readings of readTexts(corpusSource({ paths, format, languages: null, encoding, mapping }), signal)) {
          const sentences = readings.flatMap((reading) => (reading.kind === 'record' ? [reading.value.text] : []));
          yield sentences;
          left -= sentences.length;
          if (left <= 0) return;
        }
      } catch (thrown) {
        if (!(thrown instanceof InputError)) throw thrown;
      }
    }
  };
  const found = await findSentences({ phrases, sentences: read(), most: SENTENCES_OF_A_PHRASE, signal });
  return new Map(phrases.map((phrase, i) => [phraseForm(phrase), found[i] ?? []]));
}

async function open({ modelFolder, corpora, texts }: Omit<Task, 'query' | 'limit'>, signal: AbortSignal): Promise<Opened> {
  const dictionaries: Dictionary[] = [];
  for (const corpus of corpora) {
    const entries = await entriesOf(corpus, signal);
    if (entries.length > 0) dictionaries.push({ name: corpus.name, entries });
  }
  const inTexts = await sentencesInTexts(texts, dictionaries, signal);
  const encoder = modelFolder === null || dictionaries.length === 0 ? null : await openEncoder(modelFolder);
  return { lookUp: await createPhraseLookUp({ dictionaries, encoder, inTexts, signal }), dictionaries: dictionaries.length };
}
