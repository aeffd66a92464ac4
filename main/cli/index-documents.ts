/** `isogloss index`: a folder of documents in, an index folder out. */
import { join, resolve } from 'node:path';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { InputError } from '../../core/base/errors.ts';
import { printable } from '../../core/base/text-files.ts';
import type { SkipReason } from '../../core/documents/folder-walk.ts';
import { buildIndex, type BuildSummary } from '../../core/retrieval/build-index.ts';
import { inheritTerms } from '../../core/retrieval/index-terms.ts';
import { required, type Command } from './command.ts';
import { createProblemLines, createProgressLine } from './progress.ts';

/** Why a file of the folder is not in the index; null for what nobody expects there. */
const SKIPPED: Readonly<Record<SkipReason, string | null>> = {
  format: null,
  hidden: null,
  'link-loop': 'expected each folder once, found a link to one that is read already',
  'too-deep': 'expected fewer folders inside each other, found more than Isogloss follows',
  'too-many': 'expected fewer files, found more than Isogloss reads; the rest is not indexed',
  'no-permission': 'Isogloss may not read it. Change its permissions',
  'not-a-file': 'expected a file, found a device or pipe',
  gone: 'it was there a moment ago and is gone. Index again',
  empty: 'expected text, found no bytes',
};

export const indexCommand: Command = {
  summary: 'Indexes a folder of documents, or brings its index up to date.',
  usage: '--model DIR --documents DIR --index DIR [--rebuild] [--json]',
  options: { model: { type: 'string' }, documents: { type: 'string' }, index: { type: 'string' }, rebuild: { type: 'boolean' } },
  run: async (values, { signal, say }) => {
    const modelFolder = resolve(required(values, 'model', 'the folder of a model'));
    const documentsFolder = resolve(required(values, 'documents', 'the folder of documents'));
    const indexFolder = resolve(required(values, 'index', 'the folder for the index'));
    const start = performance.now();
    const encoder = await openEncoder(modelFolder);
    const building = buildIndex({
      encoder,
      modelFolder,
      documentsFolder,
      indexFolder,
      ifOtherModel: values['rebuild'] === true ? 'rebuild' : 'refuse',
      signal,
      report: createProgressLine(say),
    });
    const built = await building.catch(nameRebuild);
    const terms = await inheritTerms({ indexFolder, modelFolder });
    if (terms !== null) say(terms.sentence);
    sayProblems(built, documentsFolder, say);
    const { files, chunks, vectors, added, changed, unchanged, removed, repaired, skipped, failed, problems } = built;
    const json = {
      index: indexFolder,
      files,
      chunks,
      vectors,
      added,
      changed,
      unchanged,
      removed,
      repaired,
      skipped,
      failed: failed.map(({ path, error }) => ({ path, code: error.code, message: error.message })),
      problems: problems.map(({ path, line, code, message }) => ({ path, line, code, message })),
      terms,
      wallSeconds: (performance.now() - start) / 1000,
    };
    return { json, text: `Indexed ${files.toLocaleString('en')} files, ${chunks.toLocaleString('en')} passages (${String(failed.length)} could not be read): ${indexFolder}` };
  },
};

/** Throws what it is given; an index of another model comes with the option that makes it anew. */
export function nameRebuild(thrown: unknown): never {
  if (!(thrown instanceof InputError) || thrown.code !== 'index.other-model') throw thrown;
  throw new InputError(thrown.code, `${thrown.message} To index again into the same folder: isogloss index ... --rebuild.`, { cause: thrown, data: thrown.data });
}

function sayProblems({ failed, skipped, problems }: BuildSummary, documentsFolder: string, say: (line: string) => void): void {
  const leftOut = createProblemLines(say);
  for (const { error } of failed) leftOut.add(error.message);
  for (const { path, reason } of skipped) {
    const why = SKIPPED[reason];
    if (why !== null) leftOut.add(`${printable(join(documentsFolder, path), Infinity)}: ${why}.`);
  }
  leftOut.end();
  const indexed = createProblemLines(say, 'indexed all the same');
  for (const { message } of problems) indexed.add(message);
  indexed.end();
}
