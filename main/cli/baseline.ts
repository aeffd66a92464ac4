/** `isogloss baseline clwe`: word vectors of several languages in one space, as a model that every other command takes. */
import { dirname, resolve } from 'node:path';
import { readJson } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import { clweSettingsSchema, makeClwe } from '../../core/evaluation/baselines/clwe.ts';
import { parseSettings } from '../../core/evaluation/baselines/settings.ts';
import { optional, required, wholeNumber, type Command, type OptionValues } from './command.ts';
import { createProblemLines, createProgressLine } from './progress.ts';

const NAMED_FILE = /^([A-Za-z][A-Za-z0-9-]*)=(.+)$/s;
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

/** Options as the settings that a file would hold. @throws InputError 'cli.bad-file-name'. */
function settingsOf(values: OptionValues): unknown {
  const texts: Record<string, string[]> = {};
  for (const [tag, path] of named(values, 'monolingual')) texts[tag] = [...(texts[tag] ?? []), path];
  const vectors = Object.fromEntries(named(values, 'vectors'));
  const given = (name: string): Record<string, string> => {
    const value = optional(values, name);
    return value === null ? {} : { [name]: value };
  };
  const number = (name: string): Record<string, number> => {
    const value = wholeNumber(values, name, { least: 1, most: 100_000 });
    return value === null ? {} : { [name]: value };
  };
  return { ...given('pivot'), texts, vectors, parallel: between(values, 'parallel'), dictionaries: between(values, 'dictionary'), ...given('supervision'), ...given('map'), skipGram: { ...number('width'), ...number('epochs') } };
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
