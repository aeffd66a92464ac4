/** `isogloss baseline clwe|clse`: word vectors in one space, or hidden states of a pretrained model, as models that every other command takes. */
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { readJson } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import { clseSettingsSchema, makeClse } from '../../core/evaluation/baselines/clse.ts';
import { clweSettingsSchema, makeClwe } from '../../core/evaluation/baselines/clwe.ts';
import { parseSettings } from '../../core/evaluation/baselines/settings.ts';
import { checkOutputFolder } from '../../core/training/output-folder.ts';
import { optional, refuse, required, wholeNumber, type Command, type CommandContext, type OptionTable, type OptionValues } from './command.ts';
import { createProblemLines, createProgressLine } from './progress.ts';

const NAMED_FILE = /^([A-Za-z][A-Za-z0-9-]*)=(.+)$/s;
const MOST_LAYERS = 1000;
const PAIR_FILE = /^([A-Za-z][A-Za-z0-9]*):([A-Za-z][A-Za-z0-9]*)=(.+)$/s;

/** Options of both; `settings` is a file that says the same. */
const COMMON: OptionTable = {
  settings: { type: 'string' },
  monolingual: { type: 'string', multiple: true },
  parallel: { type: 'string', multiple: true },
  dictionary: { type: 'string', multiple: true },
  pivot: { type: 'string' },
  map: { type: 'string' },
  out: { type: 'string' },
  seed: { type: 'string' },
};

export const baselineClweCommand: Command = {
  summary: 'Makes a baseline: word vectors of each language, trained here or from fastText files, mapped into one space (CLWE).',
  usage:
    '(--settings FILE | [--monolingual TAG=FILE ...] [--vectors TAG=FILE.vec ...] [--parallel TAG:TAG=FILE ...] [--dictionary TAG:TAG=FILE ...] [--pivot en] [--supervision supervised|semi-supervised|unsupervised] [--map orthogonal|reweighted] [--width N] [--epochs N]) --out DIR [--seed N] [--json]',
  options: { ...COMMON, vectors: { type: 'string', multiple: true }, supervision: { type: 'string' }, width: { type: 'string' }, epochs: { type: 'string' } },
  run: async (values, context) => {
    const { settings, work, done } = await workOf(values, context, { schema: clweSettingsSchema, asked: clweSettingsOf });
    const summary = await makeClwe({ ...work, settings }).finally(done);
    const languages = summary.languages.map(({ language, words, sentences, pairs, from }) => `${language}: ${words.toLocaleString('en')} words from ${from === 'texts' ? `${sentences.toLocaleString('en')} sentences` : 'a file'}${pairs > 0 ? `, ${pairs.toLocaleString('en')} pairs` : ''}`);
    return { json: { model: work.out, ...summary }, text: [`Written: ${work.out} (${summary.supervision}, ${summary.map}, ${String(summary.width)} numbers a word)`, ...languages].join('\n') };
  },
};

export const baselineClseCommand: Command = {
  summary: 'Makes a baseline: averaged hidden states of a layer of a pretrained model, as they are or rotated onto the pivot (CLSE).',
  usage: '(--settings FILE | --backbone DIR [--layer N] [--map none|pairs|unsupervised] [--parallel TAG:TAG=FILE ...] [--dictionary TAG:TAG=FILE ...] [--monolingual TAG=FILE ...] [--pivot en]) --out DIR [--seed N] [--json]',
  options: { ...COMMON, backbone: { type: 'string' }, layer: { type: 'string' } },
  run: async (values, context) => {
    const { settings, work, done } = await workOf(values, context, { schema: clseSettingsSchema, asked: clseSettingsOf });
    const summary = await makeClse({ ...work, settings }).finally(done);
    const languages = summary.languages.map(({ language, pairs, texts }) => `${language}: ${(pairs + texts).toLocaleString('en')} ${pairs > 0 ? 'pairs' : 'texts'}`);
    return { json: { model: work.out, ...summary }, text: [`Written: ${work.out} (layer ${String(summary.layer)}, map ${summary.map}, width ${String(summary.width)})`, ...languages].join('\n') };
  },
};

const BESIDE_SETTINGS: ReadonlySet<string> = new Set(['settings', 'out', 'seed']);

/** Settings from the file or the options, and what making a baseline needs beside them; `done` says how many problems there were. @throws InputError. */
async function workOf<Settings>(values: OptionValues, { signal, say }: CommandContext, { schema, asked }: { readonly schema: z.ZodType<Settings>; readonly asked: (values: OptionValues) => unknown }) {
  const out = resolve(required(values, 'out', 'the folder for the model'));
  const file = optional(values, 'settings');
  if (file !== null) refuse(values, Object.keys(values).filter((name) => !BESIDE_SETTINGS.has(name)), '--settings, which says it');
  const problems = createProblemLines(say);
  const work = {
    folder: file === null ? process.cwd() : dirname(resolve(file)),
    out,
    seed: wholeNumber(values, 'seed', { least: 0, most: Number.MAX_SAFE_INTEGER }) ?? 1,
    signal,
    report: createProgressLine(say),
    onProblem: ({ message }: { readonly message: string }) => problems.add(message),
  };
  const settings = parseSettings(schema, file === null ? asked(values) : await readJson(resolve(file)), file ?? '--');
  await checkOutputFolder(out);
  return { settings, work, done: problems.end };
}

/** Options as the settings that a file would hold. @throws InputError 'cli.bad-file-name'. */
function clweSettingsOf(values: OptionValues): unknown {
  const vectors = Object.fromEntries(named(values, 'vectors'));
  const number = (name: string): Record<string, number> => {
    const value = wholeNumber(values, name, { least: 1, most: 100_000 });
    return value === null ? {} : { [name]: value };
  };
  return { ...textOption(values, 'pivot'), texts: textsOf(values), vectors, parallel: between(values, 'parallel'), dictionaries: between(values, 'dictionary'), ...textOption(values, 'supervision'), ...textOption(values, 'map'), skipGram: { ...number('width'), ...number('epochs') } };
}

function clseSettingsOf(values: OptionValues): unknown {
  const layer = wholeNumber(values, 'layer', { least: 0, most: MOST_LAYERS });
  return { ...textOption(values, 'backbone'), ...(layer === null ? {} : { layer }), ...textOption(values, 'map'), ...textOption(values, 'pivot'), texts: textsOf(values), parallel: between(values, 'parallel'), dictionaries: between(values, 'dictionary') };
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
