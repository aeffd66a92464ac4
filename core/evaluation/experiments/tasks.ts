/** Which tasks can an experiment measure? One schema each; every task names its files, its languages and its metric. */
import { z } from 'zod';

const name = z.string().regex(/^[\w.+-]{1,60}$/, 'a name of letters, digits, "_", ".", "+", "-"');
const path = z.string().min(1, 'a path');
const tag = z.string().min(1, 'a language tag');

const common = {
  name,
  /** As the paper's table heads its column; left out: the name. */
  label: z.string().min(1).optional(),
};
const direction = z.enum(['both', 'forward', 'backward']).default('both');

export const rankingMetrics = ['MRR@100', 'MRR@10', 'R@1', 'R@10', 'R@100', 'nDCG@10'] as const;

/** Questions against a collection. `data`: a folder as `readRetrievalFolder` knows it (BEIR, Mr.TyDi, MIRACL, MS MARCO). */
const retrieval = z.strictObject({
  ...common,
  kind: z.literal('retrieval'),
  data: path,
  /** Which questions, where a folder has several parts. */
  split: z.enum(['train', 'dev', 'test']).optional(),
  /** Another folder (or file) whose documents are searched, so that questions of one language are asked of texts in another. */
  collection: path.optional(),
  distractors: path.optional(),
  queryLanguage: tag,
  documentLanguage: tag,
  metric: z.enum(rankingMetrics).default('MRR@100'),
  /** Shown in tables of their own below the first. */
  also: z.array(z.enum(rankingMetrics)).default([]),
  /** Documents, where the plan cannot count them because they are not there. */
  documents: z.int().positive().optional(),
});

/** Which sentence of the other file is the translation? Line n of one file translates line n of the other (Tatoeba); "FILE#2" is the second column of a table. */
const pairs = z.strictObject({
  ...common,
  kind: z.literal('pairs'),
  source: path,
  target: path,
  sourceLanguage: tag.optional(),
  targetLanguage: tag.optional(),
  /** A third language that joins two files: line n of `source` and line m of `target` belong together where these lines are equal. */
  through: z.strictObject({ source: path, target: path }).optional(),
  /** forward: sources look for their targets. */
  direction,
});

const bitextFiles = z.strictObject({ source: path, target: path, gold: path });

/** Pairs hidden in two texts (BUCC): the threshold is found on `train` alone. */
const bitext = z.strictObject({
  ...common,
  kind: z.literal('bitext'),
  train: bitextFiles,
  test: bitextFiles,
  sourceLanguage: tag,
  targetLanguage: tag,
  /** k of equation 5. */
  neighbours: z.int().min(1).max(1000).default(4),
  /** What translated words and unlike lengths add to the cosine; 0: the papers' score, vectors alone. */
  lexicalWeight: z.number().min(0).max(100).default(0),
  lengthWeight: z.number().min(0).max(100).default(0),
});

/** Which phrase of the other language is the translation? Files as in WikiXPR. */
const phrases = z.strictObject({
  ...common,
  kind: z.literal('phrases'),
  pairs: path,
  sourceSentences: path,
  targetSentences: path,
  sourceLanguage: tag.optional(),
  targetLanguage: tag.optional(),
  /** Example sentences of each phrase that are used; left out: all. */
  sentences: z.int().min(0).max(1_000_000).optional(),
  /** Left out: the layer that the model pools. */
  layer: z.int().min(0).max(1000).optional(),
  direction,
});

/** Is the answer among the first 2,000 or 5,000 tokens that were found (XOR-Retrieve)? */
const xor = z.strictObject({
  ...common,
  kind: z.literal('xor'),
  /** Questions with their answers, as XOR-TyDi QA has them (JSONL). */
  questions: path,
  /** Only questions of this language. */
  queryLanguage: tag,
  documentLanguage: tag.default('en'),
  collection: path,
  metric: z.enum(['R@2kt', 'R@5kt']).default('R@5kt'),
  also: z.array(z.enum(['R@2kt', 'R@5kt'])).default([]),
  documents: z.int().positive().optional(),
});

export const taskSchema = z.discriminatedUnion('kind', [retrieval, pairs, bitext, phrases, xor]);

export type ExperimentTask = z.infer<typeof taskSchema>;
export type TaskKind = ExperimentTask['kind'];
export type TaskOf<Kind extends TaskKind> = Extract<ExperimentTask, { kind: Kind }>;

/** What a task measures, as it is written in tables. */
export function metricOf(task: ExperimentTask): string {
  switch (task.kind) {
    case 'retrieval':
    case 'xor':
      return task.metric;
    case 'bitext':
      return 'F1';
    case 'pairs':
      return 'accuracy';
    case 'phrases':
      return 'accuracy@1';
  }
}

/** The further metrics of a task. */
export function furtherMetricsOf(task: ExperimentTask): readonly string[] {
  return task.kind === 'retrieval' || task.kind === 'xor' ? task.also.filter((metric) => metric !== task.metric) : [];
}

/** The files and folders that a task reads. */
export function pathsOfTask(task: ExperimentTask): readonly string[] {
  switch (task.kind) {
    case 'retrieval':
      return [task.data, ...[task.collection, task.distractors].filter((one) => one !== undefined)];
    case 'pairs':
      return [task.source, task.target, ...(task.through === undefined ? [] : [task.through.source, task.through.target])].map((one) => one.replace(/#\d+$/, ''));
    case 'bitext':
      return [task.train, task.test].flatMap(({ source, target, gold }) => [source, target, gold]);
    case 'phrases':
      return [task.pairs, task.sourceSentences, task.targetSentences];
    case 'xor':
      return [task.questions, task.collection];
  }
}

/** A task with every place resolved. */
export function withTaskPlaces(task: ExperimentTask, place: (written: string) => string): ExperimentTask {
  const files = ({ source, target, gold }: z.infer<typeof bitextFiles>): z.infer<typeof bitextFiles> => ({ source: place(source), target: place(target), gold: place(gold) });
  switch (task.kind) {
    case 'retrieval':
      return { ...task, data: place(task.data), ...(task.collection === undefined ? {} : { collection: place(task.collection) }), ...(task.distractors === undefined ? {} : { distractors: place(task.distractors) }) };
    case 'pairs':
      return { ...task, source: place(task.source), target: place(task.target), ...(task.through === undefined ? {} : { through: { source: place(task.through.source), target: place(task.through.target) } }) };
    case 'bitext':
      return { ...task, train: files(task.train), test: files(task.test) };
    case 'phrases':
      return { ...task, pairs: place(task.pairs), sourceSentences: place(task.sourceSentences), targetSentences: place(task.targetSentences) };
    case 'xor':
      return { ...task, questions: place(task.questions), collection: place(task.collection) };
  }
}
