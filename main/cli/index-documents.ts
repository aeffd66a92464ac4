/** `isogloss index`: a folder of documents in, an index folder out. */
import { resolve } from 'node:path';
import { openEncoder } from '../../core/encoding/static-encoder.ts';
import { buildIndex } from '../../core/retrieval/build-index.ts';
import { required, type Command } from './command.ts';
import { createProblemLines, createProgressLine } from './progress.ts';

export const indexCommand: Command = {
  summary: 'Indexes a folder of documents, or brings its index up to date.',
  usage: '--model DIR --documents DIR --index DIR [--rebuild] [--json]',
  options: { model: { type: 'string' }, documents: { type: 'string' }, index: { type: 'string' }, rebuild: { type: 'boolean' } },
  run: async (values, { signal, say }) => {
    const modelFolder = resolve(required(values, 'model', 'the folder of a model'));
    const documentsFolder = resolve(required(values, 'documents', 'the folder of documents'));
    const indexFolder = resolve(required(values, 'index', 'the folder for the index'));
    const start = performance.now();
    const built = await buildIndex({
      encoder: await openEncoder(modelFolder),
      modelFolder,
      documentsFolder,
      indexFolder,
      ifOtherModel: values['rebuild'] === true ? 'rebuild' : 'refuse',
      signal,
      report: createProgressLine(say),
    });
    const lines = createProblemLines(say);
    for (const { error } of built.failed) lines.add(error.message);
    lines.end();
    const { files, chunks, vectors, added, changed, unchanged, removed, repaired, skipped, failed } = built;
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
      wallSeconds: (performance.now() - start) / 1000,
    };
    return { json, text: `Indexed ${files.toLocaleString('en')} files, ${chunks.toLocaleString('en')} passages (${String(failed.length)} could not be read): ${indexFolder}` };
  },
};
