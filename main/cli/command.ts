/** What is a command, how are its options read, and how does it end? */
import { resolve } from 'node:path';
import { parseArgs, type ParseArgsOptionDescriptor } from 'node:util';
import { InputError } from '../../core/base/errors.ts';

export type OptionTable = Readonly<Record<string, ParseArgsOptionDescriptor>>;
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

export type CommandContext = {
  readonly signal: AbortSignal;
  /** A line on stderr. */
  readonly say: (line: string) => void;
};

/** `json` is what --json prints; `text` is for people. */
export type CommandResult = { readonly json: unknown; readonly text: string };

export type Command = {
  /** One line for the list of commands. */
  readonly summary: string;
  /** What stands after "Usage:". */
  readonly usage: string;
  readonly options: OptionTable;
  /** The option that a first word without "--" is meant for. */
  readonly positional?: string;
  readonly run: (values: OptionValues, context: CommandContext) => Promise<CommandResult>;
};

/** Options that every command has. */
export const COMMON_OPTIONS: OptionTable = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } };

/** Reads the words after a command's name. @throws InputError 'cli.unknown-option', 'cli.unexpected-word', 'cli.missing-value'. */
export function readOptions(command: Command, words: readonly string[]): OptionValues {
  try {
    const [first, ...others] = words;
    const args = command.positional !== undefined && first !== undefined && !first.startsWith('-') ? [`--${command.positional}`, first, ...others] : [...words];
    const { values } = parseArgs({ args, options: { ...command.options, ...COMMON_OPTIONS }, allowPositionals: false, strict: true });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join('\n') : value]));
  } catch (thrown) {
    if (!(thrown instanceof TypeError) || !('code' in thrown)) throw thrown;
    const known = Object.keys(command.options).map((name) => `--${name}`).join(' ');
    switch (thrown.code) {
      case 'ERR_PARSE_ARGS_UNKNOWN_OPTION':
        throw new InputError('cli.unknown-option', `${/'(-[^']*)'/.exec(thrown.message)?.[1] ?? 'An option'} is not an option of this command. It knows: ${known} --json --help.`, { cause: thrown });
      case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
        throw new InputError('cli.unexpected-word', `Expected options that begin with "--", found "${/'([^']*)'/.exec(thrown.message)?.[1] ?? ''}". Put quotation marks around a value that has spaces in it. Options: ${known}.`, { cause: thrown });
      default:
        throw new InputError('cli.missing-value', `${thrown.message}.`, { cause: thrown });
    }
  }
}

/** A text option, or null; one of white space alone says nothing. */
export function optional(values: OptionValues, name: string): string | null {
  const value = values[name];
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** A text option that must be there. @throws InputError 'cli.missing-option'. */
export function required(values: OptionValues, name: string, what: string): string {
  const value = optional(values, name);
  if (value === null) throw new InputError('cli.missing-option', `--${name}: expected ${what}, found nothing.`, { data: { option: name } });
  return value;
}

/** @param reason  what makes the named options useless. @throws InputError 'cli.useless-option' when any of them is given. */
export function refuse(values: OptionValues, names: readonly string[], reason: string): void {
  const given = names.filter((name) => optional(values, name) !== null);
  if (given.length > 0) throw new InputError('cli.useless-option', `${given.map((name) => `--${name}`).join(', ')}: not used together with ${reason}. Leave ${given.length === 1 ? 'it' : 'them'} out.`);
}

/** The file that an option names to be written. @param read  options whose files are read. @throws InputError 'cli.same-file' when it is one of them. */
export function outputFile(values: OptionValues, name: string, { what, read }: { readonly what: string; readonly read: readonly string[] }): string {
  const path = resolve(required(values, name, what));
  const same = read.find((one) => { const input = optional(values, one); return input !== null && resolve(input) === path; });
  if (same !== undefined) throw new InputError('cli.same-file', `--${name} ${path}: expected another file than --${same}, which is read. Name a new file.`, { data: { path } });
  return path;
}

/** A whole number within bounds, or null. @throws InputError 'cli.not-a-number'. */
export function wholeNumber(values: OptionValues, name: string, bounds: { readonly least: number; readonly most: number }): number | null {
  const value = optional(values, name);
  if (value === null) return null;
  const number = Number(value);
  if (Number.isInteger(number) && number >= bounds.least && number <= bounds.most) return number;
  throw new InputError('cli.not-a-number', `--${name}: expected a whole number from ${String(bounds.least)} to ${String(bounds.most)}, found "${value}".`, { data: { option: name } });
}

/** One of the given words; the first is the default. @throws InputError 'cli.unknown-choice'. */
export function choice<Word extends string>(values: OptionValues, name: string, words: readonly [Word, ...Word[]]): Word {
  const value = optional(values, name);
  const found = value === null ? words[0] : words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new InputError('cli.unknown-choice', `--${name}: expected one of ${words.join(', ')}, found "${value ?? ''}".`, { data: { option: name } });
}
