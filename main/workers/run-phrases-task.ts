/** How do a project's dictionaries become a phrase model? The recipe is written down first, so that it can be repeated on the command line. */
import { writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { InputError, InvariantError } from '../../core/base/errors.ts';
import { isDictionary } from '../../core/corpus/dictionary-entries.ts';
import { readPhraseRecipe, parsePhraseRecipe, type PhraseRecipe } from '../../core/training/phrases/phrase-recipe.ts';
import { runPhraseTraining } from '../../core/training/phrases/run-phrase-training.ts';
import { coreFormat, corpusSource } from '../project/inspection.ts';
import type { CallOutput, PhraseTrainingTask } from './messages.ts';
import type { TrainWishes } from './run-train-task.ts';

/** @throws InputError 'phrases.no-dictionary'; what `runPhraseTraining` throws. */
export async function runPhrasesTask(task: PhraseTrainingTask, wishes: TrainWishes): Promise<CallOutput<'phrase-training'>> {
  const { outputFolder, recipePath, threads, device, resume, takesLess = false } = task;
  const summary = await runPhraseTraining({
    recipe: resume ? await readPhraseRecipe(recipePath) : await writeRecipe(task, wishes.signal),
    outputFolder, threads, device, resume, takesLess,
    signal: wishes.signal,
    control: { paused: wishes.isPaused, stopAndKeep: wishes.shouldStopAndKeep },
    report: wishes.report,
  });
  if (summary === null) throw new InvariantError('training.no-summary', 'Training ended without a summary.');
  const { pairs, ...training } = summary;
  return { summary: training, pairs: [...pairs] };
}

async function writeRecipe({ modelFolder, recipePath, corpora, texts, seed }: PhraseTrainingTask, signal: AbortSignal): Promise<PhraseRecipe> {
  const training: Record<string, unknown>[] = [];
  for (const corpus of corpora) {
    const { paths, format, languages, encoding, mapping } = corpus;
    if (languages === null || !(await isDictionary(corpusSource({ paths, format, languages: format === 'lift' ? languages : null, encoding, mapping }), signal))) continue;
    training.push({ pairs: paths[0] ?? '', ...languages, format: coreFormat(format), ...(encoding === null ? {} : { encoding }), ...(mapping === null ? {} : { mapping }) });
  }
  if (training.length === 0) throw new InputError('phrases.no-dictionary', 'Expected a dictionary whose languages are known among the texts of this project, found none. Add one: LIFT, Toolbox, or a table of words with translations.');
  const value = {
    start: { model: modelFolder },
    training,
    texts: texts.map(({ paths, format, language, encoding, mapping }) => ({ path: paths[0] ?? '', language, format: coreFormat(format), ...(encoding === null ? {} : { encoding }), ...(mapping === null ? {} : { mapping }) })),
    seed,
  };
  await writeJsonAtomic(recipePath, value);
  return parsePhraseRecipe(value, { file: recipePath, folder: process.cwd() });
}
