/** How does the search worker look a phrase up? The dictionaries of one project are kept open; after a change they are opened anew. */
import { stat } from 'node:fs/promises';
import { toIsoglossError } from '../../core/base/errors.ts';
import { isDictionary, readDictionary } from '../../core/corpus/dictionary-entries.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { createPhraseLookUp, type Dictionary, type PhraseLookUp } from '../../core/retrieval/phrase-look-up.ts';
import { corpusSource } from '../project/inspection.ts';
import type { CallInput, CallOutput } from './messages.ts';

type Task = CallInput<'phrases'>;
type Opened = { readonly lookUp: PhraseLookUp; readonly dictionaries: number };

let opened: { readonly key: string; readonly lookUp: Promise<Opened> } | null = null;

export async function lookPhraseUp({ query, limit, ...which }: Task, signal: AbortSignal): Promise<CallOutput<'phrases'>> {
  const { lookUp, dictionaries } = await openedFor(which);
  signal.throwIfAborted();
  return { hits: [...(await lookUp.lookUp(query, limit))], dictionaries, entries: lookUp.entries, isByMeaning: which.modelFolder !== null };
}

async function openedFor(which: Omit<Task, 'query' | 'limit'>): Promise<Opened> {
  const states = await Promise.all(which.corpora.flatMap(({ paths }) => paths).map(async (path) => {
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

async function open({ modelFolder, corpora }: Omit<Task, 'query' | 'limit'>, signal: AbortSignal): Promise<Opened> {
  const dictionaries: Dictionary[] = [];
  for (const { name, paths, format, languages, encoding, mapping } of corpora) {
    const source = corpusSource({ paths, format, languages, encoding, mapping });
    if (await isDictionary(source, signal)) dictionaries.push({ name, entries: (await readDictionary(source, signal)).entries });
  }
  const encoder = modelFolder === null || dictionaries.length === 0 ? null : await openEncoder(modelFolder);
  return { lookUp: await createPhraseLookUp({ dictionaries, encoder, signal }), dictionaries: dictionaries.length };
}
