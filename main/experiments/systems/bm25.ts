/** BM25 as a row: with given settings, or those that are best on development questions in the language of the documents. */
import { bestBm25, tuneBm25, type TriedBm25 } from '../../../core/evaluation/baselines/tune-bm25.ts';
import type { RowOf } from '../../../core/evaluation/experiments/rows.ts';
import type { TaskOf } from '../../../core/evaluation/experiments/tasks.ts';
import type { Bm25Parameters } from '../../../core/retrieval/bm25.ts';
import { sameLanguage } from '../../../core/retrieval/method-weights.ts';
import type { System, SystemContext } from '../system.ts';
import { readDevelopmentTask } from '../tasks/retrieval-files.ts';

type SearchTask = TaskOf<'retrieval'> | TaskOf<'xor'>;

export function openBm25System(row: RowOf<'bm25'>, { experiment, signal }: SystemContext): Promise<System> {
  const method = row.terms === 'words' ? 'bm25' : 'bm25-char';
  const given: Bm25Parameters = { k1: row.k1, b: row.b };
  if (!row.tuned) return Promise.resolve({ encoderFor: null, method, bm25For: () => Promise.resolve(given) });
  const development = experiment.development.filter((task) => task.kind === 'retrieval');
  const known = new Map<string, Promise<Bm25Parameters>>();
  const chosen = new Map<string, string>();
  /** The grid's setting with the best mean over development tasks: those in the language of the documents, where there are any. */
  const tuned = async (names: readonly string[]): Promise<Bm25Parameters> => {
    const tries: (readonly TriedBm25[])[] = [];
    for (const task of development.filter(({ name }) => names.includes(name))) {
      tries.push((await tuneBm25({ ...(await readDevelopmentTask(task, experiment, signal)), method, metric: task.metric, signal })).tried);
    }
    const sums = (tries[0] ?? []).map(({ k1, b }, i) => ({ k1, b, score: tries.reduce((sum, tried) => sum + (tried[i]?.score ?? 0), 0) / tries.length }));
    const best = bestBm25(sums) ?? { ...given, score: 0 };
    chosen.set(names.join(', '), `k1 ${best.k1}, b ${best.b} (${best.score.toFixed(3)} on ${names.join(', ')})`);
    return { k1: best.k1, b: best.b };
  };
  const bm25For = (task: SearchTask): Promise<Bm25Parameters> => {
    const own = development.filter(({ documentLanguage }) => sameLanguage(documentLanguage, task.documentLanguage));
    const names = (own.length === 0 ? development : own).map(({ name }) => name);
    const key = names.join('\n');
    const found = known.get(key) ?? tuned(names);
    known.set(key, found);
    return found;
  };
  return Promise.resolve({ encoderFor: null, method, bm25For, choices: () => [...chosen.values()] });
}
