/** `isogloss phrases sentences`: which sentences of a text show the phrases of a list? Written as training and evaluation read them. */
import { resolve } from 'node:path';
import { writeFileAtomic } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import { findSentences } from '../../core/corpus/phrase-sentences.ts';
import { readPhrases, readTexts } from '../../core/corpus/sources.ts';
import { PHRASE_SPELLINGS } from '../../core/text/phrase-places.ts';
import { sentencesOf } from '../../core/training/phrases/phrase-pairs.ts';
import { choice, optional, outputFile, required, wholeNumber, type Command } from './command.ts';
import { createProblemLines, createProgressLine } from './progress.ts';

const MOST_SENTENCES = 1024;
const USUAL_SENTENCES = 32;
/** Zheng et al. 2022, section 4.2. */
const LEAST_MORE = 10;
const MOST_MORE = 10_000;

export const phrasesSentencesCommand: Command = {
  summary: 'Finds sentences that show the phrases of a list in use, in texts of any size.',
  usage: '--pairs FILE --side source|target --texts FILE --out FILE [--sentences 32] [--spelling folded|case|exact] [--longer-by 10] [--source TAG --target TAG] [--json]',
  options: { pairs: { type: 'string' }, side: { type: 'string' }, texts: { type: 'string' }, out: { type: 'string' }, sentences: { type: 'string' }, spelling: { type: 'string' }, 'longer-by': { type: 'string' }, source: { type: 'string' }, target: { type: 'string' } },
  run: async (values, { signal, say }) => {
    const [pairs, texts] = [resolve(required(values, 'pairs', 'the list of phrase pairs (phrase<tab>phrase, or a dictionary)')), resolve(required(values, 'texts', 'the text in which sentences are looked for'))];
    const out = outputFile(values, 'out', { what: 'the file for the sentences', read: ['pairs', 'texts'] });
    required(values, 'side', '"source" or "target": which phrases of the list are looked for');
    const side = choice(values, 'side', ['source', 'target']);
    const [source, target] = [optional(values, 'source'), optional(values, 'target')];
    if ((source === null) !== (target === null)) throw new InputError('cli.missing-option', '--source and --target: expected both languages or none, found one.', { data: { option: source === null ? 'source' : 'target' } });
    const lines = createProblemLines(say);
    const phrases = new Set<string>();
    for await (const readings of readPhrases({ paths: [pairs], ...(source === null || target === null ? {} : { languages: { source, target } }) }, signal)) {
      for (const reading of readings) {
        if (reading.kind === 'problem') lines.add(reading.problem.message);
        else phrases.add(reading.value[side]);
      }
    }
    const progress = createProgressLine(say);
    const list = [...phrases];
    const found = await findSentences({
      phrases: list,
      sentences: sentencesOf([readTexts({ paths: [texts] }, signal)], ({ message }) => lines.add(message)),
      most: wholeNumber(values, 'sentences', { least: 1, most: MOST_SENTENCES }) ?? USUAL_SENTENCES,
      spelling: choice(values, 'spelling', PHRASE_SPELLINGS),
      leastMore: wholeNumber(values, 'longer-by', { least: 0, most: MOST_MORE }) ?? LEAST_MORE,
      signal,
      onProgress: (done) => progress({ phase: 'reading', done, total: null, unit: 'sentences', leftMs: null }),
    }).finally(lines.end);
    const rows = list.flatMap((phrase, i) => ((found[i]?.length ?? 0) === 0 ? [] : [[phrase, String(found[i]?.length ?? 0), ...(found[i] ?? [])].map((cell) => cell.replaceAll('\t', ' ')).join('\t')]));
    if (rows.length === 0) throw new InputError('phrases.no-sentences', `${texts}: expected sentences that hold phrases of ${pairs}, found none. Is it the text of the right language (--side)?`, { data: { path: texts } });
    await writeFileAtomic(out, Buffer.from(`${rows.join('\n')}\n`));
    const sentences = found.reduce((sum, own) => sum + own.length, 0);
    return { json: { phrases: list.length, found: rows.length, sentences, out }, text: `${rows.length.toLocaleString('en')} of ${list.length.toLocaleString('en')} phrases stand in ${sentences.toLocaleString('en')} sentences: ${out}` };
  },
};
