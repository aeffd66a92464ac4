/** `isogloss phrases evaluate`: how often does a model find the translation of a phrase first? Sentences come from files, from the dictionary, or are found in texts. */
import { resolve } from 'node:path';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { evaluatePhrases } from '../../core/evaluation/phrases-task.ts';
import { parsePhraseRecipe } from '../../core/training/phrases/phrase-recipe.ts';
import { readPhraseLists } from '../../core/training/phrases/phrase-pairs.ts';
import { choice, required, wholeNumber, type Command } from './command.ts';
import { PAIRS_OPTIONS, pairsOption, textsOption } from './phrases-train.ts';
import { sayEvents } from './train.ts';

const MOST_LAYERS = 1000;
const MOST_SENTENCES = 1024;
const USUAL_SENTENCES = 32;
const DIGITS = 4;

export const phrasesEvaluateCommand: Command = {
  summary: 'Measures how often a model finds the translation of a phrase first, in both directions.',
  usage:
    '--model DIR (--pairs FILE --source TAG --target TAG [--source-sentences FILE --target-sentences FILE] [--source-texts FILE] [--target-texts FILE] | --wikixpr DIR --language TAG [--split train|dev|test])\n' +
    '       [--layer N] [--sentences N] [--json]',
  options: { ...PAIRS_OPTIONS, model: { type: 'string' }, split: { type: 'string' }, layer: { type: 'string' }, sentences: { type: 'string' } },
  run: async (values, { signal, say }) => {
    const modelFolder = resolve(required(values, 'model', 'the folder of a model'));
    const layer = wholeNumber(values, 'layer', { least: 0, most: MOST_LAYERS });
    const mostSentences = wholeNumber(values, 'sentences', { least: 0, most: MOST_SENTENCES }) ?? USUAL_SENTENCES;
    // As a recipe names them, so that the same mistakes are found.
    const { training: lists, texts } = parsePhraseRecipe({ start: { model: modelFolder }, training: [pairsOption(values, choice<'test' | 'dev' | 'train'>(values, 'split', ['test', 'dev', 'train']))], texts: textsOption(values) }, { file: 'options', folder: process.cwd() });
    const encoder = await openEncoder(modelFolder);
    const lines = sayEvents(say);
    const [set] = await readPhraseLists({ lists, texts, most: mostSentences, signal, report: lines.report }).finally(lines.end);
    const json = await evaluatePhrases({ encoder, set: { sources: set?.pairs.map(({ source }) => source) ?? [], targets: set?.pairs.map(({ target }) => target) ?? [] }, mostSentences, ...(layer === null ? {} : { layer }) });
    return { json, text: Object.entries(json).map(([name, value]) => `${name.padEnd(10)} ${Number.isInteger(value) ? String(value) : value.toFixed(DIGITS)}`).join('\n') };
  },
};
