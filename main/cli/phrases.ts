/** `isogloss phrases search`: what dictionaries say of a phrase. */
import { basename, resolve } from 'node:path';
import { InputError } from '../../core/base/errors.ts';
import { readDictionary } from '../../core/corpus/dictionary-entries.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { createPhraseLookUp, type PhraseHit } from '../../core/retrieval/phrase-look-up.ts';
import { optional, required, wholeNumber, type Command } from './command.ts';
import { createProblemLines } from './progress.ts';

const MOST_HITS = 1000;
const DEFAULT_HITS = 10;
const DIGITS = 3;

export const phrasesSearchCommand: Command = {
  summary: 'Looks a phrase up in a dictionary (LIFT, Toolbox, TSV): alike in spelling first, then near in meaning, across languages.',
  usage: '--dictionary FILE --query TEXT [--model DIR] [--sentence TEXT] [--k 10] [--source TAG --target TAG] [--json]',
  options: { dictionary: { type: 'string' }, query: { type: 'string' }, model: { type: 'string' }, sentence: { type: 'string' }, k: { type: 'string' }, source: { type: 'string' }, target: { type: 'string' } },
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
    const { lookUp } = await createPhraseLookUp({ dictionaries: [{ name: basename(path), entries }], encoder, signal });
    const hits = await lookUp(query, k, sentence === null ? {} : { sentences: [sentence] });
    return { json: hits, text: hits.length === 0 ? 'Nothing found.' : hits.map(describe).join('\n\n') };
  },
};

function describe({ phrase, translations, examples, match, similarity, dictionary, line }: PhraseHit): string {
  const how = match === 'near' ? `near ${(similarity ?? 0).toFixed(DIGITS)}` : match;
  return [`${phrase} = ${translations.join('; ')}  (${how}; ${dictionary}, line ${line})`, ...examples.map(({ source, target }) => `  ${source}${target === null ? '' : ` = ${target}`}`)].join('\n');
}
