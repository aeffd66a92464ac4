/** How does a run survive being killed? Checkpoints: folders of arrays with their hashes, written whole or not at all. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFolderAtomic } from '../base/atomic-files.ts';
import { InputError } from '../base/errors.ts';
import { sha256 } from '../base/hashing.ts';

const STATE_FILE = 'state.json';
const SUMS_FILE = 'SHA256SUMS';
const FOLDER = /^step-(\d{9})$/;
/** What a crash in `writeFolderAtomic` leaves behind. */
const HALF_MADE = /^\.step-\d{9}\..*\.(tmp|old)$/;
const KEPT_CHECKPOINTS = 2;
const STEP_DIGITS = 9;

const VERSION = 1;
const stateSchema = z.object({
  version: z.literal(VERSION),
  /** Updates done. */
  step: z.int().min(0),
  steps: z.int().min(1),
  /** Halved after each roll-back. */
  learningRateFactor: z.number().positive(),
  rollbacks: z.int().min(0),
  /** Fingerprint of recipe, data and program: a checkpoint of something else is not resumed. */
  runKey: z.string(),
  losses: z.object({ retrieval: z.number(), semantic: z.number(), language: z.number(), maskedLanguage: z.number().optional(), contextPrediction: z.number().optional(), phrases: z.number().optional(), distillation: z.number().optional() }),
  /** Early stopping: the step whose look was best, its value, and how many looks have come since without a gain. */
  best: z.object({ step: z.int().min(0), value: z.number(), looksSince: z.int().min(0) }).optional(),
});

/** Whole, and of a later program: not damaged, and not ours to write over. */
const newerSchema = z.object({ version: z.int().min(VERSION + 1) });

/** Where a run stood. Batches are a function of (seed, step), so the step is all there is to know about order and chance. */
export type CheckpointState = z.infer<typeof stateSchema>;

export type Arrays = ReadonlyMap<string, Float32Array | Int32Array>;

/**
 * Writes a checkpoint atomically and removes all but the last two, and what a crash left half made.
 * @throws EnvironmentError 'disk.full', 'disk.no-permission': the checkpoints before stay.
 */
export async function writeCheckpoint(folder: string, state: CheckpointState, arrays: Arrays): Promise<void> {
  await writeFolderAtomic(join(folder, `step-${String(state.step).padStart(STEP_DIGITS, '0')}`), async (temporary) => {
    const sums: string[] = [];
    const write = async (name: string, bytes: Uint8Array): Promise<void> => {
      await writeFile(join(temporary, name), bytes);
      sums.push(`${sha256(bytes)}  ${name}`);
    };
    for (const [name, array] of arrays) await write(`${name}.bin`, new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    await write(STATE_FILE, Buffer.from(`${JSON.stringify(state, null, 2)}\n`));
    await writeFile(join(temporary, SUMS_FILE), `${sums.join('\n')}\n`);
  });
  for (const name of await namesIn(folder)) if (HALF_MADE.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  for (const old of (await checkpointFolders(folder)).slice(KEPT_CHECKPOINTS)) await rm(join(folder, old), { recursive: true, force: true });
}

export type FoundCheckpoint = { readonly state: CheckpointState; readonly damaged: readonly string[] };

/**
 * Loads the newest undamaged checkpoint of this run into the arrays.
 * @returns its state and the names of damaged newer ones; null when there is none of this run.
 * @throws InputError 'training.newer-checkpoint' for one that a newer Isogloss saved; nothing is changed.
 */
export async function readNewestCheckpoint(folder: string, runKey: string, arrays: Arrays): Promise<FoundCheckpoint | null> {
  const damaged: string[] = [];
  for (const name of await checkpointFolders(folder)) {
    const state = await loadCheckpoint(join(folder, name), runKey, arrays).catch((thrown: unknown) => {
      if (thrown instanceof InputError) throw thrown; // a newer program's
      return null; // a damaged one is named to the user, the one before is used
    });
    if (state === null) damaged.push(name);
    else if (state !== 'of another run') return { state, damaged };
  }
  return null;
}

/** Removes all checkpoints of a run. */
export async function removeCheckpoints(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function checkpointFolders(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => FOLDER.test(name)).sort().reverse();
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []); // no folder: no checkpoints
}

/** Fills the arrays only when everything is whole and of this run. */
async function loadCheckpoint(path: string, runKey: string, arrays: Arrays): Promise<CheckpointState | 'of another run' | null> {
  const sums = new Map((await readFile(join(path, SUMS_FILE), 'utf8')).trim().split('\n').map((line) => [line.slice(66), line.slice(0, 64)] as const));
  const read = async (name: string): Promise<Buffer | null> => {
    const bytes = await readFile(join(path, name));
    return sums.get(name) === sha256(bytes) ? bytes : null;
  };
  const stateBytes = await read(STATE_FILE);
  if (stateBytes === null) return null;
  const written: unknown = JSON.parse(stateBytes.toString('utf8'));
  const { success: isNewer, data } = newerSchema.safeParse(written);
  if (isNewer) throw new InputError('training.newer-checkpoint', `${path}: expected a state saved by this Isogloss (version ${VERSION}), found one of a newer Isogloss (version ${data.version}). It is left as it is: go on with the newer Isogloss, or train into another folder.`, { data: { path } });
  const state = stateSchema.parse(written);
  if (state.runKey !== runKey) return 'of another run';
  const loaded: [Float32Array | Int32Array, Buffer][] = [];
  for (const [name, array] of arrays) {
    const bytes = await read(`${name}.bin`);
    if (bytes === null || bytes.length !== array.byteLength) return null;
    loaded.push([array, bytes]);
  }
  for (const [array, bytes] of loaded) new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(bytes);
  return state;
}
