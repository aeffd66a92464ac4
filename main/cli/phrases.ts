/** `isogloss phrases search`: what dictionaries say of a phrase. */
import { basename, resolve } from 'node:path';
import { InputError } from '../../core/base/errors.ts';
import { readDictionary } from '../../core/corpus/dictionary-entries.ts';
import { findSentences } from '../../core/corpus/phrase-sentences.ts';
import { readTexts } from '../../core/corpus/sources.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { createPhraseLookUp, type PhraseHit } from '../../core/retrieval/phrase-look-up.ts';
import { phraseForm } from '../../core/text/phrase-places.ts';
import { sentencesOf } from '../../core/training/phrases/phrase-pairs.ts';
import { optional, required, wholeNumber, type Command } from './command.ts';
import { createProblemLines } from './progress.ts';

const MOST_HITS = 1000;
const DEFAULT_HITS = 10;
const DIGITS = 3;

export const phrasesSearchCommand: Command = {
  summary: 'Looks a phrase up in a dictionary (LIFT, Toolbox, TSV): alike in spelling first, then near in meaning, across languages.',
  usage: '--dictionary FILE --query TEXT [--model DIR] [--sentence TEXT] [--k 10] [--source TAG --target TAG] [--source-texts FILE] [--target-texts FILE] [--json]',
  options: { dictionary: { type: 'string' }, query: { type: 'string' }, model: { type: 'string' }, sentence: { type: 'string' }, k: { type: 'string' }, source: { type: 'string' }, target: { type: 'string' }, 'source-texts': { type: 'string' }, 'target-texts': { type: 'string' } },
  run: async (values, { signal, say }) => {
    const path = resolve(required(values, 'dictionary', 'the file of a dictionary'));
    const query = required(values, 'query', 'the phrase to look up');
    const k = wholeNumber(values, 'k', { least: 1, most: MOST_HITS }) ?? DEFAULT_HITS;
    const [source, target, sentence, modelFolder] = [optional(values, 'source'), optional(values, 'target'), optional(values, 'sentence'), optional(values, 'model')];
    if ((source === null) !== (target === null)) throw new InputError('cli.missing-option', '--source and --target: expected both languages or none, found one.', { data: { option: source === null ? 'source' : 'target' } });
    const encoder = modelFolder === null ? null : await openEncoder(resolve(modelFolder));
    const { entries, problems } = await readDictionary({ paths: [path], ...(source === null || target === null ? {} : { languages: { source, target } }) }, signal);
    const lines = createProblemLines(say);
    for (const { message } of problems) lines.add(message);
    lines.end();
    const texts = [optional(values, 'source-texts'), optional(values, 'target-texts')].flatMap((text) => (text === null ? [] : [resolve(text)]));
    const inTexts = await sentencesInTexts(texts, entries.flatMap(({ phrase, translations }) => [phrase, ...translations]), signal);
    const { lookUp } = await createPhraseLookUp({ dictionaries: [{ name: basename(path), entries }], encoder, inTexts, signal });
    const hits = await lookUp(query, k, sentence === null ? {} : { sentences: [sentence] });
    return { json: hits, text: hits.length === 0 ? 'Nothing found.' : hits.map(describe).join('\n\n') };
  },
};

const SENTENCES_OF_A_PHRASE = 4;

/** Sentences of texts that show a phrase, by phraseForm. */
async function sentencesInTexts(paths: readonly string[], phrases: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly string[]>> {
  if (paths.length === 0) return new Map();
  const found = await findSentences({ phrases, sentences: sentencesOf(paths.map((path) => readTexts({ paths: [path] }, signal)), () => undefined), most: SENTENCES_OF_A_PHRASE, signal });
  return new Map(phrases.map((phrase, i) => [phraseForm(phrase), found[i] ?? []]));
}

function describe({ phrase, translations, examples, match, similarity, dictionary, line, best }: PhraseHit): string {
  const how = match === 'near' ? `near ${(similarity ?? 0).toFixed(DIGITS)}` : match;
  return [`${phrase} = ${translations.join('; ')}  (${how}; ${dictionary}, line ${line})`, ...examples.map(({ source, target }) => `  ${source}${target === null ? '' : ` = ${target}`}`), ...(best.length === 0 ? [] : [`  nearest in meaning: ${best.map(({ text, similarity: near }) => `${text} (${near.toFixed(DIGITS)})`).join(', ')}`])].join('\n');
}
