/** Do `calibrate`, `evaluate --task tatoeba` and `evaluate --task xor` say what they found, and refuse what makes no sense? In this process, with tiny models. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { calibrateCommand } from './calibrate.ts';
import { readOptions, type Command } from './command.ts';
import { evaluateCommand } from './evaluate.ts';

const run = async (command: Command, words: readonly string[]): Promise<unknown> => (await command.run(readOptions(command, words), { signal: new AbortController().signal, say: () => undefined })).json;

async function place(folder: string): Promise<{ readonly model: string; readonly pairs: string }> {
  const [model, pairs] = [join(folder, 'model'), join(folder, 'pairs.tsv')];
  await writeModelFolder(model, await testModel());
  await writeFile(pairs, Array.from({ length: 15 }, (_, i) => `the wide river ${i}\tmto mpana ${i}\n`).join(''));
  return { model, pairs };
}

describe('calibrate', () => {
  it('learns from pairs, measures on others, and tells which languages it knew without being told', async () => {
    using folder = temporaryFolder();
    const { model, pairs } = await place(folder.path);
    const out = join(folder.path, 'out');
    expect(await run(calibrateCommand, ['--model', model, '--out', out, '--pairs', pairs])).toMatchObject({ model: out, pivot: 'en', steps: { shift: true, scale: true, rotate: 'pairs' }, languages: [{ tag: 'en', texts: 15 }, { tag: 'sw', texts: 15, pairs: 12, rotated: true }], heldOut: [{ source: 'en', target: 'sw', pairs: 3, before: { accuracy: expect.any(Number) }, after: { accuracy: expect.any(Number) } }] });
    await expect(run(calibrateCommand, ['--model', model, '--out', out, '--pairs', pairs])).rejects.toMatchObject({ code: 'calibration.output-exists' });
  });

  it('does the steps that are named alone, and says what is missing', async () => {
    using folder = temporaryFolder();
    const { model, pairs } = await place(folder.path);
    const out = join(folder.path, 'shifted');
    expect(await run(calibrateCommand, ['--model', model, '--out', out, '--shift', '--text', `sw=${pairs}`, '--text', `en=${pairs}`])).toMatchObject({ steps: { shift: true, scale: false, rotate: 'none' }, heldOut: [] });
    const other = join(folder.path, 'other');
    await expect(run(calibrateCommand, ['--model', model, '--out', other])).rejects.toMatchObject({ code: 'calibration.no-recipe' });
    await expect(run(calibrateCommand, ['--model', model, '--out', other, '--shift', '--unsupervised', '--pairs', pairs])).rejects.toMatchObject({ code: 'cli.useless-option' });
    await expect(run(calibrateCommand, ['--model', model, '--out', other, '--rotate', '--text', `sw=${pairs}`, '--text', `en=${pairs}`])).rejects.toMatchObject({ code: 'calibration.too-few-pairs' });
    await expect(run(calibrateCommand, ['--model', model, '--out', other, '--pairs', pairs, '--source-language', 'sw'])).rejects.toMatchObject({ code: 'cli.missing-option' });
    await expect(run(calibrateCommand, ['--model', model, '--out', other, '--text', 'sw'])).rejects.toMatchObject({ code: 'cli.bad-text' });
  });
});

describe('evaluate', () => {
  it('--task tatoeba takes two languages of a folder; --task xor takes predictions, or searches', async () => {
    using folder = temporaryFolder();
    const { model } = await place(folder.path);
    const write = (name: string, text: string): Promise<void> => writeFile(join(folder.path, name), text);
    await write('tatoeba.swh-eng.swh', 'mto ni mpana\nnyumba kubwa\n');
    await write('tatoeba.swh-eng.eng', 'the river is wide\na big house\n');
    expect(await run(evaluateCommand, ['--task', 'tatoeba', '--model', model, '--data', folder.path, '--source-language', 'sw', '--target-language', 'en'])).toEqual({ pairs: 2, accuracy: expect.any(Number), forward: expect.any(Number), backward: expect.any(Number) });
    const questions = join(folder.path, 'questions.jsonl');
    await write('questions.jsonl', '{"id":"a","question":"mto mpana","lang":"sw","answers":["wide"]}\n{"id":"b","question":"?","lang":"sw","answers":["no"]}\n');
    await write('predictions.json', '[{"id":"a","lang":"sw","ctxs":["The river is wide."]}]');
    await write('collection.jsonl', '{"_id":"1","title":"","text":"the mto river is wide"}\n{"_id":"2","title":"","text":"a big house"}\n');
    const expected = { questions: 1, 'R@2kt': 1, 'R@5kt': 1, languages: { sw: { questions: 1, 'R@2kt': 1, 'R@5kt': 1 } } };
    expect(await run(evaluateCommand, ['--task', 'xor', '--questions', questions, '--predictions', join(folder.path, 'predictions.json')])).toEqual(expected);
    expect(await run(evaluateCommand, ['--task', 'xor', '--questions', questions, '--collection', join(folder.path, 'collection.jsonl')])).toEqual(expected);
    expect(await run(evaluateCommand, ['--task', 'xor', '--questions', questions, '--collection', join(folder.path, 'collection.jsonl'), '--model', model, '--method', 'dense'])).toEqual(expected);
    await expect(run(evaluateCommand, ['--task', 'xor', '--questions', questions])).rejects.toMatchObject({ code: 'cli.missing-option' });
    await expect(run(evaluateCommand, ['--task', 'pairs', '--model', model, '--questions', questions])).rejects.toMatchObject({ code: 'cli.useless-option' });
  });
});
