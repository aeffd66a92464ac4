/** `isogloss calibrate`: brings the languages of a trained model onto each other, into a model folder of its own. */
import { basename, resolve } from 'node:path';
import { InputError } from '../../core/base/errors.ts';
import { guessLanguages } from '../../core/corpus/probe.ts';
import type { Accuracy } from '../../core/encoding/calibrated/calibrate-model.ts';
import type { CalibrationSteps } from '../../core/encoding/calibration.ts';
import { readManifest } from '../../core/encoding/model-folder.ts';
import { canonicaliseTag } from '../../core/text/language.ts';
import { checkOutputFolder } from '../../core/training/output-folder.ts';
import { calibrateByCorpora, corporaOfModel, type CalibrationCorpora } from '../../core/training/calibrate-by-corpora.ts';
import { optional, required, type Command, type OptionValues } from './command.ts';
import { createProblemLines, createProgressLine } from './progress.ts';

const DIGITS = 3;

export const calibrateCommand: Command = {
  summary: 'Shifts, scales and rotates the vectors of each language of a model (Wu et al. 2022); measures on held-out pairs.',
  usage:
    '--model DIR --out DIR [--shift] [--scale] [--rotate] [--pairs FILE [--source-language TAG --target-language TAG] | --unsupervised] [--text TAG=FILE ...] [--json]\n' +
    '       no step named: all three. --pairs: two columns; rotation is learned from a part, measured on the rest. --unsupervised: rotation by mutual\n' +
    '       neighbours (CSLS), pairs measure only. Left out: the corpora of the recipe by which the model was trained.',
  options: {
    model: { type: 'string' }, out: { type: 'string' }, shift: { type: 'boolean' }, scale: { type: 'boolean' }, rotate: { type: 'boolean' },
    pairs: { type: 'string' }, unsupervised: { type: 'boolean' }, 'source-language': { type: 'string' }, 'target-language': { type: 'string' }, text: { type: 'string', multiple: true },
  },
  run: async (values, { signal, say }) => {
    const modelFolder = resolve(required(values, 'model', 'the folder of a model'));
    const outputFolder = resolve(required(values, 'out', 'the folder of the calibrated model, which is not there yet'));
    await checkOutputFolder(outputFolder); // before anything is encoded
    const corpora = await namedCorpora(values, modelFolder);
    const steps = stepsOf(values, corpora ?? (await corporaOfModel(modelFolder)));
    const progress = createProgressLine(say);
    const problems = createProblemLines(say);
    const report = await calibrateByCorpora({ modelFolder, outputFolder, steps, corpora, signal, report: (event) => { if (event.kind === 'progress') progress(event); else problems.add(event.message); } });
    problems.end();
    const lines = report.heldOut.map(({ source, target, pairs, before, after }) => `${source}-${target}: ${share(before)} before, ${share(after)} after (${pairs.toLocaleString('en')} held-out pairs)`);
    return { json: report, text: [`Calibrated: ${report.model}`, ...(lines.length === 0 ? ['No pairs to measure it on.'] : lines)].join('\n') };
  },
};

function share({ accuracy }: Accuracy): string {
  return accuracy.toFixed(DIGITS);
}

/** Which steps: those named, else all. A rotation is learned from pairs where there are any, unless told to do without. */
function stepsOf(values: OptionValues, { parallel }: CalibrationCorpora): CalibrationSteps {
  const isNamed = ['shift', 'scale', 'rotate'].some((name) => values[name] === true);
  const isAsked = (name: string): boolean => !isNamed || values[name] === true;
  if (values['unsupervised'] === true && !isAsked('rotate')) throw new InputError('cli.useless-option', '--unsupervised: concerns the rotation, which was not asked for. Add --rotate, or leave it out.');
  const rotate = !isAsked('rotate') ? 'none' : values['unsupervised'] === true || (parallel.length === 0 && !isNamed) ? 'unsupervised' : 'pairs';
  return { shift: isAsked('shift'), scale: isAsked('scale'), rotate };
}

/** The files of the command line; null when it names none. Both sides of the pairs are text of their languages. @throws InputError. */
async function namedCorpora(values: OptionValues, modelFolder: string): Promise<CalibrationCorpora | null> {
  const pairs = optional(values, 'pairs');
  const texts = (optional(values, 'text') ?? '').split('\n').filter((one) => one !== '');
  if (pairs === null && texts.length === 0) {
    for (const name of ['source-language', 'target-language']) if (optional(values, name) !== null) throw new InputError('cli.useless-option', `--${name}: says the languages of --pairs, which is missing.`);
    return null;
  }
  const monolingual = texts.map((written) => {
    const [, tag = '', path = ''] = /^([^=]+)=(.+)$/s.exec(written) ?? [];
    if (path === '') throw new InputError('cli.bad-text', `--text: expected TAG=FILE such as sw=texts.txt, found "${written}".`);
    return { path: resolve(path), language: canonicaliseTag(tag) };
  });
  return { monolingual, parallel: pairs === null ? [] : [await parallelOf(resolve(pairs), values, modelFolder)] };
}

/** The languages of the columns: as said, else as the file is called ("tico.en-sw.tsv"), else the two that the model has. */
async function parallelOf(path: string, values: OptionValues, modelFolder: string): Promise<CalibrationCorpora['parallel'][number]> {
  const said = ['source-language', 'target-language'].map((name) => optional(values, name));
  if ((said[0] === null) !== (said[1] === null)) throw new InputError('cli.missing-option', '--source-language and --target-language: expected both or none, found one.');
  const { languages } = await readManifest(modelFolder);
  const known = new Set(languages.map(({ tag }) => canonicaliseTag(tag)));
  const guessed = guessLanguages([basename(path)]).map((tag) => canonicaliseTag(tag));
  const fitting = [said.flatMap((tag) => (tag === null ? [] : [canonicaliseTag(tag)])), guessed.filter((tag) => known.has(tag)), known.size === 2 ? [...known] : []].find(({ length }) => length === 2);
  const [source, target] = fitting ?? [];
  if (source === undefined || target === undefined) throw new InputError('cli.missing-option', `--pairs ${path}: expected to know the languages of its two columns, found nothing that says them. Add --source-language and --target-language.`);
  if (source === target) throw new InputError('cli.same-language', `--pairs ${path}: expected two different languages, found "${source}" twice.`);
  return { path, source, target };
}
