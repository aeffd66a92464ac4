/** What is a row of an experiment once it stands ready? Something that turns text of a language into vectors, or finds by words. */
import type { Encoder } from '../../core/encoding/encoder.ts';
import type { Experiment, ExperimentRow } from '../../core/evaluation/experiments/experiment-file.ts';
import type { TaskOf } from '../../core/evaluation/experiments/tasks.ts';
import type { Bm25Parameters } from '../../core/retrieval/bm25.ts';
import type { SearchMethod } from '../../core/retrieval/method-weights.ts';

export type System = {
  /** The encoder for text of a language (null: not known); all have one width and one space. Null: the row has no vectors. */
  readonly encoderFor: ((language: string | null) => Encoder) | null;
  /** How questions are answered. */
  readonly method: SearchMethod;
  /** Other than the defaults; may depend on the task, as it is tuned on the task's own development questions. */
  readonly bm25For?: (task: TaskOf<'retrieval'> | TaskOf<'xor'>) => Promise<Bm25Parameters>;
  /** What was chosen on development data so far, in words. */
  readonly choices?: () => readonly string[];
};

/** What a row may ask for while it is made ready. */
export type SystemContext = {
  readonly experiment: Experiment;
  readonly seed: number;
  readonly threads: number;
  readonly device: 'cpu' | 'webgpu' | 'auto';
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** A folder of its own for files that a row makes (it is removed with the models). */
  readonly workFolder: string;
  /** The folder of the model that a row of kind "recipe" trained, with the same seed. */
  readonly modelFolderOf: (row: string) => Promise<string>;
  /** Another row, made ready. */
  readonly systemOf: (row: string) => Promise<System>;
};

/** A system with vectors whose encoder does not depend on the language. */
export function oneEncoder(encoder: Encoder, method: SearchMethod): System {
  return { encoderFor: () => encoder, method };
}

/** The row of a name. Rows were checked when the experiment was read. */
export function rowNamed(experiment: Experiment, name: string): ExperimentRow {
  const row = experiment.rows.find((one) => one.name === name);
  if (row === undefined) throw new RangeError(`No row "${name}".`);
  return row;
}
