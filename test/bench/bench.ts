/**
 * Entry point of the benchmarks: which one, and how is its result told?
 *   npm run -s bench -- NAME [--json] [options]
 * With --json one JSON object on stdout, else a sentence; progress on stderr. Benchmarks report, they never judge: no time limit is a test.
 */
import { serialiseError, toIsoglossError } from '../../core/base/errors.ts';
import { readOptions } from '../../main/cli/command.ts';
import { BENCHMARKS } from './benchmarks.ts';

const EXIT = { done: 0, failed: 1, badInput: 2 };

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const names = Object.keys(BENCHMARKS).join(', ');

async function main([name, ...words]: readonly string[]): Promise<number> {
  const load = name !== undefined && Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (load === undefined) {
    say(name === undefined ? `Expected the name of a benchmark: ${names}.` : `Expected one of ${names}, found "${name}".`);
    return EXIT.badInput;
  }
  const benchmark = await load();
  const values = readOptions(benchmark, words);
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  process.once('SIGTERM', () => abort.abort());
  const isHelp = values['help'] === true;
  const { json, text } = isHelp ? { json: null, text: `${benchmark.summary}\nUsage: npm run -s bench -- ${name ?? ''} ${benchmark.usage}` } : await benchmark.run(values, { signal: abort.signal, say });
  process.stdout.write(`${values['json'] === true && !isHelp ? JSON.stringify(json) : text}\n`);
  return EXIT.done;
}

process.exitCode = await main(process.argv.slice(2)).catch((thrown: unknown) => {
  const error = toIsoglossError(thrown);
  say(error.family === 'invariant' ? (serialiseError(thrown).stack ?? error.message) : error.message);
  return error.family === 'input' ? EXIT.badInput : EXIT.failed;
});
