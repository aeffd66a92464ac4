/** How are rankings exchanged with other programs? TREC run files: "query Q0 document rank score name". */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { writeFileAtomic } from '../base/atomic-files.ts';
import { InputError, toIsoglossError } from '../base/errors.ts';
import { rankDocuments } from '../metrics/order.ts';
import type { ScoredDocument } from '../metrics/order.ts';
import type { Run } from '../metrics/ranking.ts';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The lines of a run: documents in ranking order, ranks from 1; scores with all digits of a float32, so that no tie is made. */
export function formatRun(run: Run, name: string): string {
  const lines: string[] = [];
  for (const [queryId, documents] of run) {
    rankDocuments(documents).forEach(({ documentId, score }, i) => {
      lines.push(`${queryId} Q0 ${documentId} ${i + 1} ${Math.fround(score)} ${name}\n`);
    });
  }
  return lines.join('');
}

/** Writes a run atomically. @throws InputError 'run.bad-id' for ids with white space; EnvironmentError as writeFileAtomic. */
export async function writeRun(path: string, run: Run, name: string): Promise<void> {
  for (const [queryId, documents] of run) {
    for (const id of [queryId, ...documents.map(({ documentId }) => documentId)]) {
      if (/\s|^$/.test(id)) throw new InputError('run.bad-id', `${path}: a TREC run cannot hold the id "${id}": ids are parted by white space. Choose ids without spaces.`, { data: { path } });
    }
  }
  await writeFileAtomic(path, formatRun(run, name));
}

/**
 * Reads a run. Blank lines and lines that begin with # are left out; ranks are not looked at, as in trec_eval.
 * @throws InputError 'run.bad-line' with file, line, expected and found, 'run.repeated-document'; 'file.missing'; the signal's reason.
 */
export async function readRun(path: string, signal: AbortSignal): Promise<Run> {
  const run = new Map<string, ScoredDocument[]>();
  const seen = new Map<string, Set<string>>();
  let line = 0;
  try {
    for await (const text of createInterface({ input: createReadStream(path, { signal, encoding: 'utf8' }), crlfDelay: Infinity })) {
      line += 1;
      if (text.trim() === '' || text.startsWith('#')) continue;
      const [queryId, , documentId, , score, ...rest] = text.trim().split(/\s+/);
      if (queryId === undefined || documentId === undefined || score === undefined || rest.length === 0 || !DECIMAL.test(score)) {
        throw new InputError('run.bad-line', `${path}: line ${line}: expected "query Q0 document rank score name", found "${text.slice(0, 80)}".`, { data: { path, line } });
      }
      const documents = seen.get(queryId) ?? new Set();
      if (documents.has(documentId)) throw new InputError('run.repeated-document', `${path}: line ${line}: expected each document once per query, found ${documentId} again for ${queryId}.`, { data: { path, line } });
      seen.set(queryId, documents.add(documentId));
      const list = run.get(queryId) ?? [];
      list.push({ documentId, score: Number(score) });
      run.set(queryId, list);
    }
  } catch (thrown) {
    throw toIsoglossError(thrown);
  }
  return run;
}
