/** What does the command line do with its words: which command, and how does it end? The process itself (signals, streams, exit code) is isogloss.ts. */
import { serialiseError, toIsoglossError } from '../../core/base/errors.ts';
import { readOptions, type Command, type CommandContext } from './command.ts';

export const EXIT = { done: 0, failed: 1, badInput: 2, cancelled: 130 };

/** Each is loaded when it is asked for, so that a search does not wait for the code of training. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  train: async () => (await import('./train.ts')).trainCommand,
  evaluate: async () => (await import('./evaluate.ts')).evaluateCommand,
  calibrate: async () => (await import('./calibrate.ts')).calibrateCommand,
  mine: async () => (await import('./mine.ts')).mineCommand,
  index: async () => (await import('./index-documents.ts')).indexCommand,
  search: async () => (await import('./search.ts')).searchCommand,
  'phrases train': async () => (await import('./phrases-train.ts')).phrasesTrainCommand,
  'phrases evaluate': async () => (await import('./phrases-evaluate.ts')).phrasesEvaluateCommand,
  'phrases sentences': async () => (await import('./phrases-sentences.ts')).phrasesSentencesCommand,
  'phrases search': async () => (await import('./phrases.ts')).phrasesSearchCommand,
  inspect: async () => (await import('./inspect.ts')).inspectCommand,
  experiment: async () => (await import('./experiment.ts')).experimentCommand,
  'baseline clwe': async () => (await import('./baseline.ts')).baselineClweCommand,
  'baseline clse': async () => (await import('./baseline.ts')).baselineClseCommand,
  backbone: async () => (await import('./backbone.ts')).backboneCommand,
  share: async () => (await import('./share.ts')).shareCommand,
  import: async () => (await import('./share.ts')).importCommand,
  starter: async () => (await import('./starter.ts')).starterCommand,
};

/** `print` writes a result to stdout; it rejects when that cannot be written. */
export type ProgramContext = CommandContext & { readonly print: (text: string) => Promise<void> };

/** Runs what `words` ask for. @returns the exit code; every failure is said in a sentence, none is thrown. */
export async function runProgram(words: readonly string[], context: ProgramContext): Promise<number> {
  return obey(words, context).catch((thrown: unknown) => explain(thrown, context));
}

async function obey(words: readonly string[], { signal, say, print }: ProgramContext): Promise<number> {
  const [first, second] = words;
  const length = Object.hasOwn(COMMANDS, `${first ?? ''} ${second ?? ''}`) ? 2 : 1;
  const name = first === undefined ? undefined : words.slice(0, length).join(' ');
  const rest = words.slice(length);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    await print(await help());
    return name === undefined ? EXIT.badInput : EXIT.done;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    say(`Expected one of ${Object.keys(COMMANDS).join(', ')}, found "${name}". See --help.`);
    return EXIT.badInput;
  }
  const command = await load();
  const values = readOptions(command, rest);
  if (values['help'] === true) {
    await print(`Usage: npm run -s isogloss -- ${name} ${command.usage}`);
    return EXIT.done;
  }
  const { json, text } = await command.run(values, { signal, say });
  await print(values['json'] === true ? JSON.stringify(json) : text);
  return EXIT.done;
}

async function help(): Promise<string> {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const rows: string[] = [];
  for (const [name, load] of Object.entries(COMMANDS)) {
    const { summary, usage } = await load();
    rows.push(`  ${name.padEnd(width)}  ${summary}`, `  ${' '.repeat(width)}  ${name} ${usage}`);
  }
  return ['Usage: npm run -s isogloss -- COMMAND OPTIONS [--json]', '', ...rows, '', 'Exit codes: 0 done, 2 bad input, 130 cancelled, 1 anything else. Progress goes to stderr.'].join('\n');
}

/** What an end that is no result says, and its code. */
function explain(thrown: unknown, { say }: ProgramContext): number {
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
