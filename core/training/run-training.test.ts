import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { CancellationError } from '../base/errors.ts';
import { readOnlyFolder, smallDisk, temporaryFolder } from '../base/test-disks.ts';
import { readManifest, readModelFolder } from '../encoding/model-folder.ts';
import { readStarterFolder } from '../encoding/starter-folder.ts';
import { openEncoder } from '../encoding/open-encoder.ts';
import type { TrainingEvent } from './events.ts';
import { checkpointFolderOf, HELD_OUT_FILE, runTraining, type RunTrainingOptions } from './run-training.ts';
import { SAMPLE_FOLDER, smallRecipe, smallRecipeText, STARTER_FOLDER } from './test-recipes.ts';

const never = new AbortController().signal;

type Changes = Partial<RunTrainingOptions> & Pick<RunTrainingOptions, 'recipe' | 'outputFolder'>;

/** One run, with everything it reported. */
async function run(changes: Changes): Promise<{ summary: Awaited<ReturnType<typeof runTraining>>; events: TrainingEvent[] }> {
  const events: TrainingEvent[] = [];
  const summary = await runTraining({ starterFolder: STARTER_FOLDER, threads: 1, device: 'cpu', resume: false, signal: never, ...changes, report: (event) => { events.push(event); changes.report?.(event); } });
  return { summary, events };
}

const ofKind = <Kind extends TrainingEvent['kind']>(events: readonly TrainingEvent[], kind: Kind): Extract<TrainingEvent, { kind: Kind }>[] => events.filter((event): event is Extract<TrainingEvent, { kind: Kind }> => event.kind === kind);

describe('a run from recipe to model', () => {
  const folder = temporaryFolder();
  let first: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    first = await run({ recipe: await smallRecipe(folder.path), outputFolder: join(folder.path, 'first') });
    return () => { folder[Symbol.dispose](); };
  });

  it('gives a model that can be opened, with its languages and what it was made by', async () => {
    const encoder = await openEncoder(join(folder.path, 'first'));
    expect(encoder.width).toBe(32);
    expect(encoder.pivot).toBe('en');
    expect(encoder.languages.find(({ tag }) => tag === 'sw')?.pairs).toBeGreaterThan(300);
    expect(encoder.languages.find(({ tag }) => tag === 'sw')?.sentences).toBeGreaterThan(50);
    expect(encoder.translation('sw', 'en')?.translate('maji').map(({ token }) => token)).toContain('water');
    expect(encoder.translation('en', 'sw')).not.toBeNull();
    const { manifest, model } = await readModelFolder(join(folder.path, 'first'));
    expect(manifest.training).toMatchObject({ seed: 3, steps: 36, starter: null, device: 'cpu' });
    expect(model.table.every(Number.isFinite)).toBe(true);
    const held = JSON.parse(await readFile(join(folder.path, 'first', HELD_OUT_FILE), 'utf8')) as { pairs: { pairs: unknown[] }[]; questions: unknown };
    expect(held.pairs[0]?.pairs.length).toBeGreaterThan(10);
    expect(held.questions).not.toBeNull();
  });

  it('summarises itself', () => {
    expect(first.summary).toMatchObject({ model: join(folder.path, 'first'), steps: 36 });
    expect(first.summary?.parameters).toBeGreaterThan(32 * 500);
    for (const loss of Object.values(first.summary?.losses ?? {})) expect(loss).toBeGreaterThan(0);
    expect(Object.keys(first.summary?.losses ?? {})).toHaveLength(3);
  });

  it('tells the plan before the first step, looks before and after, and steps with time left', () => {
    const kinds = first.events.map(({ kind }) => kind);
    expect(kinds.indexOf('plan')).toBeGreaterThan(-1);
    expect(kinds.indexOf('plan')).toBeLessThan(kinds.indexOf('step'));
    expect(ofKind(first.events, 'plan')).toEqual([{ kind: 'plan', steps: 36, estimatedMinutes: expect.any(Number), estimatedMemoryMB: expect.any(Number) }]);
    const steps = ofKind(first.events, 'step');
    expect(steps.at(-1)).toMatchObject({ step: 36, steps: 36, leftMs: 0 });
    const looks = ofKind(first.events, 'evaluation');
    expect([looks[0]?.step, looks.at(-1)?.step]).toEqual([0, 36]);
    expect(ofKind(first.events, 'held-back')[0]?.sentences).toHaveLength(10);
    const phases = [...new Set(ofKind(first.events, 'progress').map(({ phase }) => phase))];
    expect(phases).toEqual(['reading', 'vocabulary', 'alignment', 'starting', 'finishing']);
  });

  it('learns: questions are found better at the end than before the first step', () => {
    const looks = ofKind(first.events, 'evaluation');
    expect(looks.at(-1)?.retrievalMRR ?? 0).toBeGreaterThan(looks[0]?.retrievalMRR ?? 1);
  });

  it('leaves nothing beside the model', async () => {
    expect((await readdir(folder.path)).filter((name) => name.includes('first'))).toEqual(['first']);
  });

  it('gives the same bytes again with the same seed, and others with another', async () => {
    await run({ recipe: await smallRecipe(folder.path), outputFolder: join(folder.path, 'again') });
    await run({ recipe: await smallRecipe(folder.path, { seed: 4 }), outputFolder: join(folder.path, 'other') });
    const [one, again, other] = await Promise.all(['first', 'again', 'other'].map((name) => readManifest(join(folder.path, name))));
    expect(Object.keys(one?.files ?? {})).toContain('token-table.f16');
    expect(again?.files).toEqual(one?.files);
    expect(other?.files['token-table.f16']).not.toBe(one?.files['token-table.f16']);
  });

  it('replaces an older model, but no folder that holds something else', async () => {
    const own = join(folder.path, 'documents');
    await mkdir(own);
    await writeFile(join(own, 'thesis.txt'), 'ten years of work');
    const work = run({ recipe: await smallRecipe(folder.path), outputFolder: own });
    await expect(work).rejects.toMatchObject({ code: 'training.output-not-a-model', message: expect.stringContaining('thesis.txt') });
    expect(await readdir(own)).toEqual(['thesis.txt']);
    await run({ recipe: await smallRecipe(folder.path, { budget: { steps: 2 } }), outputFolder: join(folder.path, 'again') });
    expect((await readManifest(join(folder.path, 'again'))).training).toMatchObject({ steps: 2 });
  });

  it('can be resumed after it was killed at any moment, to the same bytes', async () => {
    const outputFolder = join(folder.path, 'killed');
    await writeFile(join(folder.path, 'recipe.json'), smallRecipeText(folder.path));
    const module = (name: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href);
    const states: (number | undefined)[] = [];
    for (const stepsMore of [3, 8, 6]) {
      const source = `
        import { readRecipe } from ${module('recipe.ts')};
        import { runTraining } from ${module('run-training.ts')};
        let asked = 0;
        await runTraining({
          recipe: await readRecipe(${JSON.stringify(join(folder.path, 'recipe.json'))}), outputFolder: ${JSON.stringify(outputFolder)}, starterFolder: '', threads: 1, device: 'cpu',
          resume: true, checkpointEveryMs: 0, signal: new AbortController().signal, report: () => undefined,
          control: { stopAndKeep: () => false, paused: () => { asked += 1; if (asked >= ${stepsMore}) process.stdout.write('now'); return false; } },
        });`;
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.once('data', () => child.kill('SIGKILL'));
      const by = await new Promise((resolve) => child.on('exit', (_code, signal) => { resolve(signal); }));
      expect(by).toBe('SIGKILL');
      const names = (await readdir(checkpointFolderOf(outputFolder))).filter((name) => name.startsWith('step-')).sort();
      states.push(names.length === 0 ? undefined : Number(names.at(-1)?.slice(5)));
    }
    expect(states.some((step) => step !== undefined && step > 0 && step < 36)).toBe(true);
    expect(existsSync(outputFolder)).toBe(false);
    await run({ recipe: await smallRecipe(folder.path), outputFolder, resume: true });
    expect((await readManifest(outputFolder)).files).toEqual((await readManifest(join(folder.path, 'first'))).files);
    expect((await readdir(folder.path)).filter((name) => name.includes('killed'))).toEqual(['killed']);
  });

  it('is not resumed from a saved state of another recipe', async () => {
    const outputFolder = join(folder.path, 'changed');
    const stopped = new AbortController();
    const saved = run({
      recipe: await smallRecipe(folder.path), outputFolder, checkpointEveryMs: 0, signal: stopped.signal,
      control: { stopAndKeep: () => false, paused: () => { if (existsSync(join(checkpointFolderOf(outputFolder), 'step-000000005'))) stopped.abort(); return false; } },
    });
    await expect(saved).rejects.toBeInstanceOf(CancellationError);
    const { events } = await run({ recipe: await smallRecipe(folder.path, { seed: 9, budget: { steps: 3 } }), outputFolder, resume: true });
    expect(ofKind(events, 'message').map(({ code }) => code)).toContain('training.nothing-to-resume');
    expect(ofKind(events, 'plan')[0]?.steps).toBe(3);
  });

  it('is refused while another run is at the same folder', async () => {
    const outputFolder = join(folder.path, 'twice');
    const recipe = await smallRecipe(folder.path, { budget: { steps: 2 } });
    const both = await Promise.allSettled([run({ recipe, outputFolder }), run({ recipe, outputFolder })]);
    const refused = both.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toMatchObject({ code: 'training.already-running' });
    expect((await readModelFolder(outputFolder)).manifest.training).toMatchObject({ steps: 2 });
  });

  it.each(['reading', 'vocabulary', 'alignment', 'starting', 'finishing'] as const)('stops when it is cancelled during %s, and writes no model', async (phase) => {
    const outputFolder = join(folder.path, `cancelled-${phase}`);
    const controller = new AbortController();
    const seen: string[] = [];
    const work = run({
      recipe: await smallRecipe(folder.path, { budget: { steps: 2 } }), outputFolder, signal: controller.signal,
      report: (event) => {
        if (event.kind === 'progress' && !controller.signal.aborted) seen.push(event.phase);
        if (event.kind === 'progress' && event.phase === phase) setImmediate(() => { controller.abort(); }); // as a message would arrive
      },
    });
    await expect(work).rejects.toBeInstanceOf(CancellationError);
    expect(seen.at(-1)).toBe(phase);
    expect(existsSync(outputFolder)).toBe(false);
  });

  it('plans only, when asked to, and leaves no trace; a budget of minutes becomes steps', async () => {
    const outputFolder = join(folder.path, 'planned');
    const stepsFor = async (minutes: number): Promise<number> => {
      const { summary, events } = await run({ recipe: await smallRecipe(folder.path, { budget: { minutes } }), outputFolder, planOnly: true });
      expect(summary).toBeNull();
      expect(ofKind(events, 'step')).toEqual([]);
      return ofKind(events, 'plan')[0]?.steps ?? 0;
    };
    const [few, many] = [await stepsFor(0.1), await stepsFor(60)];
    expect(few).toBe(20); // less than it takes to finish: the least
    expect(many).toBeGreaterThan(1000);
    expect((await readdir(folder.path)).filter((name) => name.includes('planned'))).toEqual([]);
  });

  it('makes the folders above its model', async () => {
    const outputFolder = join(folder.path, 'deep', 'down', 'model');
    await run({ recipe: await smallRecipe(folder.path, { budget: { steps: 1 } }), outputFolder });
    expect((await readManifest(outputFolder)).encoder.width).toBe(32);
  });

  it('refuses a place where it may not write before it reads anything', async (context) => {
    using closed = readOnlyFolder();
    if (closed === null) return context.skip();
    for (const outputFolder of [join(closed.path, 'model'), join(closed.path, 'deep', 'model')]) {
      const events: TrainingEvent[] = [];
      await expect(run({ recipe: await smallRecipe(folder.path), outputFolder, report: (event) => { events.push(event); } })).rejects.toMatchObject({ code: 'disk.no-permission', family: 'environment' });
      expect(events).toEqual([]);
    }
    await expect(run({ recipe: await smallRecipe(folder.path), outputFolder: join(folder.path, 'questions.jsonl') })).rejects.toMatchObject({ code: 'file.not-a-folder' });
    await expect(run({ recipe: await smallRecipe(folder.path), outputFolder: join(folder.path, 'questions.jsonl', 'model') })).rejects.toMatchObject({ code: 'file.not-a-folder' });
  });

  it('goes on when the disk is too full for a checkpoint, says so, and writes its model', async (context) => {
    using disk = smallDisk(400 * 1024);
    if (disk === null) return context.skip();
    const outputFolder = join(disk.path, 'model');
    const { events } = await run({ recipe: await smallRecipe(folder.path), outputFolder, checkpointEveryMs: 0 });
    const messages = ofKind(events, 'message');
    expect(messages.map(({ code }) => code)).toContain('training.checkpoint-failed');
    expect(messages[0]?.message).toMatch(/disk is full.*Training goes on/);
    expect((await readManifest(outputFolder)).files).toEqual((await readManifest(join(folder.path, 'first'))).files);
    expect(await readdir(disk.path)).toEqual(['model']);
  });

  it('refuses a recipe that leaves nothing to train', async () => {
    await expect(smallRecipe(folder.path, { losses: { retrieval: { weight: 0 }, semantic: { weight: 0 }, language: { weight: 0 } } })).rejects.toMatchObject({ code: 'recipe.invalid', message: expect.stringContaining('nothing to train') });
  });
});

describe('a run from the starter', () => {
  it('keeps the English rows, starts the new language beside them', async () => {
    using folder = temporaryFolder();
    const recipe = await smallRecipe(folder.path, { retrieval: undefined, budget: { steps: 3 }, parallel: [{ path: join(SAMPLE_FOLDER, 'parallel.en-th.tsv'), source: 'en', target: 'th' }], monolingual: [] });
    expect(recipe.retrieval).toBeUndefined();
    await run({ recipe, outputFolder: join(folder.path, 'a') });
    const a = await readModelFolder(join(folder.path, 'a'));
    expect(a.manifest.training).toMatchObject({ starter: 'shipped' });
    const starter = await readStarterFolder(STARTER_FOLDER, 32);
    const rounded = new Float32Array(new Float16Array(starter.rows));
    expect(a.model.table.subarray(0, rounded.length)).toEqual(rounded);
    expect(a.model.table.length).toBeGreaterThan(rounded.length + 32 * 200);
    expect(a.model.scale).toEqual(starter.scale);
  });
});
