/** Word vectors of several languages in one space (CLWE), as a row. */
import { dirname, join } from 'node:path';
import { clweSettingsSchema, makeClwe } from '../../../core/evaluation/baselines/clwe.ts';
import { parseSettings } from '../../../core/evaluation/baselines/settings.ts';
import type { RowOf } from '../../../core/evaluation/experiments/rows.ts';
import { openEncoder } from '../../../core/encoding/open-encoder.ts';
import type { System, SystemContext } from '../system.ts';

/** @throws InputError 'baseline.invalid'; as makeClwe. */
export async function openClweSystem({ name, settings }: RowOf<'clwe'>, { workFolder, seed, signal, say }: SystemContext): Promise<System> {
  const out = join(workFolder, `${name}.${seed}.words`);
  const { languages, supervision, map } = await makeClwe({ settings: parseSettings(clweSettingsSchema, settings, `row "${name}": settings`), folder: dirname(workFolder), out, seed, signal });
  const encoder = await openEncoder(out);
  const made = `${name}: ${supervision}, ${map}; ${languages.map(({ language, words, pairs }) => `${language} ${words} words, ${pairs} pairs`).join('; ')}`;
  say(made);
  return { method: 'dense', encoderFor: (language) => encoder.inLanguage?.(language) ?? encoder, choices: () => [made] };
}
