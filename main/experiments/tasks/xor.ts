/** XOR-Retrieve as a task of an experiment (Wu et al. 2022, Table 4): is the answer within the first tokens of what was found? */
import { InputError } from '../../../core/base/errors.ts';
import { readDocumentRecords } from '../../../core/corpus/beir-records.ts';
import { collect } from '../../../core/corpus/records.ts';
import { collectXorQuestions } from '../../../core/corpus/xor-questions.ts';
import type { TaskOf } from '../../../core/evaluation/experiments/tasks.ts';
import { prepareCollection } from '../../../core/evaluation/retrieval-task.ts';
import { evaluateXor, searchXor } from '../../../core/evaluation/xor-task.ts';
import { canonicaliseTag } from '../../../core/text/language.ts';
import type { System } from '../system.ts';
import { searchEncoder, type MeasureOptions, type TaskMeasurement } from './measurement.ts';

/** @throws InputError 'corpus.nothing-usable', 'evaluation.no-questions'; what the readers and `evaluateRetrieval` throw. */
export async function measureXor(task: TaskOf<'xor'>, system: System, { signal }: MeasureOptions): Promise<TaskMeasurement> {
  const wanted = canonicaliseTag(task.queryLanguage);
  const questions = (await collectXorQuestions(task.questions, signal)).questions.filter(({ language }) => canonicaliseTag(language) === wanted);
  const { records: documents } = await collect(readDocumentRecords(task.collection, signal));
  if (documents.length === 0) throw new InputError('corpus.nothing-usable', `${task.collection}: expected passages with "_id" and "text", found none that can be used.`, { data: { path: task.collection } });
  const bm25 = await system.bm25For?.(task);
  const collection = await prepareCollection({ documents, encoder: searchEncoder(system, task), ...(bm25 === undefined ? {} : { bm25 }), signal });
  const found = await searchXor({ questions, documents, collection, method: system.method, documentLanguage: canonicaliseTag(task.documentLanguage), signal });
  const result = evaluateXor({ questions, found: (id) => found.get(id) ?? null });
  return { values: new Map([task.metric, ...task.also].map((metric) => [metric, { items: result.found[metric] }])), note: `${result.questions} questions with an answer other than yes and no` };
}
