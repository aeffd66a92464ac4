/** How good is a model at the tasks of an experiment, question by question? */
import { readAllPairs } from '../../core/corpus/parallel.ts';
import { findRetrievalFiles, readRetrievalSet } from '../../core/corpus/retrieval-set.ts';
import { assertNever } from '../../core/base/errors.ts';
import type { Encoder } from '../../core/encoding/encoder.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { openUntrainedEncoder } from '../../core/encoding/untrained-encoder.ts';
import type { Experiment, ExperimentRow, ExperimentTask } from '../../core/evaluation/experiments/experiment-file.ts';
import type { Measurement } from '../../core/evaluation/experiments/results.ts';
import { evaluatePairs } from '../../core/evaluation/pairs-task.ts';
import { evaluateRetrieval, prepareCollection } from '../../core/evaluation/retrieval-task.ts';
import { metricsPerQuery } from '../../core/metrics/ranking.ts';
import { canonicaliseTag } from '../../core/text/language.ts';

/** All tasks of a row. `modelFolder`: null for a row without a model. @throws what the readers and tasks throw. */
export async function measureRow({ experiment, row, seed, modelFolder, signal }: { readonly experiment: Experiment; readonly row: ExperimentRow; readonly seed: number; readonly modelFolder: string | null; readonly signal: AbortSignal }): Promise<readonly Measurement[]> {
  const encoder = modelFolder === null ? null : row.method === 'untrained' ? await openUntrainedEncoder(modelFolder) : await openEncoder(modelFolder);
  const measurements: Measurement[] = [];
  for (const task of experiment.tasks) {
    const items = await measureTask({ task, encoder, method: row.method === 'untrained' ? 'dense' : row.method, signal });
    measurements.push({ row: row.name, seed, task: task.name, value: items.reduce((sum, value) => sum + value, 0) / Math.max(1, items.length), items });
  }
  return measurements;
}

type MeasureTaskOptions = { readonly task: ExperimentTask; readonly encoder: Encoder | null; readonly method: Exclude<ExperimentRow['method'], 'untrained'>; readonly signal: AbortSignal };

async function measureTask({ task, encoder, method, signal }: MeasureTaskOptions): Promise<readonly number[]> {
  switch (task.kind) {
    case 'pairs': {
      if (encoder === null) return [];
      const { pairs } = await readAllPairs({ sourcePath: task.source, targetPath: task.target, source: 'und', target: 'und' }, signal);
      return [...(await evaluatePairs({ encoder, sources: pairs.map(({ source }) => source), targets: pairs.map(({ target }) => target) })).right];
    }
    case 'retrieval': {
      const files = await findRetrievalFiles(task.data);
      const { documents, distractors, queries, judgements } = await readRetrievalSet({ ...files, ...(task.distractors === undefined ? {} : { distractorsPath: task.distractors }) }, signal);
      const qrels = new Map<string, Map<string, number>>();
      for (const { queryId, documentId, relevance } of judgements) qrels.set(queryId, (qrels.get(queryId) ?? new Map<string, number>()).set(documentId, relevance));
      const collection = await prepareCollection({ documents: [...documents, ...distractors], encoder: method.startsWith('bm25') ? null : encoder, signal });
      const { run } = await evaluateRetrieval({ collection, queries, qrels, method, queryLanguage: canonicaliseTag(task.queryLanguage), documentLanguage: canonicaliseTag(task.documentLanguage), signal });
      const judged = new Map([...qrels].filter(([queryId]) => run.has(queryId)));
      return [...metricsPerQuery(run, judged).values()].map((metrics) => metrics[task.metric]);
    }
    default:
      return assertNever(task, 'experiment task');
  }
}
