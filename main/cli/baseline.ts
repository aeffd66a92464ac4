/** `isogloss baseline clwe|clse`: word vectors in one space, or hidden states of a pretrained model, as models that every other command takes. */
import { dirname, resolve } from 'node:path';
import { readJson } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import { clseSettingsSchema, makeClse } from '../../core/evaluation/baselines/clse.ts';
import { clweSettingsSchema, makeClwe } from '../../core/evaluation/baselines/clwe.ts';
import { parseSettings } from '../../core/evaluation/baselines/settings.ts';
import { optional, required, wholeNumber, type Command, type OptionValues } from './command.ts';
import { createProblemLines, createProgressLine } from './progress.ts';

const NAMED_FILE = /^([A-Za-z][A-Za-z0-9-]*)=(.+)$/s;
const MOST_LAYERS = 1000;
const PAIR_FILE = /^([A-Za-z][A-Za-z0-9]*):([A-Za-z][A-Za-z0-9]*)=(.+)$/s;

export const baselineClweCommand: Command = {
  summary: 'Makes a baseline: word vectors of each language, trained here or from fastText files, mapped into one space (CLWE).',
  usage:
    '(--settings FILE | [--monolingual TAG=FILE ...] [--vectors TAG=FILE.vec ...] [--parallel TAG:TAG=FILE ...] [--dictionary TAG:TAG=FILE ...] [--pivot en] [--supervision supervised|semi-supervised|unsupervised] [--map orthogonal|reweighted] [--width N] [--epochs N]) --out DIR [--seed N] [--json]',
  options: {
    settings: { type: 'string' },
    monolingual: { type: 'string', multiple: true },
    vectors: { type: 'string', multiple: true },
    parallel: { type: 'string', multiple: true },
    dictionary: { type: 'string', multiple: true },
    pivot: { type: 'string' },
    supervision: { type: 'string' },
    map: { type: 'string' },
    width: { type: 'string' },
    epochs: { type: 'string' },
    out: { type: 'string' },
    seed: { type: 'string' },
  },
  run: async (values, { signal, say }) => {
    const out = resolve(required(values, 'out', 'the folder for the model'));
    const file = optional(values, 'settings');
    const settings = file === null ? parseSettings(clweSettingsSchema, settingsOf(values), '--') : parseSettings(clweSettingsSchema, await readJson(resolve(file)), file);
    const problems = createProblemLines(say);
    const summary = await makeClwe({
      settings,
      folder: file === null ? process.cwd() : dirname(resolve(file)),
      out,
      seed: wholeNumber(values, 'seed', { least: 0, most: Number.MAX_SAFE_INTEGER }) ?? 1,
      signal,
      report: createProgressLine(say),
      onProblem: ({ message }) => problems.add(message),
    }).finally(problems.end);
    const languages = summary.languages.map(({ language, words, sentences, pairs, from }) => `${language}: ${words.toLocaleString('en')} words from ${from === 'texts' ? `${sentences.toLocaleString('en')} sentences` : 'a file'}${pairs > 0 ? `, ${pairs.toLocaleString('en')} pairs` : ''}`);
    return { json: { model: out, ...summary }, text: [`Written: ${out} (${summary.supervision}, ${summary.map}, ${String(summary.width)} numbers a word)`, ...languages].join('\n') };
  },
};

export const baselineClseCommand: Command = {
  summary: 'Makes a baseline: averaged hidden states of a layer of a pretrained model, as they are or rotated onto the pivot (CLSE).',
  usage: '(--settings FILE | --backbone DIR [--layer N] [--map none|pairs|unsupervised] [--parallel TAG:TAG=FILE ...] [--dictionary TAG:TAG=FILE ...] [--monolingual TAG=FILE ...] [--pivot en]) --out DIR [--seed N] [--json]',
  options: {
    settings: { type: 'string' },
    backbone: { type: 'string' },
    layer: { type: 'string' },
    map: { type: 'string' },
    monolingual: { type: 'string', multiple: true },
    parallel: { type: 'string', multiple: true },
    dictionary: { type: 'string', multiple: true },
    pivot: { type: 'string' },
    out: { type: 'string' },
    seed: { type: 'string' },
  },
  run: async (values, { signal, say }) => {
    const out = resolve(required(values, 'out', 'the folder for the model'));
    const file = optional(values, 'settings');
    const layer = wholeNumber(values, 'layer', { least: 0, most: MOST_LAYERS });
    const asked = { ...textOption(values, 'backbone'), ...(layer === null ? {} : { layer }), ...textOption(values, 'map'), ...textOption(values, 'pivot'), texts: textsOf(values), parallel: between(values, 'parallel'), dictionaries: between(values, 'dictionary') };
    const problems = createProblemLines(say);
    const summary = await makeClse({
      settings: parseSettings(clseSettingsSchema, file === null ? asked : await readJson(resolve(file)), file ?? '--'),
      folder: file === null ? process.cwd() : dirname(resolve(file)),
      out,
      seed: wholeNumber(values, 'seed', { least: 0, most: Number.MAX_SAFE_INTEGER }) ?? 1,
      signal,
      report: createProgressLine(say),
      onProblem: ({ message }) => problems.add(message),
    }).finally(problems.end);
    const languages = summary.languages.map(({ language, pairs, texts }) => `${language}: ${(pairs + texts).toLocaleString('en')} ${pairs > 0 ? 'pairs' : 'texts'}`);
    return { json: { model: out, ...summary }, text: [`Written: ${out} (layer ${String(summary.layer)}, map ${summary.map}, width ${String(summary.width)})`, ...languages].join('\n') };
  },
};

/** Options as the settings that a file would hold. @throws InputError 'cli.bad-file-name'. */
function settingsOf(values: OptionValues): unknown {
  const vectors = Object.fromEntries(named(values, 'vectors'));
  const number = (name: string): Record<string, number> => {
    const value = wholeNumber(values, name, { least: 1, most: 100_000 });
    return value === null ? {} : { [name]: value };
  };
  return { ...textOption(values, 'pivot'), texts: textsOf(values), vectors, parallel: between(values, 'parallel'), dictionaries: between(values, 'dictionary'), ...textOption(values, 'supervision'), ...textOption(values, 'map'), skipGram: { ...number('width'), ...number('epochs') } };
}

function textOption(values: OptionValues, name: string): Record<string, string> {
  const value = optional(values, name);
  return value === null ? {} : { [name]: value };
}

function textsOf(values: OptionValues): Record<string, string[]> {
  const texts: Record<string, string[]> = {};
  for (const [tag, path] of named(values, 'monolingual')) texts[tag] = [...(texts[tag] ?? []), path];
  return texts;
}

/** TAG=FILE of each use of an option. */
function named(values: OptionValues, name: string): readonly (readonly [tag: string, path: string])[] {
  return uses(values, name).map((use) => {
    const [, tag, path] = NAMED_FILE.exec(use) ?? [];
    if (tag === undefined || path === undefined) throw new InputError('cli.bad-file-name', `--${name}: expected a language and a file, such as sw=texts.txt, found "${use}".`, { data: { option: name } });
    return [tag, path];
  });
}

/** TAG:TAG=FILE of each use of an option. */
function between(values: OptionValues, name: string): readonly { readonly path: string; readonly source: string; readonly target: string }[] {
  return uses(values, name).map((use) => {
    const [, source, target, path] = PAIR_FILE.exec(use) ?? [];
    if (source === undefined || target === undefined || path === undefined) throw new InputError('cli.bad-file-name', `--${name}: expected two languages and a file, such as sw:en=pairs.tsv, found "${use}".`, { data: { option: name } });
    return { path, source, target };
  });
}

function uses(values: OptionValues, name: string): readonly string[] {
  return optional(values, name)?.split('\n').filter((use) => use !== '') ?? [];
}
