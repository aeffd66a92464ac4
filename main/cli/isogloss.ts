/** Entry point of the command line: which command, and how does it end? */
import { CancellationError, serialiseError, toIsoglossError } from '../../core/base/errors.ts';
import { readOptions, type Command } from './command.ts';
import { evaluateCommand } from './evaluate.ts';
import { indexCommand } from './index-documents.ts';
import { searchCommand } from './search.ts';
import { starterCommand } from './starter.ts';
import { trainCommand } from './train.ts';

const EXIT = { done: 0, failed: 1, badInput: 2, cancelled: 130 };

const COMMANDS: Readonly<Record<string, Command>> = {
  train: trainCommand,
  evaluate: evaluateCommand,
  index: indexCommand,
  search: searchCommand,
  starter: starterCommand,
};

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): Promise<void> => new Promise((resolve) => process.stdout.write(`${text}\n`, () => resolve()));

async function main(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    await print(help());
    return name === undefined ? EXIT.badInput : EXIT.done;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    say(`Expected one of ${Object.keys(COMMANDS).join(', ')}, found "${name}". See --help.`);
    return EXIT.badInput;
  }
  const abort = new AbortController();
  const cancel = (): void => abort.abort(new CancellationError());
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  const values = readOptions(command, rest);
  if (values['help'] === true) {
    await print(`Usage: npm run -s isogloss -- ${name} ${command.usage}`);
    return EXIT.done;
  }
  const { json, text } = await command.run(values, { signal: abort.signal, say });
  await print(values['json'] === true ? JSON.stringify(json) : text);
  return EXIT.done;
}

function help(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const rows = Object.entries(COMMANDS).flatMap(([name, { summary, usage }]) => [`  ${name.padEnd(width)}  ${summary}`, `  ${' '.repeat(width)}  ${name} ${usage}`]);
  return ['Usage: npm run -s isogloss -- COMMAND OPTIONS [--json]', '', ...rows, '', 'Exit codes: 0 done, 2 bad input, 130 cancelled, 1 anything else. Progress goes to stderr.'].join('\n');
}

/** What an end that is no result says, and its code. */
function explain(thrown: unknown): number {
  const error = toIsoglossError(thrown);
  switch (error.family) {
    case 'cancellation':
      say('Cancelled.');
      return EXIT.cancelled;
    case 'input':
      say(error.message);
      return EXIT.badInput;
    case 'environment':
      say(error.message);
      return EXIT.failed;
    default:
      say(`This is a fault of Isogloss: ${error.message}\n${serialiseError(thrown).stack ?? ''}`);
      return EXIT.failed;
  }
}

process.exitCode = await main(process.argv.slice(2)).catch(explain);
