/** What leaves the program when a call fails? One record; never a stack, never a class of ours. */
import { ORPCError } from '@orpc/server';
import { serialiseError, toIsoglossError } from '../../core/base/errors.ts';
import { ERROR_CODE, type ErrorRecord } from '../contract/errors.ts';

/** The error that the window receives. Refusals of the contract itself (wrong input) pass as they are. */
export function doorError(thrown: unknown, onFault: (error: Error) => void): ORPCError<string, unknown> {
  if (thrown instanceof ORPCError) return thrown;
  const error = toIsoglossError(thrown);
  if (error.family === 'invariant') onFault(error);
  const { family, code, message, data } = serialiseError(error);
  const record: ErrorRecord = { family, code, message, data: { ...data } };
  return new ORPCError(ERROR_CODE, { defined: true, message, data: record });
}

/** A stream whose failure is told in the same way. */
export async function* guardStream<T>(stream: AsyncGenerator<T, void>, onFault: (error: Error) => void): AsyncGenerator<T, void> {
  try {
    yield* stream;
  } catch (thrown) {
    throw doorError(thrown, onFault);
  }
}
