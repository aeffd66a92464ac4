/** Command: what is in this corpus, what is wrong with it, is it enough? */
import { resolve } from 'node:path';
import { scorePairs } from '../../core/alignment/pair-scores.ts';
import { InputError } from '../../core/base/errors.ts';
import { corpusMappingSchema } from '../../core/corpus/corpus-options.ts';
import { FORMAT_NAMES } from '../../core/corpus/formats.ts';
import type { FormatName } from '../../core/corpus/formats.ts';
import { inspectCorpus } from '../../core/corpus/inspect.ts';
import type { CorpusInspection } from '../../core/corpus/inspect.ts';
import type { CorpusSource } from '../../core/corpus/sources.ts';
import { corpusSource } from '../project/inspection.ts';
import { optional, required, type Command, type OptionValues } from './command.ts';

const ROLES = { questions: 'retrieval', pairs: 'parallel', texts: 'monolingual' } as const;
const SHOWN_ROWS = 5;
const PER_CENT = 100;

export const inspectCommand: Command = {
  summary: 'Shows what is in a corpus, what is wrong with it, and whether it is enough.',
  usage: '--path FILE_OR_FOLDER [--second FILE_OR_FOLDER] [--role questions|pairs|texts] [--format NAME] [--encoding NAME] [--source TAG --target TAG] [--mapping JSON] [--against FILE_OR_FOLDER] [--json]',
  options: {
    path: { type: 'string' },
    second: { type: 'string' },
    role: { type: 'string' },
    format: { type: 'string' },
    encoding: { type: 'string' },
    source: { type: 'string' },
    target: { type: 'string' },
    mapping: { type: 'string' },
    against: { type: 'string' },
  },
  run: async (values, { signal }) => {
    const against = optional(values, 'against');
    const role = optional(values, 'role');
    if (role !== null && !Object.hasOwn(ROLES, role)) throw new InputError('cli.unknown-choice', `--role: expected one of ${Object.keys(ROLES).join(', ')}, found "${role}".`, { data: { option: 'role' } });
    const wanted = Object.entries(ROLES).find(([name]) => name === role)?.[1];
    const found = await inspectCorpus(sourceOf(values), signal, {
      scorePairs,
      ...(wanted === undefined ? {} : { role: wanted }),
      ...(against === null ? {} : { others: [{ name: against, purpose: 'evaluation' as const, source: { paths: [resolve(against)] } }] }),
    });
    return { json: found, text: describe(found) };
  },
};

function sourceOf(values: OptionValues): CorpusSource {
  const second = optional(values, 'second');
  const [source, target] = [optional(values, 'source'), optional(values, 'target')];
  const name = optional(values, 'format');
  const format = FORMAT_NAMES.find((known): known is FormatName => known === name);
  if (name !== null && format === undefined) throw new InputError('cli.unknown-choice', `--format: expected one of ${FORMAT_NAMES.join(', ')}, found "${name}".`, { data: { option: 'format' } });
  const said = corpusSource({
    paths: [resolve(required(values, 'path', 'a file or folder with a corpus')), ...(second === null ? [] : [resolve(second)])],
    format: null,
    languages: source === null || target === null ? null : { source, target },
    encoding: optional(values, 'encoding'),
    mapping: mappingOf(optional(values, 'mapping')),
  });
  return format === undefined ? said : { ...said, format };
}

function mappingOf(text: string | null) {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    const parsed = corpusMappingSchema.safeParse(value);
    if (parsed.success) return parsed.data;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
  }
  throw new InputError('cli.not-a-mapping', `--mapping: expected JSON such as {"columns": {"source": 1, "target": 2}} or {"tiers": {"source": {"name": "tx"}, "target": {"name": "ft"}}}, found "${text}".`, { data: { option: 'mapping' } });
}

function describe(found: CorpusInspection): string {
  const { format, role, languages, count, problemCount, problemKinds, leftOut, invalidBytes, statistics, shown, columns, quality, overlaps, letters, enough } = found;
  const share = (value: number): string => `${(value * PER_CENT).toFixed(1)} %`;
  return [
    `${format} (${role})${languages.length === 0 ? '' : `, languages ${languages.join(', ')}`}: ${count} records, ${statistics.duplicates} of them twice; ${problemCount} problems.`,
    ...leftOut.map(({ reason, count: left }) => `Left out: ${left} (${reason}).`),
    ...problemKinds.map(({ code, count: times, example }) => `${times} x ${code}: ${example.message}`),
    ...(invalidBytes === null ? [] : [describeBytes(invalidBytes)]),
    ...(quality === null ? [] : [`Of ${quality.sampled} pairs looked at: ${share(quality.untranslatedShare)} untranslated, ${share(quality.lengthOutlierShare)} of unfitting lengths${quality.misalignedShare === null ? '' : `, ${share(quality.misalignedShare)} whose words do not belong together`}.`]),
    ...(letters.mixedScripts.count === 0 ? [] : [`${letters.mixedScripts.count} texts with words in two scripts.`]),
    ...(letters.composition.nfc > 0 && letters.composition.nfd + letters.composition.neither > 0 ? [`Letters with marks are written in two ways: composed in ${letters.composition.nfc} texts, decomposed in ${letters.composition.nfd + letters.composition.neither}.`] : []),
    ...overlaps.map(({ name, isLeak, count: shared }) => `${shared} records stand in ${name} too${isLeak && shared > 0 ? ': figures measured with it would flatter' : ''}.`),
    ...(enough === null ? [] : [enough.sentence]),
    columns.join(' | '),
    ...shown.slice(0, SHOWN_ROWS).map(({ cells }) => cells.join(' | ')),
  ].join('\n');
}

/** Where bytes are no text, and what to say so that they are. */
function describeBytes({ count, places, encodings }: NonNullable<CorpusInspection['invalidBytes']>): string {
  const first = places.map(({ line, byteOffset }) => (byteOffset === null ? `line ${line}` : `line ${line} (byte ${byteOffset})`)).join(', ');
  const offered = encodings.map(({ label, sample }) => `--encoding ${label} ("${sample}")`).join(', ');
  return `Bytes that are no text in this encoding in ${count} lines, first in ${first}.${offered === '' ? '' : ` Say in which encoding they are: ${offered}.`}`;
}
