/** May a training open the model that its recipe starts from? Only after a process with a memory cap has read all of it. */
import { InputError } from '../../core/base/errors.ts';
import { readRecipe } from '../../core/training/recipe.ts';
import { isBackbone } from '../../core/training/recipe-schema.ts';
import { inspectInWorker } from './inspect-in-worker.ts';
import type { StartProcess } from './process.ts';

/** What an encoder takes depends on the recipe, which the training itself reckons with. */
const LEFT_TO_TRAINING: ReadonlySet<string> = new Set(['backbone.too-little-memory']);

/**
 * Looks at the backbone of a recipe, if it has one.
 * @throws InputError with the code of the first fault and all faults in its message; as `readRecipe` and `inspectInWorker`.
 */
export async function expectSoundBackbone(start: StartProcess, recipePath: string, signal?: AbortSignal): Promise<void> {
  const recipe = await readRecipe(recipePath);
  if (isBackbone(recipe)) await expectSoundFolder(start, recipe.encoder.path, signal);
}

/** As `expectSoundBackbone`, of the folder itself. */
export async function expectSoundFolder(start: StartProcess, folder: string, signal?: AbortSignal): Promise<void> {
  const found = await inspectInWorker(start, { folder, setup: {} }, signal);
  if (found.status === 'usable') return;
  const faults = found.problems.filter(({ code }) => !LEFT_TO_TRAINING.has(code));
  const [first] = faults;
  if (first !== undefined) throw new InputError(first.code, `${faults.map(({ message }) => message).join('\n')}\nNothing was started.`, { data: { path: folder } });
}
