/** Entry point of the command line: what do signals, streams and the exit code of this process mean? */
import { CancellationError, toIsoglossError } from '../../core/base/errors.ts';
import { stopper } from '../stopper.ts';
import { EXIT, runProgram } from './program.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Writes to stdout; a reader that has left (`| head`) is no fault. @throws EnvironmentError when stdout is a file on a full disk. */
const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => {
      if (error === null || error === undefined || ('code' in error && error.code === 'EPIPE')) resolve();
      else reject(toIsoglossError(error, 'standard output'));
    });
  });

process.stdout.on('error', () => undefined); // `print` is told of it too
process.stderr.on('error', () => undefined); // progress that nobody can read does not end the work
const abort = new AbortController();
const stop = stopper({ first: () => abort.abort(new CancellationError()), again: () => process.exit(EXIT.cancelled) });
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
process.exitCode = await runProgram(process.argv.slice(2), { signal: abort.signal, say, print });
