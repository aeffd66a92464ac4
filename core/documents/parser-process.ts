/** Entry point of the process (in Electron: the thread) that parses documents for another one. No network, one file after another. */
import { parentPort } from 'node:worker_threads';
import { serialiseError } from '../base/errors.ts';
import { forbidNetwork } from './no-network.ts';
import { isParseRequest } from './parser-messages.ts';
import type { ParseAnswer } from './parser-messages.ts';
import { readDocument } from './read-document.ts';

const never = new AbortController().signal; // who asks ends the process

forbidNetwork();
// Libraries leave promises behind that nobody waits for (pdf.js, of broken files). The reading itself says what went wrong.
process.on('unhandledRejection', () => undefined);

const post = (answer: ParseAnswer): void => {
  if (parentPort !== null) parentPort.postMessage(answer);
  else process.send?.(answer);
};

async function answer(message: unknown): Promise<void> {
  if (!isParseRequest(message)) return;
  const { id, path, options } = message;
  try {
    post({ kind: 'document', id, document: await readDocument(path, never, options) });
  } catch (thrown) {
    post({ kind: 'failure', id, error: serialiseError(thrown) });
  }
}

if (parentPort !== null) parentPort.on('message', (message: unknown) => void answer(message));
else {
  process.on('message', (message) => void answer(message));
  process.on('disconnect', () => process.exit());
}
