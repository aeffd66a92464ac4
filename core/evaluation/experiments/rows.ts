/** Which systems can an experiment compare? One schema a kind of row; what a row is made of stands in main/experiments/systems.ts. */
import { z } from 'zod';
import type { TaskKind } from './tasks.ts';

const name = z.string().regex(/^[\w.+-]{1,60}$/, 'a name of letters, digits, "_", ".", "+", "-"');
const path = z.string().min(1, 'a path');
const json = z.record(z.string(), z.json());

/** How a row with a model searches. */
const method = z.enum(['dense', 'hybrid', 'translated']).default('dense');

const common = {
  name,
  /** As the paper's table calls it. */
  label: z.string().optional(),
  /** Rows of one group stand below a line with its name. */
  group: z.string().optional(),
  /** Place on the horizontal axis of the plot, and the curve it belongs to. */
  x: z.number().optional(),
  series: z.string().optional(),
};

/** A recipe, merged key by key into the base, trained once a seed. */
const recipe = z.strictObject({
  ...common,
  kind: z.literal('recipe'),
  train: json,
  /** Training begins with the transformer that this row trained; the row's recipe then says "encoder" without a path. */
  startFrom: name.optional(),
  /** Changes of which the best on the development tasks is taken: tried with the first seed, used with all. */
  variants: z.array(json).min(2).optional(),
  method,
});

/** The model of another row before it was trained. */
const untrained = z.strictObject({ ...common, kind: z.literal('untrained'), of: name, method });

/** How a transformer's states become a vector, other than its model says: CCP is trained with the first token and measured with the mean of layer 14. */
const pooling = z.strictObject({ mode: z.enum(['cls', 'mean']).optional(), layer: z.int().min(0).max(1000).optional() });

/** The model of another row, searched in another way, or pooled in another way. */
const search = z.strictObject({ ...common, kind: z.literal('search'), of: name, method, pooling: pooling.optional() });

/** Words alone. `tuned`: k1 and b are the best on the development tasks, from the grid of Anserini's tuning. */
const bm25 = z.strictObject({
  ...common,
  kind: z.literal('bm25'),
  terms: z.enum(['words', 'characters']).default('words'),
  k1: z.number().min(0).max(100).default(0.9),
  b: z.number().min(0).max(1).default(0.4),
  tuned: z.boolean().default(false),
});

/** Pretrained weights as they came. */
const backbone = z.strictObject({ ...common, kind: z.literal('backbone'), path, pooling: pooling.default({}) });

const steps = z.strictObject({ shift: z.boolean().default(false), scale: z.boolean().default(false), rotate: z.enum(['none', 'pairs', 'unsupervised']).default('none') });
const texts = z.record(z.string(), z.array(path).min(1));

/** The model of another row, its languages shifted, scaled, rotated (Wu et al. 2022, section 3.2). */
const calibrated = z.strictObject({
  ...common,
  kind: z.literal('calibrated'),
  of: name,
  steps,
  pivot: z.string().default('en'),
  /** Running text of each language, the pivot's too. */
  texts,
  /** For `rotate: "pairs"`: sentence pairs of each language with the pivot, as a recipe names them. */
  pairs: z.array(json).default([]),
  /** Sentences of each language that are used, the first ones. */
  sentencesPerLanguage: z.int().min(2).max(10_000_000).default(10_000),
  method,
});

/** Word vectors of each language, mapped into one space. Settings: core/evaluation/baselines. */
const clwe = z.strictObject({ ...common, kind: z.literal('clwe'), settings: json });
/** Averaged hidden vectors of a layer, mapped. `of`: a row with a model; else settings name a backbone. */
const clse = z.strictObject({ ...common, kind: z.literal('clse'), of: name.optional(), settings: json });

/** Phrase training (XPR) that starts from the model of another row or from a folder. Settings: core/training/phrases. */
const phrases = z.strictObject({ ...common, kind: z.literal('phrases'), of: name.optional(), backbone: path.optional(), settings: json });

/** What a paper printed, for comparison: nothing is run. */
const reported = z.strictObject({
  ...common,
  kind: z.literal('reported'),
  values: z.record(z.string(), z.number()).default({}),
  /** Further metrics: metric -> task -> value. */
  also: z.record(z.string(), z.record(z.string(), z.number())).default({}),
  /** What its training took, for the table of costs. */
  compute: z.strictObject({ batch: z.int().positive(), steps: z.int().positive() }).optional(),
});

export const rowSchema = z.discriminatedUnion('kind', [recipe, untrained, search, bm25, backbone, calibrated, clwe, clse, phrases, reported]);

export type ExperimentRow = z.infer<typeof rowSchema>;
export type RowKind = ExperimentRow['kind'];
export type RowOf<Kind extends RowKind> = Extract<ExperimentRow, { kind: Kind }>;

const ALL: readonly TaskKind[] = ['retrieval', 'pairs', 'bitext', 'phrases', 'xor'];

/** Which tasks a row can take part in; elsewhere its cell stays empty. Total over the kinds. */
export const tasksOfRow: { readonly [Kind in RowKind]: readonly TaskKind[] } = {
  recipe: ALL,
  untrained: ALL,
  search: ALL,
  bm25: ['retrieval', 'xor'],
  backbone: ALL,
  calibrated: ['retrieval', 'pairs', 'bitext', 'xor'],
  clwe: ALL,
  clse: ALL,
  phrases: ['phrases'],
  reported: [],
};

/** The row whose model a row uses, if any. */
export function usedRow(row: ExperimentRow): string | null {
  return 'of' in row ? (row.of ?? null) : row.kind === 'recipe' ? (row.startFrom ?? null) : null;
}
