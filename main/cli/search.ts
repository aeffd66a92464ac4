/** `isogloss search`: a query in, passages out. */
import { resolve } from 'node:path';
import { InputError } from '../../core/base/errors.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { openIndex, type Hit } from '../../core/retrieval/open-index.ts';
import { readIndexManifest } from '../../core/retrieval/store/index-manifest.ts';
import { canonicaliseTag } from '../../core/text/language.ts';
import { choice, optional, required, wholeNumber, type Command } from './command.ts';
import { nameRebuild } from './index-documents.ts';

const MOST_HITS = 1000;
const DEFAULT_HITS = 10;
const DIGITS = 3;

export const searchCommand: Command = {
  summary: 'Searches an index.',
  usage: '--index DIR --query TEXT [--k 10] [--method dense|bm25|bm25-char|translated|hybrid] [--query-language TAG] [--model DIR] [--json]',
  options: { index: { type: 'string' }, query: { type: 'string' }, k: { type: 'string' }, method: { type: 'string' }, 'query-language': { type: 'string' }, model: { type: 'string' } },
  run: async (values) => {
    const indexFolder = resolve(required(values, 'index', 'the folder of an index'));
    const query = required(values, 'query', 'the text to search for');
    const k = wholeNumber(values, 'k', { least: 1, most: MOST_HITS }) ?? DEFAULT_HITS;
    const method = choice(values, 'method', ['hybrid', 'dense', 'bm25', 'bm25-char', 'translated']);
    const language = optional(values, 'query-language');
    const named = optional(values, 'model');
    const modelFolder = named ?? (await readIndexManifest(indexFolder)).modelFolder;
    if (modelFolder === null) throw new InputError('search.no-model', `${indexFolder}: the index does not say where its model is. Name it with --model.`, { data: { path: indexFolder } });
    const encoder = await openEncoder(resolve(modelFolder)).catch((thrown: unknown) => {
      if (named !== null || !(thrown instanceof InputError) || thrown.code !== 'model.missing') throw thrown;
      throw new InputError(thrown.code, `${indexFolder}: expected the model that made this index at ${modelFolder}, found none. Name its new place with --model.`, { cause: thrown, data: thrown.data });
    });
    const index = await openIndex(indexFolder, encoder).catch(nameRebuild);
    try {
      const { hits } = await index.search({ query, k, method, queryLanguage: language === null ? null : canonicaliseTag(language) });
      return { json: hits.map(({ score, path, location, text, highlights, reasons }) => ({ score, path, location, text, highlights, reasons })), text: hits.length === 0 ? 'Nothing found.' : hits.map(describe).join('\n\n') };
    } finally {
      index.dispose();
    }
  },
};

function describe({ score, path, location, text, aligned, reasons }: Hit): string {
  const beside = aligned.map(({ language, text: said }) => `\n  ${language === '' ? '' : `[${language}] `}${said}`).join('');
  return `${score.toFixed(DIGITS)}  ${path}${placeOf(location)}  (${reasons.map(({ kind }) => kind.replace('-', ' ')).join(', ')})\n${text}${beside}`;
}

/** The place a person looks for: verse, second, page, slide, row, line or paragraph, whichever the file has first. */
function placeOf({ verse, timeMs, speaker, page, slide, sheet, row, line, paragraph }: Hit['location']): string {
  if (verse !== null) return `, ${verse}`;
  if (timeMs !== null) return `, ${clock(timeMs.start)}${speaker === null ? '' : ` (${speaker})`}`;
  if (page !== null) return `, page ${page}`;
  if (slide !== null) return `, slide ${slide}`;
  if (row !== null) return `${sheet === null ? '' : `, ${sheet}`}, row ${row}`;
  if (line !== null && line > 0) return `, line ${line}`;
  return paragraph === null ? '' : `, paragraph ${paragraph}`;
}

const MS_PER_SECOND = 1000;
const PER_MINUTE = 60;

/** 83,500 ms as 1:23.5 */
function clock(ms: number): string {
  const seconds = (ms / MS_PER_SECOND) % PER_MINUTE;
  return `${Math.floor(ms / MS_PER_SECOND / PER_MINUTE)}:${seconds < 10 ? '0' : ''}${seconds.toFixed(1)}`;
}
